package remember

import (
	"github.com/memoir-ai/memoir/internal/entry"
	"github.com/memoir-ai/memoir/internal/notebook"
)

// About returns the words of the entry that a change is about: the one that it added, or
// else changed, or else removed; of an undo, what the change that it takes back is about.
// It is "" for a change of several such entries or of none, and of what was forgotten,
// which the history no longer has.
func About(c notebook.Change) string {
	const most = 3 // notes: a move touches two
	if len(c.Edits) > most {
		return ""
	}
	var before, after []entry.Entry
	for _, e := range c.Edits {
		before, after = append(before, entry.Parse(e.Old)...), append(after, entry.Parse(e.New)...)
	}
	if c.Undoes != "" {
		before, after = after, before
	}
	var added, changed, removed []entry.Entry
	for _, e := range after {
		if has(before, e) {
			changed = append(changed, e)
		} else {
			added = append(added, e)
		}
	}
	for _, e := range before {
		if !has(after, e) {
			removed = append(removed, e)
		}
	}
	for _, those := range [][]entry.Entry{added, changed, removed} {
		switch len(those) {
		case 0:
		case 1:
			return those[0].Text
		default:
			return ""
		}
	}
	return ""
}

// has reports whether an entry is among others, by its id or its words.
func has(others []entry.Entry, e entry.Entry) bool {
	id := e.Fields.Get(entry.ID)
	for _, o := range others {
		if id != "" && o.Fields.Get(entry.ID) == id || o.Text == e.Text {
			return true
		}
	}
	return false
}
