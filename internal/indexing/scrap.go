package indexing

import (
	"embed"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/memoir-ai/memoir/internal/analyze"
	"github.com/memoir-ai/memoir/internal/chunk"
)

// placeholders are lines that stand where text may come later, or that a
// program writes in every file, with the origin of each.
//
//go:embed data/placeholders.txt
var data embed.FS

var placeholders = sync.OnceValue(readPlaceholders)

func readPlaceholders() map[string]bool {
	text, err := data.ReadFile("data/placeholders.txt")
	if err != nil {
		panic(err) // the file is embedded in the program
	}
	all := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if phrase, _, ok := strings.Cut(line, "|"); ok && !strings.HasPrefix(line, "#") {
			all[analyze.Canonical(phrase)] = true
		}
	}
	return all
}

// fewHeadingWords is how many different words headings without text need to say
// something.
const fewHeadingWords = 4

// scrap reports whether a piece says nothing. Such a piece has only placeholders
// and headings of few words. Its vector would be near every question, and its
// words answer none.
func scrap(text string) bool {
	for line := range strings.Lines(text) {
		if _, ok := heading(line); ok {
			continue
		}
		if says(line) {
			return false
		}
	}
	words := map[string]bool{}
	for line := range strings.Lines(text) {
		own, ok := heading(line)
		if !ok {
			continue
		}
		for _, word := range strings.Fields(analyze.Canonical(own)) {
			for _, t := range analyze.Query(word) {
				if t.Kind == analyze.Word || t.Kind == analyze.Bigram {
					words[t.Text] = true
				}
			}
		}
	}
	return len(words) < fewHeadingWords
}

// listsEntries reports whether a piece has entries that say something.
func listsEntries(text string) bool {
	entries, _ := chunk.Entries(text, "")
	return slices.ContainsFunc(entries, func(e chunk.Entry) bool { return !empty(e.Heading, e.Text) })
}

// empty reports whether an entry below a heading says nothing. A number says something only
// below a heading.
func empty(heading, text string) bool {
	return scrap(text) || heading == "" && !strings.ContainsFunc(text, unicode.IsLetter)
}

// placeholderBytes is more than the longest placeholder has.
const placeholderBytes = 48

// says reports whether a line has words and is no placeholder. The beginning of
// most lines tells.
func says(line string) bool {
	if len(line) > 2*placeholderBytes && len(analyze.Canonical(line[:2*placeholderBytes])) > placeholderBytes {
		return true
	}
	own := analyze.Canonical(line)
	return own != "" && !placeholders()[own]
}

// heading returns what a heading says; it is not ok for another line.
func heading(line string) (text string, ok bool) {
	text = strings.TrimLeft(line, "#")
	return text, text != line && strings.HasPrefix(text, " ")
}
