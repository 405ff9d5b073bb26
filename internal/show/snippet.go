// Package show turns the chunks that were found into the passages that a reader
// sees: snippets round the best match, within a budget, and small ones with
// their neighbours.
package show

import (
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/analyze"
	"github.com/memoir-ai/memoir/internal/blocks"
)

// snippetRunes is the length of a snippet. A shorter passage is shown whole.
const snippetRunes = 700

// longLine is the length in bytes from which on a line is shown sentence by
// sentence.
const longLine = 240

// window returns the range of text round its best match that fits the budget.
// It begins with the line that holds most of the query, and adds two lines
// after it for each line before. A smaller budget shows a part of what a larger
// one does. Without a match the range is the beginning of the text.
func window(text string, terms []analyze.Term, budget budget) (start, end int) {
	if budget.holds(text) {
		return 0, len(text)
	}
	parts := statements(text)
	best := heaviest(text, parts, terms)
	if p := parts[best]; !budget.holds(text[p.Start:p.End]) {
		start, end = inside(text[p.Start:p.End], terms, budget)
		return p.Start + start, p.Start + end
	}
	from, to := grow(text, parts, best, best+1, budget)
	return parts[from].Start, parts[to-1].End
}

// grow adds the segments round parts[from:to], two after for each before, as
// long as there is room.
func grow(text string, parts []memoir.Span, from, to int, budget budget) (int, int) {
	for step := 1; from > 0 || to < len(parts); step++ {
		a, b := from, to
		if to == len(parts) || from > 0 && step%3 == 0 {
			a--
		} else {
			b++
		}
		if !budget.holds(text[parts[a].Start:parts[b-1].End]) {
			break
		}
		from, to = a, b
	}
	return from, to
}

// segments cuts text into lines, and long lines into sentences. A blank line
// belongs to what stands before it.
func segments(text string) []memoir.Span {
	var parts []memoir.Span
	start := 0
	for line := range strings.Lines(text) {
		end := start + len(line)
		switch {
		case strings.TrimSpace(line) == "" && len(parts) > 0:
			parts[len(parts)-1].End = end
		case len(line) > longLine:
			parts = sentences(parts, text, start, end)
		default:
			parts = append(parts, memoir.Span{Start: start, End: end})
		}
		start = end
	}
	return parts
}

// wrapped is the length in bytes from which on a line may have been broken
// because it was full.
const wrapped = 50

// statements cuts text as segments does, but joins a line that continues a
// sentence with the line before, so that a snippet begins with a sentence.
func statements(text string) []memoir.Span {
	var parts []memoir.Span
	var fenced blocks.Code
	full := false
	start := 0
	for line := range strings.Lines(text) {
		end := start + len(line)
		code, edge := fenced.Next(line)
		switch {
		case strings.TrimSpace(line) == "" && len(parts) > 0:
			parts[len(parts)-1].End = end
		case full && !code && !edge && small(line):
			parts[len(parts)-1].End = end
		default:
			parts = append(parts, memoir.Span{Start: start, End: end})
		}
		full = len(line) >= wrapped && !endsSentence(line)
		start = end
	}
	var out []memoir.Span
	for _, p := range parts {
		if p.End-p.Start > longLine || strings.Contains(strings.TrimSpace(text[p.Start:p.End]), "\n") {
			out = sentences(out, text, p.Start, p.End)
			continue
		}
		out = append(out, p)
	}
	return out
}

// small reports whether text begins with a small letter.
func small(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return unicode.IsLower(r)
}

// fragment returns the length of the end of a sentence with which text begins,
// as in a chunk that begins in the middle of a paragraph. It returns 0 when
// text may well begin with a sentence; some people write without capitals.
func fragment(text string) int {
	if !small(text) {
		return 0
	}
	first := sentences(nil, text, 0, len(text))[0].End
	letter := strings.IndexFunc(text[first:], unicode.IsLetter)
	if letter < 0 || small(text[first+letter:]) || first > longLine || strings.Contains(strings.TrimSpace(text[:first]), "\n\n") {
		return 0
	}
	return first
}

// sentences appends the sentences of text[start:end]. A sentence ends with a
// mark before white space, or with a Chinese or Japanese mark.
func sentences(parts []memoir.Span, text string, start, end int) []memoir.Span {
	var last rune
	begun := start
	for i, r := range text[start:end] {
		wide := strings.ContainsRune("。！？", last) && !strings.ContainsRune("。！？」』”’）", r)
		if at := start + i; wide || unicode.IsSpace(last) && !unicode.IsSpace(r) && endsSentence(text[begun:at]) {
			parts = append(parts, memoir.Span{Start: begun, End: at})
			begun = at
		}
		last = r
	}
	return append(parts, memoir.Span{Start: begun, End: end})
}

// endsSentence reports whether text ends with a full stop or the like, ignoring
// white space and closing marks.
func endsSentence(text string) bool {
	text = strings.TrimRight(strings.TrimRightFunc(text, unicode.IsSpace), `"'”’)]*_`)
	return text != "" && strings.ContainsRune(".!?", rune(text[len(text)-1]))
}

// heaviest returns the segment whose distinct terms have the highest weight,
// the first of equals.
func heaviest(text string, parts []memoir.Span, terms []analyze.Term) int {
	best, most := 0, 0.0
	var scratch []string
	for i, p := range parts {
		scratch = analyze.Document(scratch[:0], text[p.Start:p.End])
		sum := 0.0
		for _, t := range terms {
			if slices.Contains(scratch, t.Text) {
				sum += t.Weight
			}
		}
		if sum > most {
			best, most = i, sum
		}
	}
	return best
}

// inside returns the range of one long sentence round its first match that fits
// the budget. It ends at whole words, and a little of it stands before the
// match. It neither begins nor ends inside a link, unless the match is in that.
func inside(text string, terms []analyze.Term, budget budget) (start, end int) {
	at := 0
	if spans := newMatcher(terms).matches(text); len(spans) > 0 {
		at = spans[0].Start
	}
	cut := func(size int) (start, end int) {
		start = max(0, min(at-size/8, len(text)-size))
		start, end = wordStart(text, start), wordStart(text, start+size)
		if l := linkAround(text, start); l.Start < start && at >= l.End {
			start = l.End
		} else if l.Start < start && at-l.Start <= maxLinkBefore {
			start = l.Start
		}
		if l := linkAround(text, end); l.Start < end && at < l.Start {
			end = l.Start
		}
		return start, max(start, end)
	}
	tooLarge := sort.Search(len(text), func(size int) bool {
		start, end := cut(size)
		return !budget.holds(text[start:end])
	})
	return cut(max(0, tooLarge-1))
}

// maxLinkBefore is how many bytes of a link may stand before a match inside it.
const maxLinkBefore = 64

// linkAround returns the link of Markdown that byte i is inside of, an empty span at i
// if there is none.
func linkAround(text string, i int) memoir.Span {
	open := strings.LastIndexByte(text[:i], '[')
	if open < 0 {
		return memoir.Span{Start: i, End: i}
	}
	words, target, found := strings.Cut(text[open:], "](")
	place, _, closed := strings.Cut(target, ")")
	end := open + len(words) + len("](") + len(place) + len(")")
	if !found || !closed || i >= end || strings.Contains(words+place, "\n\n") {
		return memoir.Span{Start: i, End: i}
	}
	return memoir.Span{Start: open, End: end}
}

// wordStart moves i back to the start of its word, or at least of its
// character.
func wordStart(text string, i int) int {
	if i == len(text) {
		return i
	}
	for i > 0 && !utf8.RuneStart(text[i]) {
		i--
	}
	if space := strings.LastIndexFunc(text[:i], unicode.IsSpace); i-space < 24 {
		return space + 1
	}
	return i
}

// A matcher finds the terms of a query in texts. It remembers the words that it
// has seen, because most of them occur again and again. It is for one
// goroutine.
type matcher struct {
	wanted  map[string]bool // the terms
	sieve   analyze.Sieve   // of the terms
	words   map[string]bool // words seen, and whether they hold a term
	scratch []string
}

func newMatcher(terms []analyze.Term) *matcher {
	m := &matcher{wanted: make(map[string]bool, len(terms)), words: map[string]bool{}}
	for _, t := range terms {
		if t.Kind == analyze.Character || t.Text == "" {
			continue // the pairs of a character are more precise
		}
		m.wanted[t.Text] = true
		m.sieve.Add(t.Text)
	}
	return m
}

// holds reports whether a word contains one of the terms.
func (m *matcher) holds(word string) bool { return m.sieve.MayHold(word) && m.has(word) }

// has does what holds does, for a word that passes the sieve.
func (m *matcher) has(word string) bool {
	known, ok := m.words[word]
	if !ok {
		if known = m.hasPair(word); !known {
			m.scratch = analyze.Document(m.scratch[:0], word)
			known = slices.ContainsFunc(m.scratch, func(t string) bool { return m.wanted[t] })
		}
		m.words[word] = known
	}
	return known
}

// hasPair reports whether a longer word in a script without spaces holds a term, by its pairs
// of characters: sentences there are hardly ever met again, and their pairs are.
func (m *matcher) hasPair(word string) bool {
	for a, b := range Pairs(word) {
		if pair := word[a:b]; pair[0] >= utf8.RuneSelf && len(pair) < len(word) && m.sieve.MayHold(pair) && analyze.Spaceless(pair) && m.has(pair) {
			return true
		}
	}
	return false
}

// matches returns the places of the terms in the text, in order and without
// overlaps.
func (m *matcher) matches(text string) []memoir.Span {
	var spans []memoir.Span
	add := func(start, end int) {
		if n := len(spans); n > 0 && start <= spans[n-1].End {
			spans[n-1].End = max(spans[n-1].End, end)
			return
		}
		spans = append(spans, memoir.Span{Start: start, End: end})
	}
	for start, word := range m.sieve.Words(text) {
		if m.has(word) {
			narrow(start, word, m.holds, add)
		}
	}
	return spans
}

// narrow finds the part of a stretch without blanks that matches: words of
// letters and digits, pairs of characters where words are not separated, or
// else the whole stretch.
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
		for a, b := range Pairs(part) {
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
