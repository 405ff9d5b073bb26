package entry

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// parts are the pieces of the notes in [TestSimple]. Some make a note that is not simple.
var parts = []string{
	"- a", "- b <!-- id: x1 | observed: 2026-03-02 -->", "- [ ] c", "- - d", "- # e", "- ```", "- <div>", "- <!-- f", "- > g", "- ---", "- 1. h", "-  i", "- ", "-", "-j", "* k", "1. l", "- ***", "- - -", "- \\# m", "- `n", "- 1)", "- *", "- 2. ", "  -", "  1)", "  - ", "  > ", "- >", "- #", "- a ```", "- > - x", "- > ```", "- > 1)", "  > -", "  >> 1.", "- a 1)",
	"  more", "  - inner", "    code", "  ```", "  ~~~", "  ===", "  ---", "  <!-- id: x2 -->", "  -->", "  | a | b |", "  |---|---|", " one", "  # in", "   three", "  > q",
	"# H", "## H ##", "### H #x", "#", "####### seven", "#tag", "# H \\#", "  # not", "## a # b ##  ",
	"", "", "  ", "words", "===", "---", "```", "> quote", "<div>", "<!-- observed: 2026-01-02 -->", "| a |\n|---|", "[a]: http://example.org", "\tx", "-\tx", "汉字", "- 汉字", "\u00a0", "- \u00a0", "\v", "\ufeff", "+++", "...",
}

// slowly parses a note as if it were not simple.
func slowly(src string) []Entry {
	root, body := parse(src)
	r := &reader{src: src, line: 1}
	r.blocks(topLevel(src, root, body))
	return r.entries
}

// sameEitherWay fails unless both ways read the note the same. fast says whether the note
// is simple.
func sameEitherWay(t *testing.T, src string) (fast bool) {
	t.Helper()
	blocks, ok := simple(src, frontMatter(src))
	if !ok {
		return false
	}
	if diff := cmp.Diff(Parse(src), slowly(src)); diff != "" {
		t.Fatalf("%q (-simple +other):\n%s", src, diff)
	}
	root, body := parse(src)
	n := root.LastChild()
	if (n == nil) != (len(blocks) == 0) {
		t.Fatalf("%q: %d blocks, %v", src, len(blocks), n)
	}
	if n != nil && unclosed(n, src[body:]) != "" {
		t.Fatalf("%q: its last block has no end", src)
	}
	return true
}

// TestSimple: the fast way reads a simple note as the general way does.
func TestSimple(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 2))
	fast := 0
	for range 8_000 {
		var b strings.Builder
		few := parts[:1+rng.IntN(len(parts))]
		if rng.IntN(2) == 0 {
			few = append(append([]string{}, parts[:2]...), parts[rng.IntN(len(parts))], parts[rng.IntN(len(parts))])
		}
		for range 1 + rng.IntN(8) {
			b.WriteString(few[rng.IntN(len(few))])
			b.WriteString([]string{"\n", "\n", "\n", "\r\n", ""}[rng.IntN(5)])
		}
		if sameEitherWay(t, b.String()) {
			fast++
		}
	}
	if fast < 1500 {
		t.Errorf("%d of the notes were simple", fast)
	}
}

// TestWrittenIsSimple: what memoir writes is simple.
func TestWrittenIsSimple(t *testing.T) {
	src := "# Contacts\n"
	for i, text := range []string{"one", "two\nlines", "a heading\n# x\n## y", "```\ncode\n```", "```\nnever ends", "- a\n- b", "> q\n\nz", "<div>\nx", "a\n===\nb", "| a |\n|---|", "1. x\n2. y", "汉字\n\n换行", "*** x", "---"} {
		src += Addition(src, Item(text, Fields{{ID, fmt.Sprint("e", i)}, {Observed, "2026-03-02"}}, false))
		if !sameEitherWay(t, src) {
			t.Fatalf("not simple since %q:\n%s", text, src)
		}
	}
	if got := len(Parse(src)); got != 14 {
		t.Errorf("%d entries:\n%s", got, src)
	}
}

func FuzzSimple(f *testing.F) {
	for _, p := range parts {
		f.Add("- a\n" + p + "\n- b\n")
	}
	f.Fuzz(func(t *testing.T, src string) { sameEitherWay(t, src) })
}

func BenchmarkParse(b *testing.B) {
	for _, n := range []int{10, 1000, 5000} {
		src := "# 2026-03-02\n\n"
		for i := range n {
			src += fmt.Sprintf("- The supplier %d is called Mirela and delivers tiles to the harbour,\n  her phone is 555 01%02d. <!-- id: a%07d | observed: 2026-03-02 | origin: user -->\n", i, i%100, i)
		}
		for name, f := range map[string]func(){"Parse": func() { Parse(src) }, "slowly": func() { slowly(src) }, "Addition": func() { Addition(src, "- a") }} {
			b.Run(fmt.Sprint(name, "/", n), func(b *testing.B) {
				for b.Loop() {
					f()
				}
			})
		}
	}
}
