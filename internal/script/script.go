// Package script tells which writing systems a model reads, and whether it reads
// a text.
package script

import (
	"cmp"
	"maps"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/ability"
)

// Set are the scripts that a model reads; nil is every one.
type Set []*unicode.RangeTable

// Of returns the scripts of an embedder or a reranker.
func Of(model any) Set {
	r, ok := memoir.As[ability.ScriptReader](model)
	if !ok || len(r.Scripts()) == 0 {
		return nil
	}
	s := Set{}
	for _, name := range r.Scripts() {
		if table := unicode.Scripts[name]; table != nil {
			s = append(s, table)
		}
	}
	return s
}

// Reads reports whether at least half of the letters of a text can be read.
// Letters count by their bytes, since a character of Chinese says about as much
// as half a word in letters. What is no letter counts nothing.
func (s Set) Reads(text string) bool {
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

// Unread names the script that most letters of a text are in that cannot be read; "its
// script" where all can.
func (s Set) Unread(text string) string {
	counts := map[string]int{}
	for _, r := range text {
		if !isLetter(r) || unicode.In(r, s...) {
			continue
		}
		for name, table := range unicode.Scripts {
			if unicode.Is(table, r) {
				counts[name] += utf8.RuneLen(r)
				break
			}
		}
	}
	most := slices.MaxFunc(append(slices.Collect(maps.Keys(counts)), ""), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[a], counts[b]), cmp.Compare(b, a))
	})
	return cmp.Or(most, "its script")
}
