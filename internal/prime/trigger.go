package prime

import (
	"strings"

	"github.com/memoir-ai/memoir/internal/analyze"
)

// threshold is OpenClaw's: the share of a trigger phrase's words that the
// message must contain.
const threshold = 0.72

// triggered returns how much of the best phrase a message contains, 0 to 1.
// held are the message's terms, from [heldBy]. Phrases are separated by commas.
// Words are compared as in searches, so that "invoices" calls an entry that
// waits for "invoice". Where words are not separated, pairs of characters are
// compared.
func triggered(phrases string, held map[string]bool) float64 {
	best := 0.0
	for phrase := range strings.FieldsFuncSeq(phrases, func(r rune) bool { return strings.ContainsRune(",;，、；", r) }) {
		terms := analyze.Query(phrase)
		sum, all := 0.0, 0.0
		for _, t := range terms {
			if t.Kind == analyze.Character && len(terms) > 1 {
				continue // its pairs are more precise
			}
			all += t.Weight
			if held[t.Text] {
				sum += t.Weight
			}
		}
		if all > 0 {
			best = max(best, sum/all)
		}
	}
	return best
}

// heldBy returns the terms that a message holds.
func heldBy(message string) map[string]bool {
	held := map[string]bool{}
	for _, t := range analyze.Document(nil, message) {
		held[t] = true
	}
	return held
}
