package cli_test

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/memoir-ai/memoir/internal/objects/s3test"
	"github.com/memoir-ai/memoir/internal/wire"
	"github.com/memoir-ai/memoir/store/weaviate/weaviatetest"
)

// sharing returns servers at one bucket and one index.
func sharing(t *testing.T, s *s3test.Server, w *weaviatetest.Server, n int) (servers []*httpServer) {
	t.Helper()
	t.Setenv("MEMOIR_STORE", "weaviate")
	t.Setenv("MEMOIR_WEAVIATE_URL", w.URL)
	t.Setenv("MEMOIR_WEAVIATE_NAMESPACE", "team")
	for range n {
		servers = append(servers, inBucket(t, s).serveHTTP())
	}
	return servers
}

func (s *httpServer) tell(text string) {
	s.Helper()
	if code, body := s.ask("POST", "/v1/remember", `{"type":"journal","text":"`+text+`"}`); code != 200 {
		s.Fatalf("%q: %d %s", text, code, body)
	}
}

// hits returns how many passages hold a word.
func (s *httpServer) hits(word string) int {
	s.Helper()
	var found wire.Answer
	code, body := s.ask("POST", "/v1/search", `{"query":"`+word+`"}`)
	if code != 200 || json.Unmarshal([]byte(body), &found) != nil {
		s.Fatalf("%q: %d %s", word, code, body)
	}
	n := 0
	for _, hit := range found.Results {
		n += strings.Count(hit.Snippet, word)
	}
	return n
}

// Servers at one bucket and one index in Weaviate: what one was told any of them finds at
// once; one that is killed while it indexes is replaced, and what it writes late counts
// for nobody; one that is asked to end leaves no turn behind.
func TestBucketSharedIndex(t *testing.T) {
	s, w := s3test.New(t), weaviatetest.New(t)
	servers := sharing(t, s, w, 3)
	for i, word := range []string{"heron", "stork", "egret"} {
		servers[i].tell("The " + word + " stands in the reeds")
		for j, other := range servers {
			if n := other.hits(word); n != 1 {
				t.Errorf("server %d finds %q %d times, which server %d was told", j, word, n, i)
			}
		}
	}
	// Each takes the notes for those that the others have indexed. Vectors may still come
	// in the background for a while.
	writes := 1
	for round := 0; writes > 0 && round < 50; round++ {
		w.Mu.Lock()
		w.Asked = nil
		w.Mu.Unlock()
		for _, server := range servers {
			server.hits("heron")
		}
		writes = 0
		w.Mu.Lock()
		for _, asked := range w.Asked {
			if strings.HasPrefix(asked, "POST /v1/batch/objects") {
				writes++
			}
		}
		w.Mu.Unlock()
	}
	if writes > 0 {
		t.Error("an index is written to although nothing has changed")
	}

	// The first is killed in the middle of a commit, which arrives after all.
	stalled, killed, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
	var once sync.Once
	w.Mu.Lock()
	w.Before = func(r *http.Request) {
		if r.Method == http.MethodPost && r.URL.Path == "/v1/batch/objects" {
			once.Do(func() {
				close(stalled)
				<-killed
			})
		}
	}
	w.Mu.Unlock()
	go func() {
		defer close(done)
		res, err := servers[0].client.Post(servers[0].url+"/v1/remember", "application/json", strings.NewReader(`{"type":"journal","text":"The bittern stands in the reeds"}`))
		if err == nil {
			res.Body.Close()
		}
	}()
	<-stalled
	_ = servers[0].cmd.Process.Kill()
	_ = servers[0].cmd.Wait()
	<-done
	close(killed)
	servers[1].tell("The plover stands in the reeds")
	for _, word := range []string{"heron", "stork", "egret", "bittern", "plover"} {
		for j, other := range servers[1:] {
			if n := other.hits(word); n != 1 {
				t.Errorf("server %d finds %q %d times after the first was killed", j+1, word, n)
			}
		}
	}
	for _, server := range servers[1:] {
		server.stop()
	}
	leases := 0
	for _, name := range s.Names() {
		if text, _ := s.Text(name); strings.Contains(name, "/.memoir/lease/") {
			leases++
			if strings.Contains(text, `"held":true`) {
				t.Errorf("%s is held: %s", name, text)
			}
		}
	}
	if leases == 0 {
		t.Error("nobody took turns")
	}
}

// The drill of docs/guide/bucket.md: a bucket that lost everything is filled again from
// an archive, byte for byte, and answers as before on a machine that knows nothing.
func TestBucketDrill(t *testing.T) {
	s := s3test.New(t)
	want := map[string]string{"team/MEMORY.md": "# Memory\n\n- The heron stands in the reeds\n", "team/日记/2026-01-02.md": "# 日记\n\n- 数据库用 Postgres\n", "team/a b.md": "no newline at the end"}
	for name, text := range want {
		s.Set(name, text)
	}
	d := inBucket(t, s)
	archive := filepath.Join(d.dir, "notes.tar.gz")
	d.output("remember", "--type", "project", "The staging server is called stork")
	d.output("export", archive)
	want["team/memory/projects.md"], _ = s.Text("team/memory/projects.md")
	before := d.output("search", "--json", "heron")
	for _, name := range s.Names() {
		s.Remove(name)
	}
	fresh := inBucket(t, s)
	fresh.output("import", "archive", archive)
	for name, text := range want {
		if got, ok := s.Text(name); !ok || got != text {
			t.Errorf("%s: got %q, want %q", name, got, text)
		}
	}
	answer := func(text string) (all []string) {
		var found wire.Answer
		if err := json.Unmarshal([]byte(text), &found); err != nil {
			t.Fatal(err)
		}
		for _, hit := range found.Results {
			all = append(all, hit.Citation+" "+hit.Snippet)
		}
		return all
	}
	if got := fresh.output("search", "--json", "heron"); !slices.Equal(answer(got), answer(before)) || len(answer(got)) == 0 {
		t.Errorf("got\n%s\nbefore\n%s", got, before)
	}
}
