package remember

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/entry"
	"github.com/memoir-ai/memoir/internal/layout"
	"github.com/memoir-ai/memoir/internal/notebook"
)

// A Lost is an entry that memoir wrote, or was about to write when it was killed,
// and that is in no note any more, though nobody took it back or forgot it: an
// editor has saved an older state over it, say.
type Lost struct {
	Scope  memoir.Scope `json:"scope,omitempty"` // whose note it is, where several memories are one
	ID     string       `json:"id"`              // of the entry
	Path   string       `json:"path"`            // where it stood
	Text   string       `json:"text"`            // its words
	Change string       `json:"change"`          // the change that wrote it last
	Time   time.Time    `json:"time"`            // of that change

	fields entry.Fields
}

// Lost returns the entries that the history knows and the notes do not, the oldest
// first. A person may have removed them on purpose.
func (k *Keeper) Lost(ctx context.Context) ([]Lost, error) {
	changes, err := k.opts.Notebook.History()
	if err != nil {
		return nil, err
	}
	all := map[string]Lost{}
	seen := map[string]bool{}
	var order []string // in which the entries were written first
	for _, c := range changes {
		for _, e := range c.Edits {
			for _, old := range entry.Parse(e.Old) {
				if was, ok := all[old.Fields.Get(entry.ID)]; ok && was.Path == e.Path && !strings.Contains(e.New, was.ID) {
					delete(all, was.ID)
				}
			}
			for _, added := range entry.Parse(e.New) {
				id := added.Fields.Get(entry.ID)
				if id == "" {
					continue
				}
				text := added.Text
				if before := all[id].Text; len(before) > len(text) {
					text = before // the edit has its last line alone
				}
				if !seen[id] {
					seen[id], order = true, append(order, id)
				}
				all[id] = Lost{ID: id, Path: e.Path, Text: text, Change: c.ID, Time: c.Time, fields: added.Fields}
			}
		}
	}
	paths, err := k.paths(ctx)
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		if len(all) == 0 {
			break
		}
		entries, err := k.entries(path)
		if err != nil {
			return nil, fmt.Errorf("look for what is lost: %w", err)
		}
		for _, e := range entries {
			delete(all, e.Fields.Get(entry.ID))
		}
	}
	lost := []Lost{}
	for _, id := range order {
		if l, ok := all[id]; ok {
			lost = append(lost, l)
		}
	}
	return lost, nil
}

// Restore puts lost entries back at the end of the notes that they stood in, as one
// change: those of the ids, all without any. It returns them. An id of none that is
// lost gives [memoir.ErrNotFound].
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
	lost = slices.DeleteFunc(lost, func(l Lost) bool { return len(ids) > 0 && !slices.Contains(ids, l.ID) })
	if len(lost) == 0 {
		return lost, nil
	}
	_, err = k.opts.Notebook.Do(ctx, "history", fmt.Sprintf("brought back: %d lost", len(lost)), func(draft *notebook.Draft) error {
		for _, l := range lost {
			text, _, err := draft.Read(l.Path)
			if err != nil {
				return err
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
	return lost, nil
}
