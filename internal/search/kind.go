package search

import (
	"slices"
	"strings"

	"github.com/memoir-ai/memoir/internal/analyze"
	"github.com/memoir-ai/memoir/internal/chunk"
	"github.com/memoir-ai/memoir/internal/querylang"
)

// lacking is the highest relevance of a chunk that holds nothing of the kind that the query
// asks for, such as a number (docs/design/relevance.md).
const lacking = .2

// most returns the highest relevance of a candidate, by what it lacks. Where everything of
// days is asked for of which there is nothing, a passage of another day lacks it.
func (s *search) most(f *candidate) float64 {
	if s.exactly(f) == 0 && (s.noDays && f.Date != "" || !s.mayTell(f) || s.ofAnother(f)) {
		return lacking
	}
	return 1
}

// mayTell reports whether a candidate may hold what the query asks for. It is false where
// a time, an amount or a telephone number is asked for, and the passage has none. Of a list
// only the entries that hold a word of the query count.
func (s *search) mayTell(f *candidate) bool {
	kind := s.asked.kind
	if kind == "" || f.chunk.EndLine == 0 || kind == querylang.Time && f.Date != "" {
		return true
	}
	about := append([]string{f.chunk.Title}, f.chunk.Heading...)
	about = slices.DeleteFunc(about, chunk.IsDate)
	return kind.MayTell(s.asked.text, strings.Join(about, "\n")) || kind.MayTell(s.asked.text, s.entriesAsked(f.chunk.Text))
}

// entriesAsked returns the entries of a list that hold a word of the query; the whole text
// when none does, or when it is no list.
func (s *search) entriesAsked(text string) string {
	var entries []string
	for line := range strings.Lines(text) {
		rest := strings.TrimSpace(line)
		if rest == "" || rest[0] == '#' {
			continue
		}
		mark, entry, spaced := strings.Cut(strings.TrimLeft(rest, "0123456789"), " ")
		if !spaced || !slices.Contains([]string{"-", "*", "+", ".", ")"}, mark) {
			return text
		}
		entries = append(entries, entry)
	}
	var asked []string
	for _, entry := range entries {
		terms := analyze.Document(nil, entry)
		if slices.ContainsFunc(s.terms, func(t analyze.Term) bool { return t.Weight >= 1 && slices.Contains(terms, t.Text) }) {
			asked = append(asked, entry)
		}
	}
	if len(asked) == 0 {
		return text
	}
	return strings.Join(asked, "\n")
}
