package memoir

import "strings"

// A Scope says whose memory something is of, where several are one. "" is the only
// one there is.
type Scope string

// The scopes.
const (
	ScopeUser    Scope = "user"    // the user's own memory
	ScopeProject Scope = "project" // that of the project that the user works in
)

// Name returns what a document is called in joined memories: the user's by its path
// behind "user:", as "user:memory/contacts.md"; the project's by its path alone,
// unless that begins like the name of a memory.
func (s Scope) Name(id DocID) string {
	if scope, _ := ParseName(string(id)); s == ScopeUser || s == ScopeProject && scope != "" {
		return string(s) + ":" + string(id)
	}
	return string(id)
}

// Names returns what documents are called, in their order.
func (s Scope) Names(ids []DocID) []DocID {
	names := make([]DocID, len(ids))
	for i, id := range ids {
		names[i] = DocID(s.Name(id))
	}
	return names
}

// ParseName splits what [Scope.Name] has joined. The scope is "" where none stands
// before the path: then it is the project's, and may be meant to be the user's.
func ParseName(name string) (Scope, DocID) {
	for _, s := range []Scope{ScopeUser, ScopeProject} {
		if path, ok := strings.CutPrefix(name, string(s)+":"); ok {
			return s, DocID(path)
		}
	}
	return "", DocID(name)
}
