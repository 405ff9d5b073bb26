package remember

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/entry"
	"github.com/memoir-ai/memoir/internal/layout"
	"github.com/memoir-ai/memoir/internal/notebook"
	"github.com/memoir-ai/memoir/internal/secret"
)

// write carries out the decision in one change that can be taken back. A text that says what
// an entry says in other words is first kept as an entry of its own, which that change takes
// out. So its words are in the history, and undoing the change keeps it after all.
func (k *Keeper) write(ctx context.Context, t *told, d decision) (Outcome, error) {
	w := k.writing(t, d)
	if d.same && !t.says(d.old) && !t.DryRun {
		aside := *t
		aside.Key = ""
		own, err := k.write(ctx, &aside, decision{beside: d.old})
		if err != nil {
			return Outcome{}, err
		}
		w.Plan = k.instead(own, w.Plan)
	}
	if t.DryRun {
		err := k.opts.Notebook.Preview(w.Plan)
		return w.out, k.notKept(t, err)
	}
	change, err := k.opts.Notebook.Do(ctx, w.Who, w.Why, w.Plan)
	if err != nil {
		return Outcome{}, k.notKept(t, err)
	}
	return k.written(ctx, w, change)
}

// instead returns a plan that also takes out an entry that was added a moment ago, if it is
// there yet.
func (k *Keeper) instead(added Outcome, plan func(*notebook.Draft) error) func(*notebook.Draft) error {
	return func(draft *notebook.Draft) error {
		text, _, err := draft.Read(added.Path)
		if err != nil {
			return err
		}
		if e := k.find(added.Path, text, added.ID); e != nil && added.Outcome == Added {
			if err := draft.Write(added.Path, entry.Remove(text, e.Entry)); err != nil {
				return err
			}
		}
		return plan(draft)
	}
}

// writing is a decision that is being carried out.
type writing struct {
	notebook.Step
	t   *told
	out Outcome // as the plan has it
}

// writing returns the step that carries out a decision.
func (k *Keeper) writing(t *told, d decision) *writing {
	w := &writing{t: t, Step: notebook.Step{Who: "remember", Why: d.why(t)}}
	w.Plan = func(draft *notebook.Draft) error {
		draft.Join(t.Bundle)
		before, ok, err := k.answered(t) // another process may have answered meanwhile
		if w.out = before; ok || err != nil {
			return err
		}
		if w.out, err = k.plan(draft, t, d); err != nil || t.Key == "" {
			return err
		}
		b, err := k.signed(t, w.out)
		draft.Sign(k.key(t), b)
		return err
	}
	return w
}

// written returns the outcome of a decision that was carried out.
func (k *Keeper) written(ctx context.Context, w *writing, change notebook.Change) (Outcome, error) {
	t, out := w.t, w.out
	for _, e := range change.Edits {
		out.Written = append(out.Written, e.Path)
	}
	out.Change = change.ID
	if err := k.words(ctx, t, &out); err != nil {
		return Outcome{}, k.notKept(t, err)
	}
	if len(out.Written) > 0 {
		k.keepVector(t)
	}
	return out, nil
}

// keepVector keeps the vector of a text that becomes an entry, where it has one.
func (k *Keeper) keepVector(t *told) {
	if digest := k.marks.digest(t.normal()); t.vector != nil && k.vectors.load().of(digest) == nil {
		k.vectors.put(digest, t.vector)
	}
}

// why returns the reason that the history gives for the change.
func (d decision) why(t *told) string {
	switch {
	case d.same:
		return "told again: an entry of " + d.old.path
	case d.old != nil:
		return "replaced: an entry of " + d.old.path
	}
	return "kept in " + t.path
}

// plan plans the change, with the notes as they are now.
func (k *Keeper) plan(draft *notebook.Draft, t *told, d decision) (Outcome, error) {
	if d.old != nil {
		text, _, err := draft.Read(d.old.path)
		if err != nil {
			return Outcome{}, err
		}
		now := k.again(d.old, text)
		if t.Replaces != "" && (now == nil || t.hidden(d.old.path, text)) {
			return Outcome{}, fmt.Errorf("the entry %q was removed meanwhile: %w", t.Replaces, memoir.ErrNotFound)
		}
		if now == nil || !now.active() && t.Replaces == "" {
			if t.Type = cmp.Or(t.Type, d.old.typ, layout.Journal); t.path == "" {
				t.path = k.opts.Shelves.File(t.Type, t.At)
			}
			now, d.same = nil, false
		}
		d.old = now
	}
	var out Outcome
	var err error
	switch {
	case d.same && t.Pin && d.old.path != layout.Memory:
		out, err = k.pin(draft, t, d.old)
	case d.same:
		out, err = k.reinforce(draft, t, d.old)
	case d.old != nil:
		out, err = k.supersede(draft, t, d.old)
	case d.beside != nil:
		out, err = k.addBeside(draft, t, d.beside)
	default:
		out, err = k.add(draft, t, t.newID(), nil)
	}
	switch {
	case err != nil:
		return out, err
	case d.same && !t.says(d.old):
		out.Told = t.text
	case out.Outcome == Superseded:
		out.Known, _ = secret.Mask(d.old.Text)
	}
	switch {
	case t.stays != nil && out.Outcome == Added:
		out.Reason.Text = reasons[besideNamed]
	case t.diverted && out.Outcome == Added:
		out.Reason.Text = reasons[diverted]
	case len(d.similar) > 0 && out.Reason.Code == New:
		out.Reason.Text = reasons[besideOthers]
	}
	out.Similar, err = k.similarNow(draft, out.Path, d)
	out.Similar = slices.DeleteFunc(out.Similar, func(s Similar) bool { // the text's own entry, which was there already
		return s.Path == out.Path && s.StartLine == out.StartLine
	})
	return out, err
}

// logged looks for the words of a text in the file that it goes to, if that
// file was not looked at yet because it is the log of a day.
func (k *Keeper) logged(t *told, d *decision) error {
	if slices.Contains(k.files(), t.path) || d.old != nil || t.path == "" {
		return nil
	}
	text, _, err := k.read(t.path)
	if err != nil || text == "" {
		return err // of a log that is too large to be compared nothing is known before it is written to
	}
	if e := k.among(t, t.path, text, nil); e != nil {
		d.old, d.same = e, true
	}
	return nil
}

// among returns the active entry of a note, which has this text, with the words of another
// text, except the entry that the other text replaces.
func (k *Keeper) among(t *told, path, text string, old *Ref) *known {
	for e := range k.pages.saying(path, text, k.known, wordsOf(t.normal())) {
		if e.active() && t.says(e) && (old == nil || e.place() != old.Place) {
			return e
		}
	}
	return nil
}

// add plans a new entry at the end of the text's file. old is the entry that it
// replaces, or nil. If another writer has just added the same words, that entry
// counts.
func (k *Keeper) add(draft *notebook.Draft, t *told, id string, old *Ref) (Outcome, error) {
	text, _, err := draft.Read(t.path)
	if err != nil {
		return Outcome{}, err
	}
	if e := k.among(t, t.path, text, old); e != nil {
		if old == nil {
			draft.Explain(decision{old: e, same: true}.why(t))
		}
		return k.reinforce(draft, t, e)
	}
	replaces := ""
	out := Outcome{Outcome: Added, Reason: reason(t.code), Type: t.Type, ID: id, Path: t.path}
	if old != nil {
		replaces = old.ID // lines move, so that a place names nothing for long
		out.Outcome, out.Reason, out.Replaces = Superseded, reason(Changed), old
	}
	ref, err := k.toEnd(draft, t.path, k.item(t, t.path, id, replaces), id)
	if err != nil {
		return Outcome{}, err
	}
	return out.at(ref), nil
}

// outcomeOf returns the outcome for an entry that exists.
func outcomeOf(verb, code string, e *known) Outcome {
	out := Outcome{Outcome: verb, Reason: reason(code), Type: e.typ, ID: e.Fields.Get(entry.ID), Path: e.path, StartLine: e.StartLine, EndLine: e.EndLine}
	if verb == Reinforced {
		out.Known, _ = secret.Mask(e.Text)
	}
	return out
}

// at returns the outcome with the place of its entry.
func (o Outcome) at(ref Ref) Outcome {
	o.ID, o.Path, o.StartLine, o.EndLine = ref.ID, ref.Path, ref.StartLine, ref.EndLine
	return o
}
