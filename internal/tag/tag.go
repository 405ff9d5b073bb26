// Package tag takes out of texts what stands between tags such as <private> and </private>,
// and keeps a text from being taken for a tag.
package tag

import "strings"

// WithoutOurs returns a text without what memoir gave a session.
func WithoutOurs(text string) string { return Without(text, "memory", `from="memoir"`, true) }

// WithoutPrivate returns a text without what its writer marked as private, from <private>
// to </private>, or to the end where that is missing.
func WithoutPrivate(text string) string { return Without(text, "private", "", true) }

// Without removes what stands between the tags of a name, tags included, also in
// each other. with, unless it is "", stands in the first tag. Of one that is not closed the
// rest of the text goes when open is true, and stays else.
func Without(text, name, with string, open bool) string {
	low := lower(text)
	var b strings.Builder
	at := 0
	for at < len(text) {
		start := tagAt(low, at, "<"+name)
		for start >= 0 && with != "" && !strings.Contains(untilClosed(low[start:]), with) {
			start = tagAt(low, start+1, "<"+name)
		}
		if start < 0 {
			break
		}
		end := closing(low, start, name)
		if tag := untilClosed(low[start:]); strings.HasSuffix(tag, "/") && strings.HasPrefix(low[start+len(tag):], ">") {
			end = start + len(tag) + 1 // nothing stands in it
		}
		if end < 0 {
			if !open {
				break
			}
			end = len(text)
		}
		b.WriteString(text[at:start])
		if at = end; strings.HasSuffix(text[:start], " ") && strings.HasPrefix(text[end:], " ") {
			at++ // one blank is enough
		}
	}
	b.WriteString(text[at:])
	return b.String()
}

// Cut cuts a text at the first tags of a name, and returns what stands before, between and
// behind them. It is not ok where there are none, or where they are not closed.
func Cut(text, name string) (before, between, after string, ok bool) {
	low := lower(text)
	start := tagAt(low, 0, "<"+name)
	if start < 0 {
		return text, "", "", false
	}
	end := closing(low, start, name)
	if end < 0 {
		return text, "", "", false
	}
	opened := start + strings.IndexByte(text[start:], '>') + 1
	closed := strings.LastIndex(low[:end], "</"+name)
	if opened > closed { // the first tag has no end of its own
		return text, "", "", false
	}
	return text[:start], text[opened:closed], text[end:], true
}

// untilClosed returns a tag.
func untilClosed(s string) string {
	tag, _, _ := strings.Cut(s[:min(len(s), 256)], ">")
	return tag
}

// tagAt returns where the next tag that begins so stands, from a place on; -1 for none.
func tagAt(text string, from int, start string) int {
	for from < len(text) {
		i := strings.Index(text[from:], start)
		if i < 0 {
			return -1
		}
		at := from + i
		if end := at + len(start); end == len(text) || strings.IndexByte(" \t\r\n>/", text[end]) >= 0 {
			return at
		}
		from = at + 1
	}
	return -1
}

// closing returns where the tag at start is closed, behind the tag that does; -1
// when it is not.
func closing(text string, start int, name string) int {
	depth, opens, closes := 0, start, tagAt(text, start, "</"+name)
	for closes >= 0 {
		if opens >= 0 && opens < closes {
			depth, opens = depth+1, tagAt(text, opens+1, "<"+name)
			continue
		}
		if depth--; depth > 0 {
			closes = tagAt(text, closes+1, "</"+name)
			continue
		}
		if end := strings.IndexByte(text[closes:], '>'); end >= 0 {
			return closes + end + 1
		}
		break
	}
	return -1
}

// lower makes ASCII letters small, and leaves every other byte where it is.
func lower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}
