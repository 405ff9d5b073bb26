package secret

import "strings"

// MaskNew masks the secrets that a text has and its older version has not. So the writer of
// the text brings no secret into a note, and takes none out that its owner keeps there. A
// secret is old where it stands in lines that the older version has, too, or where that has
// the same value as a secret elsewhere. The spans are those that were masked.
func MaskNew(old, text string) (masked string, spans []Span) {
	found := Find(text)
	if len(found) == 0 || old == "" {
		return mask(text, found), found
	}
	lines, values := map[string]bool{}, map[string]int{}
	for line := range strings.Lines(old) {
		lines[strings.TrimRight(line, "\r\n")] = true
	}
	for _, s := range Find(old) {
		values[old[s.Start:s.End]]++
	}
	var moved []Span // in lines that are new
	for _, s := range found {
		if linesOf(text, s, func(line string) bool { return lines[line] }) {
			values[text[s.Start:s.End]]--
		} else {
			moved = append(moved, s)
		}
	}
	for _, s := range moved {
		if v := text[s.Start:s.End]; values[v] > 0 {
			values[v]--
		} else {
			spans = append(spans, s)
		}
	}
	return mask(text, spans), spans
}

// linesOf reports whether all lines that a span stands in are of a kind.
func linesOf(text string, s Span, is func(line string) bool) bool {
	start := strings.LastIndexByte(text[:s.Start], '\n') + 1
	end := len(text)
	if i := strings.IndexByte(text[s.End:], '\n'); i >= 0 {
		end = s.End + i
	}
	for line := range strings.Lines(text[start:end]) {
		if !is(strings.TrimRight(line, "\r\n")) {
			return false
		}
	}
	return true
}
