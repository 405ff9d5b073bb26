package chunk_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/memoir-ai/memoir/internal/chunk"
)

// A list of a shelf that fits into a piece stays whole. A larger one is cut into windows
// of a few entries, of which each begins with the last of the one before.
func TestShelf(t *testing.T) {
	entry := func(name string, words int) string { return "- " + name + strings.Repeat(" word", words) + "\n" }
	var seven strings.Builder
	for i := range 7 {
		seven.WriteString(entry(fmt.Sprint("e", i), 10))
	}
	tests := []struct {
		name, text string
		limit      int
		want       []string // the lines of each piece
	}{
		{"it fits", "# Likes\n\n" + seven.String(), 400, []string{"1-9"}},
		{"too large", "# Likes\n\n" + seven.String(), 60, []string{"1-5", "5-7", "7-9"}},
		{"with other line ends", "# Likes\r\n\r\n" + strings.ReplaceAll(seven.String(), "\n", "\r\n"), 60, []string{"1-5", "5-7", "7-9"}},
		{"front matter above", "---\ntype: contact\n---\n" + seven.String(), 60, []string{"4-6", "6-8", "8-10"}},
		{"a long entry stands alone", entry("a", 10) + entry("b", 40) + entry("c", 10) + entry("d", 10), 80, []string{"1-1", "2-2", "3-4"}},
		{"a longer one than repeated", entry("a", 16) + entry("b", 16) + entry("c", 16) + entry("d", 16), 60, []string{"1-2", "3-4"}},
		{"larger than a piece", entry("a", 10) + "- b" + strings.Repeat("\n  word word word word word", 20) + "\n" + entry("c", 10), 60, []string{"1-1", "2-10", "11-18", "19-23"}},
		{"entries in entries", strings.Repeat("- a word word word word\n  - b word word word word\n\n    c word word word\n", 6), 60, []string{"1-8", "5-12", "9-16", "13-20", "17-24"}},
		{"each section by itself", "## A\n\n" + seven.String() + "\n## B\n\n" + entry("x", 10) + entry("y", 10), 60, []string{"1-5", "5-7", "7-9", "11-14"}},
		{"text between", "Before.\n\n" + seven.String() + "\nAfter.\n\n" + entry("x", 10), 60, []string{"1-1", "3-5", "5-7", "7-9", "11-13"}},
		{"lists side by side", entry("a", 10) + entry("b", 10) + strings.ReplaceAll(entry("c", 10)+entry("d", 10)+entry("e", 10), "-", "*"), 60, []string{"1-3", "3-5"}},
		{"pieces smaller than a window", seven.String(), 30, []string{"1-2", "2-3", "3-4", "4-5", "5-6", "6-7"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			opts := chunk.Options{MaxTokens: test.limit, Shelf: true}
			var got []string
			for _, p := range chunk.Markdown(test.text, opts).Pieces {
				got = append(got, fmt.Sprintf("%d-%d", p.StartLine, p.EndLine))
			}
			if diff := cmp.Diff(got, test.want); diff != "" {
				t.Errorf("got, want:\n%s", diff)
			}
			checkPieces(t, test.text, opts)
		})
	}
}

// An entry that is added at the end of a shelf, or in the middle, leaves most passages as
// they were, so that most vectors stay.
func TestShelfGrows(t *testing.T) {
	lines := make([]string, 200)
	for i := range lines {
		lines[i] = fmt.Sprintf("- Entry %d says%s.\n", i, strings.Repeat(" this", i*7%11))
	}
	cut := func(lines []string) map[string]bool {
		texts := map[string]bool{}
		for _, p := range chunk.Markdown(strings.Join(lines, ""), chunk.Options{MaxTokens: 180, OverlapTokens: 40, Shelf: true}).Pieces {
			texts[p.Text] = true
		}
		return texts
	}
	before := cut(lines)
	for _, at := range []int{10, 100, 200} {
		fresh := 0
		after := append(append(append([]string{}, lines[:at]...), "- A new one of another length.\n"), lines[at:]...)
		for text := range cut(after) {
			if !before[text] {
				fresh++
			}
		}
		if fresh == 0 || fresh > 12 {
			t.Errorf("an entry at %d of %d makes %d of %d passages anew", at, len(lines), fresh, len(before))
		}
	}
}
