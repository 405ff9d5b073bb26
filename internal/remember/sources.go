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

// KeepOrigins returns what an agent saves in place of an older text, with the origins that its
// entries may claim. An entry with other words or another origin than before is at most the
// agent's. Where the older text has an entry with the same id or words, the origin of that is
// neither raised nor taken out. An entry without any comment is new to memoir and stays as it is.
// line is that of an entry whose origin stands in a comment apart from it and cannot be set, 0
// for none.
func KeepOrigins(old, text string) (kept string, line int) {
	before := entry.Parse(old)
	if kept, line = keepOrigins(before, text); line > 0 {
		_, line = keepOrigins(before, kept)
	}
	return kept, line
}

// keepOrigins sets the origins and returns the line of the first entry that it changes.
func keepOrigins(before []entry.Entry, text string) (kept string, line int) {
	type key struct{ id, words, origin string }
	same, lowest := map[key]int{}, map[key]string{}
	for _, e := range before {
		origin := e.Fields.Get(entry.Origin)
		same[key{words: e.Text, origin: origin}]++
		for _, k := range []key{{id: e.Fields.Get(entry.ID)}, {words: e.Text}} {
			if was, ok := lowest[k]; k != (key{}) && trust(origin) < trust(User) && (!ok || trust(origin) < trust(was)) {
				lowest[k] = origin
			}
		}
	}
	var out strings.Builder
	done := 0
	for _, e := range entry.Parse(text) {
		origin := e.Fields.Get(entry.Origin)
		if k := (key{words: e.Text, origin: origin}); same[k] > 0 {
			same[k]--
			continue
		}
		most, known := Agent, len(e.Fields) > 0
		for _, k := range []key{{id: e.Fields.Get(entry.ID)}, {words: e.Text}} {
			if was, ok := lowest[k]; ok {
				known = true
				if trust(was) < trust(most) {
					most = was
				}
			}
		}
		if !known || trust(origin) < trust(most) || strings.EqualFold(origin, most) {
			continue
		}
		lines := text[e.Start:e.End]
		out.WriteString(text[done:e.Start])
		out.WriteString(entry.Set(lines, entry.Entry{End: len(lines)}, entry.Fields{{Key: entry.Origin, Value: most}}, false))
		done = e.End
		if line == 0 {
			line = e.StartLine
		}
	}
	return out.String() + text[done:], line
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
