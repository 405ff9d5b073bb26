package notegen

import (
	"math/rand/v2"
	"slices"
	"strings"
)

// Questions returns n distinct questions as people ask them, stop words and
// all: six words in English, or about a dozen characters in Chinese. They are
// about what the logs are about, and many lines hold words of each; a question
// that one line answers is [Fact.Question]. There are at most 300 of a language
// for a seed.
func Questions(seed uint64, chinese bool, n int) []string {
	template, stream := "{enQuestion}", uint64(1<<62)
	if chinese {
		template, stream = "{zhQuestion}", stream+1
	}
	w := &writer{rand: rand.New(rand.NewPCG(seed, stream))}
	var out []string
	for tries := 0; len(out) < min(n, 300) && tries < 100_000; tries++ {
		q := w.fill(template)
		if (chinese || len(strings.Fields(q)) == 6) && !slices.Contains(out, q) {
			out = append(out, q)
		}
	}
	return out
}
