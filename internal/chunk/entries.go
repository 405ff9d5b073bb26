package chunk

import (
	"strings"

	"github.com/memoir-ai/memoir/internal/blocks"
)

// Entry is an entry of a top-level list, with the heading above it, "" if there is none. The
// title of a note is no such heading.
type Entry struct{ Heading, Text string }

// String returns the entry behind its heading.
func (e Entry) String() string {
	if e.Heading == "" {
		return e.Text
	}
	return e.Heading + "\n" + e.Text
}

// Entries takes a passage apart: the entries of its top-level lists, and what else it says, ""
// if nothing. heading is the one above the passage, "" if there is none.
func Entries(text, heading string) (entries []Entry, rest string) {
	var entry, other strings.Builder
	var blank strings.Builder // lines behind an entry that belong to it if it goes on
	var code blocks.Code      // outside of entries
	says := false
	flush := func() {
		if entry.Len() > 0 {
			entries = append(entries, Entry{heading, strings.TrimRight(entry.String(), "\r\n")})
			entry.Reset()
		}
		blank.Reset()
	}
	for line := range strings.Lines(text) {
		switch {
		case code.Open() == "" && isItem(line):
			flush()
			entry.WriteString(line)
			continue
		case entry.Len() > 0 && strings.TrimSpace(line) == "":
			blank.WriteString(line)
			continue
		case entry.Len() > 0 && (line[0] == ' ' || line[0] == '\t'):
			entry.WriteString(blank.String() + line)
			blank.Reset()
			continue
		case entry.Len() > 0 && blank.Len() == 0 && !strings.HasPrefix(line, "#") && blocks.Fence(line) == "":
			entry.WriteString(line) // the entry goes on, though its line is not indented
			continue
		}
		flush()
		other.WriteString(line)
		switch inside, edge := code.Next(line); {
		case inside || edge:
			says = true
		case headingLevel(line) > 0:
			if heading = ""; headingLevel(line) > 1 {
				heading = strings.TrimSpace(strings.Trim(strings.TrimSpace(line), "#"))
			}
		case strings.TrimSpace(line) != "":
			says = true
		}
	}
	flush()
	if !says {
		return entries, ""
	}
	return entries, strings.TrimRight(other.String(), "\r\n")
}

// isItem reports whether a line begins an item of a top-level list ("- ", "* ", "12. ") that
// says something.
func isItem(line string) bool {
	rest := strings.TrimLeft(line, "0123456789")
	switch digits := len(line) - len(rest); {
	case rest == "" || digits > 9:
		return false
	case digits > 0 && rest[0] != '.' && rest[0] != ')':
		return false
	case digits == 0 && rest[0] != '-' && rest[0] != '*' && rest[0] != '+':
		return false
	}
	rest = rest[1:]
	return rest != "" && (rest[0] == ' ' || rest[0] == '\t') && strings.Trim(rest, " \t\r\n-*+_") != ""
}

// headingLevel returns how many # a heading begins with, 0 for another line.
func headingLevel(line string) int {
	rest := strings.TrimLeft(line, "#")
	if n := len(line) - len(rest); n <= 6 && strings.HasPrefix(rest, " ") {
		return n
	}
	return 0
}
