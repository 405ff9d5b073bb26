package remember

import (
	"hash/maphash"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/memoir-ai/memoir/internal/analyze"
)

// terms are strings by their hashes, which are those of this process. Strings of one hash
// count as equal; with 64 bits that does not happen.
type terms []uint64

var seed = maphash.MakeSeed()

// maxCompared is how many bytes of a text are compared.
const maxCompared = 4 << 10

// termsOf returns the terms of a text, each once, in the order of their hashes.
func termsOf(text string) terms {
	return allTerms(text[:min(len(text), maxCompared)])
}

// allTerms does what termsOf does, however long the text is.
func allTerms(text string) terms {
	var all terms
	for _, t := range analyze.Document(nil, text) {
		all = append(all, hashed(t))
	}
	return all.distinct()
}

func hashed(term string) uint64 { return maphash.String(seed, term) }

// distinct returns each term once, ordered.
func (t terms) distinct() terms {
	t = slices.Clone(t)
	slices.Sort(t)
	return slices.Compact(t)
}

// holds counts how many terms of others are among distinct ones.
func (t terms) holds(others terms) int { return t.sought().holds(others) }

// sought are distinct terms that are looked for among those of many texts.
type sought struct {
	terms terms
	bits  [16]uint64 // one for each that may be among them
}

// sought returns distinct terms to look for.
func (t terms) sought() *sought {
	s := &sought{terms: t}
	for _, h := range t {
		s.bits[h>>6&15] |= 1 << (h & 63)
	}
	return s
}

// holds counts how many terms of others are among them.
func (s *sought) holds(others terms) int {
	n := 0
	for _, h := range others {
		if s.bits[h>>6&15]>>(h&63)&1 != 0 {
			if _, ok := slices.BinarySearch(s.terms, h); ok {
				n++
			}
		}
	}
	return n
}

// common returns the share of distinct terms that two texts have in common.
func common(a, b terms) float64 {
	n := a.holds(b)
	if n == 0 {
		return 0
	}
	return 2 * float64(n) / float64(len(a)+len(b))
}

// pieces returns the parts of a text that are quick to compare: words of more
// than three letters, numbers, and pairs of other characters.
func pieces(normal string) terms {
	normal = normal[:min(len(normal), maxCompared)]
	all := make(terms, 0, len(normal)/6)
	for at := 0; at < len(normal); {
		r, size := utf8.DecodeRuneInString(normal[at:])
		end := at + size
		switch {
		case r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)):
			for end < len(normal) && normal[end] < utf8.RuneSelf && (unicode.IsLetter(rune(normal[end])) || unicode.IsDigit(rune(normal[end]))) {
				end++
			}
			if end-at > 3 || unicode.IsDigit(r) {
				all = append(all, maphash.String(seed, normal[at:end]))
			}
		case unicode.IsLetter(r):
			if _, next := utf8.DecodeRuneInString(normal[end:]); next > 1 {
				all = append(all, maphash.String(seed, normal[at:end+next]))
			}
		}
		at = end
	}
	return all
}
