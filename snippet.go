package memoir

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memoir-ai/memoir/internal/analyze"
)

// snippetRunes is the length of a snippet; a chunk that is not longer is its own snippet.
const snippetRunes = 700

// snippet returns the part of a chunk's text round its best match, cut between
// words, and where the terms of the query stand in it.
func snippet(text string, terms []analyze.Term) (string, []Span) {
	spans := matches(text, terms)
	if utf8.RuneCountInString(text) <= snippetRunes {
		return text, spans
	}
	start, end := window(text, spans)
	inside := []Span{}
	for _, s := range spans {
		if s.Start >= start && s.End <= end {
			inside = append(inside, Span{s.Start - start, s.End - start})
		}
	}
	return text[start:end], inside
}

// window returns the range of about snippetRunes that holds most of the spans,
// the first such range, widened to whole words.
func window(text string, spans []Span) (int, int) {
	limit := snippetBytes(text)
	best, bestCount := 0, 0
	for i, first := range spans {
		count := 0
		for _, s := range spans[i:] {
			if s.End-first.Start > limit {
				break
			}
			count++
		}
		if count > bestCount {
			best, bestCount = first.Start, count
		}
	}
	start := max(0, best-limit/8) // a little of what stands before
	if start+limit > len(text) {
		start = max(0, len(text)-limit)
	}
	start = wordStart(text, start)
	end := min(len(text), start+limit)
	if end < len(text) {
		end = max(wordStart(text, end), start+1)
		for !utf8.RuneStart(text[end]) {
			end++
		}
	}
	return start, end
}

// snippetBytes is how many bytes of the text make snippetRunes on average.
func snippetBytes(text string) int {
	return snippetRunes * len(text) / max(1, utf8.RuneCountInString(text))
}

// wordStart moves i back to the start of the word that it stands in, or at
// least of the character.
func wordStart(text string, i int) int {
	for i > 0 && i < len(text) && !utf8.RuneStart(text[i]) {
		i--
	}
	if space := strings.LastIndexFunc(text[:i], unicode.IsSpace); space >= 0 && i-space < 24 {
		return space + 1
	}
	return i
}

// matches returns where the terms stand in the text, in order, without overlaps.
func matches(text string, terms []analyze.Term) []Span {
	wanted := make(map[string]bool, len(terms))
	for _, t := range terms {
		wanted[t.Text] = true
	}
	var spans []Span
	add := func(start, end int) {
		if n := len(spans); n > 0 && start <= spans[n-1].End {
			spans[n-1].End = max(spans[n-1].End, end)
			return
		}
		spans = append(spans, Span{start, end})
	}
	var scratch []string
	holds := func(s string) bool {
		scratch = analyze.Document(scratch[:0], s)
		return slices.ContainsFunc(scratch, func(t string) bool { return wanted[t] })
	}
	for start, word := range words(text) {
		if !holds(word) {
			continue
		}
		narrow(start, word, holds, add)
	}
	return spans
}

// narrow finds which part of a blank-free stretch of text matches: words of
// letters and digits, pairs of characters where words are not separated, or
// else the whole.
func narrow(start int, word string, holds func(string) bool, add func(start, end int)) {
	found := false
	for i, part := range letterRuns(word) {
		if !holds(part) {
			continue
		}
		if utf8.RuneCountInString(part) == len(part) {
			add(start+i, start+i+len(part))
			found = true
			continue
		}
		for a, b := range pairs(part) {
			if holds(part[a:b]) {
				add(start+i+a, start+i+b)
				found = true
			}
		}
	}
	if !found {
		add(start, start+len(word))
	}
}

// words yields the stretches of text between white space with their offsets.
func words(text string) func(yield func(int, string) bool) {
	return runs(text, func(r rune) bool { return !unicode.IsSpace(r) })
}

// letterRuns yields the stretches of letters, digits and marks, ASCII apart from the rest.
func letterRuns(text string) func(yield func(int, string) bool) {
	return func(yield func(int, string) bool) {
		for start, run := range runs(text, func(r rune) bool {
			return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
		}) {
			for len(run) > 0 {
				ascii := run[0] < utf8.RuneSelf
				n := strings.IndexFunc(run, func(r rune) bool { return (r < utf8.RuneSelf) != ascii })
				if n < 0 {
					n = len(run)
				}
				if !yield(start, run[:n]) {
					return
				}
				start, run = start+n, run[n:]
			}
		}
	}
}

// runs yields the longest stretches of runes that are in.
func runs(text string, in func(rune) bool) func(yield func(int, string) bool) {
	return func(yield func(int, string) bool) {
		start := -1
		for i, r := range text {
			switch {
			case in(r) && start < 0:
				start = i
			case !in(r) && start >= 0:
				if !yield(start, text[start:i]) {
					return
				}
				start = -1
			}
		}
		if start >= 0 {
			yield(start, text[start:])
		}
	}
}

// pairs yields the byte ranges of neighbouring runes; of a single rune, itself.
func pairs(text string) func(yield func(int, int) bool) {
	return func(yield func(int, int) bool) {
		before, at := -1, 0
		for i, r := range text {
			if at = i + utf8.RuneLen(r); before >= 0 && !yield(before, at) {
				return
			}
			if i == 0 && at == len(text) {
				yield(0, at)
			}
			before = i
		}
	}
}
