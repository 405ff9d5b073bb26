package entry

import "strings"

// known are the keys by which memoir recognises its own comments and OpenClaw's.
var known = map[string]bool{
	ID: true, Observed: true, Origin: true, Status: true, Replaces: true, Updates: true, By: true, Until: true,
	Count: true, Last: true, Session: true, Type: true,
	Request: true, Importance: true, Trigger: true, Project: true, Of: true,
}

// Plain returns a note without the comments that belong to its entries, as people read
// it. Comments of another form stay. Every line stays, too: one that held only such a
// comment becomes empty.
func Plain(src string) string {
	if !strings.Contains(src, opening) {
		return src
	}
	var b strings.Builder
	for line := range strings.Lines(src) {
		text := strings.TrimRight(line, "\r\n")
		b.WriteString(plain(text))
		b.WriteString(line[len(text):])
	}
	return b.String()
}

// plain returns a line without the known comments at its end.
func plain(line string) string {
	found, _ := trailing(line)
	for i := len(found) - 1; i >= 0; i-- {
		for _, f := range found[i].fields {
			if !known[f.Key] {
				return line
			}
		}
		if len(found[i].fields) == 0 {
			return line
		}
		line = strings.TrimRight(line[:found[i].start], " \t")
	}
	return line
}
