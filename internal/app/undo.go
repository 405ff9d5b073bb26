package app

import (
	"context"
	"time"

	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/notebook"
)

// ChangedElsewhere returns the workspace on this machine in which memoir made its last
// change, if that can be taken back and is none of those that are open; else "".
// Workspaces whose history cannot be read do not count.
func (m *Memory) ChangedElsewhere(ctx context.Context) (place string, err error) {
	changes, err := m.History()
	if err != nil {
		return "", err
	}
	last := time.Time{}
	if len(changes) > 0 {
		last = changes[len(changes)-1].Time
	}
	open := map[string]bool{}
	for _, a := range m.Apps() {
		open[a.Settings.KeptDir()] = true
	}
	state := m.First().Settings.StateDir
	all, err := workspacesIn(ctx, state)
	if err != nil {
		return "", err
	}
	for _, w := range all {
		if open[w.kept] || w.Notes != NotesThere || config.Within(w.Workspace, state) { // the copy of a bucket
			continue
		}
		notes, err := notebook.Open(w.Workspace, w.notebook(), notebook.Options{})
		if err != nil {
			return "", err
		}
		if c, err := notes.Last(); err == nil && c.Time.After(last) {
			place, last = w.Workspace, c.Time
		}
	}
	return place, nil
}
