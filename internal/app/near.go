package app

import (
	"context"
	"slices"

	"github.com/memoir-ai/memoir"
)

// Near returns the name of the note that a person may have meant by one that no memory
// has, "" when none is near. A name with a scope means that memory alone.
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
