package prime

import (
	"strings"

	"github.com/memoir-ai/memoir/internal/analyze"
)

// threshold is OpenClaw's: the share of a trigger phrase's words that the message
// has to hold.
const threshold = 0.72

// triggered returns how much of one of the phrases a message holds, 0 to 1, by the
// terms that [heldBy] says. Phrases are separated by commas. Words are compared as
// searches compare them, so that "invoices" calls what waits for "invoice", and by
// pairs of characters where words are not separated.
func triggered(phrases string, held map[string]bool) float64 {
	best := 0.0
	for phrase := range strings.FieldsFuncSeq(phrases, func(r rune) bool { return strings.ContainsRune(",;，、；", r) }) {
		terms := analyze.Query(phrase)
		sum, all := 0.0, 0.0
		for _, t := range terms {
			if t.Kind == analyze.Character && len(terms) > 1 {
				continue // its pairs tell more
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
