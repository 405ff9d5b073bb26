package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/embedtest"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/explain"
)

// TestNearestShown: a passage that is the nearest in meaning by far stands third at
// worst, however many others share a common word with the question. With an identifier in
// the question it does not: that names what is wanted.
func TestNearestShown(t *testing.T) {
	files := []string{"allergy.md", "Penicillin: rash.\n"}
	for i := range 8 {
		files = append(files, fmt.Sprintf("n%d.md", i), fmt.Sprintf("They take ferry number%d now, across open water before dawn%d, when wind blows softly from land%s.\n", i, i, strings.Repeat(" softly", i)))
	}
	var others strings.Builder // among which two words say enough to outweigh meaning
	words := strings.Fields("shelf box lamp rope brush nail glue")
	for i := range 2000 { // of few words, which no other text is near to
		line := fmt.Sprintf(" %s %s %s %s", words[i%7], words[i/7%7], words[i/49%7], words[i/343%7])
		fmt.Fprintf(&others, "-%s.\n", strings.Repeat(line, 5))
	}
	files = append(files, "MEMORY.md", others.String())
	n := newNotes(t, engine.Config{Embedder: &embedtest.Embedder{Dimensions: 2048, Synonyms: map[string]string{"medicine": "penicillin"}}}, files...)
	n.sync()
	n.embed()
	place := func(query string) (int, *explain.Score) {
		t.Helper()
		res := n.search(memoir.Query{Text: query, Explain: true, Limit: 9})
		at := slices.IndexFunc(res.Hits, func(h memoir.Hit) bool { return h.Doc == "allergy.md" })
		if at < 0 {
			t.Fatalf("%q: not found", query)
		}
		if !slices.IsSortedFunc(res.Hits, func(a, b memoir.Hit) int {
			if a.Score == b.Score {
				return 0
			}
			return int(1e6 * (b.Score - a.Score))
		}) {
			t.Errorf("%q: the hits are not ordered by score", query)
		}
		return at, res.Hits[at].Explain
	}
	at, score := place("medicine you take now")
	if at != 2 || len(score.Signals) != 1 || score.Signals[0].Name != explain.SignalMeaning || score.Signals[0].Change <= 0 {
		t.Errorf("it stands at %d: %+v", at+1, score)
	}
	if at, score := place("medicine you take now for DB_PASSWORD_7"); at < 3 || len(score.Signals) > 0 {
		t.Errorf("with an identifier it stands at %d: %+v", at+1, score)
	}
}
