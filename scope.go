package memoir

import "strings"

// A Scope says whose memory something belongs to when several memories are
// joined. It is "" when there is only one.
type Scope string

// The scopes.
const (
	ScopeUser    Scope = "user"    // the user's own memory
	ScopeProject Scope = "project" // that of the project that the user works in
)

// Name returns what a document is called in joined memories. A document of the
// user is "user:" and its path, as in "user:memory/contacts.md". A document of
// the project is its path alone, unless that path begins like the name of a
// memory.
func (s Scope) Name(id DocID) string {
	if scope, _ := ParseName(string(id)); s == ScopeUser || s == ScopeProject && scope != "" {
		return string(s) + ":" + string(id)
	}
	return string(id)
}

// Names returns what the documents are called, in the same order.
func (s Scope) Names(ids []DocID) []DocID {
	names := make([]DocID, len(ids))
	for i, id := range ids {
		names[i] = DocID(s.Name(id))
	}
	return names
}

// ParseName is the reverse of [Scope.Name]. When the name has no scope before
// its path, the scope is "": the document is the project's, or the caller may
// mean the user's.
func ParseName(name string) (Scope, DocID) {
	for _, s := range []Scope{ScopeUser, ScopeProject} {
		if path, ok := strings.CutPrefix(name, string(s)+":"); ok {
			return s, DocID(path)
		}
	}
	return "", DocID(name)
}
