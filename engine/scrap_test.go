package engine_test

import (
	"testing"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
)

// What says nothing answers no question by words. It comes after what says
// something, and it is found all the same.
func TestScrapsByWords(t *testing.T) {
	n := newNotes(t, engine.Config{},
		"budget.md", "# Budget\n\nSee above.\n",
		"memory/2026-03-02.md", "# 2026-03-02\n\nThe budget of the kitchen is 9,000 euros, and the carpenter wants half of it first.\n",
		"memory/2026-03-04.md", "# 2026-03-04\n\n**A new session was started.**\n",
		"garden.md", "# Garden\n\n- [ ] TODO\n",
		"待办.md", "# 预算\n\n待补充\n",
		"blood.md", "# Blood type\n\nAB\n",
	)
	for _, tt := range []struct {
		query, first string
		confident    bool
	}{
		{"where is the budget", "memory/2026-03-02.md", true},
		{"when was a new session started", "memory/2026-03-04.md", false},
		{"what is there to do in the garden", "garden.md", false},
		{"todo", "garden.md", false},
		{"预算是多少", "待办.md", false},
		{"which blood type", "blood.md", true},
		{`"new session was started"`, "memory/2026-03-04.md", true},
		{"garden", "garden.md", true}, // its name
	} {
		res := n.search(memoir.Query{Text: tt.query, Mode: memoir.ModeText})
		if len(res.Hits) == 0 {
			t.Errorf("%s: nothing found", tt.query)
			continue
		}
		h := &res.Hits[0]
		if string(h.Doc) != tt.first || h.Confident() != tt.confident || (res.Nothing == "") != tt.confident {
			t.Errorf("%s: %s with relevance %v, confident %t; want %s, %t", tt.query, h.Doc, h.Relevance, h.Confident(), tt.first, tt.confident)
		}
	}
}
