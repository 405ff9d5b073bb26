//go:build unix

package weaviate_test

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/store/weaviate"
)

// TestSlowNodeReal stops one of three nodes while documents are written by way of another,
// and lets it go on. Weaviate carries out then what it could not send to it: over what was
// written since. Nothing that was acknowledged is missing after it, for whoever asks.
func TestSlowNodeReal(t *testing.T) {
	at := options(real(t))
	pid, err := strconv.Atoi(os.Getenv("MEMOIR_TEST_WEAVIATE_PID"))
	if err != nil || at.Replicas < 3 {
		t.Skip("MEMOIR_TEST_WEAVIATE_NODES is not 3: .ci/weaviate --nodes 3 starts them")
	}
	first, err := url.Parse(at.URL)
	if err != nil {
		t.Fatal(err)
	}
	port, err := strconv.Atoi(first.Port())
	if err != nil {
		t.Fatal(err)
	}
	opts := at.next()
	opts.URL, opts.Timeout = "http://"+net.JoinHostPort(first.Hostname(), strconv.Itoa(port+1)), 2*time.Second
	signal := func(what syscall.Signal) {
		if err := syscall.Kill(pid, what); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { signal(syscall.SIGCONT) })
	again := func(what string, f func() error) {
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
	s := open(t, opts)
	want := 0
	wrote := func(n int) {
		began := time.Now()
		again("write", func() error {
			return s.Write(t.Context(), memoir.Changes{Put: []memoir.IndexedDocument{noted(memoir.DocID(fmt.Sprintf("%d.md", want)), "heron")}})
		})
		want++
		t.Logf("round %d: written after %v", n, time.Since(began).Round(time.Millisecond))
	}
	for n := range 4 {
		wrote(n)
		signal(syscall.SIGSTOP)
		wrote(n)
		wrote(n)
		signal(syscall.SIGCONT)
		for range 5 { // while what was held up is carried out
			for _, s := range []*weaviate.Store{s, open(t, opts)} {
				again("search", func() error {
					count := 0
					for _, err := range s.Documents(t.Context()) {
						if err != nil {
							return err
						}
						count++
					}
					if count != want {
						t.Errorf("round %d: %d documents are listed, %d were acknowledged", n, count, want)
					}
					return nil
				})
			}
		}
	}
}
