package remember

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/entry"
	"github.com/memoir-ai/memoir/internal/judge"
	"github.com/memoir-ai/memoir/internal/notebook"
	"github.com/memoir-ai/memoir/internal/secret"
)

// answer is what the history keeps of a request with a key. It holds none of
// its words.
type answer struct {
	Text string `json:"told"` // the digest of what was told
	Outcome
}

// answered returns the outcome of an earlier request with the same key, and
// whether there was one.
func (k *Keeper) answered(t *told) (Outcome, bool, error) {
	if t.Key == "" {
		return Outcome{}, false, nil
	}
	c, ok, back, err := k.opts.Notebook.Keyed(k.key(t))
	switch {
	case err == nil && !ok && back && t.Aside: // nobody has asked for it again
		return refusal(Forgotten), true, nil
	case err != nil || !ok:
		return Outcome{}, false, err
	}
	var before answer
	if err := json.Unmarshal(c.Answer, &before); err != nil {
		return Outcome{}, false, fmt.Errorf("read the earlier answer to this request: %w", err)
	}
	if before.Text != k.marks.digest(judge.Normal(t.text)) {
		return refusal(DuplicateKey), true, nil
	}
	if !slices.ContainsFunc(c.Edits, func(e notebook.Edit) bool { return strings.Contains(e.New, before.ID) }) {
		// The history has lost the entry on purpose. A person may tell it again all the same.
		return refusal(Forgotten), t.Origin != User, nil
	}
	before.Repeated = true
	return before.Outcome, true, nil
}

// signed returns what the history keeps of the outcome of a request with a key.
func (k *Keeper) signed(t *told, out Outcome) ([]byte, error) {
	out.Known = ""
	if out.Replaces != nil {
		out.Replaces = &Ref{ID: out.Replaces.ID, Place: out.Replaces.Place}
	}
	similar := out.Similar
	out.Similar = nil
	for _, s := range similar {
		s.Text, s.Check = "", ""
		out.Similar = append(out.Similar, s)
	}
	return json.Marshal(answer{k.marks.digest(judge.Normal(t.text)), out})
}

// words gives the answer to a request that came before the words that it had: those that
// the entries have by now, because the history keeps none. What is not where it was is not
// named as similar any more.
func (k *Keeper) words(ctx context.Context, t *told, before *Outcome) error {
	if !before.Repeated || before.ID == "" {
		return nil
	}
	similar := before.Similar[:0]
	for _, s := range before.Similar {
		if e := k.still(s.Ref); e != nil {
			s.Place, s.Text = e.place(), e.Text
			similar = append(similar, s)
		}
	}
	before.Similar = similar
	switch {
	case before.Replaces != nil:
		if e := k.still(*before.Replaces); e != nil {
			before.Known, _ = secret.Mask(e.Text)
		}
	case before.Outcome == Reinforced:
		return k.reworded(ctx, t, before)
	}
	return nil
}

// still returns the entry with the id of a reference in the note that it names; nil when
// there is none.
func (k *Keeper) still(ref Ref) *known {
	if ref.ID == "" {
		return nil
	}
	entries, err := k.entries(ref.Path)
	if err != nil {
		return nil // a note that cannot be read says nothing of it
	}
	is := func(e *known) bool { return e.Fields.Get(entry.ID) == ref.ID }
	at, _ := slices.BinarySearchFunc(entries, ref.StartLine, func(e *known, line int) int { return cmp.Compare(e.StartLine, line) })
	if at < len(entries) && is(entries[at]) {
		return entries[at] // where it was
	}
	if i := slices.IndexFunc(entries, is); i >= 0 {
		return entries[i]
	}
	return nil
}

// reworded adds to the answer to a request that came before what the entry says which it
// reinforced, and the text where that is in other words.
func (k *Keeper) reworded(ctx context.Context, t *told, before *Outcome) error {
	e, err := k.named(ctx, before.ID)
	switch {
	case errors.Is(err, memoir.ErrNotFound):
		return nil
	case err != nil:
		return err
	case !e.active():
		return nil
	case !t.says(e):
		before.Told = t.text
	}
	before.Known, _ = secret.Mask(e.Text)
	return nil
}

// key returns the form of the request's key that the history and the entry
// hold.
func (k *Keeper) key(t *told) string { return k.marks.digest("key\x00" + t.Key) }
