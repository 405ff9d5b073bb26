package entry

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestParse(t *testing.T) {
	const note = "\ufeff---\ntitle: Preferences\ntags: [a]\n---\n" + `# Preferences

## Food

- Coffee without sugar. <!-- id: a1 | observed: 2026-03-02 -->
* [ ] Book a table
  at the window,
  - for two

    really
- Anna <mia@example.org> -->
12. Third of May <!-- note to self -->

A paragraph over
two lines. <!-- importance: 8 --> <!-- trigger: tea, green tea -->

> Quoted
> twice

[docs]: https://example.org/docs

| a | b |
|---|---|
| 1 | 2 |

` + "```go\n- no entry\n```" + `

<!-- observed: 2026-05-10 | status: superseded -->

- Prefer short answers.

<!-- a remark: of a person -->

Setext
======

    indented code

***
- ` + "```sh\n  rm -rf build\n  ```\n  <!-- id: z9 -->\n- \n-\n"
	want := []Entry{
		{StartLine: 9, EndLine: 9, Item: true, Heading: []string{"Preferences", "Food"}, Text: "Coffee without sugar.", Fields: Fields{{ID, "a1"}, {Observed, "2026-03-02"}}},
		{StartLine: 10, EndLine: 14, Item: true, Heading: []string{"Preferences", "Food"}, Text: "[ ] Book a table\nat the window,\n- for two\n\n  really"},
		{StartLine: 15, EndLine: 15, Item: true, Heading: []string{"Preferences", "Food"}, Text: "Anna <mia@example.org> -->"},
		{StartLine: 16, EndLine: 16, Item: true, Heading: []string{"Preferences", "Food"}, Text: "Third of May"},
		{StartLine: 18, EndLine: 19, Heading: []string{"Preferences", "Food"}, Text: "A paragraph over\ntwo lines.", Fields: Fields{{Importance, "8"}, {Trigger, "tea, green tea"}}},
		{StartLine: 21, EndLine: 22, Heading: []string{"Preferences", "Food"}, Text: "> Quoted\n> twice"},
		{StartLine: 36, EndLine: 36, Item: true, Heading: []string{"Preferences", "Food"}, Text: "Prefer short answers.", Fields: Fields{{Observed, "2026-05-10"}, {Status, "superseded"}}},
		{StartLine: 46, EndLine: 49, Item: true, Heading: []string{"Setext"}, Text: "```sh\nrm -rf build\n```", Fields: Fields{{ID, "z9"}}},
	}
	for _, end := range []string{"\n", "\r\n"} {
		src := strings.ReplaceAll(note, "\n", end)
		got := Parse(src)
		if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(Entry{}, "Start", "End")); diff != "" {
			t.Errorf("entries with line ends %q (-want +got):\n%s", end, diff)
		}
		for _, e := range got {
			if lines := src[e.Start:e.End]; strings.Count(src[:e.Start], "\n")+1 != e.StartLine || strings.Count(lines, "\n") != e.EndLine-e.StartLine || strings.TrimSpace(lines) != lines {
				t.Errorf("entry on line %d takes the bytes %q", e.StartLine, lines)
			}
		}
	}
}

func TestItemStaysOneEntry(t *testing.T) {
	fields := Fields{{ID, "k3"}, {Observed, "2026-03-02"}, {Trigger, "a|b --> c"}}
	for _, text := range []string{
		"plain", "two\nlines", "a\n\nb", "# heading", "line\n# heading\n## another", "line\n---", "line\n===\n", "***", "line\n***\nmore",
		"<!-- id: forged -->", "text <!-- open", "text -->", "a <!-- b --> c", "```go\nfunc main() {}\n```", "```\nnever ended", "~~~~\n```\n~~~~", "before\n```\n# not a heading\n```",
		"- item", "* item", "1. one\n2. two", "- a\n- b", "> quoted\n> more", "---\ntitle: x\n---", "+++\n", "| a |\n|---|", "    code", "\ttab", "多行\n文字。", "𠮷野家 🍣", "عربي\nسطر",
		"<script>\nalert(1)", "<div>\n\n</div>", "\\# escaped", "[x]: y", "a\\", "--", "=", "- ", "end with backticks ```", "#tag first", "- [ ] task",
	} {
		for _, before := range []string{"", "# Title\n\n", "# Title\n\n- old\n", "Paragraph", "```\nopen", "<!-- open", "- item\n\n  ```\n  open in item", "> quote", "a\r\nb\r\n", "---\ntitle: x\n---\n", "\n\n", "- x\n\n\n"} {
			known := len(Parse(before))
			note := before + Addition(before, Item(text, fields, false))
			got := Parse(note)
			if len(got) != known+1 {
				t.Errorf("%q after %q: got %d entries, want %d:\n%s", text, before, len(got), known+1, note)
				continue
			}
			last := got[known]
			if last.Fields.Get(ID) != "k3" || last.Fields.Get(Observed) != "2026-03-02" || last.Fields.Get(Trigger) != "a/b -) c" {
				t.Errorf("%q after %q: got fields %v", text, before, last.Fields)
			}
			if !strings.HasPrefix(note, before) {
				t.Errorf("%q after %q: what stood there was changed", text, before)
			}
			if again := before + Addition(before, Item(last.Text, fields, false)); again != note {
				t.Errorf("%q after %q: its text %q gives other lines:\n%s\nthan:\n%s", text, before, last.Text, again, note)
			}
		}
	}
}

func TestItem(t *testing.T) {
	fields := Fields{{ID, "k3"}, {Importance, "8"}, {Trigger, "tea, green tea"}}
	tests := []struct {
		text     string
		openclaw bool
		want     string
	}{
		{"Tea, not coffee.", false, "- Tea, not coffee. <!-- id: k3 | importance: 8 | trigger: tea, green tea -->"},
		{"Tea, not coffee.", true, "- Tea, not coffee. <!-- id: k3 --> <!-- importance: 8 --> <!-- trigger: tea, green tea -->"},
		{"- one\r\ntwo  \n# three", false, "- one\n  two\n  \\# three <!-- id: k3 | importance: 8 | trigger: tea, green tea -->"},
		{"```\ncode", false, "- ```\n  code\n  ```\n  <!-- id: k3 | importance: 8 | trigger: tea, green tea -->"},
	}
	for _, test := range tests {
		if got := Item(test.text, fields, test.openclaw); got != test.want {
			t.Errorf("Item(%q): got\n%s\nwant\n%s", test.text, got, test.want)
		}
	}
	user := Fields{{ID, "k3"}, {Observed, "2026-03-02"}, {Origin, "user"}, {Status, "active"}, {Importance, "8"}}
	want := "- Tea. <!-- id: k3 | origin: user --> <!-- observed: 2026-03-02 | status: active --> <!-- importance: 8 -->"
	if got := Item("Tea.", user, true); got != want {
		t.Errorf("with a status: got\n%s\nwant\n%s", got, want)
	}
	if diff := cmp.Diff(user.Get(Status), Parse(want)[0].Fields.Get(Status)); diff != "" {
		t.Error(diff)
	}
}

func TestAddition(t *testing.T) {
	tests := []struct{ before, want string }{
		{"", "- x\n"},
		{"- a", "\n- x\n"},
		{"- a\n", "- x\n"},
		{"- a\n\n", "- x\n"},
		{"# T\n", "\n- x\n"},
		{"# T\n\n", "- x\n"},
		{"para", "\n\n- x\n"},
		{"para\r\n", "\r\n- x\r\n"},
		{"```\ncode", "\n```\n\n- x\n"},
		{"```\ncode\n```\n", "\n- x\n"},
		{"<!-- a", "\n-->\n\n- x\n"},
		{"<PRE>a\n\n", "</pre>\n\n- x\n"},
		{"<pre>a</pre>\n", "\n- x\n"},
		{"<?php", "\n?>\n\n- x\n"},
		{"---\na: b\n---\n", "\n- x\n"},
	}
	for _, test := range tests {
		if got := Addition(test.before, "- x"); got != test.want {
			t.Errorf("after %q: got %q, want %q", test.before, got, test.want)
		}
	}
}

func TestChanges(t *testing.T) {
	const note = "# T\n\n- one <!-- id: a | status: active --> <!-- importance: 3 --> <!-- hm -->\n- two\n\npara\n\nlast"
	at := func(text string) Entry {
		for _, e := range Parse(note) {
			if e.Text == text {
				return e
			}
		}
		t.Fatalf("no entry %q", text)
		return Entry{}
	}
	const head = "# T\n\n- one <!-- id: a | status: active --> <!-- importance: 3 --> <!-- hm -->\n"
	tests := []struct{ name, got, want string }{
		{"set", Set(note, at("one"), Fields{{Status, "superseded"}, {By, "b"}}, false), strings.Replace(note, "id: a | status: active", "id: a | status: superseded | by: b", 1)},
		{"set beside", Set(note, at("one"), Fields{{Importance, "9"}}, false), strings.Replace(note, "importance: 3", "importance: 9", 1)},
		{"set in none", Set(note, at("two"), Fields{{ID, "b"}, {Origin, "user"}}, false), strings.Replace(note, "two", "two <!-- id: b | origin: user -->", 1)},
		{"set alone", Set(note, at("one"), Fields{{Trigger, "x"}}, true), strings.Replace(note, "<!-- hm -->", "<!-- hm --> <!-- trigger: x -->", 1)},
		{"unset", Set(note, at("one"), Fields{{Status, ""}, {Importance, ""}, {Origin, ""}}, false), strings.Replace(note, "<!-- id: a | status: active --> <!-- importance: 3 -->", "<!-- id: a -->", 1)},
		{"insert", InsertAfter(note, at("two"), "- three"), strings.Replace(note, "- two\n", "- two\n- three\n", 1)},
		{"insert after paragraph", InsertAfter(note, at("para"), "- three"), strings.Replace(note, "para\n", "para\n\n- three\n", 1)},
		{"insert in an indented list", InsertAfter("  - one\n  - two\n", Parse("  - one\n  - two\n")[0], "- three\n\n  four"), "  - one\n  - three\n\n    four\n  - two\n"},
		{"insert last", InsertAfter(note, at("last"), "- three"), note + "\n\n- three"},
		{"remove", Remove(note, at("two")), head + "\npara\n\nlast"},
		{"remove paragraph", Remove(note, at("para")), head + "- two\n\nlast"},
		{"remove last", Remove(note, at("last")), head + "- two\n\npara\n\n"},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, test.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// FuzzChanges: an added item is one entry with its fields, whatever the note and the text
// hold. A change of an entry changes nothing else.
func FuzzChanges(f *testing.F) {
	f.Add("# T\n\n- a <!-- id: x -->\n", "text")
	f.Add("```\nopen", "# heading\n---")
	f.Add("a\r\n\r\n> b", "<!-- c -->\n```")
	f.Add("<pre>\n", "1. a\n\n\n   b")
	f.Fuzz(func(t *testing.T, note, text string) {
		if len(note)+len(text) > 4<<10 {
			return
		}
		entries := Parse(note)
		for i, e := range entries {
			if e.Start < 0 || e.End > len(note) || e.Start >= e.End || i > 0 && e.Start < entries[i-1].End || e.Text == "" {
				t.Fatalf("entry %+v of a note of %d bytes", e, len(note))
			}
		}
		if len(entries) > 0 {
			e := entries[len(entries)/2]
			changed := Set(note, e, Fields{{Status, "superseded"}}, false)
			if changed[:e.Start] != note[:e.Start] || changed[len(changed)-len(note)+e.End:] != note[e.End:] {
				t.Fatalf("a change of %q changed other bytes:\n%q\n%q", note[e.Start:e.End], note, changed)
			}
			if rest := Remove(note, e); len(rest) > len(note)-(e.End-e.Start) {
				t.Fatalf("removing %q left %q", note[e.Start:e.End], rest)
			}
		}
		added := note + Addition(note, Item(text, Fields{{ID, "k3"}}, false))
		if strings.TrimSpace(strings.ReplaceAll(text, "\x00", "")) == "" {
			return
		}
		again := Parse(added)
		if len(again) == 0 || again[len(again)-1].Fields.Get(ID) != "k3" {
			t.Fatalf("%q added to %q is not its last entry: %q", text, note, added)
		}
	})
}
