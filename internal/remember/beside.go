package remember

import (
	"github.com/memoir-ai/memoir/internal/entry"
	"github.com/memoir-ai/memoir/internal/layout"
	"github.com/memoir-ai/memoir/internal/notebook"
)

// pair looks for the entry that a new text stands beside: the likeliest one on a shelf that
// may be about the same. Whoever reads the one then reads the other, too, which may be what
// holds by now. The shelf is that entry's, unless the caller has named
// the type. A text that is worth a note and not surely an event of its day goes there, too.
func (k *Keeper) pair(t *told, found []*candidate, d *decision) {
	if t.Pin || t.quote || t.Aside || t.Type == layout.Journal && (t.event || t.unsure) {
		return
	}
	best := leastNamed
	for _, c := range found {
		typ := k.opts.Shelves.Type(c.path)
		if typ == "" || k.fixed(c.path) || (t.hinted || t.starts()) && typ != t.Type || !c.read || c.score() < best || !k.mayChange(t, c.known) {
			continue
		}
		d.beside, best = c.known, c.score()
	}
	if d.beside != nil {
		t.Type = k.opts.Shelves.Type(d.beside.path)
		k.shelve(t)
	}
}

// starts reports whether a session is to start with the text, and finds it on the shelf of
// its type alone.
func (t *told) starts() bool {
	return t.Type == layout.Instruction || t.Type == layout.Preference
}

// addBeside plans a new entry right after one that may be about the same matter. Where
// that entry went away, stands under a heading of its own or leaves no place, the new one
// stands at the end.
func (k *Keeper) addBeside(draft *notebook.Draft, t *told, beside *known) (Outcome, error) {
	text, _, err := draft.Read(beside.path)
	if err != nil {
		return Outcome{}, err
	}
	now := k.again(beside, text)
	open := func(e entry.Entry) bool { return k.pages.reading(beside.path).Open(text, e, title(beside.path)) }
	if now == nil || !now.active() || !open(now.Entry) || k.among(t, beside.path, text, nil) != nil {
		return k.add(draft, t, newID(), nil)
	}
	switch added, err := k.insertAfter(draft, t, text, now); {
	case err != nil:
		return Outcome{}, err
	case added != nil:
		return outcomeOf(Added, t.code, added), nil
	}
	return k.add(draft, t, newID(), nil)
}

// insertAfter plans a new entry right after one of a note, which has that text now. It
// returns nil, and plans nothing, where the lines leave no place.
func (k *Keeper) insertAfter(draft *notebook.Draft, t *told, text string, old *known) (*known, error) {
	id := newID()
	whole := entry.InsertAfter(text, old.Entry, k.item(t, old.path, id, ""))
	added := k.find(old.path, whole, id)
	if added == nil || k.again(old, whole) == nil || len(k.parse(old.path, whole)) != len(k.parse(old.path, text))+1 {
		return nil, nil
	}
	return added, draft.Write(old.path, whole)
}

// similarNow names the similar entries where they stand once the draft is written: that may
// move those of the note at path, and of that of an older entry.
func (k *Keeper) similarNow(draft *notebook.Draft, path string, d decision) ([]Similar, error) {
	named := []Similar{}
	for _, c := range d.similar {
		if c.path != path && (d.old == nil || c.path != d.old.path) {
			named = append(named, c.similar(c.ref()))
			continue
		}
		ref, err := k.refNow(draft, c.known)
		if err != nil {
			return nil, err
		}
		named = append(named, c.similar(ref))
	}
	return named, nil
}

// refNow returns where an entry stands once the draft is written, or where it stood when it
// is gone. Mostly it stands in what stays as it is, and the rest is not looked at.
func (k *Keeper) refNow(draft *notebook.Draft, e *known) (Ref, error) {
	start, err := draft.Start(e.path)
	if err != nil || k.pages.stands(e, start) || e.stays(start) {
		return e.ref(), err
	}
	text, _, err := draft.Read(e.path)
	if err != nil || e.stays(text) {
		return e.ref(), err
	}
	if now := k.again(e, text); now != nil {
		return now.ref(), nil
	}
	return e.ref(), nil
}
