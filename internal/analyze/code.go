package analyze

import (
	"strings"
	"sync"
	"unicode/utf8"
)

// codeShare is the share of lines that must look like code for a text to be
// code. 987 in 1,000 of 6,267 Python functions with their comments have it, and
// 1 in 700 of 2,681 notes and articles (docs/design/fusion.md).
const codeShare = 0.3

// IsCode reports whether a text is source code rather than prose, judging by
// its lines. Prose with a few lines of code is prose.
func IsCode(text string) bool {
	var code, lines int
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			lines++
			if codeLine(line) {
				code++
			}
		}
	}
	return float64(code) >= codeShare*float64(lines) && code > 0
}

// maxCodeLine is the longest line of code, in bytes. A longer line is a
// paragraph, or data.
const maxCodeLine = 200

// codeLine reports whether a line, without the blanks round it, looks like
// code. A line that is mostly not ASCII is a sentence or a comment.
func codeLine(line string) bool {
	wide := 0
	for i := range len(line) {
		if line[i] >= utf8.RuneSelf {
			wide++
		}
	}
	if len(line) > maxCodeLine || 2*wide > len(line) {
		return false
	}
	switch line[len(line)-1] {
	case '{', '}', ';':
		return true
	}
	for _, end := range []string{"):", "),", "]:", "})", "->", "=>", "= ["} {
		if strings.HasSuffix(line, end) {
			return true
		}
	}
	for _, start := range []string{"@", "//", "/*", "*/", "#include", `"""`, "'''"} {
		if strings.HasPrefix(line, start) {
			return true
		}
	}
	word := line[:nameLength(line, false)]
	if rest := line[len(word):]; keywords()[word] && (rest == ":" || strings.ContainsAny(rest, "=()[]{}")) {
		return true
	}
	name := nameLength(line, true)
	rest := strings.TrimLeft(line[name:], " ")
	return name > 0 && (assigns(rest) || strings.HasPrefix(line[name:], "(") && strings.HasSuffix(line, ")"))
}

// assigns reports whether what follows a name begins with an assignment.
func assigns(rest string) bool {
	for _, operator := range []string{"= ", "+= ", "-= ", ":= "} {
		if strings.HasPrefix(rest, operator) {
			return true
		}
	}
	return false
}

// nameLength returns the length of the ASCII name with which line begins. With
// path it includes the dots and indices of a path to a value.
func nameLength(line string, path bool) int {
	for i := range len(line) {
		switch c := line[i]; {
		case 'a' <= c|0x20 && c|0x20 <= 'z', c == '_', '0' <= c && c <= '9':
		case path && i > 0 && (c == '.' || c == '[' || c == ']' || c == '\'' || c == '"'):
		default:
			return i
		}
	}
	return len(line)
}

// keywords begin lines in the common languages.
var keywords = sync.OnceValue(func() map[string]bool {
	return set(`assert async await break case catch class const def do elif else end enum except export
	finally fn for from func function if impl import interface let namespace package pass private protected pub
	public raise return self static struct super switch this throw try type use using var void while with yield`)
})
