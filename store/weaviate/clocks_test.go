package weaviate_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/store/weaviate"
	"github.com/memoir-ai/memoir/store/weaviate/weaviatetest"
)

// jumps are how far the clock of who writes may be off.
var jumps = []time.Duration{-50 * 365 * 24 * time.Hour, -5 * time.Minute, 0, 5 * time.Minute, 50 * 365 * 24 * time.Hour}

// writtenBy makes the states of a tenant those of somebody whose clock is off by so much.
func writtenBy(t *testing.T, f *weaviatetest.Server, off time.Duration) {
	t.Helper()
	states := f.States("MemoirWords2 one", weaviate.IsState)
	for _, o := range states {
		data, err := weaviate.Written(o.Properties["data"], time.Now().Add(off))
		if err != nil {
			t.Fatal(err)
		}
		o.Properties = map[string]string{"of": o.Properties["of"], "data": data}
	}
	f.PutBack(states)
}

// Clocks that differ by minutes or years lose nothing and bring nothing back: what was
// written before and after is known by a number in the states, also when an older state
// stands over a newer one again.
func TestClocks(t *testing.T) {
	for _, first := range jumps {
		for _, then := range jumps {
			f := weaviatetest.New(t)
			opts := weaviate.Options{URL: f.URL, Tenant: "one", Replicas: 3}
			write(t, open(t, opts), noted("a.md", "heron"), noted("b.md", "heron"))
			writtenBy(t, f, first)
			late := f.States("MemoirWords2 one", weaviate.IsState)
			s := open(t, opts)
			if err := s.Write(t.Context(), memoir.Changes{Put: []memoir.IndexedDocument{noted("a.md", "crane"), noted("c.md", "heron")}, Delete: []memoir.DocID{"b.md"}}); err != nil {
				t.Fatal(err)
			}
			writtenBy(t, f, then)
			for range 2 { // as it is, and after the older state is back
				for who, s := range map[string]*weaviate.Store{"who wrote": s, "who comes later": open(t, opts)} {
					if got, err := find(t, s, "heron"); err != nil || !slices.Equal(got, []string{"c.md 0"}) {
						t.Errorf("clocks off by %v, then %v: %s finds %v, %v", first, then, who, got, err)
					}
				}
				f.PutBack(late)
			}
			write(t, open(t, opts), noted("d.md", "heron"))
			if got, err := find(t, open(t, opts), "heron"); err != nil || len(got) != 2 {
				t.Errorf("clocks off by %v, then %v: written again, found are %v, %v", first, then, got, err)
			}
		}
	}
}

// A write that was not acknowledged, and arrives after the next one of the same process,
// does not stand in its place, even if the clock was set back between them.
func TestClockSetBackBetweenTries(t *testing.T) {
	for _, ahead := range jumps {
		f := weaviatetest.New(t)
		opts := weaviate.Options{URL: f.URL, Tenant: "one", Replicas: 3}
		s := open(t, opts)
		write(t, s, noted("a.md", "heron"))
		before := f.States("MemoirWords2 one", weaviate.IsState)
		f.Mu.Lock()
		f.Spoil = func(r *http.Request, body string) string {
			states := 0
			for _, o := range f.Objects["MemoirWords2 one"] {
				if weaviate.IsState(o.Properties["of"]) {
					states++
				}
			}
			if r.Method == http.MethodPost && strings.HasPrefix(r.URL.Path, "/v1/batch") && states > len(before) {
				return "[]" // the state is written, and nobody says so
			}
			return body
		}
		f.Mu.Unlock()
		if err := s.Write(t.Context(), memoir.Changes{Put: []memoir.IndexedDocument{noted("b.md", "heron")}}); err == nil {
			t.Fatal("a write that is not answered for succeeds")
		}
		writtenBy(t, f, ahead)
		late := f.States("MemoirWords2 one", weaviate.IsState)
		if len(late) != len(before)+1 {
			t.Fatalf("%d states are there, %d were", len(late), len(before))
		}
		f.Mu.Lock()
		f.Spoil = nil
		for _, o := range late {
			delete(f.Objects["MemoirWords2 one"], o.ID)
		}
		f.Mu.Unlock()
		f.PutBack(before)
		write(t, s, noted("c.md", "heron"))
		f.PutBack(late)
		for who, s := range map[string]*weaviate.Store{"who wrote": s, "who comes later": open(t, opts)} {
			got, err := find(t, s, "heron")
			slices.Sort(got)
			if want := []string{"a.md 0", "c.md 0"}; err != nil || !slices.Equal(got, want) {
				t.Errorf("ahead by %v: %s finds %v, %v; want %v", ahead, who, got, err, want)
			}
		}
	}
}
