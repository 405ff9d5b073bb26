package sqlite_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/store/sqlite"
	"github.com/memoir-ai/memoir/tune"
)

func settle(t testing.TB, s *sqlite.Store, limits tune.Cache) {
	t.Helper()
	if err := s.Settle(t.Context(), space, limits); err != nil {
		t.Fatal(err)
	}
}

// hashes returns the texts that have vectors.
func hashes(t testing.TB, path string) []string {
	t.Helper()
	rows, err := shell(t, path).Query("SELECT lower(hex(hash)) FROM texts JOIN vectors ON text = texts.id ORDER BY hash")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var h string
		if err := rows.Scan(&h); err != nil {
			t.Fatal(err)
		}
		out = append(out, h)
	}
	return out
}

// TestMaxAge: an unused vector goes when it is too old; one that was in use
// until now is not.
func TestMaxAge(t *testing.T) {
	path := t.TempDir() + "/index.db"
	s := open(t, path)
	put(t, s, "a.md", "used")
	for _, text := range []string{"used", "old", "young", "left"} {
		putVector(t, s, text, 1, 0, 0)
	}
	put(t, s, "b.md", "left")
	day := int64(24 * 60 * 60)
	now := time.Now().Unix() / day * day
	run(t, path, fmt.Sprintf("UPDATE texts SET used_at = %d", now-40*day),
		fmt.Sprintf("UPDATE texts SET used_at = %d WHERE hash = x'%s'", now-20*day, memoir.HashText("young")))
	if err := s.Write(t.Context(), memoir.Changes{Delete: []memoir.DocID{"b.md"}}); err != nil {
		t.Fatal(err)
	}
	settle(t, s, tune.Cache{MaxAge: 30 * 24 * time.Hour})
	want := map[string]bool{}
	for _, text := range []string{"used", "young", "left"} {
		want[string(memoir.HashText(text))] = true
	}
	got := map[string]bool{}
	for _, h := range hashes(t, path) {
		got[h] = true
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("kept (-got +want):\n%s", diff)
	}
}

// TestShrinks: the space that vectors took goes back to the file system, a part
// at a time. An index that is in order is not written to.
func TestShrinks(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long")
	}
	path := t.TempDir() + "/index.db"
	s := open(t, path)
	put(t, s, "a.md", "used")
	big := memoir.Space{Provider: "test", Model: "big", Version: "1", Dimensions: 1000}
	vectors := map[memoir.Hash][]float32{}
	for i := range 6000 {
		vectors[memoir.HashText(fmt.Sprint(i))] = make([]float32, big.Dimensions)
	}
	if err := s.PutVectors(t.Context(), big, vectors, nil); err != nil {
		t.Fatal(err)
	}
	putVector(t, s, "used", 1, 0, 0)
	if err := s.PutSpace(t.Context(), space, memoir.SpaceFacts{TakesOver: true}); err != nil {
		t.Fatal(err)
	}
	pages := func(what string) (n int) {
		t.Helper()
		if err := shell(t, path).QueryRow("SELECT " + what + " FROM pragma_" + what).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	before := pages("page_count")
	for range 4 {
		settle(t, s, tune.Cache{MaxEntries: 50_000})
	}
	if after, free := pages("page_count"), pages("freelist_count"); after > before/10 || free > 256 {
		t.Errorf("%d pages of %d are left, %d of them free", after, before, free)
	}
	stats, err := s.Stats(t.Context(), space)
	if err != nil {
		t.Fatal(err)
	}
	run(t, path, "UPDATE meta SET value = 77 WHERE key = 'written'")
	settle(t, s, tune.Cache{MaxEntries: 50_000, MaxAge: time.Hour})
	var written int64
	if err := shell(t, path).QueryRow("SELECT value FROM meta WHERE key = 'written'").Scan(&written); err != nil {
		t.Fatal(err)
	}
	if written != 77 {
		t.Errorf("a settled index with %+v was written to", stats)
	}
}

// TestTrimmedSpaceIsPending: vectors of a space that neither serves nor is
// being completed are removed first, even those of texts in use. They then
// count as missing.
func TestTrimmedSpaceIsPending(t *testing.T) {
	s := open(t, t.TempDir()+"/index.db")
	put(t, s, "a.md", "one")
	put(t, s, "b.md", "two")
	putVector(t, s, "one", 1, 0, 0)
	putVector(t, s, "two", 1, 0, 0)
	other := memoir.Space{Provider: "test", Model: "other", Version: "1", Dimensions: 2}
	if err := s.PutVectors(t.Context(), other, map[memoir.Hash][]float32{memoir.HashText("one"): {1, 0}}, nil); err != nil {
		t.Fatal(err)
	}
	if stats, err := s.Stats(t.Context(), other); err != nil || stats.Texts != 2 || stats.Pending != 1 {
		t.Fatalf("before: got %+v, %v, want 1 of 2 pending", stats, err)
	}
	run(t, s.Path(), "UPDATE spaces SET serving = (dimensions = 3)")
	third := memoir.Space{Provider: "test", Model: "third", Version: "1", Dimensions: 2}
	if err := s.PutVectors(t.Context(), third, nil, []memoir.FailedText{{Hash: memoir.HashText("two"), Attempts: 1}}); err != nil {
		t.Fatal(err)
	}
	if err := s.Settle(t.Context(), third, tune.Cache{MaxEntries: 2}); err != nil {
		t.Fatal(err)
	}
	for space, want := range map[memoir.Space][2]int{space: {0, 0}, other: {2, 0}, third: {1, 1}} {
		if stats, err := s.Stats(t.Context(), space); err != nil || stats.Pending != want[0] || stats.Failed != want[1] {
			t.Errorf("%s: got %d pending, %d failed, %v, want %v", space.Model, stats.Pending, stats.Failed, err, want)
		}
	}
}

// TestSettleWhileReplaced: an index may be replaced while it is put in order. The
// race detector tells.
func TestSettleWhileReplaced(t *testing.T) {
	path := sample(t)
	s := open(t, path)
	put(t, s, "d.md", "delta")
	done := make(chan error)
	go func() {
		var failed error
		for range 50 {
			if err := s.Settle(t.Context(), space, tune.Cache{}); err != nil && !errors.Is(err, memoir.ErrCorrupt) {
				failed = err
			}
		}
		done <- failed
	}()
	run(t, path, "DROP TABLE chunks_fts_data") // which cannot be cleared
	if err := s.Clear(t.Context()); err != nil {
		t.Error(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	if aside := setAside(t, path); len(aside) == 0 {
		t.Error("nothing was set aside")
	}
}
