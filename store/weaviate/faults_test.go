package weaviate_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/store/weaviate"
	"github.com/memoir-ai/memoir/store/weaviate/weaviatetest"
)

// before returns a server that calls first with each request and its body. What first
// answers, if it has a status, is the answer.
func before(t *testing.T, f *weaviatetest.Server, first func(r *http.Request, body string) (status int, answer string)) (url string) {
	t.Helper()
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		if status, answer := first(r, string(body)); status != 0 {
			w.WriteHeader(status)
			io.WriteString(w, answer)
			return
		}
		f.Config.Handler.ServeHTTP(w, r)
	}))
	t.Cleanup(proxy.Close)
	return proxy.URL
}

// Who reads slowly what was there before a write of the same process does not bring it back.
func TestSlowReaderBesideWriter(t *testing.T) {
	f := weaviatetest.New(t)
	write(t, open(t, weaviate.Options{URL: f.URL, Tenant: "one"}), noted("a.md", "heron"))
	var slow atomic.Bool
	reading, written := make(chan struct{}), make(chan struct{})
	slow.Store(true)
	url := before(t, f, func(_ *http.Request, body string) (int, string) {
		if strings.Contains(body, "ContainsAny") && slow.CompareAndSwap(true, false) { // the pages
			close(reading)
			<-written
		}
		return 0, ""
	})
	s := open(t, weaviate.Options{URL: url, Tenant: "one", Fresh: time.Hour})
	done := make(chan error, 1)
	go func() { done <- s.View(t.Context(), func(memoir.View) error { return nil }) }()
	<-reading
	write(t, s, noted("b.md", "heron"))
	close(written)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if got, err := find(t, s, "heron"); err != nil || len(got) != 2 {
		t.Errorf("after its own write it finds %v, %v", got, err)
	}
}

// A listing that is made anew while the server is gone keeps the vectors: what cannot be read
// now is not damaged.
func TestHealKeepsVectors(t *testing.T) {
	f := weaviatetest.New(t)
	s := open(t, weaviate.Options{URL: f.URL, Tenant: "one"})
	write(t, s, noted("a.md", "heron"))
	putVector(t, s, "heron", 1, 0)
	f.Mu.Lock()
	for id, o := range f.Objects["MemoirWords2 one"] {
		var plain map[string]any
		if weaviate.Unpack(o.Properties["data"], &plain) == nil && plain["Documents"] != nil {
			delete(f.Objects["MemoirWords2 one"], id)
		}
	}
	f.Mu.Unlock()
	gone := false
	s = open(t, weaviate.Options{Tenant: "one", URL: before(t, f, func(_ *http.Request, body string) (int, string) {
		if gone && strings.Contains(body, "ContainsAny") {
			return 503, "busy"
		}
		return 0, ""
	})})
	if _, err := s.Stats(t.Context(), space); !errors.Is(err, memoir.ErrCorrupt) {
		t.Fatalf("a page is missing: %v", err)
	}
	gone = true
	if err := s.Heal(t.Context(), false); !errors.Is(err, memoir.ErrUnavailable) {
		t.Errorf("healed while nothing can be read: %v", err)
	}
	gone = false
	if err := s.Heal(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	write(t, s, noted("a.md", "heron"))
	if st, err := s.Stats(t.Context(), space); err != nil || st.Documents != 1 || st.Pending != 0 {
		t.Errorf("healed: %+v, %v", st, err)
	}
}

// Who cannot delete does not try it for each hundred of many documents: the rest stays for
// the next write.
func TestDeletionsGivenUp(t *testing.T) {
	f := weaviatetest.New(t)
	tries := 0
	refuse := true
	s := open(t, weaviate.Options{Tenant: "one", URL: before(t, f, func(r *http.Request, _ string) (int, string) {
		if r.Method == http.MethodDelete && refuse {
			tries++
			return 500, "busy"
		}
		return 0, ""
	})})
	var docs []memoir.IndexedDocument
	var ids []memoir.DocID
	for i := range 350 {
		docs = append(docs, noted(memoir.DocID(fmt.Sprintf("%03d.md", i)), "heron"))
		ids = append(ids, docs[i].ID)
	}
	write(t, s, docs...)
	if err := s.Write(t.Context(), memoir.Changes{Delete: ids}); err != nil {
		t.Fatal(err)
	}
	if tries > 2 {
		t.Errorf("%d deletions were tried, want one at each level", tries)
	}
	refuse = false
	write(t, s, noted("a.md", "stork"))
	f.Mu.Lock()
	defer f.Mu.Unlock()
	for _, o := range f.Objects["MemoirWords2 one"] {
		if strings.Contains(o.Properties["terms"], "heron") {
			t.Fatal("what was left is not deleted by the next write")
		}
	}
}

// A server that says each time that it has deleted what is there still is not asked for ever.
func TestDeletionsWithoutEnd(t *testing.T) {
	f := weaviatetest.New(t)
	s := open(t, weaviate.Options{Tenant: "one", URL: before(t, f, func(r *http.Request, _ string) (int, string) {
		if r.Method == http.MethodDelete {
			return 200, `{"results":{"matches":10000,"limit":10000,"successful":10000}}`
		}
		return 0, ""
	})})
	write(t, s, noted("a.md", "heron"))
	write(t, s, noted("a.md", "stork"))
	if got, err := find(t, s, "stork"); err != nil || len(got) != 1 {
		t.Errorf("found are %v, %v", got, err)
	}
}

// An answer that is JSON and no object is not taken for damage: whoever heals would make the
// whole index anew.
func TestAnswerOfSomebodyElse(t *testing.T) {
	f := weaviatetest.New(t)
	write(t, open(t, weaviate.Options{URL: f.URL, Tenant: "one"}), noted("a.md", "heron"))
	for _, answer := range []string{"null", "{}", `{"status":"maintenance"}`, `{"id":"00000000-0000-4000-8000-000000000000","properties":{"data":"AAAA"}}`} {
		s := open(t, weaviate.Options{Tenant: "one", URL: before(t, f, func(r *http.Request, _ string) (int, string) {
			if strings.HasPrefix(r.URL.Path, "/v1/objects") {
				return 200, answer
			}
			return 0, ""
		})})
		if _, err := find(t, s, "heron"); !errors.Is(err, memoir.ErrUnavailable) || errors.Is(err, memoir.ErrCorrupt) {
			t.Errorf("%s: %v", answer, err)
		}
	}
}

// What was not asked for is not read, whatever it is.
func TestUnaskedObjects(t *testing.T) {
	f := weaviatetest.New(t)
	write(t, open(t, weaviate.Options{URL: f.URL, Tenant: "one"}), noted("a.md", "heron"))
	f.Mu.Lock()
	f.Spoil = func(_ *http.Request, body string) string {
		return strings.Replace(body, `"Get":{"MemoirWords2":[{`, `"Get":{"MemoirWords2":[{"data":"broken","_additional":{"id":"00000000-0000-4000-8000-000000000000"}},{`, 1)
	}
	f.Mu.Unlock()
	if got, err := find(t, open(t, weaviate.Options{URL: f.URL, Tenant: "one"}), "heron"); err != nil || len(got) != 1 {
		t.Errorf("found are %v, %v", got, err)
	}
}

// An object that failed without a reason was not kept.
func TestFailedWithoutReason(t *testing.T) {
	f := weaviatetest.New(t)
	s := open(t, weaviate.Options{URL: f.URL, Tenant: "one"})
	f.Mu.Lock()
	f.Spoil = func(r *http.Request, body string) string {
		if r.Method == http.MethodPost && strings.HasPrefix(r.URL.Path, "/v1/batch") {
			return strings.Replace(body, "SUCCESS", "FAILED", 1)
		}
		return body
	}
	f.Mu.Unlock()
	if err := s.Write(t.Context(), memoir.Changes{Put: []memoir.IndexedDocument{noted("a.md", "heron")}}); !errors.Is(err, memoir.ErrUnavailable) {
		t.Errorf("got %v", err)
	}
}

// A document whose objects are gone or cannot be read, although nobody has written it, does
// not keep anybody from finding the others. The next sync indexes it again, and only it.
func TestHealDocuments(t *testing.T) {
	for name, harm := range map[string]func(f *weaviatetest.Server, o *weaviatetest.Object){
		"gone":       func(f *weaviatetest.Server, o *weaviatetest.Object) { delete(f.Objects["MemoirWords2 one"], o.ID) },
		"unreadable": func(_ *weaviatetest.Server, o *weaviatetest.Object) { o.Properties["data"] = "broken" },
	} {
		for part, holds := range map[string]func(o *weaviatetest.Object) bool{
			"passages": func(o *weaviatetest.Object) bool { return strings.Contains(o.Properties["terms"], "one") },
			"terms": func(o *weaviatetest.Object) bool {
				var of struct{ Terms []string }
				return weaviate.Unpack(o.Properties["data"], &of) == nil && slices.Contains(of.Terms, "one")
			},
		} {
			f := weaviatetest.New(t)
			write(t, open(t, weaviate.Options{URL: f.URL, Tenant: "one"}), noted("a.md", "heron one"), noted("b.md", "heron two"))
			f.Mu.Lock()
			for _, o := range f.Objects["MemoirWords2 one"] {
				if holds(o) {
					harm(f, o)
				}
			}
			f.Mu.Unlock()
			s := open(t, weaviate.Options{URL: f.URL, Tenant: "one"})
			if outdated(t, s, func(v memoir.View) error {
				if err := searching(t, "heron")(v); err != nil {
					return err
				}
				chunks, err := v.Chunks(t.Context(), []memoir.ChunkID{{Doc: "a.md"}, {Doc: "b.md"}})
				if !slices.ContainsFunc(chunks, func(c memoir.Chunk) bool { return c.Doc == "b.md" }) {
					t.Errorf("%s, %s: the other note is not read", name, part)
				}
				return err
			}) {
				t.Errorf("%s, %s: damage is taken for a change", name, part)
			}
			if err := s.Heal(t.Context(), false); err != nil {
				t.Fatal(err)
			}
			var left []memoir.DocID
			for d, err := range s.Documents(t.Context()) {
				if err != nil {
					t.Fatal(err)
				}
				left = append(left, d.ID)
			}
			if !slices.Equal(left, []memoir.DocID{"b.md"}) {
				t.Errorf("%s, %s: the next sync takes %v for indexed", name, part, left)
			}
			write(t, s, noted("a.md", "heron one"))
			if got, err := find(t, s, "heron"); err != nil || len(got) != 2 {
				t.Errorf("%s, %s: mended, found are %v, %v", name, part, got, err)
			}
		}
	}
}

// Vectors that are gone are computed again after a rebuild, however many they are.
func TestManyVectorsLost(t *testing.T) {
	f := weaviatetest.New(t)
	s := open(t, weaviate.Options{URL: f.URL, Tenant: "one"})
	vectors := map[memoir.Hash][]float32{}
	for i := range 10_001 { // more than one request returns
		vectors[memoir.HashText(fmt.Sprint(i))] = []float32{1, 0}
	}
	write(t, s, noted("a.md", "7"))
	if err := s.PutVectors(t.Context(), space, vectors, nil); err != nil {
		t.Fatal(err)
	}
	f.Mu.Lock()
	for at := range f.Objects {
		if strings.HasPrefix(at, "MemoirVectors") {
			clear(f.Objects[at])
		}
	}
	f.Mu.Unlock()
	if err := s.Clear(t.Context()); err != nil {
		t.Fatal(err)
	}
	write(t, s, noted("a.md", "7"))
	if st, err := s.Stats(t.Context(), space); err != nil || st.Pending != 1 {
		t.Errorf("%+v, %v; want one text without a vector", st, err)
	}
}

// A server that says when to ask again is asked again then, once and when it is soon.
func TestRetryAfter(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		header string
		fails  int
		want   bool // the answer comes
	}{
		"at once":              {429, "0", 1, true},
		"a time that is past":  {503, "Wed, 21 Oct 2015 07:28:00 GMT", 1, true},
		"twice":                {429, "0", 2, false},
		"much later":           {429, "3600", 1, false},
		"no time":              {503, "soon", 1, false},
		"nothing is said":      {503, "", 1, false},
		"an error, not a wait": {500, "0", 1, false},
	} {
		f := weaviatetest.New(t)
		write(t, open(t, weaviate.Options{URL: f.URL, Tenant: "one"}), noted("a.md", "heron"))
		fails := 0
		proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/v1/graphql" && fails > 0 {
				fails--
				if c.header != "" {
					w.Header().Set("Retry-After", c.header)
				}
				w.WriteHeader(c.status)
				json.NewEncoder(w).Encode("busy")
				return
			}
			f.Config.Handler.ServeHTTP(w, r)
		}))
		t.Cleanup(proxy.Close)
		s := open(t, weaviate.Options{URL: proxy.URL, Tenant: "one"})
		if _, err := find(t, s, "stork"); err != nil {
			t.Fatal(err)
		}
		fails = c.fails
		err := s.View(t.Context(), func(v memoir.View) error {
			_, err := v.List(t.Context(), memoir.Filter{Phrases: []memoir.Phrase{{Terms: []string{"heron"}}}}, 9)
			return err
		})
		if got := err == nil; got != c.want || err != nil && !errors.Is(err, memoir.ErrUnavailable) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
