package weaviate_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/store/weaviate"
	"github.com/memoir-ai/memoir/store/weaviate/weaviatetest"
)

// Beside a node that has just started, an old state that one replica has is not gone on
// from.
func TestStartingNodeOldReplica(t *testing.T) {
	f := weaviatetest.New(t)
	s := open(t, weaviate.Options{URL: f.URL, Tenant: "one", Replicas: 3})
	write(t, s, noted("a.md", "heron"))
	f.Mu.Lock()
	f.Old = map[string]*weaviatetest.Object{}
	for id, o := range f.Objects["MemoirWords2 one"] {
		copied := *o
		f.Old[id] = &copied
	}
	f.Mu.Unlock()
	write(t, s, noted("b.md", "heron"))
	f.Mu.Lock()
	for id, o := range f.Old { // what it has not deleted yet
		if f.Objects["MemoirWords2 one"][id] == nil {
			f.Objects["MemoirWords2 one"][id] = o
		}
	}
	f.Starting = 1
	f.Mu.Unlock()
	if err := s.Write(t.Context(), memoir.Changes{Put: []memoir.IndexedDocument{noted("c.md", "heron")}}); err != nil && !errors.Is(err, memoir.ErrUnavailable) {
		t.Fatal(err)
	}
	write(t, s, noted("c.md", "heron"))
	f.Mu.Lock()
	f.Old = nil
	f.Mu.Unlock()
	if got, err := find(t, s, "heron"); err != nil || len(got) != 3 {
		t.Errorf("%v, %v", got, err)
	}
}

// What a replica has missed is asked for of the others.
func TestLaggingReplica(t *testing.T) {
	f := weaviatetest.New(t)
	opts := weaviate.Options{URL: f.URL, Tenant: "one", Replicas: 3}
	s := open(t, opts)
	write(t, s, noted("a.md", "heron one"), noted("b.md", "heron two"))
	if err := s.PutVectors(t.Context(), space, map[memoir.Hash][]float32{memoir.HashText("heron one"): {1, 0}, memoir.HashText("heron two"): {0, 1}}, nil); err != nil {
		t.Fatal(err)
	}
	f.Mu.Lock()
	f.Lagging = map[string]bool{}
	for _, objects := range f.Objects {
		for id := range objects {
			f.Lagging[id] = true
		}
	}
	f.Mu.Unlock()
	for _, s := range []*weaviate.Store{s, open(t, opts)} {
		err := s.View(t.Context(), func(v memoir.View) error {
			chunks, err := v.Chunks(t.Context(), []memoir.ChunkID{{Doc: "a.md"}, {Doc: "b.md"}})
			if err != nil || len(chunks) != 2 {
				t.Errorf("passages: %v, %v", chunks, err)
			}
			near, err := v.SearchVector(t.Context(), space, []float32{1, 0}, memoir.Filter{Kinds: []memoir.Kind{memoir.KindNote}}, 9)
			if err != nil || len(near) != 2 || near[0].Doc != "a.md" {
				t.Errorf("vectors: %v, %v", near, err)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// A page of the listing that one replica alone has is found there; while one is silent that
// may have it, the index is not called damaged.
func TestRarePage(t *testing.T) {
	f := weaviatetest.New(t)
	opts := weaviate.Options{URL: f.URL, Tenant: "one", Replicas: 3}
	listed := func(memoir.View) error { return nil }
	write(t, open(t, opts), noted("a.md", "heron"))
	f.Mu.Lock()
	f.Rare = map[string]bool{}
	for id := range f.Objects["MemoirWords2 one"] {
		f.Rare[id] = !weaviate.IsState(id)
	}
	f.Mu.Unlock()
	if err := open(t, opts).View(t.Context(), listed); err != nil {
		t.Error(err)
	}
	f.Mu.Lock()
	f.Down = true
	f.Mu.Unlock()
	if err := open(t, opts).View(t.Context(), listed); !errors.Is(err, memoir.ErrUnavailable) || errors.Is(err, memoir.ErrCorrupt) {
		t.Errorf("one is silent: %v", err)
	}
	f.Mu.Lock()
	f.Down = false
	for id := range f.Rare {
		if f.Rare[id] {
			delete(f.Objects["MemoirWords2 one"], id)
		}
	}
	f.Mu.Unlock()
	if err := open(t, opts).View(t.Context(), listed); !errors.Is(err, memoir.ErrCorrupt) {
		t.Errorf("no replica has it: %v", err)
	}
}

// A write that Weaviate could not send to a node is carried out when the node is back, over
// what was written since: the state of the tenant goes back on all replicas, to one whose
// pages are deleted by then. Nobody follows it.
func TestStateGoesBack(t *testing.T) {
	for name, turns := range map[string]func() func(context.Context) (weaviate.Turn, error){
		"alone":           func() func(context.Context) (weaviate.Turn, error) { return nil },
		"turns of many":   func() func(context.Context) (weaviate.Turn, error) { return newTurnstile().take },
		"turns of itself": func() func(context.Context) (weaviate.Turn, error) { return newTurnstile().takeAgain },
	} {
		for _, since := range []int{1, 7, 20} {
			f := weaviatetest.New(t)
			opts := weaviate.Options{URL: f.URL, Tenant: "one", Replicas: 3, Turns: turns()}
			s := open(t, opts)
			write(t, s, noted("a.md", "heron"), noted("b.md", "heron"))
			late := f.States("MemoirWords2 one", weaviate.IsState)
			for i := range since {
				write(t, s, noted(memoir.DocID(fmt.Sprintf("c%d.md", i)), "heron"))
			}
			if err := s.Write(t.Context(), memoir.Changes{Delete: []memoir.DocID{"b.md"}}); err != nil {
				t.Fatal(err)
			}
			f.PutBack(late)
			for who, s := range map[string]*weaviate.Store{"who wrote it": s, "who comes later": open(t, opts)} {
				if got, err := find(t, s, "heron"); err != nil || len(got) != 1+since {
					t.Errorf("%s, %d writes later: %s finds %v, %v", name, since, who, got, err)
				}
				if err := s.Write(t.Context(), memoir.Changes{Delete: []memoir.DocID{"b.md"}}); err != nil {
					t.Errorf("%s, %d writes later: %s writes: %v", name, since, who, err)
				}
				f.PutBack(late)
			}
			if got, err := find(t, open(t, opts), "heron"); err != nil || len(got) != 1+since {
				t.Errorf("%s, %d writes later: written again, found are %v, %v", name, since, got, err)
			}
		}
	}
}

// Nor does a process follow it that has read an older state, or that very one, while others
// wrote the newer ones.
func TestStateGoesBackForReader(t *testing.T) {
	for _, seen := range []int{0, 1} { // of the writes before that which comes back, or it
		f := weaviatetest.New(t)
		opts := weaviate.Options{URL: f.URL, Tenant: "one", Replicas: 3}
		one, two := open(t, opts), open(t, opts)
		var late []*weaviatetest.Object
		for i, doc := range []memoir.DocID{"a.md", "b.md", "c.md", "d.md"} {
			write(t, one, noted(doc, "heron"))
			if i == seen {
				if got, err := find(t, two, "heron"); err != nil || len(got) != seen+1 {
					t.Fatalf("found are %v, %v", got, err)
				}
			}
			if i == 1 {
				late = f.States("MemoirWords2 one", weaviate.IsState)
			}
		}
		f.PutBack(late)
		write(t, two, noted("e.md", "heron"))
		for who, s := range map[string]*weaviate.Store{"who wrote before": one, "who wrote": two, "who comes later": open(t, opts)} {
			if got, err := find(t, s, "heron"); err != nil || len(got) != 5 {
				t.Errorf("after %d writes seen: %s finds %v, %v", seen+1, who, got, err)
			}
		}
	}
}

// A write that was not acknowledged, and is carried out after the next one was, does not
// stand in its place.
func TestRefusedWriteArrivesLate(t *testing.T) {
	f := weaviatetest.New(t)
	opts := weaviate.Options{URL: f.URL, Tenant: "one", Replicas: 3}
	write(t, open(t, opts), noted("a.md", "heron"))
	before := f.States("MemoirWords2 one", weaviate.IsState)
	write(t, open(t, opts), noted("b.md", "heron"))
	late := f.States("MemoirWords2 one", weaviate.IsState)
	f.Mu.Lock()
	for _, o := range late {
		delete(f.Objects["MemoirWords2 one"], o.ID)
	}
	f.Mu.Unlock()
	f.PutBack(before)
	s := open(t, opts)
	write(t, s, noted("c.md", "heron"))
	f.PutBack(late)
	for who, s := range map[string]*weaviate.Store{"who wrote the next": s, "who comes later": open(t, opts)} {
		got, err := find(t, s, "heron")
		slices.Sort(got)
		if want := []string{"a.md 0", "c.md 0"}; err != nil || !slices.Equal(got, want) {
			t.Errorf("%s finds %v, %v; want %v", who, got, err, want)
		}
	}
}

// An index that was made anew, because nobody saw its newest state, stays so when that
// state is seen again.
func TestHealedStays(t *testing.T) {
	f := weaviatetest.New(t)
	opts := weaviate.Options{URL: f.URL, Tenant: "one", Replicas: 3}
	s := open(t, opts)
	write(t, s, noted("a.md", "heron"), noted("b.md", "heron"))
	late := f.States("MemoirWords2 one", weaviate.IsState)
	for i := range 4 {
		write(t, s, noted(memoir.DocID(fmt.Sprintf("c%d.md", i)), "heron"))
	}
	if err := s.Write(t.Context(), memoir.Changes{Delete: []memoir.DocID{"b.md"}}); err != nil {
		t.Fatal(err)
	}
	unseen := f.States("MemoirWords2 one", weaviate.IsState)
	f.PutBack(late)
	f.Mu.Lock()
	f.Lagging = map[string]bool{}
	for _, o := range unseen {
		f.Lagging[o.ID] = true
	}
	f.Mu.Unlock()
	s = open(t, opts)
	if _, err := find(t, s, "heron"); !errors.Is(err, memoir.ErrCorrupt) {
		t.Fatalf("its pages are gone: %v", err)
	}
	if err := s.Heal(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	write(t, s, noted("a.md", "heron"))
	f.Mu.Lock()
	f.Lagging = nil
	f.Mu.Unlock()
	f.PutBack(unseen)
	for who, s := range map[string]*weaviate.Store{"who healed it": s, "who comes later": open(t, opts)} {
		if got, err := find(t, s, "heron"); err != nil || !slices.Equal(got, []string{"a.md 0"}) {
			t.Errorf("%s finds %v, %v", who, got, err)
		}
	}
}
