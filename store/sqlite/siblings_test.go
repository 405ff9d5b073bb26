package sqlite_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/store/sqlite"
)

// siblingAt makes an index with one vector of the text.
func siblingAt(t testing.TB, path, text string, v ...float32) *sqlite.Store {
	t.Helper()
	s := open(t, path)
	put(t, s, "a.md", text)
	putVector(t, s, text, v...)
	return s
}

func TestSiblings(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name, "main.sqlite") }
	self := at("self")
	siblingAt(t, self, "own", 9, 9, 9)
	live := siblingAt(t, at("live #1 笔记"), "alpha", 1, 0, 0) // stays open
	siblingAt(t, at("closed"), "beta", 0, 1, 0).Close()
	siblingAt(t, at("newer"), "gamma", 0, 0, 1).Close()
	run(t, at("newer"), "PRAGMA user_version = 1000")
	siblingAt(t, at("bad values"), "delta", 1, 1, 1).Close()
	run(t, at("bad values"), "UPDATE vectors SET vector = x'00'")
	siblingAt(t, at("without tables"), "epsilon", 1, 1, 1).Close()
	run(t, at("without tables"), "DROP TABLE vectors")
	for name, content := range map[string]string{"garbage": "not a database", "empty": ""} {
		if err := os.MkdirAll(filepath.Dir(at(name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at(name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(at("folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(at("foreign")), 0o700); err != nil {
		t.Fatal(err)
	}
	run(t, at("foreign"), "CREATE TABLE spaces (x)")

	var hashes []memoir.Hash
	for _, text := range []string{"own", "alpha", "beta", "gamma", "delta", "epsilon", "nowhere"} {
		hashes = append(hashes, memoir.HashText(text))
	}
	siblings := sqlite.NewSiblings(filepath.Join(dir, "*", "*.sqlite"), self)
	want := map[memoir.Hash][]float32{memoir.HashText("alpha"): {1, 0, 0}, memoir.HashText("beta"): {0, 1, 0}}
	for range 2 {
		if diff := cmp.Diff(siblings.Vectors(t.Context(), space, hashes), want); diff != "" {
			t.Errorf("vectors (-got +want):\n%s", diff)
		}
	}
	other := space
	other.Version = "2"
	for _, s := range []memoir.Space{other, {}} {
		if got := siblings.Vectors(t.Context(), s, hashes); len(got) != 0 {
			t.Errorf("space %v: got %v, want none", s, got)
		}
	}

	// The one that is open can still be written to, and what it gets is found.
	put(t, live, "b.md", "zeta")
	putVector(t, live, "zeta", 2, 0, 0)
	siblings = sqlite.NewSiblings(filepath.Join(dir, "*", "*.sqlite"), self)
	if got := siblings.Vectors(t.Context(), space, []memoir.Hash{memoir.HashText("zeta")}); len(got) != 1 {
		t.Errorf("got %v, want the vector that was stored last", got)
	}
}

// A sibling in the middle of a write is read as it was before, without waiting.
func TestLockedSibling(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "other", "main.sqlite")
	siblingAt(t, path, "alpha", 1, 0, 0)
	db := shell(t, path)
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("BEGIN EXCLUSIVE"); err != nil {
		t.Fatal(err)
	}
	defer db.Exec("ROLLBACK")
	got := sqlite.NewSiblings(filepath.Join(dir, "*", "*.sqlite"), "").Vectors(t.Context(), space, []memoir.Hash{memoir.HashText("alpha")})
	if len(got) != 1 {
		t.Errorf("got %v, want the vector that was there before", got)
	}
}

// BenchmarkSiblings looks a batch of texts up in 50 indexes that have none of them.
func BenchmarkSiblings(b *testing.B) {
	dir := b.TempDir()
	for i := range 50 {
		s := siblingAt(b, filepath.Join(dir, fmt.Sprint(i), "main.sqlite"), fmt.Sprint("text ", i), float32(math.Sqrt2), 0, 0)
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
	hashes := make([]memoir.Hash, 128)
	for i := range hashes {
		hashes[i] = memoir.HashText(fmt.Sprint("new ", i))
	}
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			sqlite.NewSiblings(filepath.Join(dir, "*", "*.sqlite"), "").Vectors(b.Context(), space, hashes)
		}
	})
	b.Run("later", func(b *testing.B) {
		siblings := sqlite.NewSiblings(filepath.Join(dir, "*", "*.sqlite"), "")
		for b.Loop() {
			siblings.Vectors(b.Context(), space, hashes)
		}
	})
}
