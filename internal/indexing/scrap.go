package indexing

import (
	"embed"
	"strings"
	"sync"

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

// scrap reports whether a piece says too little to be compared by meaning; its
// vector would be near every question. Such a piece has only headings of few
// words, placeholders, or the lines that OpenClaw writes above a conversation.
func scrap(text string) bool {
	words := map[string]bool{}
	for line := range strings.Lines(text) {
		if heading := strings.TrimLeft(line, "#"); heading != line && strings.HasPrefix(heading, " ") {
			for _, word := range strings.Fields(analyze.Canonical(heading)) {
				for _, t := range analyze.Query(word) {
					if t.Kind == analyze.Word || t.Kind == analyze.Bigram {
						words[t.Text] = true
					}
				}
			}
			continue
		}
		if own := analyze.Canonical(line); own != "" && !placeholders()[own] {
			return chunk.IsSessionHeader(text)
		}
	}
	return len(words) < fewHeadingWords
}
