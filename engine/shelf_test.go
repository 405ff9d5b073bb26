package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/layout"
)

// A passage of a large shelf is a few entries, whatever file the shelf is, and a budget
// does not fill up with others beside them. Any other note, the log of a day among them,
// is cut as before.
func TestLargeShelf(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Facts\n\n")
	for i := range 40 {
		fmt.Fprintf(&b, "- The person with number %d comes once a week and brings apples. <!-- id: e%02d | observed: 2026-01-05 -->\n", 100+i, i)
	}
	n := newNotes(t, engine.Config{Now: june, Writing: engine.Writing{Files: map[string]string{layout.Contact: "people.md"}}},
		"people.md", b.String(), "memory/projects.md", b.String(), "memory/contacts.md", b.String(), "memory/2026-01-05.md", b.String())
	window := func(from, to int) string {
		var lines []string
		for i := from; i <= to; i++ {
			lines = append(lines, fmt.Sprintf("- The person with number %d comes once a week and brings apples.", i))
		}
		return strings.Join(lines, "\n")
	}
	got := map[string]int{}
	for _, file := range []string{"people.md", "memory/projects.md", "memory/contacts.md", "memory/2026-01-05.md"} {
		for _, q := range []memoir.Query{{Text: "path:" + file + " 120", Limit: 1}, {Text: "path:" + file + " 120", MaxChars: 400, Limit: 1}} {
			res := n.search(q)
			if len(res.Hits) == 0 {
				t.Fatalf("nothing found in %s", file)
			}
			got[fmt.Sprint(file, " ", q.MaxChars)] = strings.Count(res.Hits[0].Snippet, "- ")
			if h := res.Hits[0]; file == "people.md" && (h.Text != window(119, 120) && h.Text != window(120, 121)) {
				t.Errorf("%s: got %q", h.Citation(), h.Text)
			}
		}
	}
	want := map[string]int{"people.md 0": 2, "people.md 400": 2, "memory/projects.md 0": 2, "memory/projects.md 400": 2,
		"memory/contacts.md 0": 10, "memory/contacts.md 400": 6, "memory/2026-01-05.md 0": 10, "memory/2026-01-05.md 400": 6}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("entries shown, want:\n%s", diff)
	}
}

// Windows of a shelf overlap. An answer shows each entry once, with a budget and without,
// and cites the lines that it shows.
func TestEntriesShownOnce(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Facts\n\n")
	for i := range 12 {
		fmt.Fprintf(&b, "- The person with number %d comes once a week and brings apples. <!-- id: e%02d | observed: 2026-01-05 -->\n", 100+i, i)
		if i%4 == 3 {
			fmt.Fprintf(&b, "* Their cat %d\n  sleeps.\n", i)
		}
	}
	n := newNotes(t, engine.Config{Now: june}, "memory/contacts.md", b.String())
	for name, q := range map[string]memoir.Query{"a number of notes": {Limit: 12}, "brief": {Brief: true}, "within a budget": {MaxChars: 10_000}} {
		beside := false
		for _, q.Text = range []string{"weekly apples", "105", "cat sleeps"} {
			times, ordinals := map[int]int{}, map[int]bool{}
			for _, h := range n.search(q).Hits {
				if h.Snippet == "" {
					continue
				}
				cited := fmt.Sprintf("%s#L%d-L%d", h.Doc, h.SnippetStart, h.SnippetEnd)
				if h.SnippetStart == h.SnippetEnd {
					cited = fmt.Sprintf("%s#L%d", h.Doc, h.SnippetStart)
				}
				if h.Ordinal > 0 && h.Citation() != cited { // the first passage begins with the heading
					t.Errorf("%s, %q: cited as %s, shown %q", name, q.Text, h.Citation(), h.Snippet)
				}
				for i := h.SnippetStart; i <= h.SnippetEnd; i++ {
					times[i]++
				}
				ordinals[h.Ordinal] = true
				beside = beside || ordinals[h.Ordinal-1] || ordinals[h.Ordinal+1]
			}
			for line, n := range times {
				if n > 1 {
					t.Errorf("%s, %q: line %d is shown %d times", name, q.Text, line, n)
				}
			}
		}
		if !beside {
			t.Errorf("%s: without windows beside each other, this cannot show it", name)
		}
	}
}

// A later hit of whose entries only those are left that hold no word of the query, because
// a better one shows the others, is not taken for an answer.
func TestRestOfEntries(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Facts\n\n")
	fruits := strings.Fields("apples pears plums figs dates limes lemons melons mangos olives grapes quinces cherries apricots peaches oranges")
	people := strings.Fields("Ada Bo Cleo Dirk Enno Fay Gus Hedda Ivo Jule Kai Lou Mila Ned Ola Pia")
	for i, fruit := range fruits {
		fmt.Fprintf(&b, "- %s sells %s of the best kind on the market. <!-- id: e%02d | observed: 2026-01-05 -->\n- The market of week %d was cancelled. <!-- id: f%02d | observed: 2026-01-05 -->\n", people[i], fruit, i, i, i)
	}
	n := newNotes(t, engine.Config{Now: june}, "memory/contacts.md", b.String())
	rests := 0
	for i, fruit := range fruits {
		hits := n.search(memoir.Query{Text: people[i] + " " + fruit}).Hits
		if len(hits) == 0 || !hits[0].Confident() || !strings.Contains(hits[0].Snippet, fruit) {
			t.Fatalf("%s: got %+v first", fruit, hits)
		}
		for _, h := range hits[1:] {
			if strings.Contains(h.Snippet, fruit) {
				t.Errorf("%s is shown again", fruit)
			}
			if rests++; h.Confident() {
				t.Errorf("%s: relevance %v of %q", fruit, h.Relevance, h.Snippet)
			}
		}
	}
	if rests == 0 {
		t.Error("without a passage that overlaps, this cannot show it")
	}
}
