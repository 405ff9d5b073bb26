package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/embedtest"
	"github.com/memoir-ai/memoir/engine"
)

// What says nothing answers no question. It comes after what says something, and it
// is found all the same where it is what holds the words.
func TestScraps(t *testing.T) {
	near := map[string]string{} // so that some notes are a little near to any query
	for _, word := range []string{"todo", "fixme", "budget", "待办", "预算"} {
		near[word] = "roof"
	}
	files := []string{
		"budget.md", "# Budget\n\nSee above.\n",
		"memory/2026-03-02.md", "# 2026-03-02\n\nThe budget of the kitchen is 9,000 euros, and the carpenter wants half of it first.\n",
		"memory/2026-03-04.md", "# 2026-03-04\n\n**A new session was started.**\n",
		"garden.md", "# Garden\n\n- [ ] TODO\n",
		"parts.md", "# PART-1c610007\n\nFIXME\n",
		"钱.md", "# 预算\n\n待补充\n",
		"清单.md", "# 清单\n\n待办\n",
		"blood.md", "# Blood type\n\nAB\n",
	}
	for i := range 20 {
		files = append(files, fmt.Sprintf("near%d.md", i), fmt.Sprintf("The roof is blue, the old green door stays open at noon, and house%d has seven windows that nobody ever cleans before Easter.\n", i))
	}
	n := newNotes(t, engine.Config{Embedder: &embedtest.Embedder{Synonyms: near, Dimensions: 1024}}, files...)
	n.sync()
	n.embed()
	for _, tt := range []struct {
		query, first string
		confident    bool
	}{
		{"where is the budget", "memory/2026-03-02.md", true},
		{"when was a new session started", "memory/2026-03-04.md", false},
		{"what is there to do in the garden", "garden.md", false},
		{"todo", "garden.md", false},
		{"TODO", "garden.md", false},
		{"fixme", "parts.md", false},
		{"state of PART-1c610007", "parts.md", false},
		{"预算是多少", "钱.md", false},
		{"待办事项", "清单.md", false},
		{"which blood type", "blood.md", true},
		{`"new session was started"`, "memory/2026-03-04.md", true},
		{"garden", "garden.md", true}, // its name
	} {
		for _, mode := range []memoir.Mode{memoir.ModeText, memoir.ModeHybrid} {
			res := n.search(memoir.Query{Text: tt.query, Mode: mode})
			if len(res.Hits) == 0 {
				t.Errorf("%s by %s: nothing found", tt.query, mode)
				continue
			}
			h := &res.Hits[0]
			if string(h.Doc) != tt.first || h.Confident() != tt.confident || (res.Nothing == "") != tt.confident {
				t.Errorf("%s by %s: %s with relevance %v, confident %t; want %s, %t", tt.query, mode, h.Doc, h.Relevance, h.Confident(), tt.first, tt.confident)
			}
		}
		for _, h := range n.search(memoir.Query{Text: tt.query, Mode: memoir.ModeVector}).Hits {
			if h.Labels.Has(memoir.LabelScrap) && h.Relevance > 0 && !tt.confident {
				t.Errorf("%s by vectors: %s has relevance %v", tt.query, h.Doc, h.Relevance)
			}
		}
	}
}

// However many passages hold the words, none of them stands below a scrap, and what
// is only near stands below it.
func TestScrapsAmongOthers(t *testing.T) {
	files := []string{"a-scrap.md", "# Harbour\n\nTODO\n", "z-scrap.md", "# 港口\n\n待办\n"}
	for i := range 12 {
		files = append(files,
			fmt.Sprintf("says%02d.md", i), fmt.Sprintf("TODO number%d of the harbour, which the pilot wrote down for the crew on a long list of things about ropes and paint.\n", i),
			fmt.Sprintf("写%02d.md", i), fmt.Sprintf("船长第%d次写下港口的待办,说要把缆绳、油漆和所有的灯都检查一遍,然后再出发去北方。\n", i),
			fmt.Sprintf("far%02d.md", i), fmt.Sprintf("The roof is blue and house%d has a door.\n", i))
	}
	n := newNotes(t, engine.Config{Embedder: &embedtest.Embedder{Synonyms: map[string]string{"todo": "roof", "待办": "roof"}}}, files...)
	n.sync()
	n.embed()
	for _, mode := range []memoir.Mode{memoir.ModeText, memoir.ModeHybrid} {
		for query, scrap := range map[string]string{"TODO": "a-scrap.md", "harbour todo": "a-scrap.md", "待办": "z-scrap.md", "港口待办": "z-scrap.md"} {
			hits := n.search(memoir.Query{Text: query, Mode: mode, Limit: 40}).Hits
			place := slices.IndexFunc(hits, func(h memoir.Hit) bool { return string(h.Doc) == scrap })
			holders := map[string]string{"a-scrap.md": "says", "z-scrap.md": "写"}[scrap]
			others := 0 // one in another language may be raised
			for _, h := range hits[:max(place, 0)] {
				if !strings.HasPrefix(string(h.Doc), holders) {
					others++
				}
			}
			if place-others != 12 || others > 1 {
				t.Errorf("%s by %s: the scrap is number %d of %d, want 13, behind all that hold the words; %d others stand before it", query, mode, place+1, len(hits), others)
				continue
			}
			if h := hits[place]; h.Relevance != 0 {
				t.Errorf("%s by %s: relevance %v", query, mode, h.Relevance)
			}
		}
	}
}
