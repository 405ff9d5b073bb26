package engine_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/embedtest"
	"github.com/memoir-ai/memoir/engine"
)

// A note without text is found by what it is called, and by nothing else.
func TestNotesWithoutText(t *testing.T) {
	mia := "---\ntitle: Mia Brown\naliases: [Mimi]\ntags: [friend]\nphone: 5550123\n---\n"
	n := newNotes(t, engine.Config{Embedder: &embedtest.Embedder{}},
		"stubs/Quixote.md", "",
		"stubs/空白.md", " \r\n\n\u3000\n",
		"people/mia.md", mia,
		"people/tom.md", "---\ntags: [friend]\n---\n",
		"people/ann.md", "---\ntags: [friend]\n---\n",
		"work/plan.md", "# Plan\n\nThe quick brown fox jumps over the lazy dog.\n",
	)
	n.sync()
	if got := n.embed(); got.Embedded != 1 {
		t.Errorf("%d texts have a vector, want that of the plan alone", got.Embedded)
	}
	tests := []struct {
		name, query string
		want        []string
	}{
		{"file name", "quixote", []string{"stubs/Quixote.md#L1"}},
		{"Chinese file name", "空白", []string{"stubs/空白.md#L1"}},
		{"part of the path", "path:stubs", []string{"stubs/Quixote.md#L1", "stubs/空白.md#L1"}},
		{"title", "mia", []string{"people/mia.md#L1-L6"}},
		{"alias", "Mimi", []string{"people/mia.md#L1-L6"}},
		{"field", "5550123", []string{"people/mia.md#L1-L6"}},
		{"tag", "tag:friend", []string{"people/ann.md#L1-L3", "people/mia.md#L1-L6", "people/tom.md#L1-L3"}},
		{"tag as a word", "#friend", []string{"people/ann.md#L1-L3", "people/tom.md#L1-L3", "people/mia.md#L1-L6"}},
		{"word that another note has", "fox", []string{"work/plan.md#L1-L3"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			n.T = t
			res := n.search(memoir.Query{Text: tt.query, Mode: memoir.ModeText})
			if diff := cmp.Diff(citations(res), tt.want); diff != "" {
				t.Errorf("got, want:\n%s", diff)
			}
		})
	}
	n.T = t
	hit := n.search(memoir.Query{Text: "mia", MaxChars: 1000}).Hits[0]
	if hit.Snippet+"\n" != mia || hit.SnippetStart != 1 || hit.SnippetEnd != 6 {
		t.Errorf("the snippet is lines %d to %d: %q", hit.SnippetStart, hit.SnippetEnd, hit.Snippet)
	}
	if hit := n.search(memoir.Query{Text: "quixote", MaxChars: 1000}).Hits[0]; hit.Snippet != "" || hit.SnippetStart != 0 {
		t.Errorf("the snippet of an empty note is lines %d to %d: %q", hit.SnippetStart, hit.SnippetEnd, hit.Snippet)
	}
	if got := citations(n.search(memoir.Query{Text: "foxes and hounds", Mode: memoir.ModeVector})); len(got) > 1 {
		t.Errorf("a question that is near to nothing finds %q", got)
	}
	if x, err := n.engine.Get(t.Context(), "stubs/Quixote.md", 1, 0); err != nil || x.Text != "" {
		t.Errorf("got %+v, %v", x, err)
	}
}

// What stands for a note without text goes when text comes.
func TestNoteWithoutTextGetsSome(t *testing.T) {
	n := newNotes(t, engine.Config{}, "a.md", "")
	n.sync()
	n.write("a.md", "\n\nwalrus\n")
	n.sync()
	if diff := cmp.Diff(citations(n.search(memoir.Query{Text: "a"})), []string{"a.md#L3"}); diff != "" {
		t.Errorf("got, want:\n%s", diff)
	}
}
