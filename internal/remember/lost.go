package remember

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/entry"
	"github.com/memoir-ai/memoir/internal/judge"
	"github.com/memoir-ai/memoir/internal/layout"
	"github.com/memoir-ai/memoir/internal/notebook"
)

// A Lost is an entry that memoir wrote, or was about to write when it was killed,
// and that is in no note any more, though nobody took it back or forgot it: an
// editor has saved an older state over it, say. What an active entry says in the same
// words is not lost; an event is not said by the log of another day. Or it is what an editor saved in the
// moment in which memoir was killed while it rewrote the note.
type Lost struct {
	Scope  memoir.Scope `json:"scope,omitempty"`  // whose note it is, where several memories are one
	ID     string       `json:"id"`               // of the entry; of what an editor saved, the path of the file that has it
	Path   string       `json:"path"`             // the note that it stood in
	Text   string       `json:"text"`             // its words; of what an editor saved, the whole note
	Change string       `json:"change,omitempty"` // the change that wrote it last; none for what an editor saved
	Time   time.Time    `json:"time"`             // when it was written

	fields entry.Fields
	saved  *notebook.Leftover // by an editor
}

// Saved reports whether it is a note as an editor saved it, and no entry.
func (l Lost) Saved() bool { return l.saved != nil }

// Lost returns the entries that the history knows and the notes do not, the oldest
// first, and after them what an editor saved in the moment in which memoir was killed.
// A person may have removed the entries on purpose.
func (k *Keeper) Lost(ctx context.Context) ([]Lost, error) {
	changes, err := k.opts.Notebook.History()
	if err != nil {
		return nil, err
	}
	written, order := writtenBy(changes)
	paths, err := k.paths(ctx)
	if err != nil {
		return nil, err
	}
	said := map[string]bool{}
	for _, path := range paths {
		if len(written) == 0 {
			break
		}
		entries, err := k.entries(path)
		if err != nil {
			return nil, fmt.Errorf("look for what is lost: %w", err)
		}
		for _, e := range entries {
			delete(written, e.Fields.Get(entry.ID))
			if e.active() {
				said[k.saying(path, e.Text)] = true
			}
		}
	}
	lost := []Lost{}
	for _, id := range slices.Backward(order) {
		if l, ok := written[id]; ok && !said[k.saying(l.Path, l.Text)] {
			said[k.saying(l.Path, l.Text)] = true
			lost = append(lost, l)
		}
	}
	slices.Reverse(lost)
	saved, err := k.opts.Notebook.Leftovers(ctx)
	for _, s := range saved {
		if s.Err == nil { // else doctor names it
			lost = append(lost, Lost{ID: s.Path, Path: s.Of, Text: s.Text, Time: s.Time, saved: &s})
		}
	}
	return lost, err
}

// saying returns what is alike of entries that say the same: their words, and in day logs
// the log.
func (k *Keeper) saying(path, text string) string {
	if k.opts.Shelves.Type(path) == layout.Journal {
		return judge.Normal(text) + "\x00" + path
	}
	return judge.Normal(text)
}

// writtenBy returns the entries that changes wrote and none of them took out again,
// by their ids, and the ids in the order in which they were first written.
func writtenBy(changes []notebook.Change) (written map[string]Lost, order []string) {
	written = map[string]Lost{}
	seen := map[string]bool{}
	for _, c := range changes {
		for _, e := range c.Edits {
			for _, old := range entry.Parse(e.Old) {
				if was, ok := written[old.Fields.Get(entry.ID)]; ok && was.Path == e.Path && !strings.Contains(e.New, was.ID) {
					delete(written, was.ID)
				}
			}
			for _, added := range entry.Parse(e.New) {
				id := added.Fields.Get(entry.ID)
				if id == "" {
					continue
				}
				text := added.Text
				if before := written[id].Text; len(before) > len(text) {
					text = before // the edit has only its last line
				}
				if !seen[id] {
					seen[id], order = true, append(order, id)
				}
				written[id] = Lost{ID: id, Path: e.Path, Text: text, Change: c.ID, Time: c.Time, fields: added.Fields}
			}
		}
	}
	return written, order
}

// Restore puts lost entries back at the end of the notes that they stood in, as one
// change: those of the ids, all without any. What an editor saved is brought back by
// its id alone, in the place of what the note holds now. It returns them. An id of
// none that is lost gives [memoir.ErrNotFound].
func (k *Keeper) Restore(ctx context.Context, ids []string) ([]Lost, error) {
	lost, err := k.Lost(ctx)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		if !slices.ContainsFunc(lost, func(l Lost) bool { return l.ID == id }) {
			return nil, memoir.WithHint(fmt.Errorf("no entry %q is lost: %w", id, memoir.ErrNotFound), "memoir history --lost")
		}
	}
	lost = slices.DeleteFunc(lost, func(l Lost) bool { return (len(ids) > 0 || l.Saved()) && !slices.Contains(ids, l.ID) })
	if len(lost) == 0 {
		return lost, nil
	}
	_, err = k.opts.Notebook.Do(ctx, "history", fmt.Sprintf("brought back: %d lost", len(lost)), func(draft *notebook.Draft) error {
		for _, l := range lost {
			text, exists, err := draft.Read(l.Path)
			if err != nil {
				return err
			}
			if l.Saved() {
				if !exists || !utf8.ValidString(l.Text) {
					return fmt.Errorf("%s cannot be put back; copy what you need from it, and remove it: %w", l.ID, memoir.ErrInvalid)
				}
				if err := draft.Write(l.Path, l.Text); err != nil {
					return err
				}
				continue
			}
			addition := entry.Addition(text, entry.Item(l.Text, l.fields, layout.Curated(l.Path)))
			if err := draft.Append(l.Path, addition); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("bring back what is lost: %w", err)
	}
	for _, l := range lost {
		if l.Saved() {
			if err := k.opts.Notebook.Discard(ctx, *l.saved); err != nil {
				return lost, fmt.Errorf("its words are back, but %s cannot be removed: %w", l.ID, err)
			}
		}
	}
	return lost, nil
}
