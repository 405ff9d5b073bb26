package memoir

import (
	"cmp"
	"fmt"
	"slices"
	"unicode"
	"unicode/utf8"
)

// A ScriptReader is an [Embedder] or a [Reranker] that cannot read every script.
// Its vectors of other text would say nothing and spoil the answers of words, so
// such a query is answered by words and such a chunk has no score of vectors;
// and such a query is not reranked.
type ScriptReader interface {
	// Scripts returns the scripts that the model reads, by the names of
	// Unicode's property: "Latin", "Han". None means all.
	Scripts() []string
}

// scripts are what a model reads; nil is everything.
type scripts []*unicode.RangeTable

// scriptsOf returns those of an embedder or a reranker.
func scriptsOf(model any) scripts {
	r, ok := model.(ScriptReader)
	if !ok || len(r.Scripts()) == 0 {
		return nil
	}
	s := scripts{}
	for _, name := range r.Scripts() {
		if table := unicode.Scripts[name]; table != nil {
			s = append(s, table)
		}
	}
	return s
}

// reads reports whether at least half of the letters of a text can be read.
// Letters count by their bytes, since a character of Chinese says about as much
// as half a word in letters. What is no letter counts nothing.
func (s scripts) reads(text string) bool {
	if s == nil {
		return true
	}
	read, unread := 0, 0
	for _, r := range text {
		switch {
		case !isLetter(r):
		case unicode.In(r, s...):
			read += utf8.RuneLen(r)
		default:
			unread += utf8.RuneLen(r)
		}
	}
	return read >= unread
}

// isLetter reports whether a character is a letter of a script of its own.
func isLetter(r rune) bool {
	return unicode.IsLetter(r) && !unicode.In(r, unicode.Common, unicode.Inherited)
}

// unread names the script that most letters of a text are in that cannot be read.
func (s scripts) unread(text string) string {
	counts := map[string]int{}
	for _, r := range text {
		if !isLetter(r) || unicode.In(r, s...) {
			continue
		}
		for name, table := range unicode.Scripts {
			if unicode.Is(table, r) {
				counts[name]++
			}
		}
	}
	var names []string
	for name := range counts {
		names = append(names, name)
	}
	if len(names) == 0 {
		return "its script"
	}
	return slices.MaxFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[a], counts[b]), cmp.Compare(b, a))
	})
}

// cannotRead says that a query is in a script that the model does not know.
func (s scripts) cannotRead(space Space, text string) Degradation {
	return Degradation{"vectors", fmt.Sprintf("the model %s does not read %s; words answer alone", space.Model, s.unread(text)), "memoir model list"}
}
