package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
)

// Words that stand apart in the question find the note that writes them as one, and
// what no note writes so changes nothing.
func TestWrittenTogether(t *testing.T) {
	n := newNotes(t, engine.Config{},
		"seo.md", "# Sitemap\n\nA sitemap is generated for crawlers.\n",
		"map.md", "The map of the region hangs in the office.\n",
		"visit.md", "The building site is closed to visitors.\n",
		"mail.md", "Send an email to the landlord.\n",
		"door.md", "Please close the door.\n")
	n.sync()
	for query, want := range map[string]string{"site map for google": "seo.md", "e-mail": "mail.md", "E mail": "mail.md"} {
		res := n.search(memoir.Query{Text: query, Explain: true})
		if len(res.Hits) == 0 || string(res.Hits[0].Doc) != want || len(res.Hits[0].Highlights) == 0 {
			t.Errorf("%s: got %s, want %s first, with what matches marked", query, documents(res), want)
		}
	}
	plain, both := n.search(memoir.Query{Text: "door, office"}), n.search(memoir.Query{Text: "door office"})
	if len(plain.Hits) != 2 || len(both.Hits) != 2 || plain.Hits[0].Score != both.Hits[0].Score {
		t.Errorf("a word that is nowhere changes scores: %v, %v", plain.Hits, both.Hits)
	}
}

// In a brief answer the best passages are whole, behind them each further note has a line
// or two, and a larger limit changes nothing of what a smaller one shows. Any other
// shows every passage.
func TestBriefAnswers(t *testing.T) {
	n := newNotes(t, engine.Config{})
	for i := range 8 {
		var b strings.Builder
		for j := range 6 {
			fmt.Fprintf(&b, "## Part %d\n\n%s The harbour of town %d has %d ships. %s\n\n", j, strings.Repeat("Rain falls on the hills. ", 10), i, j, strings.Repeat("Nobody was there. ", 12))
		}
		n.write(fmt.Sprintf("%d.md", i), b.String())
	}
	n.sync()
	var before []string
	for _, limit := range []int{1, 2, 4, 6, 8} {
		res := n.search(memoir.Query{Text: "harbour ships", Limit: limit, Brief: true, NoSync: true})
		used, notes, brief := 0, map[memoir.DocID]bool{}, 0
		for i, h := range res.Hits {
			size := utf8.RuneCountInString(h.Snippet)
			switch {
			case used < 1500:
				if size < 400 {
					t.Errorf("limit %d: hit %d has %d characters, want the whole passage", limit, i, size)
				}
			case notes[h.Doc]:
				if size > 0 || h.SnippetStart != 0 {
					t.Errorf("limit %d: hit %d of a note that was shown has %q", limit, i, h.Snippet)
				}
			case size == 0 || size > 160 || !strings.Contains(h.Snippet, "harbour"):
				t.Errorf("limit %d: hit %d of a note that was not shown has %q", limit, i, h.Snippet)
			default:
				brief++
			}
			used, notes[h.Doc] = used+size, true
		}
		if limit == 8 && brief == 0 {
			t.Error("no note is shown in brief")
		}
		now := shown(res)
		for i, s := range before {
			if s != now[i] {
				t.Errorf("limit %d shows %q where a smaller one shows %q", limit, now[i], s)
			}
		}
		before = now
	}
	for i, h := range n.search(memoir.Query{Text: "harbour ships", Limit: 8, NoSync: true}).Hits {
		if utf8.RuneCountInString(h.Snippet) < 400 {
			t.Errorf("hit %d of an answer that is not brief has %q, want the whole passage", i, h.Snippet)
		}
	}
}

// A brief answer in which nothing is confident has the three nearest alone.
func TestBriefNothing(t *testing.T) {
	n := newNotes(t, engine.Config{})
	for i := range 6 {
		n.write(fmt.Sprintf("%d.md", i), fmt.Sprintf("The ferry to island %d leaves at noon, and the captain is called Mirela.", i))
	}
	n.sync()
	query := memoir.Query{Text: "where do penguins and the captain of zebras hibernate in winter with umbrellas", NoSync: true}
	if res := n.search(query); res.Nothing == "" || len(res.Hits) != 6 {
		t.Fatalf("got %d hits, %q; want six of which none is confident", len(res.Hits), res.Nothing)
	}
	query.Brief = true
	if res := n.search(query); res.Nothing == "" || len(res.Hits) != 3 {
		t.Errorf("got %d hits, %q; want three of which none is confident", len(res.Hits), res.Nothing)
	}
}
