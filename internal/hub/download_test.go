package hub_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/pem"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir/internal/hub"
	"github.com/memoir-ai/memoir/internal/regular"
)

const commit = "0123456789abcdef0123456789abcdef01234567"

var ref = hub.Ref{Owner: "acme", Name: "tiny", Revision: commit}

// weights are bytes that look like nothing.
var weights = func() []byte {
	r := rand.New(rand.NewPCG(1, 2))
	b := make([]byte, 300_000)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}()

func sum(b []byte) string { return fmt.Sprintf("%x", sha256.Sum256(b)) }

// A request is what a test wants to know of one.
type request struct{ Method, Path, Range, IfRange, Token string }

// A server answers as a test says, and notes what it was asked.
type server struct {
	*httptest.Server
	mu   sync.Mutex
	seen []request
}

func serve(t *testing.T, answer http.HandlerFunc) *server {
	t.Helper()
	s := &server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.seen = append(s.seen, request{r.Method, r.URL.Path, r.Header.Get("Range"), r.Header.Get("If-Range"), r.Header.Get("Authorization")})
		s.mu.Unlock()
		answer(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *server) requests() []request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen
}

// file answers with content, under an ETag, as a server of files does:
// ranges are its business.
func file(w http.ResponseWriter, r *http.Request, etag string, content []byte) {
	w.Header().Set("ETag", etag)
	w.Header().Set("Content-Type", "application/octet-stream")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
}

// cut answers with the announced length and breaks off after n bytes.
func cut(w http.ResponseWriter, etag string, content []byte, n int) {
	w.Header().Set("ETag", etag)
	w.Header().Set("Content-Length", fmt.Sprint(len(content)))
	_, _ = w.Write(content[:n])
	w.(http.Flusher).Flush()
	panic(http.ErrAbortHandler)
}

func client(t *testing.T, base string, opts hub.Options) *hub.Client {
	t.Helper()
	opts.BaseURL = base
	if opts.RetryWait == 0 {
		opts.RetryWait = time.Nanosecond
	}
	c, err := hub.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// download brings the weights into dir and returns the file, "" when there is none.
func download(t *testing.T, c *hub.Client, dir string) (string, error) {
	t.Helper()
	_, err := c.Download(t.Context(), ref, hub.File{Path: hub.Weights}, dir, nil)
	got, readErr := os.ReadFile(filepath.Join(dir, hub.Weights))
	if readErr != nil && !errors.Is(readErr, os.ErrNotExist) {
		t.Fatal(readErr)
	}
	return string(got), err
}

// names returns the files below dir.
func names(t *testing.T, dir string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range found {
		found[i] = filepath.Base(found[i])
	}
	return found
}

// A download neither goes through a link nor replaces one.
func TestLinks(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Range") == "" {
			cut(w, `"a"`, weights, len(weights)/2)
		}
		file(w, r, `"a"`, weights)
	})
	for _, name := range []string{hub.Weights, hub.Weights + ".part", hub.Weights + ".part.json"} {
		dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "precious")
		if err := os.WriteFile(outside, []byte("precious"), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, target := range []string{outside, outside + "-nowhere"} {
			if err := errors.Join(os.RemoveAll(filepath.Join(dir, name)), os.Symlink(target, filepath.Join(dir, name))); err != nil {
				t.Skip("links cannot be made here: ", err)
			}
			_, err := client(t, s.URL, hub.Options{}).Download(t.Context(), ref, hub.File{Path: hub.Weights}, dir, nil)
			if !errors.Is(err, regular.ErrKind) {
				t.Errorf("%s is a link: got %v, want %v", name, err, regular.ErrKind)
			}
			if got, err := os.Readlink(filepath.Join(dir, name)); err != nil || got != target {
				t.Errorf("%s leads to %q now, %v", name, got, err)
			}
		}
		got, err := os.ReadFile(outside)
		if entries, listErr := os.ReadDir(filepath.Dir(outside)); err != nil || listErr != nil || string(got) != "precious" || len(entries) != 1 {
			t.Errorf("%s: outside are %v, %q, %v, %v", name, entries, got, err, listErr)
		}
	}
}

func TestDownload(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Linked-ETag", `"`+sum(weights)+`"`)
		file(w, r, `"a"`, weights)
	})
	dir := t.TempDir()
	var last [2]int64
	progress := func(file string, done, total int64) { last = [2]int64{done, total} }
	ok, err := client(t, s.URL, hub.Options{}).Download(t.Context(), ref, hub.File{Path: "1_Pooling/config.json", SHA256: strings.ToUpper(sum(weights))}, dir, progress)
	if err != nil || !ok {
		t.Fatalf("got %v, %v", ok, err)
	}
	got, err := os.ReadFile(filepath.Join(dir, "1_Pooling", "config.json"))
	if err != nil || !bytes.Equal(got, weights) {
		t.Errorf("got %d bytes, error %v; want the file", len(got), err)
	}
	if want := [2]int64{int64(len(weights)), int64(len(weights))}; last != want {
		t.Errorf("progress: got %v at last, want %v", last, want)
	}
	want := []request{{"GET", "/acme/tiny/resolve/" + commit + "/1_Pooling/config.json", "", "", ""}}
	if diff := cmp.Diff(s.requests(), want); diff != "" {
		t.Errorf("requests, got - want +:\n%s", diff)
	}
}

// What arrived before the connection broke is not sent again, in one run or in two.
func TestResume(t *testing.T) {
	for _, tries := range []int{1, 3} {
		var asked int
		s := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if asked++; asked == 1 {
				cut(w, `"a"`, weights, 100_000)
			}
			file(w, r, `"a"`, weights)
		})
		dir := t.TempDir()
		// A try that brought something does not count, so one try is
		// stopped by the answer to the second alone.
		c := client(t, s.URL, hub.Options{Tries: tries})
		got, err := download(t, c, dir)
		if err != nil || got != string(weights) {
			t.Fatalf("got %d bytes, error %v", len(got), err)
		}
		path := "/acme/tiny/resolve/" + commit + "/model.safetensors"
		want := []request{{"GET", path, "", "", ""}, {"GET", path, "bytes=100000-", `"a"`, ""}}
		if diff := cmp.Diff(s.requests(), want); diff != "" {
			t.Errorf("requests, got - want +:\n%s", diff)
		}
		if diff := cmp.Diff(names(t, dir), []string{hub.Weights}); diff != "" {
			t.Errorf("files, got - want +:\n%s", diff)
		}
	}
}

// A stopped run leaves a part; the next one begins where it ends.
func TestResumeAfterStop(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stopped := false
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if stopped {
			file(w, r, `"a"`, weights)
			return
		}
		w.Header().Set("ETag", `"a"`)
		w.Header().Set("Content-Length", fmt.Sprint(len(weights)))
		_, _ = w.Write(weights[:100_000])
		w.(http.Flusher).Flush()
		<-r.Context().Done() // a slow drip that nobody waits for
	})
	dir := t.TempDir()
	c := client(t, s.URL, hub.Options{})
	_, err := c.Download(ctx, ref, hub.File{Path: hub.Weights}, dir, func(_ string, done, _ int64) {
		if done == 100_000 {
			stop()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want %v", err, context.Canceled)
	}
	stopped = true
	got, err := download(t, c, dir)
	if err != nil || got != string(weights) {
		t.Errorf("got %d bytes, error %v", len(got), err)
	}
	if last := s.requests()[1]; last.Range != "bytes=100000-" {
		t.Errorf("got range %q, want the rest", last.Range)
	}
}

// A file that changed meanwhile is fetched from its beginning.
func TestChanged(t *testing.T) {
	changed := append([]byte("new"), weights...)
	tests := []struct {
		name   string
		second http.HandlerFunc
	}{
		{"another ETag", func(w http.ResponseWriter, r *http.Request) { file(w, r, `"b"`, changed) }},
		{"a part that is too long", func(w http.ResponseWriter, r *http.Request) { file(w, r, `"a"`, changed[:50]) }},
		{"the same ETag for another hash", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Linked-ETag", sum(changed))
			file(w, r, `"a"`, changed)
		}},
		{"no ranges", func(w http.ResponseWriter, r *http.Request) {
			r.Header.Del("Range")
			file(w, r, `"a"`, changed)
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var asked int
			s := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if asked++; asked == 1 {
					cut(w, `"a"`, weights, 100_000)
				}
				tt.second(w, r)
			})
			got, err := download(t, client(t, s.URL, hub.Options{}), t.TempDir())
			if err != nil || !strings.HasPrefix(string(changed), got) || len(got) < 50 {
				t.Errorf("got %d bytes, error %v; want the new file", len(got), err)
			}
		})
	}
}

// An ETag that is none cannot carry a download on.
func TestWeakETag(t *testing.T) {
	var asked int
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if asked++; asked == 1 {
			cut(w, `W/"a"`, weights, 100_000)
		}
		file(w, r, `W/"a"`, weights)
	})
	got, err := download(t, client(t, s.URL, hub.Options{}), t.TempDir())
	if err != nil || got != string(weights) {
		t.Errorf("got %d bytes, error %v", len(got), err)
	}
	if last := s.requests()[1]; last.Range != "" {
		t.Errorf("got range %q, want none", last.Range)
	}
}

// The hub sends large files from elsewhere, with an address that is signed,
// and says itself what they are. The token stays with it.
func TestRedirect(t *testing.T) {
	elsewhere := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Linked-ETag", sum([]byte("not to be believed")))
		file(w, r, `"cdn"`, weights)
	})
	front := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/api/resolve-cache/") {
			w.Header().Set("X-Linked-ETag", `"`+sum(weights)+`"`)
			http.Redirect(w, r, elsewhere.URL+"/blob?Signature=secret", http.StatusFound)
			return
		}
		w.Header().Set("Location", "/api/resolve-cache/x")
		w.WriteHeader(http.StatusTemporaryRedirect)
	})
	c := client(t, front.URL, hub.Options{Token: "hf_abc"})
	got, err := download(t, c, t.TempDir())
	if err != nil || got != string(weights) {
		t.Errorf("got %d bytes, error %v", len(got), err)
	}
	for _, r := range front.requests() {
		if r.Token != "Bearer hf_abc" {
			t.Errorf("%s: got token %q", r.Path, r.Token)
		}
	}
	if r := elsewhere.requests(); len(r) != 1 || r[0].Token != "" {
		t.Errorf("elsewhere: got %+v, want one request without a token", r)
	}
}

func TestRefused(t *testing.T) {
	status := func(code int, header ...string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			for i := 0; i < len(header); i += 2 {
				w.Header().Set(header[i], header[i+1])
			}
			w.WriteHeader(code)
		}
	}
	wrong := sum([]byte("another file"))
	tests := []struct {
		name   string
		answer http.HandlerFunc
		want   error
		text   string
		asked  int
	}{
		{"404", status(404), hub.ErrNotFound, "", 1},
		{"401", status(401), hub.ErrDenied, "", 1},
		{"gated", status(403, "X-Error-Code", "GatedRepo"), hub.ErrDenied, "accepted its terms", 1},
		{"429", status(429), hub.ErrBusy, "", 3},
		{"429 for an hour", status(429, "Retry-After", "3600"), hub.ErrBusy, "", 1},
		{"500", status(500), hub.ErrAnswer, "500", 3},
		{"418", status(418), hub.ErrAnswer, "418", 1},
		{"redirect loop", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.Path, http.StatusFound) }, hub.ErrAnswer, "redirects", 8},
		{"redirect to nowhere", status(302), hub.ErrAnswer, "nowhere", 1},
		{"redirect to a file", status(302, "Location", "file:///etc/passwd"), hub.ErrAnswer, "", 1},
		{"web page", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, "<html>Please log in</html>")
		}, hub.ErrAnswer, "web page", 1},
		{"too large, announced", status(200, "Content-Length", "1000001"), hub.ErrTooLarge, "", 1},
		{"too large, unannounced", func(w http.ResponseWriter, r *http.Request) {
			w.(http.Flusher).Flush()
			for range 100 {
				_, _ = w.Write(make([]byte, 100_000))
			}
		}, hub.ErrTooLarge, "", 1},
		{"another hash than the hub says", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Linked-ETag", wrong)
			file(w, r, `"a"`, weights)
		}, hub.ErrDamaged, wrong, 1},
		{"shorter than announced", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Linked-Size", "400000")
			w.(http.Flusher).Flush() // no length of its own
			_, _ = w.Write(weights)
		}, hub.ErrInterrupted, "300000 of 400000", 4},
		{"a range that was not asked for", status(206, "Content-Range", "bytes 5-9/10"), hub.ErrAnswer, "", 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t, tt.answer)
			dir := t.TempDir()
			got, err := download(t, client(t, s.URL, hub.Options{Tries: 3, MaxBytes: 1_000_000}), dir)
			if got != "" || !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.text) {
				t.Errorf("got %d bytes, error %v; want %v with %q", len(got), err, tt.want, tt.text)
			}
			if err != nil && strings.Contains(err.Error(), "://") {
				t.Errorf("the error shows an address: %v", err)
			}
			if n := len(s.requests()); n != tt.asked {
				t.Errorf("asked %d times, want %d", n, tt.asked)
			}
			if left := names(t, dir); errors.Is(err, hub.ErrDamaged) && len(left) > 0 {
				t.Errorf("left %v", left)
			}
		})
	}
}

// The catalogue's word counts too.
func TestPinned(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) { file(w, r, `"a"`, weights) })
	dir := t.TempDir()
	_, err := client(t, s.URL, hub.Options{}).Download(t.Context(), ref, hub.File{Path: "a", SHA256: sum(nil)}, dir, nil)
	if !errors.Is(err, hub.ErrDamaged) || len(names(t, dir)) > 0 {
		t.Errorf("got %v and the files %v", err, names(t, dir))
	}
}

// https never becomes http.
func TestDowngrade(t *testing.T) {
	plain := serve(t, func(w http.ResponseWriter, r *http.Request) { file(w, r, `"a"`, weights) })
	s := httptest.NewTLSServer(http.RedirectHandler(plain.URL, http.StatusFound))
	defer s.Close()
	// The client has to believe the certificate of the test.
	ca := filepath.Join(t.TempDir(), "ca.pem")
	writeCertificate(t, ca, s)
	t.Setenv("SSL_CERT_FILE", ca)
	if _, err := download(t, client(t, s.URL, hub.Options{}), t.TempDir()); !errors.Is(err, hub.ErrAnswer) && !errors.Is(err, hub.ErrInterrupted) {
		t.Errorf("got %v, want %v", err, hub.ErrAnswer)
	}
	if n := len(plain.requests()); n > 0 {
		t.Errorf("%d requests without encryption", n)
	}
}

func writeCertificate(t *testing.T, path string, s *httptest.Server) {
	t.Helper()
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestOptional(t *testing.T) {
	s := serve(t, http.NotFound)
	ok, err := client(t, s.URL, hub.Options{}).Download(t.Context(), ref, hub.File{Path: "vocab.txt", Optional: true}, t.TempDir(), nil)
	if ok || err != nil {
		t.Errorf("got %v, %v; want none without an error", ok, err)
	}
}

// No file of a model lands outside of its folder.
func TestTraversal(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) { file(w, r, `"a"`, weights) })
	dir := filepath.Join(t.TempDir(), "a")
	for _, path := range []string{"../x", "/etc/x", "a/../../x", "", "a\x00b"} {
		if _, err := client(t, s.URL, hub.Options{Tries: 1}).Download(t.Context(), ref, hub.File{Path: path}, dir, nil); err == nil {
			t.Errorf("%q: got no error", path)
		}
	}
	if left := names(t, filepath.Dir(dir)); len(left) > 1 || len(left) == 1 && left[0] != "a" {
		t.Errorf("left %v", left)
	}
}

// A server that falls silent does not hold a run for ever.
func TestStall(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(len(weights)))
		_, _ = w.Write(weights[:10])
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	_, err := download(t, client(t, s.URL, hub.Options{Tries: 1, Stall: 50 * time.Millisecond}), t.TempDir())
	if !errors.Is(err, hub.ErrInterrupted) || !strings.Contains(err.Error(), "nothing any more") {
		t.Errorf("got %v, want %v", err, hub.ErrInterrupted)
	}
}

func TestResolve(t *testing.T) {
	for header, want := range map[string]string{commit: commit, "": "main", "../../x": "main"} {
		s := serve(t, func(w http.ResponseWriter, r *http.Request) { w.Header().Set("X-Repo-Commit", header) })
		got, err := client(t, s.URL, hub.Options{}).Resolve(t.Context(), hub.Ref{Owner: "a", Name: "b", Revision: "main"})
		if err != nil || got.Revision != want {
			t.Errorf("%q: got %q, error %v; want %q", header, got.Revision, err, want)
		}
	}
	s := serve(t, http.NotFound)
	c := client(t, s.URL, hub.Options{})
	if _, err := c.Resolve(t.Context(), hub.Ref{Owner: "a", Name: "b", Revision: "main"}); !errors.Is(err, hub.ErrNotFound) {
		t.Errorf("got %v, want %v", err, hub.ErrNotFound)
	}
	s.Close()
	if _, err := c.Resolve(t.Context(), hub.Ref{Owner: "a", Name: "b", Revision: "main"}); !errors.Is(err, hub.ErrInterrupted) {
		t.Errorf("without a server: got %v, want %v", err, hub.ErrInterrupted)
	}
}
