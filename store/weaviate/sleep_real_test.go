package weaviate_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/store/weaviate"
)

// status returns the state of a tenant in the collection of words, as Weaviate says it.
func status(t *testing.T, opts weaviate.Options) string {
	t.Helper()
	var found struct{ ActivityStatus string }
	get(t, opts.URL+"/v1/schema/MemoirWords2/tenants/"+opts.Tenant, &found)
	return found.ActivityStatus
}

func asleep(status string) bool { return status == "COLD" || status == "INACTIVE" }

// TestSleepReal puts a tenant to sleep again and again while others write to it and
// search it. They lose nothing and are refused nothing, and find what they wrote: with
// replicas, in a while.
func TestSleepReal(t *testing.T) {
	at := options(real(t))
	opts := at.next()
	other := open(t, opts)
	write(t, other, noted("a.md", "heron"))
	done := make(chan struct{})
	var wg sync.WaitGroup
	defer wg.Wait()
	wg.Go(func() {
		defer close(done)
		sleeper := opts
		sleeper.Sleeps = true
		for range 20 {
			s, err := weaviate.Open(t.Context(), sleeper)
			if err != nil {
				t.Error(err)
				return
			}
			s.Close()
		}
	})
	rounds := 0
	for running := true; running; rounds++ {
		select {
		case <-done:
			running = false
		default:
		}
		word := fmt.Sprintf("heron%d", rounds)
		write(t, other, noted("b.md", word))
		// One replica answers which passages hold a word. It may have slept when they were
		// written, and learns of them when it is awake.
		late := time.Now().Add(time.Minute)
		for {
			got, err := find(t, other, word)
			if err == nil && slices.Equal(got, []string{"b.md 0"}) {
				break
			}
			if err != nil || opts.Replicas < 2 || time.Now().After(late) {
				t.Fatalf("round %d: %v, %v", rounds, got, err)
			}
		}
	}
	wg.Wait()
	t.Logf("%d writes and searches beside 20 times asleep", rounds)
	last := opts
	last.Sleeps = true
	if err := open(t, last).Close(); err != nil {
		t.Fatal(err)
	}
	if got := status(t, opts); !asleep(got) {
		t.Errorf("the tenant is %s", got)
	}
	if got, err := find(t, other, "heron"); err != nil || len(got) != 1 {
		t.Errorf("after it slept: %v, %v", got, err)
	}
}

// TestTenantsReal makes many tenants, nine of ten of which sleep, and says what the server
// takes and how long a first question lasts. MEMOIR_TEST_WEAVIATE_TENANTS says how many.
func TestTenantsReal(t *testing.T) {
	at := options(real(t))
	many := 20
	if n, err := strconv.Atoi(os.Getenv("MEMOIR_TEST_WEAVIATE_TENANTS")); err == nil {
		many = n
	}
	var all []weaviate.Options
	for i := range many {
		opts := at.next()
		opts.Sleeps = i%10 != 0
		s, err := weaviate.Open(t.Context(), opts)
		if err != nil {
			t.Fatal(err)
		}
		docs := make([]memoir.IndexedDocument, 4)
		for j := range docs {
			docs[j] = noted(memoir.DocID(fmt.Sprintf("%d.md", j)), slices.Repeat([]string{fmt.Sprintf("heron%d stands by the water number%d", i, j)}, 5)...)
		}
		write(t, s, docs...)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		all = append(all, opts)
		if (i+1)%max(many/10, 1) == 0 {
			t.Logf("%5d tenants: %s", i+1, resident())
		}
	}
	var first, second []time.Duration
	for i := 1; i < many; i += max(many/100, 1) {
		opts := all[i]
		opts.Sleeps = false
		if slept := asleep(status(t, opts)); slept != (i%10 != 0) {
			t.Fatalf("tenant %d sleeps: %v", i, slept)
		}
		if i%10 == 0 {
			continue
		}
		began := time.Now()
		s := open(t, opts)
		for _, took := range []*[]time.Duration{&first, &second} {
			if got, err := find(t, s, fmt.Sprintf("heron%d", i)); err != nil || len(got) == 0 {
				t.Fatalf("tenant %d: %v, %v", i, got, err)
			}
			*took = append(*took, time.Since(began))
			began = time.Now()
		}
	}
	t.Logf("a tenant that slept, opened and asked: p50 %v, p95 %v; asked again: p50 %v, p95 %v",
		quantile(first, .5), quantile(first, .95), quantile(second, .5), quantile(second, .95))
	t.Logf("at the end: %s", resident())
}

// resident says what the server takes, if .ci/weaviate says which process it is.
func resident() string {
	pid := os.Getenv("MEMOIR_TEST_WEAVIATE_PID")
	data, err := os.ReadFile(filepath.Join("/proc", pid, "status"))
	if pid == "" || err != nil {
		return "its process is not known"
	}
	memory := ""
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			memory = strings.TrimSpace(rest)
		}
	}
	files, _ := os.ReadDir(filepath.Join("/proc", pid, "fd"))
	return fmt.Sprintf("%s resident, %d files open", memory, len(files))
}
