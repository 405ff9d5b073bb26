package remember

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestDiffOfLongNote looks that two changes far apart are shown without what is between.
func TestDiffOfLongNote(t *testing.T) {
	var lines []string
	for i := range 3000 {
		lines = append(lines, fmt.Sprintf("- line %d\n", i))
	}
	before := strings.Join(lines, "")
	lines[4] = "- another line\n"
	after := strings.Join(slices.Delete(lines, 2900, 2901), "")
	want := "--- a.md\n+++ a.md\n@@ -5,1 +5,1 @@\n-- line 4\n+- another line\n@@ -2901,1 +2900,0 @@\n-- line 2900\n"
	if got := diff("a.md", before, after); got != want {
		t.Errorf("got %d bytes that begin %.200q, want %q", len(got), got, want)
	}
}

// TestSameLines compares with a table of all common subsequences.
func TestSameLines(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	lines := func() []string {
		out := make([]string, rng.IntN(14))
		for i := range out {
			out[i] = string(rune('a' + rng.IntN(4)))
		}
		return out
	}
	for range 2000 {
		a, b := lines(), lines()
		longest := make([][]int, len(a)+1)
		for i := range longest {
			longest[i] = make([]int, len(b)+1)
		}
		for i, x := range a {
			for j, y := range b {
				if longest[i+1][j+1] = max(longest[i][j+1], longest[i+1][j]); x == y {
					longest[i+1][j+1] = longest[i][j] + 1
				}
			}
		}
		places := sameLines(a, b)
		if len(places) != longest[len(a)][len(b)] {
			t.Fatalf("%q and %q have %d lines in common, got %v", a, b, longest[len(a)][len(b)], places)
		}
		x, y := -1, -1
		for _, same := range places {
			if same[0] <= x || same[1] <= y || a[same[0]] != b[same[1]] {
				t.Fatalf("%q and %q: %v is no common subsequence", a, b, places)
			}
			x, y = same[0], same[1]
		}
	}
}
