package remember

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/memoir-ai/memoir/internal/entry"
)

// A Lost is an entry that memoir wrote, or was about to write when it was killed,
// and that is in no note any more, though nobody took it back or forgot it: an
// editor has saved an older state over it, say.
type Lost struct {
	ID     string    `json:"id"`
	Path   string    `json:"path"` // where it stood
	Text   string    `json:"text"`
	Change string    `json:"change"` // the change that wrote it last
	Time   time.Time `json:"time"`
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
				all[id] = Lost{id, e.Path, text, c.ID, c.Time}
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
