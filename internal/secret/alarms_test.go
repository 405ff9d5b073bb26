package secret_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir/internal/secret"
)

// TestOrdinaryNotes: no secret is found in texts that were not written to hold one. The
// exceptions are a few texts of the lives, which hold a secret and have to be refused.
func TestOrdinaryNotes(t *testing.T) {
	got := map[string]int{}
	for _, set := range []string{"gate", "route", "pairs", "life"} {
		for line := range evaluationLines(t, "writing/"+set) {
			var c struct{ Text, Old, New, Expect string }
			if err := json.Unmarshal(line, &c); err != nil {
				t.Fatal(err)
			}
			for _, text := range []string{c.Text, c.Old, c.New} {
				if masked, found := secret.Mask(text); len(found) > 0 {
					got[set+" "+c.Expect]++
					t.Logf("%s: %q", set, masked)
				}
			}
		}
	}
	if diff := cmp.Diff(map[string]int{"life refused": 4}, got); diff != "" {
		t.Errorf("texts with secrets (-want +got):\n%s", diff)
	}
}

// TestCorpora: no secret is found in the documents of the evaluation sets, except for
// examples in manuals of programs. The test reads 12 MB, so it runs only when asked for.
func TestCorpora(t *testing.T) {
	if os.Getenv("MEMOIR_TEST_EVALS") == "" {
		t.Skip("set MEMOIR_TEST_EVALS to the folder of evaluation sets")
	}
	got := map[string]int{}
	for _, set := range []string{"cmrc2018-zh", "cosqa", "dureader-demo-zh", "ids", "jsquad-ja", "locomo", "madial-zh", "notes-world", "qmd-evaldocs"} {
		for line := range evaluationLines(t, set+"/corpus") {
			var c struct{ Text string }
			if err := json.Unmarshal(line, &c); err != nil {
				t.Fatal(err)
			}
			for _, s := range secret.Find(c.Text) {
				got[set]++
				t.Logf("%s: %s in %q", set, s.Kind, c.Text[max(0, s.Start-60):min(len(c.Text), s.End+30)])
			}
		}
	}
	if diff := cmp.Diff(map[string]int{"ids": 12}, got); diff != "" {
		t.Errorf("secrets in documents (-want +got):\n%s", diff)
	}
}
