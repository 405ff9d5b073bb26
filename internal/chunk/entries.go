package chunk

import "strings"

// Entries takes a passage apart: the entries of its top-level lists, each behind the heading
// above it, and what else it says, "" if nothing. heading is the one above the passage, ""
// if there is none. The title of a note is no such heading.
func Entries(text, heading string) (entries []string, rest string) {
	var entry, other strings.Builder
	says, blank := false, ""
	fence := "" // that opened a block of code, "" outside of one
	flush := func() {
		if entry.Len() > 0 {
			said := strings.TrimRight(entry.String(), "\r\n")
			if heading != "" {
				said = heading + "\n" + said
			}
			entries = append(entries, said)
			entry.Reset()
		}
		blank = ""
	}
	for line := range strings.Lines(text) {
		switch {
		case fence == "" && isItem(line):
			flush()
			entry.WriteString(line)
			continue
		case entry.Len() > 0 && strings.TrimSpace(line) == "":
			blank += line
			continue
		case entry.Len() > 0 && (line[0] == ' ' || line[0] == '\t'):
			entry.WriteString(blank + line)
			blank = ""
			continue
		case entry.Len() > 0 && blank == "" && !strings.HasPrefix(line, "#") && fenceOf(line) == "":
			entry.WriteString(line) // the entry goes on, though its line is not indented
			continue
		}
		flush()
		other.WriteString(line)
		switch mark := fenceOf(line); {
		case fence != "":
			if strings.HasPrefix(mark, fence) {
				fence = ""
			}
			says = true
		case mark != "":
			fence = mark
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

// ListsEntries reports whether a passage has entries.
func ListsEntries(text string) bool {
	entries, _ := Entries(text, "")
	return len(entries) > 0
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

// fenceOf returns the mark that opens or closes a block of code, "" if the line does neither.
func fenceOf(line string) string {
	for _, mark := range []string{"```", "~~~"} {
		if strings.HasPrefix(line, mark) {
			return mark
		}
	}
	return ""
}

// headingLevel returns how many # a heading begins with, 0 for another line.
func headingLevel(line string) int {
	rest := strings.TrimLeft(line, "#")
	if n := len(line) - len(rest); n <= 6 && strings.HasPrefix(rest, " ") {
		return n
	}
	return 0
}
