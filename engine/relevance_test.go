package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
)

// An answer says how likely it is one, and that nothing is clearly relevant.
func TestRelevance(t *testing.T) {
	n := newNotes(t, engine.Config{},
		"memory/2026-03-02.md", "# Orders\n\nWe chose Postgres, because its backups can be tested.\n",
		"memory/家里.md", "# 家里\n\n洗碗机放到夜里十一点以后跑。\n",
		"memory/talk.md", "# Talk\n\nThe tide was high and the boats lay still in the harbour all day.\n",
	)
	for _, tt := range []struct {
		query     string
		confident bool
		least     float64
	}{
		{"why Postgres?", true, .3},
		{"洗碗机什么时候跑", true, .3},
		{`"boats lay still"`, true, .95},
		{"path:talk", true, 1},
		{"what happens to my tax return if the still waters of the province of Utrecht are taxed again", false, 0},
	} {
		res := n.search(memoir.Query{Text: tt.query})
		if len(res.Hits) == 0 {
			t.Errorf("%s: nothing found", tt.query)
			continue
		}
		h := &res.Hits[0]
		if h.Confident() != tt.confident || h.Relevance < tt.least || h.Relevance > 1 || (res.Nothing == "") != tt.confident {
			t.Errorf("%s: relevance %v of %s, confident %t, %q", tt.query, h.Relevance, h.Doc, h.Confident(), res.Nothing)
		}
	}
	if res := n.search(memoir.Query{Text: "zzzqqq"}); len(res.Hits) > 0 || res.Nothing != "" || res.Reason == "" {
		t.Errorf("nothing at all: %+v", res)
	}
}

// A question of which only one word says something is not surely answered by a passage that
// mentions the word. One that has it above it is about it, and who types the word alone
// looks for it.
func TestRelevanceOfOneWord(t *testing.T) {
	n := newNotes(t, engine.Config{},
		"memory/projects.md", "# Projects\n\nAn endpoint takes a key; keys live for 48 hours and are thrown away then.\n",
		"memory/team.md", "# Team\n\n## Tomas\n\nTomas is on call in even weeks.\n",
		"memory/talk.md", "# Talk\n\nThe tide was high and the boats lay still in the harbour all day.\n",
	)
	for query, want := range map[string]struct{ least, most float64 }{
		"where do I live": {.3, .5},
		"live":            {.6, 1},
		"who is Tomas":    {.6, 1},
		"keys live hours": {.6, 1},
		`where is "live"`: {.95, 1},
	} {
		for _, mode := range []memoir.Mode{memoir.ModeText, memoir.ModeHybrid} {
			res := n.search(memoir.Query{Text: query, Mode: mode})
			if len(res.Hits) == 0 || res.Hits[0].Relevance < want.least || res.Hits[0].Relevance > want.most {
				t.Errorf("%s by %s: got %+v, want between %v and %v", query, mode, res.Hits, want.least, want.most)
			}
		}
	}
}

// One rare word that says something is found as an answer in a line of a long log, though
// a long text and many passages lower what one word says.
func TestRelevanceOfOneRareWord(t *testing.T) {
	words := strings.Fields("meeting lunch walked called bought rain code fixed server bug garden read book talked plans week team review slow fast deploy test house kitchen paint")
	var log strings.Builder
	for i := range 6000 {
		if i == 3000 {
			log.WriteString("\n\nthe needle is under the oak tree\n\n")
		}
		fmt.Fprintf(&log, "the %s and the %s of the %s. ", words[i%25], words[(i/5)%25], words[(i/25)%25])
	}
	n := newNotes(t, engine.Config{}, "memory/2026-03-02.md", log.String())
	n.sync()
	for query, want := range map[string]bool{"where is the needle": true, "where is the thimble": false} {
		for _, mode := range []memoir.Mode{memoir.ModeText, memoir.ModeHybrid} {
			res := n.search(memoir.Query{Text: query, Mode: mode})
			if got := len(res.Hits) > 0 && res.Hits[0].Relevance >= .3; got != want || want && !strings.Contains(res.Hits[0].Text, "needle") {
				t.Errorf("%s by %s: got %+v, want it confident: %v", query, mode, res.Hits[:min(1, len(res.Hits))], want)
			}
		}
	}
}

// Who asks in a sentence for an identifier or a rare name is shown the passage that
// holds it as an answer, among however many passages, and is told that nothing fits
// when no passage holds it.
func TestRelevanceAmongMany(t *testing.T) {
	places := []string{"Berlin", "Lyon", "Turin", "Porto", "Ghent", "Oslo", "Krakow"}
	work := []string{"invoice", "order", "parcel", "contract", "ticket", "meeting", "release", "report"}
	done := []string{"is late again", "was moved to Friday", "went out without a word", "waits for the customs", "got a new status", "came back from the client"}
	var files []string
	for day := range 150 {
		var log strings.Builder
		for i := range 40 {
			i += day * 41
			fmt.Fprintf(&log, "## %s %d\n\nThe %s of the %s office %s, and Hugo told the %s team about project %d.\n\n", work[i%8], i, work[(i/3)%8], places[i%7], done[i%6], places[(i/7)%7], i%97)
		}
		files = append(files, fmt.Sprintf("memory/log%d.md", day), log.String())
	}
	for i, name := range []string{"Anselm Quist", "Berta Lindqvist", "Cyprian Oduya", "Dorothea Vance"} {
		files = append(files, fmt.Sprintf("memory/monday%d.md", i), fmt.Sprintf("# Monday %d\n\nThe customs in %s asked for papers. ORD-4820%d was sent back and is to be paid by the client before the end of March. %s agreed on the phone.\n", i, places[i%7], i, name))
	}
	n := newNotes(t, engine.Config{}, files...)
	n.sync()
	for _, tt := range []struct {
		query, holds string
		confident    bool
	}{
		{"what is the status of ORD-48201?", "ORD-48201", true},
		{"did the client pay for ORD-48203 yet", "ORD-48203", true},
		{"what did Cyprian Oduya agree on by phone?", "Cyprian", true},
		{"the papers for the customs in Lyon", "papers", true}, // each of its words
		{"project 13 of the Lyon team", "project 13", true},
		{"what is the status of ORD-99999?", "", false},
		{"the papers for the harvest in Lyon", "", false},
		{"what did Berengar Phone say about the harvest?", "", false},
	} {
		res := n.search(memoir.Query{Text: tt.query})
		if len(res.Hits) == 0 {
			t.Errorf("%s: nothing found", tt.query)
			continue
		}
		if h := &res.Hits[0]; h.Confident() != tt.confident || !strings.Contains(h.Text, tt.holds) {
			t.Errorf("%s: relevance %v of %q, want confident %t and %s", tt.query, h.Relevance, h.Text, tt.confident, tt.holds)
		}
	}
}

// A passage without a number does not tell how much, and one without a time not when,
// whatever else of the question it holds.
func TestRelevanceOfKind(t *testing.T) {
	n := newNotes(t, engine.Config{}, "team.md", "# Team\n\n- Thandi Mokoena of the Courier wrote about the wheelchair ramp.\n- The lift of the Herald is 900 euros and came in May.\n",
		"家.md", "# 家\n\n- 二手车是陈总卖的，新车太贵。\n- 租约续一年。\n")
	n.sync()
	for query, want := range map[string]bool{
		"who of the Courier wrote about the wheelchair ramp": true, "when did Thandi Mokoena of the Courier write about the wheelchair ramp": false, "how much did the wheelchair ramp of Thandi Mokoena cost": false,
		"how much is the lift of the Herald": true, "when did the lift of the Herald come": true, "what is the phone number of Thandi Mokoena of the Courier": false,
		"二手车是谁卖的": true, "二手车多少钱": false,
	} {
		res := n.search(memoir.Query{Text: query, Mode: memoir.ModeText})
		if got := len(res.Hits) > 0 && res.Hits[0].Confident(); got != want {
			t.Errorf("%s: got %+v, want it confident: %v", query, res.Hits[:min(1, len(res.Hits))], want)
		}
	}
}
