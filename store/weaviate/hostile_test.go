package weaviate_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/store/weaviate"
	"github.com/memoir-ai/memoir/store/weaviate/weaviatetest"
)

func noted(id memoir.DocID, texts ...string) memoir.IndexedDocument {
	doc := memoir.IndexedDocument{DocumentMeta: memoir.DocumentMeta{ID: id, Kind: memoir.KindNote, Hash: memoir.HashText(fmt.Sprint(texts))}}
	for i, text := range texts {
		c := memoir.IndexedChunk{Chunk: memoir.Chunk{ChunkMeta: memoir.ChunkMeta{ChunkID: memoir.ChunkID{Doc: id, Ordinal: i}}, StartLine: i + 1, EndLine: i + 1, Text: text}, EmbedHashes: []memoir.Hash{memoir.HashText(text)}}
		c.Terms[memoir.FieldBody] = strings.Fields(text)
		doc.Chunks = append(doc.Chunks, c)
	}
	return doc
}

func write(t *testing.T, s memoir.Store, docs ...memoir.IndexedDocument) {
	t.Helper()
	if err := s.Write(t.Context(), memoir.Changes{Put: docs}); err != nil {
		t.Fatal(err)
	}
}

func find(t *testing.T, s memoir.Store, word string) (found []string, err error) {
	t.Helper()
	err = s.View(t.Context(), func(v memoir.View) error {
		ms, err := memoir.SearchText(t.Context(), v, []memoir.Term{{Text: word, Weight: 1}}, memoir.Filter{}, 99)
		for _, m := range ms {
			found = append(found, fmt.Sprintf("%s %d", m.Doc, m.Ordinal))
		}
		return err
	})
	return found, err
}

var space = memoir.Space{Provider: "test", Model: "m", Dimensions: 2}

// What comes back after its deletion, or was written and never counted, is not seen.
func TestGhosts(t *testing.T) {
	f := weaviatetest.New(t)
	s := open(t, weaviate.Options{URL: f.URL, Tenant: "one"})
	write(t, s, noted("a.md", "heron one", "heron two"), noted("b.md", "heron three"))
	f.Mu.Lock()
	ghosts := map[string]*weaviatetest.Object{}
	for id, o := range f.Objects["MemoirWords2 one"] {
		copied := *o
		ghosts[id] = &copied
	}
	f.Mu.Unlock()
	write(t, s, noted("a.md", "heron four"))
	if err := s.Write(t.Context(), memoir.Changes{Delete: []memoir.DocID{"b.md"}}); err != nil {
		t.Fatal(err)
	}
	f.Mu.Lock()
	for id, o := range ghosts {
		if f.Objects["MemoirWords2 one"][id] == nil {
			f.Objects["MemoirWords2 one"][id] = o
		}
	}
	n := len(f.Objects["MemoirWords2 one"])
	f.Mu.Unlock()
	for _, s := range []memoir.Store{s, open(t, weaviate.Options{URL: f.URL, Tenant: "one"})} {
		if got, err := find(t, s, "heron"); err != nil || len(got) != 1 || got[0] != "a.md 0" {
			t.Errorf("got %v, %v; want the one that counts", got, err)
		}
	}
	if err := s.Clear(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.Mu.Lock()
	defer f.Mu.Unlock()
	if left := len(f.Objects["MemoirWords2 one"]); left != 2 || n < 6 {
		t.Errorf("of %d objects %d are left, want the two of the state alone", n, left)
	}
}

// Of two tenants neither sees anything of the other.
func TestTenants(t *testing.T) {
	f := weaviatetest.New(t)
	one, two := open(t, weaviate.Options{URL: f.URL, Tenant: "one"}), open(t, weaviate.Options{URL: f.URL, Tenant: "two"})
	write(t, one, noted("a.md", "heron"))
	if got, err := find(t, two, "heron"); err != nil || len(got) != 0 {
		t.Errorf("another tenant finds %v, %v", got, err)
	}
	// A tenant that somebody deletes is empty, and can be filled again.
	f.Mu.Lock()
	delete(f.Tenants["MemoirWords2"], "one")
	delete(f.Objects, "MemoirWords2 one")
	f.Mu.Unlock()
	if got, err := find(t, one, "heron"); err != nil || len(got) != 0 {
		t.Errorf("a tenant that is gone: %v, %v", got, err)
	}
	write(t, one, noted("a.md", "heron"))
	if got, err := find(t, one, "heron"); err != nil || len(got) != 1 {
		t.Errorf("a tenant that is back: %v, %v", got, err)
	}
	// One that sleeps is woken.
	f.Mu.Lock()
	f.Tenants["MemoirWords2"]["one"] = "COLD"
	f.Mu.Unlock()
	open(t, weaviate.Options{URL: f.URL, Tenant: "one"})
	f.Mu.Lock()
	defer f.Mu.Unlock()
	if got := f.Tenants["MemoirWords2"]["one"]; got != "HOT" {
		t.Errorf("the tenant is %s", got)
	}
}

// Who closes an index for good puts its tenant to sleep. Others do not notice.
func TestSleep(t *testing.T) {
	f := weaviatetest.New(t)
	state := func() string {
		f.Mu.Lock()
		defer f.Mu.Unlock()
		return f.Tenants["MemoirWords2"]["one"]
	}
	other := open(t, weaviate.Options{URL: f.URL, Tenant: "one"})
	for _, sleeps := range []bool{false, true} {
		s := open(t, weaviate.Options{URL: f.URL, Tenant: "one", Sleeps: sleeps})
		write(t, s, noted("a.md", "heron"))
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if got, want := state(), map[bool]string{false: "HOT", true: "COLD"}[sleeps]; got != want {
			t.Errorf("sleeps %v: it is %s, want %s", sleeps, got, want)
		}
		if got, err := find(t, other, "heron"); err != nil || len(got) != 1 || state() != "HOT" {
			t.Errorf("sleeps %v: another finds %v, %v; the tenant is %s", sleeps, got, err, state())
		}
	}
	// A server that is gone does not keep anybody from closing.
	s := open(t, weaviate.Options{URL: f.URL, Tenant: "one", Sleeps: true})
	f.Close()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// A write that is not acknowledged is not seen, and succeeds when it is done again.
func TestRefusedWrite(t *testing.T) {
	f := weaviatetest.New(t)
	s := open(t, weaviate.Options{URL: f.URL, Tenant: "one"})
	write(t, s, noted("a.md", "heron"))
	for name, spoil := range map[string]func(r *http.Request, body string) string{
		"an object that is not kept": func(r *http.Request, body string) string {
			if r.Method == http.MethodPost && strings.HasPrefix(r.URL.Path, "/v1/batch") {
				return strings.Replace(body, `"result":{`, `"result":{"errors":{"error":[{"message":"disk full"}]},`, 1)
			}
			return body
		},
		"fewer results than objects": func(r *http.Request, body string) string {
			if r.Method == http.MethodPost && strings.HasPrefix(r.URL.Path, "/v1/batch") {
				return "[]"
			}
			return body
		},
	} {
		f.Mu.Lock()
		f.Spoil = spoil
		f.Mu.Unlock()
		err := s.Write(t.Context(), memoir.Changes{Put: []memoir.IndexedDocument{noted("b.md", "heron")}})
		f.Mu.Lock()
		f.Spoil = nil
		f.Mu.Unlock()
		if !errors.Is(err, memoir.ErrUnavailable) {
			t.Errorf("%s: got %v", name, err)
		}
		if got, err := find(t, s, "heron"); err != nil || len(got) != 1 {
			t.Errorf("%s: found are %v, %v", name, got, err)
		}
	}
	write(t, s, noted("b.md", "heron"))
	if got, err := find(t, s, "heron"); err != nil || len(got) != 2 {
		t.Errorf("done again: found are %v, %v", got, err)
	}
}

// What is no answer is an error that says so, or nothing, and never anything else.
func TestBadAnswers(t *testing.T) {
	f := weaviatetest.New(t)
	s := open(t, weaviate.Options{URL: f.URL, Tenant: "one", Key: "secret-key"})
	write(t, s, noted("a.md", "heron"))
	if err := s.PutVectors(t.Context(), space, map[memoir.Hash][]float32{memoir.HashText("heron"): {1, 0}}, nil); err != nil {
		t.Fatal(err)
	}
	hit := func(extra string) string {
		return `{"data":{"Get":{"MemoirWords2":[{"data":"x","_additional":{"id":` + extra + `}}]}}}`
	}
	answers := []string{
		"", "null", "[]", "7", `"x"`, "{", "<html>", `{"data":null}`, `{"data":{"Get":null}}`, `{"data":{"Get":{"Other":[]}}}`, `{"data":{"Get":{"MemoirWords2":null}}}`,
		`{"errors":[{"message":"secret-key\n\u0007 is wrong"}]}`, `{"errors":[{}]}`, hit("7"), hit(`"x"`), hit(`"00000000-0000-0000-0000-00000000000g"`), hit(`"00000000-0000-4000-8000-000000000000"`),
		strings.Repeat("[", 100_000), `{"properties":{"data":"AAAA"}}`, `{"properties":{"data":"%"}}`, `{"properties":{}}`,
		`{"data":{"Get":{"MemoirVectors1_x":[{"_additional":{"vector":[1e39]}}]}}}`,
	}
	for _, path := range []string{"/v1/graphql", "/v1/objects"} {
		for _, text := range answers {
			fresh := open(t, weaviate.Options{URL: f.URL, Tenant: "one", Key: "secret-key"}) // nothing is known yet
			f.Mu.Lock()
			f.Spoil = func(r *http.Request, body string) string {
				if strings.HasPrefix(r.URL.Path, path) {
					return text
				}
				return body
			}
			f.Mu.Unlock()
			for _, s := range []memoir.Store{s, fresh} {
				got, err := find(t, s, "heron")
				if err != nil && strings.Contains(err.Error(), "secret-key") {
					t.Errorf("%s says %.40s: the key is told: %v", path, text, err)
				}
				if err == nil && len(got) > 1 {
					t.Errorf("%s says %.40s: found are %v", path, text, got)
				}
				_ = s.View(t.Context(), func(v memoir.View) error {
					_, err := v.SearchVector(t.Context(), space, []float32{1, 0}, memoir.Filter{}, 9)
					return err
				})
			}
			f.Mu.Lock()
			f.Spoil = nil
			f.Mu.Unlock()
		}
	}
	if got, err := find(t, s, "heron"); err != nil || len(got) != 1 {
		t.Errorf("afterwards: %v, %v", got, err)
	}
}

// A listing that is damaged is told, and replaced with the vectors that are left.
func TestHeal(t *testing.T) {
	f := weaviatetest.New(t)
	s := open(t, weaviate.Options{URL: f.URL, Tenant: "one"})
	write(t, s, noted("a.md", "heron"))
	if err := s.PutVectors(t.Context(), space, map[memoir.Hash][]float32{memoir.HashText("heron"): {1, 0}}, nil); err != nil {
		t.Fatal(err)
	}
	f.Mu.Lock()
	for _, o := range f.Objects["MemoirWords2 one"] {
		if o.Properties["of"] == o.ID && o.Properties["data"] != "" {
			var plain map[string]any
			if weaviate.Unpack(o.Properties["data"], &plain) == nil && plain["Documents"] != nil {
				o.Properties["data"] = "broken"
			}
		}
	}
	f.Mu.Unlock()
	s = open(t, weaviate.Options{URL: f.URL, Tenant: "one"})
	if _, err := s.Stats(t.Context(), space); !errors.Is(err, memoir.ErrCorrupt) {
		t.Fatalf("a broken page: %v", err)
	}
	if err := s.Heal(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	write(t, s, noted("a.md", "heron"))
	if st, err := s.Stats(t.Context(), space); err != nil || st.Documents != 1 || st.Pending != 0 {
		t.Errorf("healed: %+v, %v", st, err)
	}
}

func TestOpenRefuses(t *testing.T) {
	f := weaviatetest.New(t)
	f.Classes["MemoirWords2"] = json.RawMessage(`{"class":"MemoirWords2","description":"mine"}`)
	if _, err := weaviate.Open(t.Context(), weaviate.Options{URL: f.URL, Tenant: "one"}); !errors.Is(err, memoir.ErrForeign) || memoir.Hint(err) == "" {
		t.Errorf("a collection of somebody else: %v", err)
	}
	for _, opts := range []weaviate.Options{
		{URL: "ftp://x", Tenant: "a"}, {URL: "", Tenant: "a"}, {URL: "http://u:p@x", Tenant: "a"}, {URL: f.URL}, {URL: f.URL, Tenant: "a/b"}, {URL: f.URL, Tenant: strings.Repeat("a", 65)}, {URL: f.URL, Tenant: "a", Key: "k\n"},
	} {
		if _, err := weaviate.Open(t.Context(), opts); !errors.Is(err, memoir.ErrInvalid) {
			t.Errorf("%+v: %v", opts, err)
		}
	}
	for status, hint := range map[int]string{401: "weaviate.apiKey", 302: "weaviate.url", 500: "memoir doctor"} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "http://127.0.0.1:1/")
			w.WriteHeader(status)
		}))
		_, err := weaviate.Open(t.Context(), weaviate.Options{URL: server.URL, Tenant: "a"})
		if !errors.Is(err, memoir.ErrUnavailable) || !strings.Contains(memoir.Hint(err), hint) {
			t.Errorf("status %d: %v, hint %q", status, err, memoir.Hint(err))
		}
		server.Close()
		if _, err := weaviate.Open(t.Context(), weaviate.Options{URL: server.URL, Tenant: "a"}); !errors.Is(err, memoir.ErrUnavailable) || !strings.Contains(memoir.Hint(err), "start Weaviate") {
			t.Errorf("nobody is there: %v, hint %q", err, memoir.Hint(err))
		}
	}
}

// A server that says nothing is not waited for longer than the time of a request.
func TestDeadline(t *testing.T) {
	done := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-done:
		}
	}))
	defer server.Close()
	defer close(done)
	_, err := weaviate.Open(t.Context(), weaviate.Options{URL: server.URL, Tenant: "a", Timeout: time.Millisecond})
	if !errors.Is(err, memoir.ErrUnavailable) || !strings.Contains(err.Error(), "no answer within") {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := weaviate.Open(ctx, weaviate.Options{URL: server.URL, Tenant: "a"}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v", err)
	}
}

// A tenant that is deleted has nothing left in any collection, and the others all.
func TestDeleteTenant(t *testing.T) {
	f := weaviatetest.New(t)
	for _, name := range []string{"one", "two"} {
		s := open(t, weaviate.Options{URL: f.URL, Tenant: name})
		write(t, s, noted("a.md", "heron"))
		if err := errors.Join(s.PutSpace(t.Context(), space, memoir.SpaceFacts{}), s.PutVectors(t.Context(), space, map[memoir.Hash][]float32{memoir.HashText("heron"): {1, 0}}, nil)); err != nil {
			t.Fatal(err)
		}
	}
	exists := func(name string) bool {
		there, err := weaviate.Exists(t.Context(), weaviate.Options{URL: f.URL, Tenant: name})
		if err != nil {
			t.Error(err)
		}
		return there
	}
	if !exists("one") || exists("three") {
		t.Error("what is there is not told from what is not")
	}
	for range 2 {
		if err := weaviate.Delete(t.Context(), weaviate.Options{URL: f.URL, Tenant: "one"}); err != nil {
			t.Fatal(err)
		}
	}
	if exists("one") || !exists("two") {
		t.Error("the wrong tenant is gone")
	}
	f.Mu.Lock()
	defer f.Mu.Unlock()
	for at, objects := range f.Objects {
		if strings.HasSuffix(at, " one") && len(objects) > 0 {
			t.Errorf("%s has %d objects", at, len(objects))
		}
	}
	for class, tenants := range f.Tenants {
		if tenants["one"] != "" || tenants["two"] == "" {
			t.Errorf("%s has the tenants %v", class, tenants)
		}
	}
}

// A node that has just started says of everything that it is not there. Nobody takes that
// for an empty index, and writes over it.
func TestStartingNode(t *testing.T) {
	f := weaviatetest.New(t)
	s := open(t, weaviate.Options{URL: f.URL, Tenant: "one"})
	write(t, s, noted("a.md", "heron"))
	for starting := range 5 {
		f.Mu.Lock()
		f.Starting = starting
		f.Mu.Unlock()
		for _, s := range []*weaviate.Store{s, open(t, weaviate.Options{URL: f.URL, Tenant: "one"})} {
			f.Mu.Lock()
			f.Starting = starting
			f.Mu.Unlock()
			if got, err := find(t, s, "heron"); !errors.Is(err, memoir.ErrUnavailable) && (err != nil || len(got) != 1+starting) {
				t.Errorf("%d requests to it: %v, %v", starting, got, err)
			}
		}
		f.Mu.Lock()
		f.Starting = starting
		f.Mu.Unlock()
		id := memoir.DocID(fmt.Sprintf("b%d.md", starting))
		for err := errors.New("not asked"); err != nil; {
			if err = s.Write(t.Context(), memoir.Changes{Put: []memoir.IndexedDocument{noted(id, "heron")}}); err != nil && !errors.Is(err, memoir.ErrUnavailable) {
				t.Fatal(err)
			}
		}
		if got, err := find(t, s, "heron"); err != nil || len(got) != 2+starting {
			t.Errorf("after %d requests to it there is %v, %v", starting, got, err)
		}
	}
}
