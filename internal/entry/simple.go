package entry

import "strings"

// blocksOf returns the blocks of a note. Notes that memoir writes are simple, and take a
// small part of the time that others take.
func blocksOf(src string) []block {
	if blocks, ok := simple(src, frontMatter(src)); ok {
		return blocks
	}
	root, body := parse(src)
	return topLevel(src, root, body)
}

// simple returns the blocks of a simple note: one that has only headings and list items
// of one level, with further lines indented. Whatever stands inside such an item ends
// with it. ok is false for any other note.
func simple(src string, body int) (blocks []block, ok bool) {
	ok = eachSimple(src, body, func(b block) { blocks = append(blocks, b) })
	return blocks, ok
}

// eachSimple hands over the blocks of a simple note, one after the other. When it returns
// false the note is another one, and the blocks do not count.
func eachSimple(src string, body int, yield func(block)) bool {
	inItem := false
	for _, c := range []byte("\t\v\f\x00") {
		if strings.IndexByte(src[body:], c) >= 0 {
			return false
		}
	}
	if strings.Count(src[body:], "\r") != strings.Count(src[body:], "\r\n") {
		return false
	}
	for at := body; at < len(src); {
		line, next := cutLine(src, at)
		switch words := strings.TrimRight(line, " \r\n"); {
		case words == "":
		case isItem(words):
			yield(block{start: at, kind: itemBlock})
			inItem = true
		case isATX(words):
			level, title := parseATX(words)
			yield(block{start: at, kind: headingBlock, title: newHeading(level, title)})
			inItem = false
		case !inItem || !strings.HasPrefix(words, "  ") || onlyMarkers(words):
			return false
		}
		at = next
	}
	return true
}

// isItem reports whether a line begins a list item that is not empty: "- words".
func isItem(line string) bool {
	return len(line) > 2 && line[:2] == "- " && line[2] > ' ' && !onlyMarkers(line[2:])
}

// onlyMarkers reports whether a line holds nothing but list markers, or is a rule.
func onlyMarkers(line string) bool {
	for word := range strings.SplitSeq(line, " ") {
		if rest := strings.TrimLeft(word, "0123456789"); strings.Trim(word, "-*+_>") != "" && rest != "." && rest != ")" {
			return false
		}
	}
	return true
}

// isATX reports whether a line is a heading: "## words".
func isATX(line string) bool {
	rest := strings.TrimLeft(line, "#")
	level := len(line) - len(rest)
	return level > 0 && level <= 6 && (rest == "" || rest[0] == ' ')
}

// parseATX returns the level and the words of a heading.
func parseATX(line string) (level int, title string) {
	rest := strings.TrimLeft(line, "#")
	level = len(line) - len(rest)
	rest = strings.TrimRight(rest, " ")
	if open := strings.TrimRight(rest, "#"); open == "" || strings.HasSuffix(open, " ") {
		rest = open // the marks that close the heading
	}
	return level, strings.Join(strings.Fields(rest), " ")
}
