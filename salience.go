package memoir

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/memoir-ai/memoir/internal/rank"
)

// Salience is what the front matter of a document says of its weight beside
// what it is about. The zero value says nothing.
type Salience struct {
	Importance float64 // field importance, above 0 to 10; 0: not said
	Reinforced int     // field reinforced: how often the note was confirmed
	Accessed   int     // field accessed: how often the note was of use
}

const maxImportance = 10

// salienceOf reads the fields; what is no number, or out of range, is not said.
func salienceOf(fields map[string]any) Salience {
	number := func(name string) float64 {
		for _, key := range slices.Sorted(maps.Keys(fields)) {
			if !strings.EqualFold(key, name) {
				continue
			}
			switch v := fields[key].(type) {
			case int: // of YAML
				return float64(v)
			case int64: // of TOML
				return float64(v)
			case float64:
				return v
			case string:
				if x, err := strconv.ParseFloat(strings.TrimSpace(v), 64); err == nil {
					return x
				}
			}
		}
		return 0
	}
	count := func(name string) int {
		if x := number(name); x >= 1 && x <= math.MaxInt32 {
			return int(x)
		}
		return 0
	}
	s := Salience{Reinforced: count("reinforced"), Accessed: count("accessed")}
	if x := number("importance"); x > 0 && x <= maxImportance {
		s.Importance = x
	}
	return s
}

// seed returns the part of the profile "seed" that is not relevance, and false
// when nothing is known: of .2 importance, .2 reinforcement and .1 access, which
// with .5 relevance make the score, the mean over those that are known.
func (s Salience) seed() (float64, bool) {
	var sum, weights float64
	add := func(weight, value float64) {
		if value > 0 {
			sum, weights = sum+weight*value, weights+weight
		}
	}
	add(0.2, s.Importance/maxImportance)
	add(0.2, rank.Frequency(s.Reinforced))
	add(0.1, rank.Frequency(s.Accessed))
	if weights == 0 {
		return 0, false
	}
	return sum / weights, true
}
