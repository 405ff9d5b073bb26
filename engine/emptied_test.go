package engine_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
)

// A folder of notes that is suddenly empty is quite likely a disk that is not
// mounted. What is indexed stays, and answers say so, until somebody asks for a
// sync.
func TestEmptiedWorkspace(t *testing.T) {
	n := newNotes(t, engine.Config{}, "a.md", "# A\n\nxylophone\n", "memory/b.md", "# B\n\nquagga\n")
	found := func(query string, hits int, degraded bool) {
		t.Helper()
		for range 2 { // the second look may know that nothing has changed
			res, err := n.engine.Search(t.Context(), memoir.Query{Text: query})
			if err != nil || len(res.Hits) != hits || (len(res.Degraded) > 0) != degraded {
				t.Fatalf("%s: got %d hits, %+v, %v", query, len(res.Hits), res.Degraded, err)
			}
		}
	}
	found("xylophone", 1, false)
	remove := func(names ...string) {
		t.Helper()
		for _, name := range names {
			if err := os.Remove(filepath.Join(n.dir, filepath.FromSlash(name))); err != nil {
				t.Fatal(err)
			}
		}
	}
	remove("a.md", "memory/b.md")
	found("xylophone", 1, true)
	st, err := n.engine.Status(t.Context())
	want := []memoir.Degradation{{Part: "sync", Reason: "the folder of notes holds none; the 2 notes of the index stay",
		Action: "bring the notes back, or mount their disk; memoir index takes what is gone out of the index"}}
	if diff := cmp.Diff(want, st.Degraded); diff != "" || err != nil || st.Documents != 2 {
		t.Fatalf("%d documents, %v; want -, got +:\n%s", st.Documents, err, diff)
	}

	// The disk is back.
	n.write("a.md", "# A\n\nxylophone\n")
	n.write("memory/b.md", "# B\n\nquagga, changed\n")
	found("changed", 1, false)

	// A note more or less is followed, and so is the last one.
	remove("memory/b.md")
	found("quagga", 0, false)
	remove("a.md")
	found("xylophone", 0, false)

	// Who asks for a sync has it.
	n.write("a.md", "# A\n\nxylophone\n")
	n.write("b.md", "# B\n\nquagga\n")
	found("quagga", 1, false)
	remove("a.md", "b.md")
	if stats, err := n.engine.Sync(t.Context(), nil); err != nil || stats.Removed != 2 {
		t.Fatalf("got %+v, %v", stats, err)
	}
	found("quagga", 0, false)
}

// A folder of notes that is not there is not one without notes: a session is told so, and not
// that nothing is known. One without notes gives nothing.
func TestPrimeWithoutFolder(t *testing.T) {
	n, other := newNotes(t, engine.Config{}), newNotes(t, engine.Config{})
	joined, err := engine.Join(n.engine, other.engine)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(joined.Close)
	primed := map[string]func() (engine.Primed, error){
		"one":  func() (engine.Primed, error) { return n.engine.Prime(t.Context(), engine.PrimeOptions{Shared: true}) },
		"both": func() (engine.Primed, error) { return joined.Prime(t.Context(), engine.PrimeOptions{}) },
	}
	for name, prime := range primed {
		if p, err := prime(); p.Text != "" || err != nil {
			t.Errorf("%s without notes: %q, %v", name, p.Text, err)
		}
	}
	if err := os.RemoveAll(n.dir); err != nil {
		t.Fatal(err)
	}
	for name, prime := range primed {
		if p, err := prime(); p.Text != "" || err == nil || !strings.Contains(err.Error(), n.dir) || memoir.Hint(err) == "" {
			t.Errorf("%s without the folder: %q, %v, %q", name, p.Text, err, memoir.Hint(err))
		}
	}
	other.write("memory/preferences.md", "# Preferences\n\n- Ann likes tea\n")
	if p, err := joined.Prime(t.Context(), engine.PrimeOptions{}); !strings.Contains(p.Text, "likes tea") || err != nil {
		t.Errorf("what the other folder holds: %q, %v", p.Text, err)
	}
}
