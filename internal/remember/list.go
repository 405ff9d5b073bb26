package remember

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/entry"
	"github.com/memoir-ai/memoir/internal/layout"
	"github.com/memoir-ai/memoir/internal/notebook"
	"github.com/memoir-ai/memoir/internal/order"
	"github.com/memoir-ai/memoir/internal/secret"
)

// An Entry is an entry of a note, with what its comments say of it.
type Entry struct {
	Ref
	Type       string `json:"type"`                   // one of [judge.Type]; empty where nothing says it
	Text       string `json:"text"`                   // as people read it
	Status     string `json:"status"`                 // active or superseded
	Origin     string `json:"origin,omitempty"`       // user, agent, tool, web or import, where it is known
	Observed   string `json:"observed,omitempty"`     // the day on which it was told, YYYY-MM-DD
	Importance int    `json:"importance,omitempty"`   // 1 to 5
	Count      int    `json:"count,omitempty"`        // how often it was told again
	Last       string `json:"last,omitempty"`         // the day on which it was last told
	Replaces   string `json:"replaces,omitempty"`     // id of the entry that it supersedes
	By         string `json:"supersededBy,omitempty"` // id of the entry that supersedes it
	Until      string `json:"until,omitempty"`        // the day from which it no longer holds
	Session    string `json:"session,omitempty"`      // the session that it comes from
	Private    bool   `json:"private,omitempty"`      // it is for private sessions alone
}

func (e *known) entry() Entry {
	number := func(key string) int {
		n, _ := strconv.Atoi(e.Fields.Get(key)) // 0 when the field is not a number
		return n
	}
	status := Active
	if !e.active() {
		status = Replaced
	}
	observed := e.Fields.Get(entry.Observed)
	if day, ok := layout.Date(e.path); ok && observed == "" {
		observed = day.Format("2006-01-02")
	}
	return Entry{
		Ref: e.ref(), Type: e.typ, Text: e.Text, Status: status, Origin: e.Fields.Get(entry.Origin), Observed: observed,
		Importance: (number(entry.Importance) + 1) / 2, Count: number(entry.Count), Last: e.Fields.Get(entry.Last),
		Replaces: e.Fields.Get(entry.Replaces), By: e.Fields.Get(entry.By), Until: e.Fields.Get(entry.Until), Session: e.Fields.Get(entry.Session), Private: e.Private,
	}
}

// The values of an entry's status.
const (
	Active   = "active"
	Replaced = "superseded"
	All      = "all" // only in a [Filter]
)

// A Filter selects entries.
type Filter struct {
	Types  []string // empty: all
	Status string   // Active, Replaced or All; "" is Active
}

// Entries returns the entries of the shelves, of MEMORY.md, of USER.md and of
// the day logs, ordered by path and line. It leaves out entries of other notes,
// which have no type.
func (k *Keeper) Entries(ctx context.Context, f Filter) ([]Entry, error) {
	f.Types = slices.Clone(f.Types)
	for i, typ := range f.Types {
		f.Types[i] = layout.TypeNamed(typ)
		if types := layout.Types(); !slices.Contains(types, f.Types[i]) {
			return nil, memoir.WithHint(fmt.Errorf("there is no type %q: %w", typ, memoir.ErrInvalid), "give one of "+strings.Join(types, ", "))
		}
	}
	if f.Status = cmp.Or(f.Status, Active); !slices.Contains([]string{Active, Replaced, All}, f.Status) {
		return nil, memoir.WithHint(fmt.Errorf("there is no status %q: %w", f.Status, memoir.ErrInvalid), "give one of active, superseded, all")
	}
	paths, err := k.paths(ctx)
	if err != nil {
		return nil, err
	}
	var all stock
	for _, path := range paths {
		if k.opts.Shelves.Type(path) == "" && !layout.Curated(path) {
			continue
		}
		entries, err := k.entries(path)
		if err != nil {
			return nil, err
		}
		all = append(all, entries...)
	}
	out, replaced := []Entry{}, all.replaced()
	for _, e := range all {
		listed := e.entry()
		if by := replaced.by(e); by != "" && listed.Status == Active {
			listed.Status, listed.By = Replaced, by
		}
		if (f.Status == All || listed.Status == f.Status) && (len(f.Types) == 0 || slices.Contains(f.Types, listed.Type)) {
			out = append(out, listed)
		}
	}
	order.Stable(out, func(a, b Entry) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), a.StartLine-b.StartLine)
	})
	return out, nil
}

// Similar returns entries that may be about the same as a text, the likeliest
// first. Their scores are at least threshold, where 0 means the default.
func (k *Keeper) Similar(ctx context.Context, text string, threshold float64) ([]Similar, error) {
	if !(threshold >= 0 && threshold <= 1) {
		return nil, fmt.Errorf("threshold %v is not between 0 and 1: %w", threshold, memoir.ErrInvalid)
	}
	t := &told{}
	if t.text, _ = secret.Mask(plain(text[:min(len(text), maxText)])); t.text == "" {
		return nil, fmt.Errorf("the text is empty: %w", memoir.ErrInvalid)
	}
	if err := k.look(ctx, t); err != nil {
		return nil, err
	}
	s, err := k.stock()
	if err != nil {
		return nil, err
	}
	found, err := k.candidates(ctx, t.text, t.vector, s, k.search(ctx, t.text, t.vector))
	if err == nil {
		found, err = k.weigh(ctx, t, found)
	}
	if err != nil {
		return nil, err
	}
	out := []Similar{}
	for _, c := range found {
		if threshold == 0 && c.worthNaming() || threshold > 0 && c.score() >= threshold {
			out = append(out, c.similar(c.ref()))
		}
	}
	order.Stable(out, func(a, b Similar) int { return cmp.Compare(b.Score, a.Score) })
	return out, nil
}

// History returns the changes of the notes, the oldest first.
func (k *Keeper) History() ([]notebook.Change, error) { return k.opts.Notebook.History() }

// Note returns the content of a note; see [notebook.Notebook.Read].
func (k *Keeper) Note(path string) (string, error) { return k.opts.Notebook.Read(path) }

// Edit makes one change; see [notebook.Notebook.Do].
func (k *Keeper) Edit(ctx context.Context, who, why string, plan func(*notebook.Draft) error) (notebook.Change, error) {
	return k.opts.Notebook.Do(ctx, who, why, plan)
}

// Undo takes back the change with that id, or the last one for ""; see
// [notebook.Notebook.Undo].
func (k *Keeper) Undo(ctx context.Context, id string) (notebook.Change, error) {
	return k.opts.Notebook.Undo(ctx, id)
}

// Prepare computes the vectors of entries that have none yet, so that a new
// text can be compared with all entries quickly. Call it when nobody is
// waiting. Without the model it does nothing.
func (k *Keeper) Prepare(ctx context.Context) error {
	if k.opts.Embed == nil {
		return nil
	}
	s, err := k.stock()
	if err != nil {
		return err
	}
	return k.prepare(ctx, s)
}

// prepare computes the vectors of active entries that have none.
func (k *Keeper) prepare(ctx context.Context, entries []*known) error {
	vectors := k.vectors.load()
	var digests, texts []string
	for _, e := range entries {
		if d := k.marks.digest(e.normal()); e.active() && vectors.of(d) == nil {
			digests, texts = append(digests, d), append(texts, e.Text)
		}
	}
	const batch = 16
	for at := 0; at < len(texts); at += batch {
		end := min(at+batch, len(texts))
		computed, err := k.opts.Embed(ctx, texts[at:end])
		if err != nil {
			return fmt.Errorf("read entries: %w", err)
		}
		for i, vector := range computed {
			k.vectors.put(digests[at+i], vector)
		}
	}
	return nil
}
