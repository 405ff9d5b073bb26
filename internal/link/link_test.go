package link_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir/internal/link"
)

func TestFind(t *testing.T) {
	tests := []struct {
		name, text string
		want       []link.Link
	}{
		{"none", "no link here, [a] and [b] neither", nil},
		{"inline", "Met [Mia Brown](people/mia-brown-0) today.", []link.Link{{"people/mia-brown-0", "Mia Brown"}}},
		{"title", `[a](b.md "the b"), [c]( d.md 'x' ), [e](f.md (g))`, []link.Link{{"b.md", "a"}, {"d.md", "c"}, {"f.md", "e"}}},
		{"angle brackets", "[a](<my notes/b c.md>)", []link.Link{{"my notes/b c.md", "a"}}},
		{"escapes", `[a](my%20notes/%E8%AE%A1%E5%88%92.md) [b](c\(d.md) [e](f&amp;g.md) [h](100%.md)`,
			[]link.Link{{"my notes/计划.md", "a"}, {"c(d.md", "b"}, {"f&g.md", "e"}, {"100%.md", "h"}}},
		{"parentheses", "([a](b(c).md))", []link.Link{{"b(c).md", "a"}}},
		{"fragment and query", "[a](b.md#part) [c](d.md?x=1#y) [here](#part)", []link.Link{{"b.md", "a"}, {"d.md", "c"}}},
		{"elsewhere", "[a](https://x.org/b.md) [c](mailto:d@e.f) [g](//host/h.md) [i](C:/j.md) [k](obsidian://open)", nil},
		{"relative", `[a](../b.md) [c](./d.md) [e](/f.md) [g](..\h\i.md)`,
			[]link.Link{{"../b.md", "a"}, {"./d.md", "c"}, {"/f.md", "e"}, {"../h/i.md", "g"}}},
		{"emphasis", "[**Mia** `x`](a.md)", []link.Link{{"a.md", "Mia x"}}},
		{"reference", "[Mia][m], [Bob][] and [Eve].\r\n\r\n[M]: people/mia.md \"t\"\r\n[bob]: <people/bob.md>\r\n> [eve]: eve.md\r\n[^1]: note.md\r\n",
			[]link.Link{{"people/mia.md", "Mia"}, {"people/bob.md", "Bob"}, {"eve.md", "Eve"}}},
		{"reference elsewhere", "[Mia][m]\n\n[m]: https://x.org", nil},
		{"wiki", "[[Plan]] [[Plan B|the plan]] [[notes/计划#目标]] [[#here]] [[ a ]]",
			[]link.Link{{"Plan", "Plan"}, {"Plan B", "the plan"}, {"notes/计划", "notes/计划"}, {"a", "a"}}},
		{"wiki in a table", `| [[a\|b]] |`, []link.Link{{"a", "b"}}},
		{"wiki with a colon and a question", "[[Re: why?]]", []link.Link{{"Re: why?", "Re: why?"}}},
		{"broken wiki", "[[a\nb]] [[]] [[a] [[b [[c]]", []link.Link{{"c", "c"}}},
		{"image", "![a](b.png) ![[c]] ![d][e]\n\n[e]: f.png", nil},
		{"image in a link", "[![a](b.png)](c.md)", []link.Link{{"c.md", "a"}}},
		{"link in a link", "[a [b](c.md) d](e.md) [f](g.md)", []link.Link{{"c.md", "b"}, {"g.md", "f"}}},
		{"code", "`[a](b.md)` ``[[c]] ` [d](e.md)`` ` [f](g.md)", []link.Link{{"g.md", "f"}}},
		{"escaped", `\[a](b.md) [c\](d.md) \[[e]]`, nil},
		{"fence", "[a](b.md)\n```md\n[c](d.md)\n~~~\n[[e]]\n```\n- ~~~\n  [f](g.md)\n  ~~~\n[h](i.md)\n", []link.Link{{"b.md", "a"}, {"i.md", "h"}}},
		{"open fence", "[a](b.md)\n````\n```\n[c](d.md)", []link.Link{{"b.md", "a"}}},
		{"in a list", "  - one\n      - two [a](b.md)\n> [c](d.md)\n## [e](f.md)", []link.Link{{"b.md", "a"}, {"d.md", "c"}, {"f.md", "e"}}},
		{"over lines", "[Mia\nBrown](\npeople/mia.md\n)\n\n[no\n\nlink](x.md)", []link.Link{{"people/mia.md", "Mia Brown"}}},
		{"unfinished", "[a](b.md [c](<d.md) [e](f.md \"g) [h](i(j.md)", nil},
		{"emoji", "[👩‍💻](人/👩‍💻.md)", []link.Link{{"人/👩‍💻.md", "👩‍💻"}}},
		{"not UTF-8", "[a](b%ff.md) [\xff](c.md)", []link.Link{{"b.md", "a"}, {"c.md", ""}}},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, link.Find(test.text)); diff != "" {
			t.Errorf("%s: links differ (-want +got):\n%s", test.name, diff)
		}
	}
}

// Nothing takes more than its share of the time, and what fits is found.
func TestHostile(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long")
	}
	for _, part := range []string{"[", "]", "![", "[[", "[](", "[a](", "[a](<b", "[a](b \"", "`", "` `` ``` ", "[a][", "\\[", "[[a|", "> ", "- ", "*a_ ", "[a]: ", "[x](y)", "```\n", "[a\n](", "[[a]] "} {
		text := "[[first]]\n\n" + strings.Repeat(part, 1<<20/len(part)) + "](x)[[y]]"
		if got := link.Find(text); len(got) == 0 || got[0].Target != "first" || len(got) > len(text) {
			t.Errorf("%q: got %d links", part, len(got))
		}
	}
}

func FuzzFind(f *testing.F) {
	for _, s := range []string{"[a](b.md)", "[[a#b|c]]", "[a][b]\n\n[b]: <c d> 'e'", "```\n[a](b)\n```", "![[a]] [![a](b)](c)", "[a](%zz\\(\"x\")"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, l := range link.Find(text) {
			if l.Target == "" || !utf8.ValidString(l.Target) || !utf8.ValidString(l.Label) || strings.ContainsAny(l.Target, "\x00\n") {
				t.Errorf("bad link %q in %q", l, text)
			}
		}
	})
}

func BenchmarkFind(b *testing.B) {
	passage := strings.Repeat("Met [Mia Brown](people/mia-brown.md) and [[Bob]] about the `plan`, which *nobody* had read until then.\n", 12)
	b.SetBytes(int64(len(passage)))
	b.ReportAllocs()
	for b.Loop() {
		link.Find(passage)
	}
}
