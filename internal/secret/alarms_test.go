package secret_test

import (
	"encoding/json"
	"testing"

	"github.com/memoir-ai/memoir/internal/secret"
)

// TestOrdinaryNotes tells of every secret found in texts that were not written
// to hold any.
func TestOrdinaryNotes(t *testing.T) {
	for _, set := range []string{"gate", "route", "pairs", "life"} {
		texts, alarms := 0, 0
		for line := range evaluationLines(t, set) {
			var c map[string]any
			if err := json.Unmarshal(line, &c); err != nil {
				t.Fatal(err)
			}
			for _, field := range []string{"text", "old", "new"} {
				text, ok := c[field].(string)
				if !ok {
					continue
				}
				texts++
				if found := secret.Find(text); len(found) > 0 {
					alarms++
					t.Logf("%s (%v): %q %v", set, c["expect"], text, found)
				}
			}
		}
		t.Logf("%s: %d of %d texts", set, alarms, texts)
	}
}
