package remember

import (
	"slices"
	"strings"
	"unicode"

	"github.com/memoir-ai/memoir/internal/analyze"
)

// mostUnits is how many words two texts have at most that are set side by side.
const mostUnits = 200

// inOnePlace reports whether a newer text has other words than an older one in one place at
// most; what it leaves out does not count. With more it may be about another thing with
// another value: "Flat B costs 950 now" after "Flat A costs 900". So it may with words that it
// adds elsewhere, as in "Rent for the flat parking is now 900" after "Rent for the flat is
// 9000", or behind all of the older text: "I drink coffee no longer after noon".
func inOnePlace(older, newer string) bool {
	a, b := units(older), units(newer)
	if len(a) > mostUnits || len(b) > mostUnits {
		return false
	}
	places, adds, i, j := 0, false, 0, 0 // i and j are where the words begin that no run has yet
	for _, r := range append(runs(a, b), run{len(a), len(b), 0}) {
		switch {
		case r.b > j && r.a > i:
			places++
		case r.b > j:
			adds = adds || saysSomething(b[j:r.b])
		}
		i, j = r.a+r.n, r.b+r.n
	}
	begins := len(a) > 0 && len(b) > len(a) && slices.Equal(a, b[:len(a)])
	return places == 0 && !(adds && begins) || places == 1 && !adds
}

// ofNow are words that say that something holds now, or no longer.
var ofNow = []string{"now", "current", "currently", "nowadays", "no", "longer", "any", "more", "anymore"}

// saysSomething reports whether some units hold a word of their own, and not only words that
// say that something holds now, or that questions are full of.
func saysSomething(units []string) bool {
	rest := slices.DeleteFunc(slices.Clone(units), func(word string) bool {
		return slices.Contains(ofNow, word) || noLonger().beside[word]
	})
	return slices.ContainsFunc(analyze.Query(strings.Join(rest, " ")), func(t analyze.Term) bool { return t.Weight >= 1 })
}

// units returns the words of a text, folded. In Chinese, Japanese and Korean each character
// is one.
func units(text string) (all []string) {
	var word []rune
	end := func() {
		if len(word) > 0 {
			all, word = append(all, string(word)), nil
		}
	}
	for _, r := range analyze.Fold(text) {
		switch {
		case character(string(r)):
			end()
			all = append(all, string(r))
		case unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsNumber(r):
			word = append(word, r)
		default:
			end()
		}
	}
	end()
	return all
}

// character reports whether a unit is a character that is a word of its own.
func character(unit string) bool {
	for _, r := range unit {
		return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
	}
	return false
}

// A run is n units that two texts have in common, from a on in the one and b in the other.
type run struct{ a, b, n int }

// runs returns the runs of a longest common subsequence, in order. A single character of
// those that are words of their own is none: it stands in other words, too.
func runs(a, b []string) (all []run) {
	length := make([][]int, len(a)+1) // of the subsequence from these places on
	for i := range length {
		length[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if length[i][j] = max(length[i+1][j], length[i][j+1]); a[i] == b[j] {
				length[i][j] = max(length[i][j], length[i+1][j+1]+1)
			}
		}
	}
	for i, j := 0, 0; i < len(a) && j < len(b); {
		n := 0
		for i+n < len(a) && j+n < len(b) && a[i+n] == b[j+n] {
			n++
		}
		switch {
		case n > 1, n == 1 && !character(a[i]):
			all, i, j = append(all, run{i, j, n}), i+n, j+n
		case n == 1:
			i, j = i+1, j+1
		case length[i+1][j] >= length[i][j+1]:
			i++
		default:
			j++
		}
	}
	return all
}
