package remember

import (
	"cmp"

	"github.com/memoir-ai/memoir/internal/entry"
	"github.com/memoir-ai/memoir/internal/layout"
	"github.com/memoir-ai/memoir/internal/notebook"
)

// supersede plans to put the text in the place of an entry. The new entry
// stands right after the old one, which stays, marked and dated. If the old
// entry is in a day log, or the text is pinned, or the lines leave no place, the
// new entry stands in its own file. A note that is no shelf is left alone unless the caller names the
// entry; then only the new entry says what it replaces. A conflict copy, and a
// file that agents take for orders, is always left alone.
func (k *Keeper) supersede(draft *notebook.Draft, t *told, old *known) (Outcome, error) {
	ref := old.ref()
	log := k.opts.Shelves.Type(old.path) == layout.Journal
	if k.fixed(old.path) && !log && (t.Replaces == "" || conflicted(old.path) || layout.Obeyed(old.path)) {
		return k.add(draft, t, newID(), &ref)
	}
	if log || t.Pin && t.path != old.path {
		return k.supersedeFrom(draft, t, old)
	}
	text, _, err := draft.Read(old.path)
	if err != nil {
		return Outcome{}, err
	}
	if k.among(t, old.path, text, &ref) != nil { // it was told before, and takes the place now
		t.path = old.path
		return k.supersedeFrom(draft, t, old)
	}
	id, newer := cmp.Or(ref.ID, newID()), newID()
	marked := k.marked(text, old, id, newer, t.day())
	was := old.Entry
	was.End += len(marked) - len(text)
	marked = entry.InsertAfter(marked, was, k.item(t, old.path, newer, id))
	found, added := k.find(old.path, marked, id), k.find(old.path, marked, newer)
	if found == nil || found.active() || added == nil {
		return k.supersedeFrom(draft, t, old) // the lines leave no place, or cannot be marked
	}
	if err := draft.Write(old.path, marked); err != nil {
		return Outcome{}, err
	}
	ref = found.ref()
	out := outcomeOf(Superseded, Changed, added)
	out.Type, out.Replaces = cmp.Or(added.typ, t.Type), &ref
	return out, nil
}

// supersedeFrom does what supersede does when the new entry stands in another
// file.
func (k *Keeper) supersedeFrom(draft *notebook.Draft, t *told, old *known) (Outcome, error) {
	ref := old.ref()
	mark := func(by string) (string, *known, error) {
		text, _, err := draft.Read(old.path)
		if err != nil {
			return "", nil, err
		}
		was := k.again(old, text)
		if was == nil {
			return "", nil, nil
		}
		marked := k.marked(text, was, ref.ID, by, t.day())
		if found := k.find(old.path, marked, ref.ID); found != nil && !found.active() {
			return marked, found, nil
		}
		return "", nil, nil // its lines cannot be marked
	}
	newer := newID()
	ref.ID = cmp.Or(ref.ID, newID())
	if _, found, err := mark(newer); err != nil {
		return Outcome{}, err
	} else if found == nil {
		ref = old.ref()
		return k.add(draft, t, newer, &ref)
	}
	out, err := k.add(draft, t, newer, &ref)
	if err != nil {
		return Outcome{}, err
	}
	marked, found, err := mark(cmp.Or(out.ID, newer))
	if err != nil {
		return Outcome{}, err
	}
	if out.Path == old.path && out.StartLine > found.StartLine { // the mark may have a line of its own
		more := found.EndLine - found.StartLine - (old.EndLine - old.StartLine)
		out.StartLine, out.EndLine = out.StartLine+more, out.EndLine+more
	}
	out.Outcome, out.Reason, out.Replaces = Superseded, reason(Changed), new(found.ref())
	return out, draft.Write(old.path, marked)
}

// marked returns a note with an entry marked as superseded.
func (k *Keeper) marked(text string, old *known, id, by, day string) string {
	return entry.Set(text, old.Entry, entry.Fields{
		{Key: entry.ID, Value: id}, {Key: entry.Status, Value: entry.Superseded}, {Key: entry.By, Value: by}, {Key: entry.Until, Value: day},
	}, layout.Curated(old.path))
}

// find returns the entry of a note with an id, or nil when there is none.
func (k *Keeper) find(path, text, id string) *known {
	for _, e := range k.parse(path, text) {
		if e.Fields.Get(entry.ID) == id {
			return e
		}
	}
	return nil
}
