package entry_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir/internal/entry"
)

// TestPlace: a new item stands before the first heading under the title, and after what is
// there already. ⟦ and ⟧ mark what is put in.
func TestPlace(t *testing.T) {
	const item = "- new <!-- id: k1 -->"
	for name, want := range map[string]string{
		"title alone":                      "# Preferences\n⟦\n- new <!-- id: k1 -->\n⟧",
		"no heading":                       "- a\n⟦- new <!-- id: k1 -->\n⟧",
		"no heading, no line end":          "- a⟦\n- new <!-- id: k1 -->\n⟧",
		"title and list":                   "# Preferences\n\n- a\n⟦- new <!-- id: k1 -->\n⟧",
		"section":                          "# Preferences\n\n- a\n⟦- new <!-- id: k1 -->\n⟧\n## Private\n\n- b\n",
		"section without blank line":       "# Preferences\n- a\n⟦- new <!-- id: k1 -->\n\n⟧## Private\n- b",
		"sections alone":                   "# Preferences\n⟦\n- new <!-- id: k1 -->\n⟧\n## Food\n\n- a\n\n## What Mum likes\n\n- b\n",
		"no title":                         "⟦- new <!-- id: k1 -->\n\n⟧## Private\n\n- b\n",
		"setext":                           "Preferences\n===========\n\n- a\n⟦- new <!-- id: k1 -->\n⟧\nPrivate\n-------\n\n- b\n",
		"setext right below the title":     "# Preferences\n⟦\n- new <!-- id: k1 -->\n\n⟧Private\n-------\n- b\n",
		"titles of its own in a list":      "- # Private\n  - a\n⟦- new <!-- id: k1 -->\n⟧\n# Private\n- b\n",
		"front matter":                     "---\ntags: [a]\n---\n⟦\n- new <!-- id: k1 -->\n⟧\n## 已作废\n\n- b\n",
		"front matter and title":           "---\r\ntags: [a]\r\n---\r\n# 偏好\r\n\r\n- a\r\n⟦- new <!-- id: k1 -->\r\n⟧\r\n## 已作废\r\n\r\n- b\r\n",
		"title in the front matter":        "---\ntitle: \"Preferences\"\n---\n⟦\n- new <!-- id: k1 -->\n⟧\n# What Mum likes\n\n- b\n",
		"title there and below":            "---\ntitle: Ann's ways\n---\n\n# Ann's ways\n\n- a\n⟦- new <!-- id: k1 -->\n⟧\n## What Mum likes\n\n- b\n",
		"byte order mark":                  "\ufeff⟦- new <!-- id: k1 -->\r\n\r\n⟧## Private\r\n- b\r\n",
		"byte order mark and title":        "\ufeff# Préférences\r\n⟦\r\n- new <!-- id: k1 -->\r\n⟧\r\n## Private\r\n- b\r\n",
		"intro":                            "# Preferences\n\nWhat I like.\n⟦\n- new <!-- id: k1 -->\n⟧\n## Food\n\n- b\n",
		"nested lists":                     "# Preferences\n\n- a\n  - b\n    ## not a heading\n  - c\n⟦- new <!-- id: k1 -->\n⟧\n\n\n## Food\n- d\n",
		"numbers":                          "# Preferences\n\n1. a\n2. b\n⟦- new <!-- id: k1 -->\n⟧\n## Food\n- d\n",
		"quotation":                        "# Preferences\n\n> ## a\n⟦\n- new <!-- id: k1 -->\n⟧\n## Food\n- d\n",
		"code":                             "# Preferences\n\n```\n## a\n```\n⟦\n- new <!-- id: k1 -->\n⟧\n## Food\n- d\n",
		"comment of the section":           "# Preferences\n- a\n⟦- new <!-- id: k1 -->\n⟧\n<!-- not for me -->\n## Mum\n- b\n",
		"comment of the title":             "# Preferences\n<!-- one a line -->\n⟦\n- new <!-- id: k1 -->\n⟧\n## Mum\n- b\n",
		"comment above the title":          "<!-- markdownlint-disable -->\n# Preferences\n- a\n⟦- new <!-- id: k1 -->\n⟧\n## Mum\n- b\n",
		"comment at the end":               "# Preferences\n\n- a\n\n<!-- end -->\n⟦\n- new <!-- id: k1 -->\n⟧",
		"comment of another entry":         "# User\n\n- a\n<!-- id: b | status: superseded | by: c -->\n⟦\n- new <!-- id: k1 -->\n⟧\n## Mum\n",
		"rule":                             "# Preferences\n\n- a\n⟦- new <!-- id: k1 -->\n⟧\n---\n\n## Mum\n- b\n",
		"rule under the title":             "# Preferences\n\n---\n⟦\n- new <!-- id: k1 -->\n⟧\n## Mum\n- b\n",
		"several of the first level":       "⟦- new <!-- id: k1 -->\n\n⟧# Food\n\n- a\n\n# Travel\n\n- b\n",
		"several, the first is memoir's":   "# preferences\n\n- a\n⟦- new <!-- id: k1 -->\n⟧\n# Mum\n\n- b\n",
		"private as a whole by its title":  "⟦- new <!-- id: k1 -->\n\n⟧# Private\n\n- b\n",
		"list above the only heading":      "- a\n⟦- new <!-- id: k1 -->\n⟧\n# What Mum likes\n\n- b\n",
		"empty title":                      "#\n\n- a\n⟦- new <!-- id: k1 -->\n⟧\n## Mum\n- b\n",
		"deeper before the second level":   "# Preferences\n⟦\n- new <!-- id: k1 -->\n⟧\n#### Mum\n- b\n",
		"blanks at the end of a line":      "# Preferences\n\n- a  \n⟦- new <!-- id: k1 -->\n⟧ \t\n## Mum\n- b\n",
		"title in other bytes, the same":   "# Pre\u0301fe\u0301rences\n\n- a\n⟦- new <!-- id: k1 -->\n⟧\n# Mum\n- b\n",
		"open block of code in an item":    "# Preferences\n\n- a\n  ```\n  ## b\n⟦- new <!-- id: k1 -->\n⟧\n## Mum\n- b\n",
		"open comment, which has no end":   "# Preferences\n\n- a\n\n<!--\n## Mum\n- b\n⟦-->\n\n- new <!-- id: k1 -->\n⟧",
		"words that are no block":          "# Preferences\n\n- a\n\n[x]: https://example.org\n⟦\n- new <!-- id: k1 -->\n⟧\n## Mum\n- b\n",
		"a heading with a mark at its end": "# Preferences #\n\n- a\n⟦- new <!-- id: k1 -->\n⟧\n## Mum ##\n- b\n",
	} {
		src, _, _ := strings.Cut(want, "⟦")
		_, after, _ := strings.Cut(want, "⟧")
		title := "Preferences"
		if strings.Contains(want, "\u0301") {
			title = "Préférences"
		}
		var none *entry.Reading
		got := none.Place(src+after, item, title)
		shown := src + after
		shown = shown[:got.At] + "⟦" + got.Text + "⟧" + shown[got.At:]
		if shown != want {
			t.Errorf("%s:\n got %q\nwant %q", name, shown, want)
		}
		checkPlaced(t, src+after, item, title, none)
		checkPlaced(t, src+after, item, title, none.Next(src+after))
		checkPlaced(t, src+after, item, title, none.Next(src))
	}
}

// checkPlaced fails unless the item becomes one entry of the note where it is said to stand,
// and all others stay as they were.
func checkPlaced(t *testing.T, src, item, title string, was *entry.Reading) {
	t.Helper()
	in := was.Place(src, item, title)
	if fresh := (*entry.Reading)(nil).Place(src, item, title); in != fresh {
		t.Fatalf("%q, read before: %+v, and not: %+v", src, in, fresh)
	}
	before, after := entry.Parse(src), entry.Parse(in.In(src))
	at := slices.IndexFunc(after, func(e entry.Entry) bool { return e.StartLine == in.StartLine })
	if at < 0 || after[at].EndLine != in.EndLine || after[at].Fields.Get(entry.ID) != "k1" {
		t.Fatalf("%q in %q does not stand at %d to %d", item, in.In(src), in.StartLine, in.EndLine)
	}
	after = slices.Delete(after, at, at+1)
	if len(after) != len(before) {
		t.Fatalf("%q has %d entries, and then %d: %q", src, len(before), len(after), in.In(src))
	}
	for i, e := range after {
		if e.Text != before[i].Text || !slices.Equal(e.Heading, before[i].Heading) || !slices.Equal(e.Fields, before[i].Fields) {
			t.Fatalf("%q became %+v, and was %+v", in.In(src), e, before[i])
		}
	}
}

// FuzzPlace: whatever the note holds, a new item is one entry of it, and the others stay.
func FuzzPlace(f *testing.F) {
	f.Add("# T\n\n- a\n\n## Private\n- b\n", "# T\n")
	f.Add("T\r\n=\r\n> a\r\nP\r\n-\r\n", "")
	f.Add("\ufeff---\ntitle: T\n---\n<!-- x\n-->\n## P", "- a\n")
	f.Add("[a]: b\nT\n===\n- ```\nP\n---\n", "#")
	f.Fuzz(func(t *testing.T, src, more string) {
		if len(src)+len(more) > 2<<10 {
			return
		}
		var none *entry.Reading
		item := "- new <!-- id: k1 -->"
		in := none.Place(src+more, item, "T")
		whole := in.In(src + more)
		if whole[:in.At]+whole[in.At+len(in.Text):] != src+more {
			t.Fatalf("%q became %q", src+more, whole)
		}
		if in != none.Next(src).Place(src+more, item, "T") {
			t.Fatalf("%q, read as %q before, is another note", src+more, src)
		}
		if strings.Contains(src+more, "id:") {
			return
		}
		at := slices.IndexFunc(entry.Parse(whole), func(e entry.Entry) bool { return e.Fields.Get(entry.ID) == "k1" })
		if at < 0 || entry.Parse(whole)[at].StartLine != in.StartLine {
			t.Fatalf("the item is no entry of %q at line %d", whole, in.StartLine)
		}
	})
}
