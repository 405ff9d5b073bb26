package weaviate_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/store/memstore"
	"github.com/memoir-ai/memoir/store/weaviate"
	"github.com/memoir-ai/memoir/store/weaviate/weaviatetest"
)

// counted returns how many documents and chunks hold each of some words.
func counted(t *testing.T, s memoir.Store, words []string) string {
	t.Helper()
	var terms []memoir.Term
	for _, w := range words {
		terms = append(terms, memoir.Term{Text: w, Weight: 1})
	}
	said := ""
	if err := s.View(t.Context(), func(v memoir.View) error {
		found, err := v.Terms(t.Context(), terms, memoir.Filter{}, 0)
		for _, w := range words {
			said += fmt.Sprint(w, found.Counts.Holders[w], " ")
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return said
}

// tallied returns how many tallies the newest state of a tenant names.
func tallied(t *testing.T, f *weaviatetest.Server) int {
	t.Helper()
	var newest struct {
		Order   uint64
		Tallies []string
	}
	for _, o := range f.States("MemoirWords2 one", weaviate.IsState) {
		st := newest
		st.Tallies = nil
		if err := weaviate.Unpack(o.Properties["data"], &st); err != nil {
			t.Fatal(err)
		}
		if st.Order >= newest.Order {
			newest = st
		}
	}
	return len(newest.Tallies)
}

// However documents come, change and go, terms are counted as by who looks at all of them.
func TestTallies(t *testing.T) {
	f := weaviatetest.New(t)
	opts := weaviate.Options{URL: f.URL, Tenant: "one"}
	s, want := open(t, opts), memstore.New()
	r := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields("heron stork gull 鹭 鹳 wader")
	text := func() string {
		var all []string
		for range 1 + r.IntN(3) {
			all = append(all, words[r.IntN(len(words))])
		}
		return strings.Join(all, " ")
	}
	doc := func() memoir.IndexedDocument {
		var texts []string
		for range 1 + r.IntN(3) {
			texts = append(texts, text())
		}
		return noted(memoir.DocID(fmt.Sprintf("%d.md", r.IntN(12))), texts...)
	}
	for round := range 200 {
		put := doc()
		changes := memoir.Changes{Put: []memoir.IndexedDocument{put}}
		switch r.IntN(5) {
		case 0:
			changes = memoir.Changes{Delete: []memoir.DocID{put.ID}}
		case 1:
			if other := doc(); other.ID != put.ID {
				changes.Delete = append(changes.Delete, other.ID)
			}
		case 2:
			changes = memoir.Changes{Touch: []memoir.DocumentMeta{put.DocumentMeta}}
		}
		for _, s := range []memoir.Store{s, want} {
			if err := s.Write(t.Context(), changes); err != nil {
				t.Fatal(err)
			}
		}
		for who, s := range map[string]memoir.Store{"who wrote": s, "who comes later": open(t, opts)} {
			if got, want := counted(t, s, words), counted(t, want, words); got != want {
				t.Fatalf("round %d: %s counts %s, want %s", round, who, got, want)
			}
		}
		if n := tallied(t, f); n > 3 {
			t.Fatalf("round %d: %d tallies of %d terms", round, n, len(words))
		}
	}
	var all []memoir.DocID
	for d, err := range s.Documents(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, d.ID)
	}
	if err := s.Write(t.Context(), memoir.Changes{Delete: all}); err != nil {
		t.Fatal(err)
	}
	if n := tallied(t, f); n > 0 {
		t.Errorf("nothing is left, and %d tallies", n)
	}
}

// When the terms of a document that goes are gone, those of the others are counted again.
func TestTalliesWithoutTerms(t *testing.T) {
	f := weaviatetest.New(t)
	opts := weaviate.Options{URL: f.URL, Tenant: "one"}
	write(t, open(t, opts), noted("a.md", "heron one"), noted("b.md", "heron two", "heron"), noted("c.md", "stork"))
	f.Mu.Lock()
	for id, o := range f.Objects["MemoirWords2 one"] {
		var of struct{ Terms []string }
		if weaviate.Unpack(o.Properties["data"], &of) == nil && slices.Contains(of.Terms, "one") {
			delete(f.Objects["MemoirWords2 one"], id)
		}
	}
	f.Mu.Unlock()
	s := open(t, opts)
	write(t, s, noted("a.md", "gull"))
	const want = "heron{2 1} one{0 0} two{1 1} stork{1 1} gull{1 1} "
	for who, s := range map[string]memoir.Store{"who wrote": s, "who comes later": open(t, opts)} {
		if got := counted(t, s, strings.Fields("heron one two stork gull")); got != want {
			t.Errorf("%s counts %s, want %s", who, got, want)
		}
	}
}
