package engine_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/embedtest"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/explain"
	"github.com/memoir-ai/memoir/store/sqlite"
)

func (n *notes) why(q memoir.Query, id memoir.DocID, line int) memoir.Why {
	n.Helper()
	x, err := n.engine.Why(n.Context(), q, id, line)
	if err != nil {
		n.Fatalf("why %q %s:%d: %v", q.Text, id, line, err)
	}
	return x
}

// missing joins the words that a passage does not hold.
func missing(x memoir.Why) string {
	var out []string
	for _, m := range x.Missing {
		out = append(out, strings.TrimSpace(m.Word+" "+strings.Join(m.Near, "|")))
	}
	return strings.Join(out, ", ")
}

// remedies joins what would find a passage.
func remedies(x memoir.Why) string {
	var out []string
	for _, t := range x.Try {
		if t.Rank > 0 {
			t.Action += fmt.Sprintf(" (%d)", t.Rank)
		}
		out = append(out, t.Action)
	}
	return strings.Join(out, "; ")
}

func TestWhy(t *testing.T) {
	files := []string{
		"travel.md", "---\ntags: [money]\n---\n# Travel\n\n## Refunds\n\nReceipts of the cab go to Anna.\n",
		"日记/三月.md", "# 三月\n\n今天的潮水很高，我们改了数据库的备份时间。\n",
		"日記/四月.md", "# 四月\n\n在東京開會議。\n",
		"empty.md", "\n",
		"ignored.md", "receipts\n", ".memoirignore", "ignored.md\n",
	}
	for i := range 9 {
		files = append(files, fmt.Sprintf("tea/%d.md", i), fmt.Sprintf("# Tea %d\n\nGreen tea and black tea and tea number %d.\n", i, i))
	}
	n := newNotes(t, engine.Config{Embedder: &embedtest.Embedder{Synonyms: map[string]string{"taxi": "cab"}}}, files...)
	n.sync()
	n.embed()
	if err := os.Symlink("travel.md", filepath.Join(n.dir, "link.md")); err != nil {
		t.Logf("no links here: %v", err)
	}
	tests := []struct {
		name    string
		query   memoir.Query
		doc     memoir.DocID
		line    int
		verdict explain.Verdict
		reason  string
		missing string
		try     string // a part of it
	}{
		{"hit", memoir.Query{Text: "receipts"}, "travel.md", 8, explain.VerdictHit, "hit 1 of", "", ""},
		{"hit of the note", memoir.Query{Text: "receipts"}, "travel.md", 0, explain.VerdictHit, "hit 1 of", "", ""},
		{"hit in Chinese", memoir.Query{Text: "数据库备份"}, "日记/三月.md", 3, explain.VerdictHit, "hit 1 of", "", ""},
		{"what it lacks, in Chinese", memoir.Query{Text: "周五能改数据库的服务器吗", Mode: memoir.ModeText}, "日记/三月.md", 3, explain.VerdictHit, "hit 1 of", "周五能改, 服务器", ""},
		{"one character more than it holds", memoir.Query{Text: "潮水位", Mode: memoir.ModeText}, "日记/三月.md", 3, explain.VerdictHit, "hit 1 of", "位", ""},
		{"one character of three", memoir.Query{Text: "数据厍备份", Mode: memoir.ModeText}, "日记/三月.md", 3, explain.VerdictHit, "hit 1 of", "厍", ""},
		{"what it lacks, in Japanese", memoir.Query{Text: "東京でシンガポールの会議", Mode: memoir.ModeText}, "日記/四月.md", 3, explain.VerdictHit, "hit 1 of", "シンガポール", ""},
		{"hit by a word of the title", memoir.Query{Text: "money", Mode: memoir.ModeText}, "travel.md", 8, explain.VerdictHit, "hit 1 of", "", ""},
		{"no such note", memoir.Query{Text: "tea"}, "gone.md", 1, explain.VerdictAbsent, "no such note", "", "memoir search"},
		{"ignored", memoir.Query{Text: "receipts"}, "ignored.md", 1, explain.VerdictSkipped, "left out by an ignore rule", "", "memoir config --docs"},
		{"not a note", memoir.Query{Text: "receipts"}, ".memoirignore", 1, explain.VerdictSkipped, "ignore rule", "", "memoir config --docs"},
		{"front matter", memoir.Query{Text: "money"}, "travel.md", 2, explain.VerdictNoPassage, "blank or part of the front matter", "", "ask for travel.md#L"},
		{"empty note", memoir.Query{Text: "money"}, "empty.md", 0, explain.VerdictUnmatched, "none of the query's words, and says too little to be found by meaning", "money", ""},
		{"empty note by its name", memoir.Query{Text: "empty"}, "empty.md", 1, explain.VerdictHit, "hit 1 of", "", ""},
		{"filtered", memoir.Query{Text: "receipts", Filter: memoir.Filter{Prefix: "tea/"}}, "travel.md", 8, explain.VerdictFiltered, "filter", "", "filter"},
		{"filtered by its text", memoir.Query{Text: "receipts -receipt tag:x"}, "travel.md", 8, explain.VerdictFiltered, "-receipt leaves it out", "", "filter"},
		{"filtered by kind", memoir.Query{Text: "receipts", Filter: memoir.Filter{Kinds: []memoir.Kind{memoir.KindSession}}}, "travel.md", 8, explain.VerdictFiltered, "filter", "", "filter"},
		{"no word of it", memoir.Query{Text: "What about reciepts?", Mode: memoir.ModeText}, "travel.md", 8, explain.VerdictUnmatched, "none of the query's words, and vectors were not searched", "reciepts receipt", `add the word "receipt" (1)`},
		{"no word of it, in Chinese", memoir.Query{Text: "数字", Mode: memoir.ModeText}, "日记/三月.md", 3, explain.VerdictUnmatched, "none of the query's words", "数字 数据", `add the word "数据" (1)`},
		{"as the text spells it", memoir.Query{Text: "東方", Mode: memoir.ModeText}, "日記/四月.md", 3, explain.VerdictUnmatched, "none of the query's words", "東方 東京", `add the word "東京" (1)`},
		{"too low", memoir.Query{Text: "tea with receipts", MinScore: .9, Mode: memoir.ModeText}, "travel.md", 8, explain.VerdictBelowMinimum, "and the minimum 0.900", "tea", "--min-score 0."},
		{"beyond the budget", memoir.Query{Text: "tea", MaxChars: 80, Mode: memoir.ModeText}, "tea/8.md", 3, explain.VerdictBelowLimit, "it is number 9 of 9, and the budget of the answer held", "", "a larger --max-tokens or --max-chars"},
		{"left out by a word", memoir.Query{Text: "receipts -anna"}, "travel.md", 8, explain.VerdictFiltered, "-anna leaves it out", "", "filter"},
		{"too far down", memoir.Query{Text: "tea", Limit: 2, Mode: memoir.ModeText}, "tea/8.md", 3, explain.VerdictBelowLimit, "it is number 9 of 9; the answer of 2 notes has the first 2", "", "-n 9 (9)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			n.T = t
			x := n.why(tt.query, tt.doc, tt.line)
			if x.Verdict != tt.verdict || !strings.Contains(x.Reason, tt.reason) {
				t.Errorf("got %s: %s\nwant %s: …%s…", x.Verdict, x.Reason, tt.verdict, tt.reason)
			}
			if diff := cmp.Diff(missing(x), tt.missing); diff != "" {
				t.Errorf("missing words (-got +want):\n%s", diff)
			}
			if got := remedies(x); !strings.Contains(got, tt.try) || tt.try == "" && got != "" {
				t.Errorf("got the remedies %q, want %q", got, tt.try)
			}
		})
	}
}

// What is advised is true: asked so, the passage is a hit, at the place that was told.
func TestWhyAdviceHolds(t *testing.T) {
	var files []string
	for i := range 40 {
		files = append(files, fmt.Sprintf("%02d.md", i), fmt.Sprintf("# Report %d\n\nThe weekly report of team%d about %s.\n", i, i, strings.Repeat("plans ", i+1)))
	}
	n := newNotes(t, engine.Config{Embedder: &embedtest.Embedder{}}, files...)
	n.sync()
	n.embed()
	x := n.why(memoir.Query{Text: "weekly report", Limit: 3}, "33.md", 3)
	if x.Verdict != explain.VerdictBelowLimit || x.Rank < 4 || x.Passage == nil || x.Last == nil || x.Passage.Score > x.Last.Score {
		t.Fatalf("got %+v", x)
	}
	res := n.search(memoir.Query{Text: "weekly report", Limit: x.Rank})
	if got := res.Hits[x.Rank-1].Citation(); got != x.Passage.Citation() {
		t.Errorf("hit %d is %s, want %s", x.Rank, got, x.Passage.Citation())
	}
	words := 0
	for _, remedy := range x.Try {
		var word string
		if _, err := fmt.Sscanf(remedy.Action, "add the word %q", &word); err != nil {
			continue
		}
		words++
		res := n.search(memoir.Query{Text: "weekly report " + word, Limit: 3})
		if got := res.Hits[remedy.Rank-1].Doc; got != "33.md" {
			t.Errorf("with %q hit %d is %s", word, remedy.Rank, got)
		}
	}
	if words == 0 {
		t.Errorf("no word is advised: %s", remedies(x))
	}
}

// What is not in the index yet, or has no vector, is said.
func TestWhyStates(t *testing.T) {
	disk, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "main.sqlite"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = disk.Close() })
	for name, store := range map[string]memoir.Store{"memory": nil, "disk": disk} {
		t.Run(name, func(t *testing.T) { whyStates(t, store) })
	}
}

func whyStates(t *testing.T, store memoir.Store) {
	embedder := &picky{&embedtest.Embedder{Synonyms: map[string]string{"taxi": "cab"}}, ""}
	n := newNotes(t, engine.Config{Store: store, Embedder: embedder, SyncBudget: new(time.Duration(0))}, "a.md", "receipts of the cab\n", "b.md", "tea\n", "c.md", "more tea\n",
		"d.md", "# Session: 2026-03-02 09:14:05 UTC\n\n- **Session Key**: agent:main:main\n", "e.md", "***\n\n---\n")
	check := func(doc memoir.DocID, verdict explain.Verdict, vector explain.VectorState, try string) {
		t.Helper()
		x := n.why(memoir.Query{Text: "taxi"}, doc, 1)
		if x.Verdict != verdict || x.Vector != vector || !strings.Contains(remedies(x), try) {
			t.Errorf("%s: got %s (%s), vector %q, remedies %q; want %s, %q, %q", doc, x.Verdict, x.Reason, x.Vector, remedies(x), verdict, vector, try)
		}
	}
	check("a.md", explain.VerdictUnsynced, "", "memoir index")
	n.sync()
	check("a.md", explain.VerdictUnmatched, explain.VectorPending, "memoir index")
	check("d.md", explain.VerdictUnmatched, explain.VectorNone, "")
	check("e.md", explain.VerdictUnmatched, explain.VectorNone, "")
	embedder.word = "receipts"
	n.embed()
	check("a.md", explain.VerdictUnmatched, explain.VectorFailed, "memoir index --retry-failed")
	embedder.word = ""
	if _, err := n.engine.RetryFailed(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	check("a.md", explain.VerdictHit, explain.VectorReady, "")
	n.write("a.md", "receipts of the cab, changed\n")
	check("a.md", explain.VerdictUnsynced, "", "memoir index")
	if err := os.Remove(filepath.Join(n.dir, "a.md")); err != nil {
		t.Fatal(err)
	}
	check("a.md", explain.VerdictUnsynced, "", "memoir index")
}

func TestWhyMistakes(t *testing.T) {
	n := newNotes(t, engine.Config{}, "a.md", "one\ntwo\n")
	for _, tt := range []struct {
		text string
		doc  memoir.DocID
		line int
	}{{"", "a.md", 1}, {"one", "a.md", 9}, {"one", "a.md", -1}, {"one", "../a.md", 1}, {"one", "a\x00.md", 1}} {
		if x, err := n.engine.Why(t.Context(), memoir.Query{Text: tt.text}, tt.doc, tt.line); !errors.Is(err, memoir.ErrInvalid) {
			t.Errorf("%q %q:%d: got %+v, %v; want %v", tt.text, tt.doc, tt.line, x, err, memoir.ErrInvalid)
		}
	}
}
