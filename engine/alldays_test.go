package engine_test

import (
	"strings"
	"testing"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/embedtest"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/explain"
)

// diary is a week of day logs, and notes that hold the words of questions about it.
func diary(t *testing.T) *notes {
	n := newNotes(t, engine.Config{Embedder: &embedtest.Embedder{}, Now: func() time.Time { return time.Date(2026, 3, 18, 15, 0, 0, 0, time.UTC) }},
		"memory/2026-03-09.md", "Repaired the gate.\n\n## Evening\n\nCooked soup.\n",
		"memory/2026-03-15.md", "修好了屋顶。\n",
		"memory/2026-03-17.md", "Called the plumber.\n",
		"last.md", "# Last week\n\nWhat happened last week, what did I do yesterday, 上周发生了什么, 昨天做了什么, 先週何をしましたか: how to ask.\n",
		"MEMORY.md", "# Memory\n\n- What happened in the old house stays there.\n",
	)
	n.sync()
	n.embed()
	return n
}

func docs(res memoir.Results) string {
	var out []string
	for _, h := range res.Hits {
		if len(out) == 0 || out[len(out)-1] != string(h.Doc) {
			out = append(out, string(h.Doc))
		}
	}
	return strings.Join(out, " ")
}

func TestAllOfSomeDays(t *testing.T) {
	n := diary(t)
	week, yesterday := "memory/2026-03-15.md memory/2026-03-09.md", "memory/2026-03-17.md"
	for text, want := range map[string]string{
		"what happened last week?": week, "What did we work on last week": week, "上周发生了什么": week, "先週何をしましたか": week, "总结一下上周": week,
		"what did I do yesterday": yesterday, "昨天做了什么": yesterday, "昨日のメモ": yesterday, "yesterday": yesterday,
		"what happened on 9 March 2026 and yesterday?": "memory/2026-03-17.md memory/2026-03-09.md",
		"what happened last week path:memory/*15":      "memory/2026-03-15.md",
	} {
		for _, mode := range []memoir.Mode{memoir.ModeHybrid, memoir.ModeText, memoir.ModeVector} {
			res := n.search(memoir.Query{Text: text, Mode: mode, Explain: true})
			if got := docs(res); got != want {
				t.Errorf("%q, %s: got %s, want %s", text, mode, got, want)
			}
			if res.Nothing != "" || len(res.Understood.Filters) == 0 || res.Understood.Text != "" {
				t.Errorf("%q, %s: nothing %q, understood %+v", text, mode, res.Nothing, res.Understood)
			}
		}
	}
}

// TestDaysWithoutNotes: where no note is of the days, or a note has that name, words and
// meaning answer as for any question.
func TestDaysWithoutNotes(t *testing.T) {
	n := diary(t)
	for text, want := range map[string]string{
		"what happened on 7 May 2025?": "MEMORY.md", "last week": "last.md", "2026-03-09": "memory/2026-03-09.md",
		"what happened in the old house last week": "MEMORY.md",
	} {
		res := n.search(memoir.Query{Text: text, Mode: memoir.ModeText})
		if got, _, _ := strings.Cut(docs(res), " "); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}

// TestNothingOfThoseDays: the log of another day that has the words of the question, such as
// "yesterday", is no answer.
func TestNothingOfThoseDays(t *testing.T) {
	n := newNotes(t, engine.Config{Embedder: &embedtest.Embedder{}, Now: func() time.Time { return time.Date(2026, 3, 18, 15, 0, 0, 0, time.UTC) }},
		"memory/2023-05-08.md", "I went to a support group yesterday and it was powerful.\n", "memory/2026-03-02.md", "昨天去了银行，做了什么都忘了。\n")
	n.sync()
	n.embed()
	for _, mode := range []memoir.Mode{memoir.ModeHybrid, memoir.ModeText, memoir.ModeVector} {
		for _, text := range []string{"what did I do yesterday", "昨天做了什么"} {
			if res := n.search(memoir.Query{Text: text, Mode: mode}); len(res.Hits) > 0 && res.Hits[0].Confident() {
				t.Errorf("%q, %s: %+v", text, mode, res.Hits[0])
			}
		}
		if res := n.search(memoir.Query{Text: "support group", Mode: mode}); len(res.Hits) == 0 || mode != memoir.ModeVector && !res.Hits[0].Confident() {
			t.Errorf("%s: %+v", mode, res.Hits)
		}
	}
}

// TestDaysOfBareHeadings: a log whose only entry was forgotten has its heading left, which tells nothing of
// the day.
func TestDaysOfBareHeadings(t *testing.T) {
	n := newNotes(t, engine.Config{Embedder: &embedtest.Embedder{}, Now: func() time.Time { return time.Date(2026, 3, 18, 15, 0, 0, 0, time.UTC) }},
		"memory/2026-03-09.md", "# 2026-03-09\n\nRepaired the gate.\n", "memory/2026-03-15.md", "修好了屋顶。\n",
		"memory/2026-03-16.md", "# 2026-03-16\n\n## Evening\n\nTODO\n", "memory/2026-03-17.md", "# 2026-03-17\n")
	n.sync()
	n.embed()
	for _, mode := range []memoir.Mode{memoir.ModeHybrid, memoir.ModeText, memoir.ModeVector} {
		for _, text := range []string{"what did I do yesterday", "昨天做了什么", "what happened on 16 March 2026?"} {
			if res := n.search(memoir.Query{Text: text, Mode: mode}); len(res.Hits) > 0 && res.Hits[0].Confident() {
				t.Errorf("%q, %s: %+v", text, mode, res.Hits[0])
			}
		}
		for text, want := range map[string]string{
			"what happened between 9 and 17 March 2026": "memory/2026-03-15.md memory/2026-03-09.md", "on:yesterday": "memory/2026-03-17.md",
		} {
			if got := docs(n.search(memoir.Query{Text: text, Mode: mode})); got != want {
				t.Errorf("%q, %s: got %s, want %s", text, mode, got, want)
			}
		}
	}
}

// TestWhyNotOfThoseDays: the days that the question asks for are why a note is not found.
func TestWhyNotOfThoseDays(t *testing.T) {
	n := diary(t)
	why := n.why(memoir.Query{Text: "what happened last week"}, "MEMORY.md", 0)
	if why.Verdict != explain.VerdictFiltered || !strings.Contains(why.Reason, "since:2026-03-09 until:2026-03-15") {
		t.Errorf("got %+v", why)
	}
}
