package engine_test

import (
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
