package engine_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/embedtest"
	"github.com/memoir-ai/memoir/engine"
)

// toldNotes are entries told on several days, beside day logs. Today is 18 March 2026.
func toldNotes(t *testing.T) *notes {
	n := newNotes(t, engine.Config{Embedder: &embedtest.Embedder{}, Now: func() time.Time { return time.Date(2026, 3, 18, 15, 0, 0, 0, time.UTC) }},
		"memory/2026-03-16.md", "- Called the plumber about the sister boiler.\n",
		"memory/contacts.md", "# Contacts\r\n\r\n- Anna is my sister. <!-- id: aaaaaaa1 | observed: 2026-03-16 -->\r\n- Bob is my dentist. <!-- id: aaaaaaa2 | observed: 2026-03-17 -->\r\n"+
			"- 卡拉是我的会计 <!-- id: aaaaaaa3 | observed: 2026-03-17 -->\r\n- Dora is my lawyer,\r\n  and her office is in Lund. <!-- id: aaaaaaa4 | observed: 2026-03-01 | count: 2 | last: 2026-03-17 -->\r\n- Emil is my baker.\r\n- Finn is my vet. <!-- observed: 2026-03-17 -->\r\n",
		"memory/projects.md", "# Projects\n\n- The shop runs on Postgres 14. <!-- id: bbbbbbb1 | observed: 2026-02-10 | status: superseded | by: bbbbbbb2 | until: 2026-03-17 -->\n- The shop runs on Postgres 17. <!-- id: bbbbbbb2 | observed: 2026-03-17 | replaces: bbbbbbb1 -->\n"+
			"- A day that is none. <!-- observed: 2026-13-45:1-2 -->\n- A day with more. <!-- observed: 2026-03-17:1-99 -->\n",
		"memory/undated.md", "# Undated\n\n- Nothing says when this was told.\n",
	)
	n.sync()
	n.embed()
	return n
}

// hitLines returns the hits of an answer with their days.
func hitLines(res memoir.Results) (all []string) {
	for _, h := range res.Hits {
		all = append(all, fmt.Sprintf("%s %s", strings.TrimPrefix(h.Citation(), "memory/"), h.Date))
	}
	return all
}

// TestTold: what was told on some days is listed with the notes of these days, each narrowed
// to its own entries.
func TestTold(t *testing.T) {
	n := toldNotes(t)
	yesterday := []string{"contacts.md#L4-L7 2026-03-17", "contacts.md#L9 2026-03-17", "projects.md#L4 2026-03-17"}
	both := []string{"contacts.md#L3 2026-03-16", "contacts.md#L4-L7 2026-03-17", "contacts.md#L9 2026-03-17", "2026-03-16.md#L1 2026-03-16"}
	for _, test := range []struct {
		query string
		want  []string
	}{
		{"what did I tell you yesterday?", yesterday}, {"我昨天跟你说了什么？", yesterday}, {"昨日、何を教えましたか", yesterday}, {"on:yesterday", yesterday}, {"what happened yesterday", yesterday},
		{"since:2026-03-16 -shop", both},
		{"on:2026-03-16", []string{"2026-03-16.md#L1 2026-03-16", "contacts.md#L3 2026-03-16"}},
		{"what did I tell you on 1 March", []string{"contacts.md#L6-L7 2026-03-01"}},
		{"until:2026-02", []string{"projects.md#L3 2026-02-10"}},
		{"before:2026-03-16 path:contacts", []string{"contacts.md#L6-L7 2026-03-01"}},
		{"since:2026-03-02 until:2026-03-16", []string{"2026-03-16.md#L1 2026-03-16", "contacts.md#L3 2026-03-16"}},
		{"dentist since:2026-03-17 path:contacts", []string{"contacts.md#L4-L7 2026-03-17"}},
	} {
		for _, mode := range []memoir.Mode{memoir.ModeHybrid, memoir.ModeText} {
			res := n.search(memoir.Query{Text: test.query, Mode: mode})
			got := hitLines(res)
			slices.Sort(got)
			want := slices.Sorted(slices.Values(test.want))
			if !slices.Equal(got, want) || res.Nothing != "" {
				t.Errorf("%q, %s: got %q, want %q; %s", test.query, mode, got, want, res.Nothing)
			}
			for _, h := range res.Hits {
				if text := strings.ReplaceAll(h.Snippet, "\r", ""); strings.Contains(text, "Emil") || strings.Count(text, "\n")+1 != h.SnippetEnd-h.SnippetStart+1 {
					t.Errorf("%q: shown is %q of lines %d to %d", test.query, h.Snippet, h.SnippetStart, h.SnippetEnd)
				}
			}
		}
	}
	for query, reason := range map[string]string{"on:2026-03-05": "on:2026-03-05: no note is of that time", "tag:x on:yesterday": "tag:x: no note has that tag",
		"since:2026-03-02 until:2026-03-15": "nothing passes the filter since:2026-03-02 until:2026-03-15"} {
		if res := n.search(memoir.Query{Text: query}); len(res.Hits) > 0 || res.Reason != reason {
			t.Errorf("%q: got %q, %q", query, hitLines(res), res.Reason)
		}
	}
}

// TestSince: a query that comes with its first day is answered as one that names it in its
// text.
func TestSince(t *testing.T) {
	n := toldNotes(t)
	for _, since := range []string{"2026-03-16", "2026-03-17", "yesterday", "2026-03", "2026-04"} {
		for _, text := range []string{"dentist", "street shop", "office"} {
			asked, typed := n.search(memoir.Query{Text: text, Since: since}), n.search(memoir.Query{Text: text + " since:" + since})
			if diff := cmp.Diff(hitLines(typed), hitLines(asked)); diff != "" || asked.Reason != typed.Reason || asked.Query != text {
				t.Errorf("%q since %s: %q, %q, want %q; (-typed +asked):\n%s", text, since, asked.Query, asked.Reason, typed.Reason, diff)
			}
		}
	}
	if got := hitLines(n.search(memoir.Query{Text: "dentist", Since: "2026-03-17", Path: "contacts"})); !slices.Equal(got, []string{"contacts.md#L4-L7 2026-03-17"}) {
		t.Errorf("got %q", got)
	}
	if got := hitLines(n.search(memoir.Query{Text: "dentist on:2026-03-17", Since: "2026-03-17T12:00:00Z", Literal: true})); len(got) == 0 || !strings.HasSuffix(got[0], "2026-03-17") {
		t.Errorf("a literal text: got %q", got)
	}
	_, err := n.engine.Search(t.Context(), memoir.Query{Text: "dentist", Since: "someday"})
	if !errors.Is(err, memoir.ErrInvalid) || !strings.Contains(err.Error(), `since "someday" is not a day`) || memoir.Hint(err) == "" {
		t.Errorf("got %v", err)
	}
}

// TestToldOnOtherDays: what was told on another day answers no question for these days.
func TestToldOnOtherDays(t *testing.T) {
	n := toldNotes(t)
	for _, query := range []string{"what did I tell you on 5 March", "who did I mention on 5 March?", "3月5日我告诉你什么了", "sister since:2026-03-17", "dentist until:2026-03-16", "what happened on 5 March"} {
		for _, h := range n.search(memoir.Query{Text: query}).Hits {
			if h.Confident() {
				t.Errorf("%q: %s has %.2f", query, h.Citation(), h.Relevance)
			}
		}
	}
	// A day in a question about something is no filter.
	res := n.search(memoir.Query{Text: "what did I say about the plumber on 5 March", Mode: memoir.ModeText})
	if len(res.Hits) == 0 || res.Hits[0].Doc != "memory/2026-03-16.md" || !res.Hits[0].Confident() {
		t.Errorf("got %+v", res.Hits)
	}
}

// TestWhenTold: a question for the day on which something was told gets the entry and its
// first day; one for the day of something else does not.
func TestWhenTold(t *testing.T) {
	n := toldNotes(t)
	for query, want := range map[string]string{
		"when did I tell you who my dentist is?": "contacts.md#L4 2026-03-17", "when did I first mention my lawyer": "contacts.md#L6-L7 2026-03-01", "我什么时候告诉你卡拉是谁的": "contacts.md#L5 2026-03-17",
		"since when do you know about the office in Lund?": "contacts.md#L6-L7 2026-03-01",
	} {
		if got := hitLines(n.search(memoir.Query{Text: query, Mode: memoir.ModeText})); len(got) == 0 || got[0] != want {
			t.Errorf("%q: got %q, want %s first", query, got, want)
		}
	}
	if res := n.search(memoir.Query{Text: "when did I tell you who my dentist is?", Mode: memoir.ModeText}); !res.Hits[0].Confident() {
		t.Errorf("got %v", res.Hits[0].Relevance)
	}
	for _, query := range []string{"when did I meet my dentist?", "when is my dentist open?", "when did I tell Mia about my dentist?"} {
		res := n.search(memoir.Query{Text: query, Mode: memoir.ModeText})
		if len(res.Hits) > 0 && (res.Hits[0].Confident() || res.Hits[0].Date != "") {
			t.Errorf("%q: got %q of %v", query, hitLines(res), res.Hits[0].Relevance)
		}
	}
}

// TestToldLimit: a smaller limit gives the beginning of the answer of a larger one, and no
// more hits than it may.
func TestToldLimit(t *testing.T) {
	var shelf strings.Builder
	shelf.WriteString("# Contacts\n\n")
	for i := range 400 {
		fmt.Fprintf(&shelf, "- Person %d repairs bicycles in street %d. <!-- observed: 2026-%02d-%02d -->\n", i, i, 1+i%3, 1+i%28)
	}
	n := newNotes(t, engine.Config{Now: func() time.Time { return time.Date(2026, 3, 18, 15, 0, 0, 0, time.UTC) }}, "memory/contacts.md", shelf.String(), "memory/2026-02-03.md", "- A log.\n")
	n.sync()
	for _, query := range []string{"on:2026-02", "since:2026-02-10", "bicycles since:2026-02-10", "when did I tell you about the bicycles"} {
		all := hitLines(n.search(memoir.Query{Text: query, Limit: 1000}))
		for _, limit := range []int{1, 2, 6, 50} {
			got := hitLines(n.search(memoir.Query{Text: query, Limit: limit}))
			if len(got) == 0 || len(got) > limit*memoir.PassagesPerNote || !slices.Equal(got, all[:len(got)]) {
				t.Errorf("%q, limit %d: %d hits, of %d; %q", query, limit, len(got), len(all), got[:min(len(got), 5)])
			}
		}
	}
}

// TestToldAtLength: an entry that is cut into passages is found by the day on which it was told.
func TestToldAtLength(t *testing.T) {
	long := strings.Repeat("\n  and then the story of the house in the long street went on for quite a while again", 40)
	n := newNotes(t, engine.Config{Now: func() time.Time { return time.Date(2026, 3, 18, 15, 0, 0, 0, time.UTC) }},
		"memory/stories.md", "# Stories\n\n- Before. <!-- observed: 2026-03-01 -->\n- It began with a zebra,"+long+"\n  and ended with a walrus. <!-- observed: 2026-03-02 -->\n- After. <!-- observed: 2026-03-03 -->\n")
	n.sync()
	if got := hitLines(n.search(memoir.Query{Text: "on:2026-03-02"})); len(got) == 0 || !strings.HasPrefix(got[0], "stories.md#L4-") || !strings.HasSuffix(got[0], " 2026-03-02") {
		t.Errorf("got %q", got)
	}
	for query, want := range map[string]string{"walrus since:2026-03-02 until:2026-03-02": "-L45 2026-03-02", "on:2026-03-01": "stories.md#L3 2026-03-01", "on:2026-03-03": "stories.md#L46 2026-03-03"} {
		if got := hitLines(n.search(memoir.Query{Text: query})); len(got) != 1 || !strings.HasSuffix(got[0], want) {
			t.Errorf("%q: got %q", query, got)
		}
	}
}

// TestToldOnce: passages of a long shelf overlap. Each entry is listed once, and those of a
// passage from the last to the first.
func TestToldOnce(t *testing.T) {
	shelf := "# Contacts\n\n"
	for i := range 28 {
		shelf += fmt.Sprintf("- Person %d is my doctor in town %d. <!-- observed: 2026-02-%02d -->\n", i, i, i+1)
	}
	n := newNotes(t, engine.Config{Now: func() time.Time { return time.Date(2026, 3, 18, 15, 0, 0, 0, time.UTC) }}, "memory/contacts.md", shelf)
	n.sync()
	var want []string
	for i := 27; i >= 15; i-- {
		want = append(want, fmt.Sprintf("contacts.md#L%d 2026-02-%02d", i+3, i+1))
	}
	for _, query := range []string{"since:2026-02-16", "from 16 to 28 February"} {
		if got := hitLines(n.search(memoir.Query{Text: query, Limit: 20})); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", query, got, want)
		}
	}
	for line, want := range map[int]string{20: "contacts.md#L20 2026-02-18", 21: "contacts.md#L21 2026-02-19"} {
		why, err := n.engine.Why(t.Context(), memoir.Query{Text: "since:2026-02-16", Limit: 20}, "memory/contacts.md", line)
		if err != nil || why.Passage == nil {
			t.Fatal(why, err)
		}
		if got := hitLines(memoir.Results{Hits: []memoir.Hit{*why.Passage}}); got[0] != want {
			t.Errorf("line %d: got %q", line, got)
		}
	}
}

// TestToldRead: a passage of which all is shown already stands for none that nobody has read.
func TestToldRead(t *testing.T) {
	long := "- A street" + strings.Repeat(" and then the long story of the house in the street went on for a while", 80) + ". <!-- observed: 2026-03-02 -->\n"
	n := newNotes(t, engine.Config{Now: func() time.Time { return time.Date(2026, 3, 18, 15, 0, 0, 0, time.UTC) }}, "memory/stories.md", "# Stories\n\n"+long)
	n.sync()
	for limit := 1; limit < 6; limit++ {
		got := hitLines(n.search(memoir.Query{Text: "street since:2026-03", Limit: limit}))
		if !slices.Equal(got, []string{"stories.md#L3 2026-03-02"}) {
			t.Errorf("limit %d: got %q", limit, got)
		}
	}
}

// TestToldInDatedNote: what was told on the day asked about is of that day, whatever the date of
// its note.
func TestToldInDatedNote(t *testing.T) {
	n := newNotes(t, engine.Config{Embedder: &embedtest.Embedder{Synonyms: map[string]string{"doctor": "physician"}}, Now: func() time.Time { return time.Date(2026, 3, 18, 15, 0, 0, 0, time.UTC) }},
		"memory/party.md", "---\ndate: 2026-03-01\n---\n\n- Physician Anna. <!-- observed: 2026-03-17 -->\n", "memory/other.md", "Rain in the harbour.\n")
	n.sync()
	n.embed()
	for _, query := range []string{"Doctor on 17 March", "Doctor on 1 March"} {
		res := n.search(memoir.Query{Text: query})
		if len(res.Hits) == 0 || res.Hits[0].Doc != "memory/party.md" || !res.Hits[0].Confident() {
			t.Errorf("%q: got %q", query, hitLines(res))
		}
	}
}

// TestToldLast: the last day comes first, also behind more than ten thousand passages.
func TestToldLast(t *testing.T) {
	n := newNotes(t, engine.Config{Now: func() time.Time { return time.Date(2026, 3, 18, 15, 0, 0, 0, time.UTC) }}, "memory/people.md", "- Anna is my vet. <!-- observed: 2026-03-17 -->\n")
	for i := range 30 {
		n.write(fmt.Sprintf("memory/facts-%d.md", i), strings.Repeat("# A\n\n- One"+strings.Repeat(" and another", 60)+". <!-- observed: 2026-01-05 -->\n\n", 400))
	}
	n.sync()
	if got := hitLines(n.search(memoir.Query{Text: "since:2026", Limit: 1})); len(got) == 0 || got[0] != "people.md#L1 2026-03-17" {
		t.Errorf("got %q", got)
	}
}
