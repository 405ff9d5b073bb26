package token

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"

	"github.com/memoir-ai/memoir"
)

// ErrFull reports a change of notes that would leave a workspace with more than its
// quota allows.
var ErrFull = errors.New("the workspace would have more than its quota allows")

// A Quota is how much a workspace may have. The zero value allows all there is room for.
type Quota struct {
	Notes    int   `json:"notes,omitempty"`    // how many; 0: any number
	Bytes    int64 `json:"bytes,omitempty"`    // of all notes together; 0: any number
	Requests int   `json:"requests,omitempty"` // a minute, over HTTP; 0: any number
}

// Check returns an error for a quota that cannot be.
func (q Quota) Check() error {
	if q.Notes < 0 || q.Bytes < 0 || q.Requests < 0 {
		return memoir.WithHint(fmt.Errorf("a quota is not below 0: %w", memoir.ErrInvalid), "give numbers of 1 or more, or 0 for no limit")
	}
	return nil
}

// Room returns an error that wraps [ErrFull] when a workspace has more notes or bytes
// than its quota allows after a change. What a change makes no more of it may leave
// above the quota: who is over it can still remove.
func (q Quota) Room(name string, notes int, bytes int64, addedNotes int, addedBytes int64) error {
	hint := "remove notes, or memoir admin quota " + name + " says what is allowed"
	if q.Notes > 0 && addedNotes > 0 && notes+addedNotes > q.Notes {
		return memoir.WithHint(fmt.Errorf("%w: %d of %d notes", ErrFull, notes+addedNotes, q.Notes), hint)
	}
	if q.Bytes > 0 && addedBytes > 0 && bytes+addedBytes > q.Bytes {
		return memoir.WithHint(fmt.Errorf("%w: %d of %d bytes", ErrFull, bytes+addedBytes, q.Bytes), hint)
	}
	return nil
}

// Quotas are those of the workspaces that a server has, by their names. They are safe
// for concurrent use, by several processes too: what one sets counts at once.
type Quotas struct{ all record[map[string]Quota] }

// OpenQuotas returns the quotas of a folder, which is made when the first comes.
func OpenQuotas(dir string) *Quotas {
	return &Quotas{record[map[string]Quota]{path: filepath.Join(dir, "quotas.json"), what: "quotas"}}
}

// Of returns the quota of a workspace.
func (q *Quotas) Of(name string) (Quota, error) {
	all, err := q.all.load()
	return all[name], err
}

// Set gives a workspace a quota in the place of what it had; the zero value takes it
// away.
func (q *Quotas) Set(ctx context.Context, name string, quota Quota) error {
	if err := quota.Check(); err != nil {
		return err
	}
	if now, err := q.Of(name); err == nil && now == quota {
		return nil
	}
	return q.all.change(ctx, func(all map[string]Quota) (map[string]Quota, error) {
		next := maps.Clone(all)
		if next == nil {
			next = map[string]Quota{}
		}
		delete(next, name)
		if quota != (Quota{}) {
			next[name] = quota
		}
		return next, nil
	})
}
