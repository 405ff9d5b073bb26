//go:build unix

package weaviate_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/store/weaviate"
	"github.com/memoir-ai/memoir/tune"
)

// halter passes requests on, and stops a node before the next one that it waits for.
type halter struct {
	signal func(syscall.Signal)
	await  atomic.Pointer[func(r *http.Request, body string) bool]
}

// RoundTrip implements [http.RoundTripper].
func (h *halter) RoundTrip(r *http.Request) (*http.Response, error) {
	if await := h.await.Load(); await != nil && r.URL.Path == "/v1/batch/objects" {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		if (*await)(r, string(body)) {
			h.await.Store(nil)
			h.signal(syscall.SIGSTOP)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	return http.DefaultTransport.RoundTrip(r)
}

// halted returns a new tenant behind a halter, which stops the first of three nodes and
// passes requests on to the second.
func halted(t *testing.T) (weaviate.Options, *halter) {
	t.Helper()
	at := options(real(t))
	pid, err := strconv.Atoi(os.Getenv("MEMOIR_TEST_WEAVIATE_PID"))
	if err != nil || at.Replicas < 3 {
		t.Skip("MEMOIR_TEST_WEAVIATE_NODES is not 3: .ci/weaviate --nodes 3 starts them")
	}
	second, err := url.Parse(at.URL)
	if err != nil {
		t.Fatal(err)
	}
	port, err := strconv.Atoi(second.Port())
	if err != nil {
		t.Fatal(err)
	}
	second.Host = net.JoinHostPort(second.Hostname(), strconv.Itoa(port+1))
	h := &halter{signal: func(what syscall.Signal) {
		if err := syscall.Kill(pid, what); err != nil {
			t.Error(err)
		}
	}}
	t.Cleanup(func() { h.signal(syscall.SIGCONT) })
	proxy := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(second) },
		Transport: h,
		ErrorLog:  log.New(io.Discard, "", 0),
	})
	t.Cleanup(proxy.Close)
	opts := at.next()
	opts.URL, opts.Timeout = proxy.URL, 2*time.Second
	return opts, h
}

// again does something until the server can be asked.
func again(t *testing.T, what string, f func() error) {
	t.Helper()
	for attempt := 0; ; attempt++ {
		err := f()
		if err == nil {
			return
		}
		if !errors.Is(err, memoir.ErrUnavailable) || attempt > 30 {
			t.Fatalf("%s: %v", what, err)
		}
	}
}

// TestSlowNodeReal stops one of three nodes at the moment when a state is written by way
// of another, and lets it go on after the next write. Weaviate carries out then what it
// could not send to it: over what was written since, on all nodes. Nothing that was
// acknowledged is missing after it, for whoever asks.
func TestSlowNodeReal(t *testing.T) {
	opts, h := halted(t)
	state := func(r *http.Request, body string) bool {
		return r.Method == http.MethodPost && strings.Contains(body, `"of":"`+weaviate.StateID)
	}
	s := open(t, opts)
	want := 0
	wrote := func(round int) {
		began := time.Now()
		again(t, "write", func() error {
			return s.Write(t.Context(), memoir.Changes{Put: []memoir.IndexedDocument{noted(memoir.DocID(fmt.Sprintf("%d.md", want)), "heron")}})
		})
		want++
		t.Logf("round %d: written after %v", round, time.Since(began).Round(time.Millisecond))
	}
	for round := range 4 {
		wrote(round)
		h.await.Store(&state)
		wrote(round)
		wrote(round)
		h.signal(syscall.SIGCONT)
		for end := time.Now().Add(5 * time.Second); time.Now().Before(end); { // while what was held up is carried out
			for who, s := range map[string]*weaviate.Store{"who wrote": s, "who comes later": open(t, opts)} {
				again(t, "search", func() error {
					listed := 0
					for _, err := range s.Documents(t.Context()) {
						if err != nil {
							return err
						}
						listed++
					}
					if listed != want {
						t.Errorf("round %d: to %s %d documents are listed, %d were acknowledged", round, who, listed, want)
						want = listed
					}
					return nil
				})
			}
		}
	}
}

// TestVectorNeededAgainReal deletes a vector that nobody uses and writes it again while
// one of three nodes is stopped: before the deletion, or after it. What the node still has
// to do, or has done, takes nothing from what was written since.
func TestVectorNeededAgainReal(t *testing.T) {
	opts, h := halted(t)
	s := open(t, opts)
	put := func(text string, vector ...float32) {
		again(t, "put a vector", func() error {
			return s.PutVectors(t.Context(), space, map[memoir.Hash][]float32{memoir.HashText(text): vector}, nil)
		})
	}
	change := func(changes memoir.Changes) { again(t, "write", func() error { return s.Write(t.Context(), changes) }) }
	change(memoir.Changes{Put: []memoir.IndexedDocument{noted("a.md", "heron"), noted("b.md", "stork")}})
	put("stork", 0, 1)
	put("heron", 1, 0)
	deletion := func(r *http.Request, body string) bool {
		return r.Method == http.MethodDelete && strings.Contains(body, `"MemoirVectors`)
	}
	for round := range 4 {
		change(memoir.Changes{Delete: []memoir.DocID{"a.md"}})
		if round%2 == 0 {
			h.await.Store(&deletion)
		}
		again(t, "settle", func() error { return s.Settle(t.Context(), space, tune.Cache{MaxEntries: 1}) })
		if round%2 == 1 {
			h.signal(syscall.SIGSTOP)
		}
		change(memoir.Changes{Put: []memoir.IndexedDocument{noted("a.md", "heron")}})
		put("heron", 1, 0)
		h.signal(syscall.SIGCONT)
		asked := 0
		for end := time.Now().Add(15 * time.Second); time.Now().Before(end) && !t.Failed(); asked++ { // while the nodes tell each other
			later := open(t, opts)
			again(t, "search", func() error {
				got, err := nearest(t, later, 1, 0)
				if err == nil && !slices.Equal(got, []string{"a.md 0 1.0", "b.md 0 0.0"}) {
					t.Errorf("round %d: found are %v", round, got)
				}
				return err
			})
			later.Close()
		}
		t.Logf("round %d: asked %d times", round, asked)
	}
}

// TestFullDiskReal writes until the disk of the node is full. What was acknowledged is found
// after it, and a write that is not is refused (.ci/weaviate --disk 200m --run FullDisk).
func TestFullDiskReal(t *testing.T) {
	at := options(real(t))
	if os.Getenv("MEMOIR_TEST_WEAVIATE_DISK") == "" {
		t.Skip("MEMOIR_TEST_WEAVIATE_DISK is not set: .ci/weaviate --disk 200m gives the node a small one")
	}
	opts := at.next()
	s := open(t, opts)
	r := rand.New(rand.NewPCG(1, 1))
	written := 0
	var refused error
	for refused == nil && written < 2000 {
		words := make([]string, 50_000)
		for i := range words {
			words[i] = strconv.FormatUint(r.Uint64(), 36)
		}
		doc := noted(memoir.DocID(fmt.Sprintf("%d.md", written)), strings.Join(words[1:], " "), fmt.Sprint("heron ", written))
		if refused = s.Write(t.Context(), memoir.Changes{Put: []memoir.IndexedDocument{doc}}); refused == nil {
			written++
		}
	}
	if !errors.Is(refused, memoir.ErrUnavailable) {
		t.Errorf("after %d documents: %v", written, refused)
	}
	t.Logf("after %d documents: %v", written, refused)
	for who, s := range map[string]*weaviate.Store{"who wrote": s, "who comes later": open(t, opts)} {
		err := s.View(t.Context(), func(v memoir.View) error {
			for i := range written {
				chunks, err := v.Chunks(t.Context(), []memoir.ChunkID{{Doc: memoir.DocID(fmt.Sprintf("%d.md", i)), Ordinal: 1}})
				if err != nil || len(chunks) != 1 || chunks[0].Text != fmt.Sprint("heron ", i) {
					t.Errorf("%s: document %d of %d: %v, %v", who, i, written, chunks, err)
				}
			}
			return nil
		})
		if err != nil {
			t.Errorf("%s: %v", who, err)
		}
		if got, err := find(t, s, "heron"); err != nil || len(got) != min(written, 99) {
			t.Errorf("%s: found are %d of %d, %v", who, len(got), written, err)
		}
	}
}
