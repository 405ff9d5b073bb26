package weaviate_test

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/store/weaviate"
	"github.com/memoir-ai/memoir/store/weaviate/weaviatetest"
	"github.com/memoir-ai/memoir/tune"
)

// nearest returns what is found by a vector, the nearest first.
func nearest(t *testing.T, s memoir.Store, query ...float32) (found []string, err error) {
	t.Helper()
	err = s.View(t.Context(), func(v memoir.View) error {
		ms, err := v.SearchVector(t.Context(), space, query, memoir.Filter{}, 99)
		for _, m := range ms {
			found = append(found, fmt.Sprintf("%s %d %.1f", m.Doc, m.Ordinal, m.Score))
		}
		return err
	})
	return found, err
}

func putVector(t *testing.T, s memoir.Store, text string, vector ...float32) {
	t.Helper()
	if err := s.PutVectors(t.Context(), space, map[memoir.Hash][]float32{memoir.HashText(text): vector}, nil); err != nil {
		t.Fatal(err)
	}
}

// settle deletes the vectors that no passage uses.
func settle(t *testing.T, s memoir.Store) {
	t.Helper()
	if err := s.Settle(t.Context(), space, tune.Cache{MaxEntries: 1}); err != nil {
		t.Fatal(err)
	}
}

// vectorObjects returns copies of the vectors that a server has.
func vectorObjects(f *weaviatetest.Server) (all []*weaviatetest.Object) {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	for at, objects := range f.Objects {
		if strings.HasPrefix(at, "MemoirVectors") {
			for _, o := range objects {
				copied := *o
				all = append(all, &copied)
			}
		}
	}
	return all
}

// forget deletes objects of a server.
func forget(f *weaviatetest.Server, all []*weaviatetest.Object) {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	for _, o := range all {
		delete(f.Objects[o.Class+" "+o.Tenant], o.ID)
	}
}

// A deletion that a node has carried out, or still has to, goes over a newer write of the
// same object. So a vector that was deleted and is needed again is another object.
func TestVectorNeededAgain(t *testing.T) {
	f := weaviatetest.New(t)
	opts := weaviate.Options{URL: f.URL, Tenant: "one", Replicas: 3}
	s := open(t, opts)
	write(t, s, noted("a.md", "heron"), noted("b.md", "stork"))
	putVector(t, s, "stork", 0, 1)
	for round := range 3 {
		putVector(t, s, "heron", 1, 0)
		deleted := slices.DeleteFunc(vectorObjects(f), func(o *weaviatetest.Object) bool { return o.Vector[0] == 0 })
		if err := s.Write(t.Context(), memoir.Changes{Delete: []memoir.DocID{"a.md"}}); err != nil {
			t.Fatal(err)
		}
		settle(t, s)
		if left := vectorObjects(f); len(left) != 1 {
			t.Errorf("round %d: %d vectors are left of one that is used", round, len(left))
		}
		write(t, s, noted("a.md", "heron"))
		putVector(t, s, "heron", 1, 0)
		forget(f, deleted)
		for who, s := range map[string]*weaviate.Store{"who wrote": s, "who comes later": open(t, opts)} {
			if got, err := nearest(t, s, 1, 0); err != nil || !slices.Equal(got, []string{"a.md 0 1.0", "b.md 0 0.0"}) {
				t.Errorf("round %d: %s finds %v, %v", round, who, got, err)
			}
		}
	}
}

// A vector that was replaced, and is written late over what came after it, counts for nobody.
func TestVectorGoesBack(t *testing.T) {
	f := weaviatetest.New(t)
	opts := weaviate.Options{URL: f.URL, Tenant: "one", Replicas: 3}
	s := open(t, opts)
	write(t, s, noted("a.md", "heron"))
	putVector(t, s, "heron", 1, 0)
	reader := open(t, opts)
	if got, err := nearest(t, reader, 1, 0); err != nil || len(got) != 1 {
		t.Fatal(got, err)
	}
	late := vectorObjects(f)
	putVector(t, s, "heron", 0, 1)
	if left := vectorObjects(f); len(left) != 1 {
		t.Errorf("%d vectors are left of one that is used", len(left))
	}
	f.PutBack(late)
	for who, s := range map[string]*weaviate.Store{"who wrote": s, "who read before": reader, "who comes later": open(t, opts)} {
		if got, err := nearest(t, s, 0, 1); err != nil || !slices.Equal(got, []string{"a.md 0 1.0"}) {
			t.Errorf("%s finds %v, %v", who, got, err)
		}
	}
}

// What no state names takes room until the index is made anew, and a vector that is gone
// although one does is made anew, too.
func TestVectorsCleared(t *testing.T) {
	f := weaviatetest.New(t)
	s := open(t, weaviate.Options{URL: f.URL, Tenant: "one", Replicas: 3})
	write(t, s, noted("a.md", "heron", "stork"))
	putVector(t, s, "heron", 1, 0)
	first := vectorObjects(f)
	putVector(t, s, "stork", 0, 1)
	f.Mu.Lock()
	f.Spoil = func(r *http.Request, body string) string {
		if r.Method == http.MethodPost && r.URL.Path == "/v1/batch/objects" {
			return "["
		}
		return body
	}
	f.Mu.Unlock()
	if err := s.PutVectors(t.Context(), space, map[memoir.Hash][]float32{memoir.HashText("gull"): {1, 1}}, nil); !errors.Is(err, memoir.ErrUnavailable) {
		t.Fatal(err)
	}
	f.Mu.Lock()
	f.Spoil = nil
	f.Mu.Unlock()
	if got := vectorObjects(f); len(got) != 3 {
		t.Fatalf("%d vectors, want 3 of which one is not named", len(got))
	}
	forget(f, first)
	f.Mu.Lock()
	f.Lagging = map[string]bool{} // and what one replica has missed is not gone
	for _, objects := range f.Objects {
		for id, o := range objects {
			if slices.Equal(o.Vector, []float32{0, 1}) {
				f.Lagging[id] = true
			}
		}
	}
	f.Mu.Unlock()
	if err := s.Clear(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.Mu.Lock()
	f.Lagging = nil
	f.Mu.Unlock()
	write(t, s, noted("a.md", "heron", "stork"))
	var left []string
	for _, o := range vectorObjects(f) {
		left = append(left, fmt.Sprint(o.Vector))
	}
	if !slices.Equal(left, []string{"[0 1]"}) {
		t.Errorf("vectors are left: %v", left)
	}
	texts, err := s.NewestPending(t.Context(), space, time.Time{}, 9)
	if err != nil || len(texts) != 1 || texts[0].Hash != memoir.HashText("heron") {
		t.Errorf("without a vector are %v, %v", texts, err)
	}
}

// What is near is told with its distance, and no vector is read for it. Where two distances
// are about the same, or that of a vector of zeros, the vectors are read and measured.
func TestVectorsRead(t *testing.T) {
	f := weaviatetest.New(t)
	s := open(t, weaviate.Options{URL: f.URL, Tenant: "one"})
	write(t, s, noted("a.md", "heron", "stork", "gull", "zero"))
	putVector(t, s, "heron", 1, .002)
	putVector(t, s, "stork", 1, .001)
	putVector(t, s, "gull", 1, 1)
	putVector(t, s, "zero", 0, 0)
	distance := regexp.MustCompile(`"distance":[0-9.e-]+`)
	for _, test := range []struct {
		name  string
		query []float32
		spoil func(answer string) string
		want  []string
		read  int
	}{
		{"apart", []float32{0, 1}, nil, []string{"a.md 2 0.7", "a.md 0 0.0", "a.md 1 0.0"}, 1}, // that of zeros
		{"about the same, in the wrong order", []float32{1, 0}, func(answer string) string {
			return distance.ReplaceAllStringFunc(answer, func(m string) string {
				d, err := strconv.ParseFloat(m[len(`"distance":`):], 32)
				if err != nil || d > 1e-5 {
					return m
				}
				return fmt.Sprintf(`"distance":%v`, 3e-6-d)
			})
		}, []string{"a.md 1 1.0", "a.md 0 1.0", "a.md 2 0.7"}, 3},
		{"no distance", []float32{1, 0}, func(answer string) string { return strings.ReplaceAll(answer, "distance", "far") }, nil, 0},
		{"no number", []float32{1, 0}, func(answer string) string { return strings.ReplaceAll(answer, `"distance":`, `"distance":7`) }, nil, 0},
		{"null", []float32{1, 0}, func(answer string) string { return strings.ReplaceAll(answer, `"distance":`, `"distance":null,"x":`) }, nil, 0},
	} {
		fresh := open(t, weaviate.Options{URL: f.URL, Tenant: "one"}) // which holds no vector
		read := 0
		f.Mu.Lock()
		f.Spoil = func(_ *http.Request, answer string) string {
			read += strings.Count(answer, `"vector":[`)
			if test.spoil != nil {
				return test.spoil(answer)
			}
			return answer
		}
		f.Mu.Unlock()
		got, err := nearest(t, fresh, test.query...)
		f.Mu.Lock()
		f.Spoil = nil
		f.Mu.Unlock()
		if !slices.Equal(got, test.want) || (err != nil) != (test.want == nil) || err != nil && !errors.Is(err, memoir.ErrUnavailable) {
			t.Errorf("%s: found are %v, %v; want %v", test.name, got, err, test.want)
		}
		if err == nil && read != test.read {
			t.Errorf("%s: %d vectors are read, want %d", test.name, read, test.read)
		}
	}
}
