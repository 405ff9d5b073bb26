package engine_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
)

// TestTypes: a type of the front matter is compared without regard to case and
// the like. Of several types in a query one is enough. The status counts the
// notes of each.
func TestTypes(t *testing.T) {
	n := newNotes(t, engine.Config{},
		"a.md", "---\ntype: Decision\n---\nWe take the garden gate.\n\n# More\n\nOf the garden.\n",
		"b.md", "+++\ntype = \"preference\"\n+++\nRoses for the garden.\n",
		"c.md", "A garden without a type.\n",
		"d.md", "---\ntype: 決定\n---\nEin garden.\n",
		"e.md", "---\ntype: [decision]\n---\nA garden with a list.\n",
	)
	n.sync()
	for query, want := range map[string]string{
		"garden type:decision":                   list("a.md"),
		"garden TYPE:DECISION":                   list("a.md"),
		"garden 类型：决定":                           list("a.md", "d.md"), // the word of the front matter, and the type
		"garden type:好み":                         list("b.md"),
		"garden -类型:決定":                          list("b.md", "c.md", "e.md"),
		"garden type:decision type:preference":   list("a.md", "b.md"),
		"garden type:decision type:session":      list("a.md"),
		"garden -type:decision":                  list("b.md", "c.md", "d.md", "e.md"),
		"garden type:note -type:decision path:c": list("c.md"),
		"type:preference":                        list("b.md"),
		"garden type:string":                     "",
	} {
		res := n.search(memoir.Query{Text: query, Limit: 99})
		var notes []string
		for _, h := range res.Hits {
			notes = append(notes, string(h.Doc))
		}
		slices.Sort(notes)
		if got := list(slices.Compact(notes)...); got != want {
			t.Errorf("%q found %q, want %q", query, got, want)
		}
		if want == "" && res.Reason != "type:string: there are none" {
			t.Errorf("%q found nothing because %q", query, res.Reason)
		}
	}
	counts := func() map[string]int {
		t.Helper()
		st, err := n.engine.Status(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return st.Types
	}
	if diff := cmp.Diff(counts(), map[string]int{"decision": 1, "preference": 1, "决定": 1}); diff != "" {
		t.Errorf("types (-got +want):\n%s", diff)
	}
	for _, f := range []string{"a.md", "b.md", "d.md"} {
		n.write(f, "garden")
	}
	n.sync()
	if got := counts(); got != nil {
		t.Errorf("types of notes without one: %v", got)
	}
}
