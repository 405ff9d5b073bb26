package chunk_test

import (
	"strings"
	"testing"

	"github.com/memoir-ai/memoir/internal/chunk"
)

// FuzzEntries: each line of a passage that is neither blank nor a heading stands in an entry or
// in the rest, in its order and as often as in the passage, and headings stand before entries.
func FuzzEntries(f *testing.F) {
	for _, text := range []string{
		"# Contacts\n\n- Mia is a midwife.\n- The plumber is Ignacio.\n",
		"- Mia\n  is a midwife\n\n  in Bristol.\n\n- Jonas",
		"## Work ##\r\n- a thing\r\n# Title\r\n- b thing\r\n",
		"1. one\n2) two\n* three\n+ four\n", "Rain.\n\n- a thing\n\nMore rain.\n",
		"- a\n  - b\n  - c\n", "```\n- no entry\n```\n- a thing\n", "````\n```\n- none\n````\n- one",
		"  ```\n- none\n  ```\n", "- a\n```\n", "~~~\n- no entry\n", "- a\n\t```\n\t- b\n\t```\n- c",
		"- - -\n***\n- \n-\n1.\n", "## 家\n- 猫只吃罐头。\n- 妹妹是助产士。", "- a\n#tag\n##\n####### seven\n- b", "- \u00a0\n-\u2003x\u2028y\v\f\n\x85- z", "- a\r- b\r\n\r\n",
	} {
		f.Add(text, "")
		f.Add(text, "Home")
	}
	f.Fuzz(func(t *testing.T, text, heading string) {
		entries, rest := chunk.Entries(text, heading)
		said := rest
		for _, e := range entries {
			said += "\n" + e.Text
		}
		count := func(s string) map[string]int {
			lines := map[string]int{}
			for line := range strings.Lines(s) {
				if line = strings.TrimSpace(line); line != "" {
					lines[line]++
				}
			}
			return lines
		}
		has := count(said)
		for line, n := range count(text) {
			if !strings.HasPrefix(line, "#") && has[line] < n {
				t.Errorf("%q stands %d times in %q and %d times in %q and %q", line, n, text, has[line], entries, rest)
			}
		}
		if bare, other := chunk.Entries(text, ""); len(bare) != len(entries) || other != rest {
			t.Errorf("below a heading %q has %q and %q, without one %q and %q", text, entries, rest, bare, other)
		}
	})
}
