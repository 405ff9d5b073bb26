package indexing

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/memoir-ai/memoir"
)

// salienceOf reads the fields. A value that is not a number, or is out of
// range, counts as not given.
func salienceOf(fields map[string]any) memoir.Salience {
	number := func(name string) float64 {
		for _, key := range slices.Sorted(maps.Keys(fields)) {
			if !strings.EqualFold(key, name) {
				continue
			}
			switch v := fields[key].(type) {
			case int: // a number in YAML
				return float64(v)
			case int64: // a number in TOML
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
	s := memoir.Salience{Reinforced: count("reinforced"), Accessed: count("accessed")}
	if x := number("importance"); x > 0 && x <= memoir.MaxImportance {
		s.Importance = x
	}
	return s
}
