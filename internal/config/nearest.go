package config

import (
	"strings"
	"unicode/utf8"

	"github.com/memoir-ai/memoir/internal/typo"
)

// nearest returns the known name closest to the given one by edit distance, or
// "" when none is close.
func nearest(name string, known []string) string {
	best, bestDistance := "", 1+utf8.RuneCountInString(name)/2
	for _, k := range known {
		d := typo.Distance(simplify(name), simplify(k))
		// minScore for query.minScore: the right word in the wrong table.
		if i := strings.LastIndexByte(k, '.'); i >= 0 {
			last := simplify(name[strings.LastIndexByte(name, '.')+1:])
			if apart := typo.Distance(last, simplify(k[i+1:])); apart <= utf8.RuneCountInString(last)/2 {
				d = min(d, 1+apart)
			}
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
