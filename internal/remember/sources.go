package remember

import (
	"strings"

	"github.com/memoir-ai/memoir/internal/entry"
)

// confirmed returns what changes of an entry's source when somebody else says the same: of
// the two origins the more trusted one counts, and a session that is not the only source is
// none, so that forgetting what came from the web or from a session leaves what was
// confirmed.
func confirmed(old entry.Fields, origin, session string) (fields entry.Fields) {
	if trust(origin) > trust(old.Get(entry.Origin)) {
		fields = append(fields, entry.Field{Key: entry.Origin, Value: origin})
	}
	if was := old.Get(entry.Session); was != "" && sessionOf(was) != sessionOf(session) {
		fields = append(fields, entry.Field{Key: entry.Session})
	}
	return fields
}

// trust ranks origins. What says nothing of its origin was written by a person.
func trust(origin string) int {
	switch strings.ToLower(origin) {
	case Tool, Web:
		return 0
	case Import:
		return 1
	case Agent:
		return 2
	}
	return 3
}

// sessionOf returns the session of an entry's own words, which may name a line of it.
func sessionOf(said string) string {
	session, _, _ := strings.Cut(entry.AsKept(said), "#L")
	return session
}
