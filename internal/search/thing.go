package search

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memoir-ai/memoir/internal/analyze"
	"github.com/memoir-ai/memoir/internal/querylang"
)

// An askedThing is the kind of thing that a query names as its answer, with the terms of what
// it says else, in their main form. A passage that answers need not hold the words for it.
type askedThing struct {
	of       querylang.Thing // "" where it names none
	subjects []string
}

func askedThingOf(q querylang.Query) *askedThing {
	of, rest := q.AsksThing()
	a := &askedThing{of: of, subjects: mainTerms(rest)}
	if len(a.subjects) == 0 {
		a.of = ""
	}
	return a
}

// single returns whether a term is the only one beside the words for the thing.
func (a *askedThing) single(term string) bool {
	return len(a.subjects) == 1 && a.subjects[0] == term
}

// holds reports whether some terms are among the subjects.
func (a *askedThing) holds(terms []string) bool {
	return slices.ContainsFunc(a.subjects, func(t string) bool { return slices.Contains(terms, t) })
}

// enoughPairs is the share of the subject's pairs of ideographs that a text has to hold: some
// are of the end of one word and the beginning of the next.
const enoughPairs = .6

// holdsAll reports whether a text holds all subjects, by its terms and those of what stands
// above it.
func (a *askedThing) holdsAll(terms, above []string) bool {
	pairs, held := 0, 0
	for _, t := range a.subjects {
		in := slices.Contains(terms, t) || slices.Contains(above, t)
		first, _ := utf8.DecodeRuneInString(t)
		switch {
		case unicode.In(first, unicode.Han, unicode.Hiragana, unicode.Katakana):
			if pairs++; in {
				held++
			}
		case !in:
			return false
		}
	}
	return float64(held) >= enoughPairs*float64(pairs)
}

// longPart is from which length on the sentences of a part stand for themselves, in bytes. They
// always do in a paragraph where one word is looked for.
const longPart = 400

// tellsThing reports whether the query names a kind of thing, and a part of a candidate has
// one beside all that the query says else.
func (s *search) tellsThing(f *candidate) bool {
	asked := s.asked.thing()
	if asked.of == "" || f.chunk.EndLine == 0 || len(asked.subjects) == 1 && s.counts.Holders[asked.subjects[0]].Chunks > fewHolders {
		return false
	}
	sieve := new(analyze.Sieve)
	for _, t := range asked.subjects {
		sieve.Add(t)
	}
	above := analyze.Document(nil, sieve.Sift(headings(&f.chunk)))
	longest := longPart
	if len(asked.subjects) == 1 { // which may stand in much else
		longest = 0
	}
	return slices.ContainsFunc(partsOf(undated(f.chunk.Text), longest), func(part string) bool {
		if !asked.holdsAll(analyze.Document(nil, sieve.Sift(part)), above) {
			return false
		}
		sure, _ := asked.of.In(s.asked.text, part)
		return sure
	})
}

// mayTellThing reports whether a candidate may have a thing of the kind that the query names.
// Only parts with a word of what it says else count, unless that stands above them, or nowhere.
func (s *search) mayTellThing(f *candidate) bool {
	asked := s.asked.thing()
	if asked.of == "" || f.chunk.EndLine == 0 {
		return true
	}
	text := undated(f.chunk.Text)
	if !asked.holds(analyze.Document(nil, headings(&f.chunk))) {
		parts := partsOf(text, len(text))
		parts = slices.DeleteFunc(parts, func(part string) bool { return !asked.holds(analyze.Document(nil, part)) })
		if len(parts) > 0 {
			text = strings.Join(parts, "\n")
		}
	}
	_, may := asked.of.In(s.asked.text, text)
	return may
}

// partsOf returns the parts of a text that say something together: entries of a list with
// those below them, and paragraphs; of longer ones the sentences.
func partsOf(text string, longest int) (parts []string) {
	var open strings.Builder
	end := func() {
		part := open.String()
		open.Reset()
		if len(part) <= longest || len(part) <= longPart && beginsEntry(part) {
			parts = append(parts, part)
			return
		}
		for line := range strings.FieldsFuncSeq(part, func(r rune) bool { return r == '\n' || r == '。' }) {
			parts = append(parts, strings.SplitAfter(line, ". ")...)
		}
	}
	for line := range strings.Lines(text) {
		rest := strings.TrimSpace(line)
		if rest == "" || rest[0] == '#' || beginsEntry(line) {
			end()
		}
		if rest != "" && rest[0] != '#' {
			open.WriteString(line)
		}
	}
	end()
	return slices.DeleteFunc(parts, func(part string) bool { return part == "" })
}

// beginsEntry reports whether a line begins an entry of a list that stands below no other.
func beginsEntry(line string) bool {
	mark, _, spaced := strings.Cut(strings.TrimLeft(line, "0123456789"), " ")
	return spaced && slices.Contains([]string{"-", "*", "+", ".", ")"}, mark)
}
