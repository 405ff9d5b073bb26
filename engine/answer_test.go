package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/explain"
	"github.com/memoir-ai/memoir/internal/chunk"
	"github.com/memoir-ai/memoir/tune"
)

// library is notes of several passages each, in English and Chinese.
func library(t *testing.T) *notes {
	t.Helper()
	n := newNotes(t, engine.Config{})
	for i := range 6 {
		var en, zh strings.Builder
		for j := range 12 {
			fmt.Fprintf(&en, "Entry %d of note %d speaks of the harbour and of %s.\r\n\r\n", j, i, strings.Repeat("ships ", 1+(i*j)%9))
			fmt.Fprintf(&zh, "第%d条，第%d篇：港口里有很多船，今天的潮水很高。\n\n", j, i)
		}
		n.write(fmt.Sprintf("en-%d.md", i), en.String())
		n.write(fmt.Sprintf("zh-%d.md", i), zh.String())
	}
	n.sync()
	return n
}

// shown returns what an answer shows, by hit.
func shown(res memoir.Results) []string {
	out := make([]string, len(res.Hits))
	for i, h := range res.Hits {
		out[i] = h.Snippet
	}
	return out
}

// An answer stays within its budget, and a larger one appends hits or
// lengthens the last snippet.
func TestBudget(t *testing.T) {
	n := library(t)
	for _, text := range []string{"harbour ships", "港口 潮水", "no word of it"} {
		for _, unit := range []string{"tokens", "characters"} {
			var before []string
			for _, size := range []int{1, 5, 20, 23, 30, 60, 120, 200, 350, 600, 1100, 2000, 4000} {
				q := memoir.Query{Text: text, MaxTokens: size, NoSync: true}
				if unit == "characters" {
					q.MaxTokens, q.MaxChars = 0, size
				}
				res := n.search(q)
				tokens, chars := 0, 0
				for _, h := range res.Hits {
					tokens += chunk.Tokens(h.Snippet)
					chars += utf8.RuneCountInString(h.Snippet)
				}
				if tokens != res.Tokens {
					t.Errorf("%q within %d %s: says %d tokens and has %d", text, size, unit, res.Tokens, tokens)
				}
				if used := map[string]int{"tokens": tokens, "characters": chars}[unit]; used > size {
					t.Errorf("%q within %d %s: has %d", text, size, unit, used)
				}
				now := shown(res)
				for i, s := range before {
					if i >= len(now) || now[i] != s && (i < len(before)-1 || !strings.Contains(now[i], s)) {
						t.Fatalf("%q within %d %s: hit %d does not go on from a smaller budget: %q", text, size, unit, i+1, s)
					}
				}
				before = now
			}
		}
	}
	full := n.search(memoir.Query{Text: "harbour", MaxTokens: 100_000, Limit: 3})
	if full.Truncated || len(full.Hits) != 3 {
		t.Errorf("without need: truncated %v, %d hits", full.Truncated, len(full.Hits))
	}
	if part := n.search(memoir.Query{Text: "harbour", MaxTokens: full.Tokens - 1, Limit: 3}); !part.Truncated {
		t.Error("a token too few: not truncated")
	}
	if many := n.search(memoir.Query{Text: "harbour", MaxChars: 100_000}); len(many.Hits) <= memoir.DefaultLimit {
		t.Errorf("without a limit: %d hits", len(many.Hits))
	}
	for _, q := range []memoir.Query{{Text: "x", MaxTokens: -1}, {Text: "x", MaxChars: -1}} {
		if _, err := n.engine.Search(t.Context(), q); !errors.Is(err, memoir.ErrInvalid) {
			t.Errorf("%+v: got %v", q, err)
		}
	}
}

// Within a budget no line is shown twice; the lines named are those shown.
func TestBudgetShowsLinesOnce(t *testing.T) {
	n := library(t)
	for _, text := range []string{"harbour", "港口"} {
		seen := map[string]bool{}
		res := n.search(memoir.Query{Text: text, MaxTokens: 5000})
		for _, h := range res.Hits {
			x, err := n.engine.Get(t.Context(), h.Doc, h.SnippetStart, h.SnippetEnd)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(h.Snippet, strings.TrimRight(x.Text, "\r\n")); diff != "" {
				t.Errorf("%s: snippet is not its lines (-got +want):\n%s", h.Citation(), diff)
			}
			for i := h.SnippetStart; i <= h.SnippetEnd; i++ {
				key := fmt.Sprint(h.Doc, i)
				if seen[key] {
					t.Errorf("%s: line %d was shown before", h.Citation(), i)
				}
				seen[key] = true
			}
		}
	}
}

// Within a budget a small passage is shown together with its neighbours of the
// same section, whatever the limit. The citation covers these, too.
func TestBudgetShowsNeighbours(t *testing.T) {
	const north, east, south = "The captain tells of the north, of its wind and weather and of the ice there.\n",
		"The captain tells of the east, of its ropes and its sails and of its harbours.\n",
		"The captain tells of the south, of its ports and of what one ate and drank.\n"
	log := "# Log\n\n" + north + east + south + "\nThen he fell asleep on the deck, and the ship went on.\n\n## Later\n\nNobody woke him.\n"
	n := newNotes(t, engine.Config{Chunking: tune.Chunks{MaxTokens: 64, OverlapTokens: new(0)}},
		"log.md", log,
		"MEMORY.md", "- He fell ill once.\n- He likes tea.\n- He likes rain.\n")
	n.sync()
	tests := []struct {
		query    memoir.Query
		citation string
		snippet  string
	}{
		{memoir.Query{Text: "asleep"}, "log.md#L7", "Then he fell asleep on the deck, and the ship went on."},
		{memoir.Query{Text: "asleep", MaxTokens: 1000}, "log.md#L4-L7", east + south + "\nThen he fell asleep on the deck, and the ship went on."},
		{memoir.Query{Text: "asleep", MaxTokens: 20}, "log.md#L7", "Then he fell asleep on the deck, and the ship went on."},
		{memoir.Query{Text: "ill", MaxTokens: 1000}, "MEMORY.md#L1", "- He fell ill once."},
		{memoir.Query{Text: "woke", MaxTokens: 1000}, "log.md#L9-L11", "## Later\n\nNobody woke him."},
	}
	for _, tt := range tests {
		for limit := 1; limit <= 3; limit++ {
			tt.query.Limit = limit
			h := n.search(tt.query).Hits[0]
			if h.Snippet != tt.snippet || h.Citation() != tt.citation {
				t.Errorf("%q within %d, limit %d: got %s %q, want %s %q", tt.query.Text, tt.query.MaxTokens, limit, h.Citation(), h.Snippet, tt.citation, tt.snippet)
			}
		}
	}
	// The passage that a better hit shows with itself is named, and costs nothing.
	res := n.search(memoir.Query{Text: "asleep captain tells", MaxTokens: 1000})
	seen := map[string]string{}
	for _, h := range res.Hits {
		for _, text := range strings.Split(h.Snippet, "\n") {
			if by, ok := seen[text]; ok && strings.TrimSpace(text) != "" {
				t.Errorf("%s shows a line that %s showed: %q", h.Citation(), by, text)
			}
			seen[text] = h.Citation()
		}
	}
}

// Of a talk in which the question names one speaker, the passages behind the first ones
// leave out what others say at their ends. When it names none or several they are whole.
func TestBudgetTrimsOtherSpeakers(t *testing.T) {
	n := newNotes(t, engine.Config{})
	for i := range 8 {
		n.write(fmt.Sprintf("talk-%d.md", i), fmt.Sprintf("**Ann:** What did you paint in week %d?\n\n**Ben:** A lake%s.\n\n**Ann:** Paint more of them.\n", i, strings.Repeat(" and a lake", i)))
	}
	n.sync()
	for query, trims := range map[string]bool{"What did Ben paint?": true, "What did Ann paint?": false, "What did Ann and Ben paint?": false, "What to paint?": false, "lake": false} {
		res := n.search(memoir.Query{Text: query, Limit: 8, MaxChars: 100_000, NoSync: true})
		if len(res.Hits) != 8 {
			t.Fatalf("%s: %d hits, want 8", query, len(res.Hits))
		}
		for i, h := range res.Hits {
			want := strings.TrimSpace(h.Text)
			if trims && i >= 3 {
				want = strings.Split(want, "\n\n")[1]
			}
			if h.Snippet != want {
				t.Errorf("%s: hit %d shows %q, want %q", query, i, h.Snippet, want)
			}
		}
	}
}

// A long passage of a talk is cut round its match like any other, also within a budget.
func TestBudgetCutsLongTalks(t *testing.T) {
	talk := strings.Repeat("**Ann:** Rain again, and so we stayed at home all day.\n**Ben:** We did the same, and nobody went out.\n", 20)
	n := newNotes(t, engine.Config{Chunking: tune.Chunks{MaxTokens: 2000}}, "talk.md", talk+"**Ann:** The harbour "+strings.Repeat("and the old harbour ", 60)+"\n")
	n.sync()
	res := n.search(memoir.Query{Text: "harbour", Limit: 1, MaxChars: 4000, NoSync: true})
	if h := res.Hits[0]; len(h.Text) <= 700 || len(h.Snippet) > 700 || !strings.Contains(h.Snippet, "harbour") {
		t.Errorf("%d characters of %d: %q, want 700 at most round the match", len(h.Snippet), len(h.Text), h.Snippet)
	}
}

// A long passage is shown round the lines that hold most of the query.
func TestSnippetStandsRoundTheMatch(t *testing.T) {
	filler := func(format string) string {
		var b strings.Builder
		for i := range 60 {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	en, zh := filler("Line %d is about the weather.\n"), filler("第%d行说的是天气。")
	long := filler("Sentence %d is about the weather. ")
	tests := []struct {
		name, text, query, want string
		lines                   bool // the snippet is whole lines
	}{
		{"lines", en + "The harbour opens at six.\n" + en, "when does the harbour open", "The harbour opens at six.\n", true},
		{"the better of two", en + "The harbour is old.\n" + en + "The harbour opens at six.\n" + en, "harbour opens six", "The harbour opens at six.\n", true},
		{"CRLF", strings.ReplaceAll(en+"The harbour opens at six.\n"+en, "\n", "\r\n"), "harbour", "The harbour opens at six.\r\n", true},
		{"sentences of one line", long + "The harbour opens at six. " + long, "harbour", "The harbour opens at six. ", false},
		{"Chinese", zh + "港口六点开门。" + zh, "港口", "港口六点开门。", false},
		{"no sentence at all", strings.Repeat("word ", 400) + "harbour " + strings.Repeat("word ", 400), "harbour", " harbour ", false},
		{"no blank at all", strings.Repeat("字", 1500) + "港口" + strings.Repeat("字", 1500), "港口", "字港口字", false},
		{"one word", strings.Repeat("й", 3000), strings.Repeat("й", 3000), "ййй", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			n := newNotes(t, engine.Config{Chunking: tune.Chunks{MaxTokens: 100_000}}, "a.md", tt.text)
			n.sync()
			h := n.search(memoir.Query{Text: tt.query}).Hits[0]
			if !strings.Contains(h.Snippet, tt.want) || !strings.Contains(tt.text, h.Snippet) || !utf8.ValidString(h.Snippet) {
				t.Errorf("got %q, want a part of the text round %q", h.Snippet, tt.want)
			}
			if size := utf8.RuneCountInString(h.Snippet); size < 600 || size > 700 {
				t.Errorf("got %d characters", size)
			}
			if x := strings.Index(tt.text, h.Snippet); tt.lines && x > 0 && tt.text[x-1] != '\n' {
				t.Errorf("got %q, want whole lines", h.Snippet)
			}
			if got := strings.Count(tt.text[:strings.Index(tt.text, h.Snippet)], "\n") + 1; got != h.SnippetStart {
				t.Errorf("got line %d, want %d", h.SnippetStart, got)
			}
			for _, s := range h.Highlights {
				if s.Start < 0 || s.End > len(h.Snippet) || s.Start >= s.End {
					t.Errorf("highlight %v of %d bytes", s, len(h.Snippet))
				}
			}
		})
	}
}

// Traditional and simplified Chinese find one another. The answer shows the
// text as it was written, and highlights are offsets in that.
func TestTraditionalChinese(t *testing.T) {
	n := newNotes(t, engine.Config{},
		"simplified.md", "# 备份\n\n我们每天夜里备份数据库 x。\n",
		"traditional.md", "# 備份\n\n我們每天夜裡備份數據庫 y。\n",
		"japanese.md", "# 会議\n\n東京の倉庫で會議を開く。\n",
		"other.md", "# 茶\n\n绿茶和紅茶。\n")
	n.sync()
	tests := []struct {
		query string
		want  map[memoir.DocID][]string // what is highlighted
	}{
		{"數據庫", map[memoir.DocID][]string{"simplified.md": {"数据库"}, "traditional.md": {"數據庫"}}},
		{"数据库", map[memoir.DocID][]string{"simplified.md": {"数据库"}, "traditional.md": {"數據庫"}}},
		{`"備份數據庫"`, map[memoir.DocID][]string{"simplified.md": {"备份", "备份数据库"}, "traditional.md": {"備份", "備份數據庫"}}},
		{"東京の倉庫", map[memoir.DocID][]string{"japanese.md": {"東京の倉庫"}}},
		{"紅茶", map[memoir.DocID][]string{"other.md": {"紅茶"}}},
		{"红茶 绿茶", map[memoir.DocID][]string{"other.md": {"绿茶", "紅茶"}}},
	}
	for _, tt := range tests {
		got := map[memoir.DocID][]string{}
		for _, h := range n.search(memoir.Query{Text: tt.query, Mode: memoir.ModeText}).Hits {
			for _, s := range h.Highlights {
				got[h.Doc] = append(got[h.Doc], h.Snippet[s.Start:s.End])
			}
		}
		if diff := cmp.Diff(got, tt.want); diff != "" {
			t.Errorf("%s (-got +want):\n%s", tt.query, diff)
		}
	}
}

// Passages with the same words are one hit that names the others, whatever the limit.
func TestSameWordsAreOneHit(t *testing.T) {
	n := newNotes(t, engine.Config{},
		"a.md", "The harbour opens at six.\n",
		"b/copy.md", "The harbour opens at six.\n",
		"c.md", "The harbour opens at seven.\n",
		"d.md", "# Hours\n\nThe harbour opens at six.\n",
		"e.md", "* the harbour opens  at **six**\r\n")
	n.sync()
	before := []memoir.Hit{}
	for limit := 1; limit <= 4; limit++ {
		res := n.search(memoir.Query{Text: "harbour opens six", Limit: limit})
		if diff := cmp.Diff(res.Hits[:len(before)], before); diff != "" {
			t.Errorf("limit %d does not only append (-got +want):\n%s", limit, diff)
		}
		before = res.Hits
	}
	got := map[string][]string{}
	for _, h := range before {
		got[h.Citation()] = []string{}
		for _, c := range h.AlsoIn {
			got[h.Citation()] = append(got[h.Citation()], c.Citation())
		}
	}
	want := map[string][]string{"a.md#L1": {"b/copy.md#L1", "e.md#L1"}, "c.md#L1": {}, "d.md#L1-L3": {}}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("hits (-got +want):\n%s", diff)
	}
	why, err := n.engine.Why(t.Context(), memoir.Query{Text: "harbour opens six"}, "b/copy.md", 1)
	if err != nil || why.Verdict != explain.VerdictHit || why.Rank != 1 || why.Passage.Citation() != "b/copy.md#L1" {
		t.Errorf("why: %+v, %v", why, err)
	}
}

func FuzzBudget(f *testing.F) {
	f.Add("The harbour opens at six. 港口六点开门。\r\n\r\nMore.", "harbour 港口", 10, 0)
	f.Add("a\n\n\nb! c? “d.” e", "e", 0, 3)
	f.Add(strings.Repeat("\xff😀", 300), "😀", 3, 7)
	f.Fuzz(func(t *testing.T, text, query string, tokens, chars int) {
		n := newNotes(t, engine.Config{Chunking: tune.Chunks{MaxTokens: 2000}}, "a.md", strings.ToValidUTF8(text, "?"))
		res, err := n.engine.Search(context.Background(), memoir.Query{Text: query, MaxTokens: tokens, MaxChars: chars})
		if err != nil {
			return
		}
		got := 0
		for _, h := range res.Hits {
			got += utf8.RuneCountInString(h.Snippet)
			if !utf8.ValidString(h.Snippet) || !strings.Contains(h.Text, h.Snippet) {
				t.Errorf("snippet %q of %q", h.Snippet, h.Text)
			}
		}
		if tokens > 0 && res.Tokens > tokens || chars > 0 && got > chars {
			t.Errorf("%d tokens and %d characters within %d and %d", res.Tokens, got, tokens, chars)
		}
	})
}
