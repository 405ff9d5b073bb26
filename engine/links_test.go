package engine_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/embedtest"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/explain"
	"github.com/memoir-ai/memoir/store/memstore"
	"github.com/memoir-ai/memoir/tune"
)

// lent returns "path from" for each hit that a link raised, ordered by path.
func lent(res memoir.Results) []string {
	var out []string
	for _, h := range res.Hits {
		if h.Explain.Link != (explain.Link{}) {
			out = append(out, string(h.Doc)+" "+h.Explain.Link.From)
		}
	}
	slices.Sort(out)
	return out
}

// What a link calls a note by, and what it does not reach.
func TestLinksFindNotes(t *testing.T) {
	const log = "log/auth.md"
	tests := []struct {
		name, link string
		files      []string // path, text
		want       []string // paths that are reached
	}{
		{"beside it", "[Mia](mia.md)", []string{"log/mia.md", "", "mia.md", ""}, []string{"log/mia.md"}},
		{"upwards", "[Mia](../people/mia)", []string{"people/mia.md", "", "log/people/mia.md", ""}, []string{"people/mia.md"}},
		{"beyond the root", "[Mia](../../../people/mia.md)", []string{"people/mia.md", ""}, []string{"people/mia.md"}},
		{"from the root", "[Mia](people/mia)", []string{"people/mia.md", "", "x/people/mia.md", ""}, []string{"people/mia.md"}},
		{"from the root alone", "[Mia](/mia.md)", []string{"mia.md", "", "log/mia.md", ""}, []string{"mia.md"}},
		{"end of a path", "[Mia](people/mia.md)", []string{"notes/people/mia.md", "", "notes/mia.md", ""}, []string{"notes/people/mia.md"}},
		{"file name", "[[mia]]", []string{"notes/people/mia.md", ""}, []string{"notes/people/mia.md"}},
		{"folded", "[[ＣＡＦÉ　mia]]", []string{"Cafe Mia.md", ""}, []string{"Cafe Mia.md"}},
		{"escaped", "[x](%E4%BA%BA/%E7%8E%8B%20%E7%BE%8E.md)", []string{"人/王 美.md", ""}, []string{"人/王 美.md"}},
		{"title", "[[Mia Brown|her]]", []string{"p7.md", "# Mia Brown\n"}, []string{"p7.md"}},
		{"alias", "[[王美]]", []string{"p7.md", "---\naliases: [Mia B, 王美]\n---\n"}, []string{"p7.md"}},
		{"label", "[mia brown](p/old-name.md)", []string{"p7.md", "# Mia Brown\n"}, []string{"p7.md"}},
		{"path before title", "[[mia]]", []string{"x/mia.md", "", "p7.md", "# Mia\n"}, []string{"x/mia.md"}},
		{"three namesakes", "[[mia]]", []string{"x/mia.md", "", "y/mia.md", "", "z/mia.md", ""}, []string{"x/mia.md", "y/mia.md", "z/mia.md"}},
		{"four namesakes", "[[mia]]", []string{"w/mia.md", "", "x/mia.md", "", "y/mia.md", "", "z/mia.md", ""}, nil},
		{"nobody", "[x](gone.md) [[gone]]", []string{"mia.md", ""}, nil},
		{"itself", "[[auth]] [x](auth.md)", []string{"mia.md", ""}, nil},
		{"elsewhere", "[mia](https://x.org/mia.md) `[[mia]]` ![mia](mia.md)", []string{"mia.md", ""}, nil},
	}
	for _, test := range tests {
		files := []string{log, "Who owns the auth service: " + test.link + "\n"}
		for i := 0; i < len(test.files); i += 2 {
			files = append(files, test.files[i], test.files[i+1]+fmt.Sprintf("\nTends service %d.\n", i))
		}
		n := newNotes(t, engine.Config{Store: memstore.New()}, files...)
		n.sync()
		res := n.search(memoir.Query{Text: "who owns the auth service", Explain: true})
		var want []string
		for _, p := range test.want {
			want = append(want, p+" "+log+"#L1")
		}
		if diff := gocmp.Diff(lent(res), want); diff != "" {
			t.Errorf("%s: raised by links (-got +want):\n%s", test.name, diff)
		}
	}
}

// web is notes of which many speak of the harbour, and the best of them links
// to some that barely do.
func web(t *testing.T, cfg engine.Config) *notes {
	files := []string{
		"meeting.md", "# Harbour meeting\n\nThe harbour meeting was led by [Mia](people/mia.md), [[ghost]] and [Bob](people/bob.md).\n",
		"people/mia.md", "# Mia\n\nLeads the port works.\n\n" + strings.Repeat("## Part\n\n"+strings.Repeat("She measures tides. ", 30)+"\n\n", 9) + "## Works\n\nHer harbour.\n",
		"people/bob.md", "# Bob\n\nPaints a meeting.\n",
		"people/eve.md", "# Eve\n\nA meeting.\n",
	}
	for i := range 300 { // more than the candidates that a search begins with
		files = append(files, fmt.Sprintf("log/%03d.md", i), fmt.Sprintf("Entry %d: the harbour%s was quiet, the weather %s. [[eve]]\n", i, strings.Repeat(" harbour", i%4), strings.Repeat("fair ", i%40)))
	}
	n := newNotes(t, cfg, files...)
	n.sync()
	n.embed()
	return n
}

func TestLinksRaiseTheBestPassage(t *testing.T) {
	n := web(t, engine.Config{Store: memstore.New(), Embedder: &embedtest.Embedder{}})
	for _, mode := range []memoir.Mode{memoir.ModeText, memoir.ModeHybrid, memoir.ModeVector} {
		res := n.search(memoir.Query{Text: "harbour meeting", Limit: 1000, Mode: mode, Explain: true})
		if got := lent(res); !slices.Contains(got, "people/bob.md meeting.md#L1-L3") {
			t.Errorf("%s: raised by links: %q", mode, got)
		}
		raised := map[memoir.DocID]int{}
		for _, h := range res.Hits {
			x := h.Explain
			s := x.Text.Weight*x.Text.Score + x.Vector.Weight*x.Vector.Score
			want := s + (1-s)*x.Link.Score
			if a := x.Exact.Above; a > 0 {
				want = a + (1-a)*(1+want)/2
			}
			if max(h.Score-want, want-h.Score) > 2e-6 {
				t.Errorf("%s: %s scores %v, its parts make %v", mode, h.Citation(), h.Score, want)
			}
			if x.Link.Score > 0 {
				raised[h.Doc]++
			}
		}
		for doc, passages := range raised {
			if passages != 1 {
				t.Errorf("%s: %d passages of %s were raised", mode, passages, doc)
			}
		}
	}
}

// A larger limit finds the same first hits, linked notes among them.
func TestLinksLimitOnlyAppends(t *testing.T) {
	for _, mode := range []memoir.Mode{memoir.ModeText, memoir.ModeHybrid, memoir.ModeVector} {
		n := web(t, engine.Config{Store: memstore.New(), Embedder: &embedtest.Embedder{}})
		all := n.search(memoir.Query{Text: "harbour meeting", Limit: 1000, Mode: mode})
		if len(lent(n.search(memoir.Query{Text: "harbour meeting", Limit: 1000, Mode: mode, Explain: true}))) == 0 {
			t.Fatalf("%s: no link was followed", mode)
		}
		for _, limit := range []int{1, 2, 3, 4, 5, 7, 20, 100, len(all.Hits)} {
			some := n.search(memoir.Query{Text: "harbour meeting", Limit: limit, Mode: mode})
			if diff := gocmp.Diff(all.Hits[:limit], some.Hits); diff != "" {
				t.Fatalf("%s: limit %d (-largest +this):\n%s", mode, limit, diff)
			}
		}
		if !slices.IsSortedFunc(all.Hits, func(a, b memoir.Hit) int {
			return cmp.Or(cmp.Compare(b.Score, a.Score), a.ChunkID.Compare(b.ChunkID))
		}) {
			t.Errorf("%s: the hits are not in order", mode)
		}
	}
}

func TestLinksRespectTheQuery(t *testing.T) {
	n := web(t, engine.Config{Store: memstore.New()})
	ask := func(q memoir.Query) []string {
		q.Text, q.Limit, q.Explain = "harbour meeting", 1000, true
		return lent(n.search(q))
	}
	want := []string{"people/bob.md meeting.md#L1-L3", "people/mia.md meeting.md#L1-L3"}
	if got := ask(memoir.Query{}); !slices.Contains(got, want[0]) || !slices.Contains(got, want[1]) {
		t.Errorf("got %q, want %q among them", got, want)
	}
	if got := ask(memoir.Query{Filter: memoir.Filter{Prefix: "meeting"}}); got != nil {
		t.Errorf("links led out of the prefix: %q", got)
	}
	if got := ask(memoir.Query{Filter: memoir.Filter{Prefix: "people/"}}); got != nil {
		t.Errorf("links led in from outside the prefix: %q", got)
	}
	if got := ask(memoir.Query{Filter: memoir.Filter{Chunks: []memoir.ChunkID{{Doc: "meeting.md"}, {Doc: "people/bob.md"}}}}); !slices.Equal(got, want[:1]) {
		t.Errorf("with listed passages: got %q, want %q", got, want[:1])
	}
	if got := ask(memoir.Query{MinScore: .99}); got != nil {
		t.Errorf("links led past the minimum score: %q", got)
	}
	for name, opts := range map[string]tune.Rank{"switched off": {LinkWeight: new(0.0)}, "rrf": {Fusion: "rrf"}} {
		n = web(t, engine.Config{Store: memstore.New(), Ranking: opts})
		if got := ask(memoir.Query{}); got != nil {
			t.Errorf("%s: links were followed: %q", name, got)
		}
	}
}
