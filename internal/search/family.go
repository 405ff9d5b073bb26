package search

import (
	"slices"
	"strings"

	"github.com/memoir-ai/memoir/internal/analyze"
	"github.com/memoir-ai/memoir/internal/search/roles"
)

// mayBe are the roles that somebody may have whom a wider word names. Two of them are two
// persons: a son is no daughter.
var mayBe = map[string][]string{"kid": {"son", "daughter"}, "parents": {"father", "mother"}, "partner": {"wife", "husband"}}

// onePerson reports whether two roles may be those of one person.
func onePerson(a, b string) bool {
	return a == b || slices.Contains(mayBe[a], b) || slices.Contains(mayBe[b], a)
}

// sameRole reports whether one of some roles may be that of the same person as one of others.
func sameRole(a, b map[string]bool) bool {
	for x := range a {
		for y := range b {
			if onePerson(x, y) {
				return true
			}
		}
	}
	return false
}

// ofAnother reports whether the query asks about one of a family, and the passage tells it of
// others alone: of dad's birthday, where it has mum's. Of a list the entries count that hold
// a word of the query besides the role.
func (s *search) ofAnother(f *candidate) bool {
	asked := s.asked.family()
	if len(asked) == 0 || f.chunk.EndLine == 0 || aboutKin(titles(&f.chunk), asked) > 0 {
		return false
	}
	terms := slices.DeleteFunc(slices.Clone(s.terms), func(t analyze.Term) bool { return t.Weight < 1 || len(roles.Family(t.Text)) > 0 })
	sieve, others := sieveOf(terms), 0
	for entry := range strings.Lines(f.chunk.Text) {
		holds := analyze.Document(nil, sieve.Sift(entry))
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
	switch named := roles.Family(text); {
	case sameRole(asked, named):
		return 1
	case len(named) > 0:
		return -1
	}
	return 0
}
