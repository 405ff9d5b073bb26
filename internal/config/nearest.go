package config

import (
	"strings"
	"unicode/utf8"
)

// nearest returns the known name that is closest to the given one by edit
// distance, or "" when none is close enough to be meant.
func nearest(name string, known []string) string {
	best, bestDistance := "", 1+utf8.RuneCountInString(name)/2
	for _, k := range known {
		d := distance(simplify(name), simplify(k))
		// minScore for query.minScore: the right word in the wrong table.
		if i := strings.LastIndexByte(k, '.'); i >= 0 {
			d = min(d, 1+distance(simplify(name[strings.LastIndexByte(name, '.')+1:]), simplify(k[i+1:])))
		}
		if d < bestDistance {
			best, bestDistance = k, d
		}
	}
	return best
}

// simplify makes min_score, min-score and minScore the same.
func simplify(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name))
}

// distance is Levenshtein's: insertions, deletions and replacements.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i, r := range x {
		diagonal := row[0]
		row[0] = i + 1
		for j, s := range y {
			cost := diagonal
			if r != s {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(y)]
}
