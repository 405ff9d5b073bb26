package app

import (
	"context"
	"slices"

	"github.com/memoir-ai/memoir"
)

// Near returns the name of the note that a person may have meant by a name that
// no note has, or "" when none is similar. A name with a scope means only that
// memory.
func (m *Memory) Near(ctx context.Context, name string) string {
	var scope memoir.Scope
	path := memoir.DocID(name)
	if m.Joined() {
		scope, path = memoir.ParseName(name)
	}
	for _, a := range slices.Backward(m.Apps()) {
		of := m.ScopeOf(a)
		if scope != "" && scope != of {
			continue
		}
		if id := a.notes.Near(ctx, string(path)); id != "" {
			return of.Name(id)
		}
	}
	return ""
}

// Names returns the names of all notes as answers use them, in order, those of
// the project first. It lists the notes and reads none. A folder that cannot be
// listed has none.
func (m *Memory) Names(ctx context.Context) (names []string) {
	for _, a := range slices.Backward(m.Apps()) {
		of := m.ScopeOf(a)
		for entry, err := range a.notes.Scan(ctx) {
			if err != nil {
				break
			}
			if entry.Skip == "" {
				names = append(names, of.Name(entry.ID))
			}
		}
	}
	return names
}
