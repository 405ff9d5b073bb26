package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
)

// What was superseded comes with what holds in its place, where both stand together.
func TestSupersededBeside(t *testing.T) {
	for file, others := range map[string]string{"memory/contacts.md": "", "MEMORY.md": "", "memory/projects.md": strings.Repeat("- Something long that stands there and fills the piece, once more.\n", 40)} {
		n := newNotes(t, engine.Config{Now: june}, file, "# Facts\n\n- Filler one\n"+others+
			"- Dana lives in Bergen. <!-- id: a | observed: 2026-01-05 | status: superseded | by: b | until: 2026-03-02 -->\n"+
			"- Dana moved to Oslo. <!-- id: b | observed: 2026-03-02 | replaces: a -->\n")
		res := n.search(memoir.Query{Text: "Dana Bergen"})
		if len(res.Hits) == 0 || !strings.Contains(res.Hits[0].Text, "- Dana lives in Bergen. (until 2026-03-02)\n- Dana moved to Oslo.") {
			t.Errorf("%s: got %+v", file, res.Hits)
		}
		for _, h := range res.Hits[1:] {
			if strings.Contains(h.Text, "Dana") {
				t.Errorf("%s: %q is there twice", file, h.Text)
			}
		}
	}
}

// A passage that holds what was superseded beside what holds in its place is one of those
// that status:superseded finds.
func TestStatusBeside(t *testing.T) {
	n := newNotes(t, engine.Config{Now: june},
		"memory/contacts.md", "# Contacts\n\n- Dana lives in Bergen. <!-- id: a | observed: 2026-01-05 | status: superseded | by: b | until: 2026-03-02 -->\n"+
			"- Dana moved to Oslo. <!-- id: b | observed: 2026-03-02 | replaces: a -->\n- Ann lives in Kyiv until May. <!-- id: c | observed: 2026-03-02 | replaces: z -->\n",
		"memory/projects.md", "# Projects\n\n- Heron ships in May. <!-- id: d | status: superseded | by: e -->\n- Heron ships in June. <!-- id: e | replaces: d -->\n",
		"memory/2026-01-05.md", "# 2026-01-05\n\n- Rented a room in Oslo. <!-- id: f | status: superseded | by: g | until: 2026-03-02 -->\n",
		"memory/decisions.md", "# Decisions\n\n- We rent a flat until 2026-09-01. <!-- id: g | observed: 2026-03-02 | replaces: f -->\n",
		"notes.md", "Ships are late (until 2026-03-02)\n\n- Superseded plans.\n",
	)
	for query, want := range map[string]string{
		"status:superseded":                    list("memory/2026-01-05.md", "memory/contacts.md", "memory/projects.md"),
		"Dana 状态:已取代":                          list("memory/contacts.md"),
		"状态:已取代 path:projects":                 list("memory/projects.md"),
		"status:superseded type:contact":       list("memory/contacts.md"),
		"status:superseded path:decisions":     "",
		"status:superseded Oslo path:memory/2": list("memory/2026-01-05.md"),
	} {
		res := n.search(memoir.Query{Text: query, Limit: 10})
		var got []string
		for _, h := range res.Hits {
			got = append(got, string(h.Doc))
		}
		slices.Sort(got)
		if list(slices.Compact(got)...) != want {
			t.Errorf("%s found %q, want %q", query, got, want)
		}
	}
}

// What was superseded by an entry elsewhere is left out, unless it is asked for, and
// hands its score on.
func TestSupersededElsewhere(t *testing.T) {
	n := newNotes(t, engine.Config{Now: june},
		"memory/2026-01-05.md", "# 2026-01-05\n\n- Rented a room in Bergen for 6,900 kroner. <!-- id: a | status: superseded | by: b | until: 2026-03-02 -->\n- Lunch with Ann.\n",
		"memory/contacts.md", "# Contacts\n\n- We live in a collective in Sandviken. <!-- id: b | observed: 2026-03-02 | replaces: a | status: superseded | by: c | until: 2026-06-01 -->\n",
		"MEMORY.md", "# Memory\n\n- Tea, never coffee.\n- Home is a flat on the hill. <!-- id: c | observed: 2026-06-01 | replaces: b -->\n",
		"memory/2026-02-01.md", "# 2026-02-01\n\n- A room with a view, for one night.\n",
		"memory/learnings.md", "# Learnings\n\n- Kroner are paid at the desk. <!-- id: z | observed: 2026-05-01 -->\n",
	)
	const past, between, now = "memory/2026-01-05.md#L3 superseded b", "memory/contacts.md#L3 superseded c", "MEMORY.md#L4 active "
	for _, tt := range []struct{ query, first, also, not string }{
		{"room kroner", now, "memory/learnings.md#L3 active ", past},
		{"room kroner status:active", now, "", past},
		{"6,900 kroner", past, now, ""}, // its very words, which nothing else has
		{"6,900 kroner status:active", now, "", past},
		{"room kroner status:all", now, past, ""},
		{"room kroner 状态:all", now, past, ""},
		{"room kroner status:superseded", past, "", now},
		{"room kroner on:2026-02", past, "memory/2026-02-01.md#L3 active ", now},
		{"room kroner on:2026-02", past, "", "memory/learnings.md#L3 active "},
		{"live collective on:2026-04", between, "", past},
		{"kroner on:2026-05", "memory/learnings.md#L3 active ", "", past},
		{"what room did I rent in January 2026?", past, "", ""},
		{"room kroner status:odd", now, "", past}, // no filter, and a word that nothing has
		{"status:superseded", past, between, now},
		{"on:2026-01-05", "memory/2026-01-05.md#L4 active ", past, now},
		{"-since:2026-01-20 kroner", "memory/learnings.md#L3 active ", now, past},
	} {
		res := n.search(memoir.Query{Text: tt.query, Limit: 10})
		var got []string
		for _, h := range res.Hits {
			status := "active"
			if h.Labels.Has(memoir.LabelSuperseded) {
				status = "superseded"
			}
			got = append(got, fmt.Sprintf("%s#L%d %s %s", h.Doc, h.EndLine, status, h.Labels.Value(memoir.KeyBy)))
		}
		all := strings.Join(got, "\n")
		if len(got) == 0 || got[0] != tt.first || !strings.Contains(all, tt.also) || tt.not != "" && strings.Contains(all, tt.not) {
			t.Errorf("%s: got\n%s", tt.query, all)
		}
	}
	for limit := 1; limit < 4; limit++ {
		few, more := n.search(memoir.Query{Text: "room kroner status:all", Limit: limit}), n.search(memoir.Query{Text: "room kroner status:all", Limit: 10})
		for i, h := range few.Hits {
			if diff := cmp.Diff(more.Hits[i].ChunkID, h.ChunkID); diff != "" {
				t.Errorf("limit %d: %s", limit, diff)
			}
		}
	}
}

// A question why says that a passage was superseded.
func TestWhySuperseded(t *testing.T) {
	n := newNotes(t, engine.Config{Now: june},
		"memory/2026-01-05.md", "- Rented a room in Bergen. <!-- id: a | status: superseded | by: b -->\n",
		"memory/contacts.md", "- We live in Sandviken. <!-- id: b | replaces: a -->\n",
	)
	w, err := n.engine.Why(t.Context(), memoir.Query{Text: "rented flat"}, "memory/2026-01-05.md", 1)
	if err != nil || !strings.Contains(w.Reason, "status:all") {
		t.Errorf("got %+v, %v", w, err)
	}
}
