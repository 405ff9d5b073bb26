package search

import (
	"slices"
	"strings"

	"github.com/memoir-ai/memoir/internal/analyze"
	"github.com/memoir-ai/memoir/internal/judge/feature"
)

// sameKin are roles that one person may have in other words.
var sameKin = [][]string{{"kid", "son", "daughter"}, {"parents", "father", "mother"}, {"partner", "wife", "husband"}}

// ofAnother reports whether the query asks about one of a family, and the passage tells it of
// others alone: of dad's birthday, where it has mum's. Of a list the entries count that hold
// a word of the query besides the role.
func (s *search) ofAnother(f *candidate) bool {
	asked := s.asked.family()
	if len(asked) == 0 || f.chunk.EndLine == 0 || aboutKin(strings.Join(append([]string{f.chunk.Title}, f.chunk.Heading...), "\n"), asked) > 0 {
		return false
	}
	terms := slices.DeleteFunc(slices.Clone(s.terms), func(t analyze.Term) bool { return t.Weight < 1 || len(feature.Family(t.Text)) > 0 })
	others := 0
	for entry := range strings.Lines(f.chunk.Text) {
		holds := analyze.Document(nil, entry)
		if !slices.ContainsFunc(terms, func(t analyze.Term) bool { return slices.Contains(holds, t.Text) }) {
			continue
		}
		if aboutKin(entry, asked) >= 0 {
			return false
		}
		others++
	}
	return others > 0
}

// aboutKin returns 1 for a text that names one of some roles, -1 for one that names others
// alone, and 0 for any other text.
func aboutKin(text string, asked map[string]bool) int {
	about := 0
	for role := range feature.Family(text) {
		if asked[role] || slices.ContainsFunc(sameKin, func(kin []string) bool {
			return slices.Contains(kin, role) && slices.ContainsFunc(kin, func(k string) bool { return asked[k] })
		}) {
			return 1
		}
		about = -1
	}
	return about
}
