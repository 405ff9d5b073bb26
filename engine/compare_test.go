package engine_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/explain"
	"github.com/memoir-ai/memoir/source/mdfile"
	"github.com/memoir-ai/memoir/store/memstore"
)

// source opens the folder of the notes.
func (n *notes) source() memoir.Source {
	n.Helper()
	src, err := mdfile.Open(n.dir, mdfile.Options{})
	if err != nil {
		n.Fatal(err)
	}
	return src
}

// over makes another engine.
func (n *notes) over(store memoir.Store, sources ...memoir.Source) *engine.Engine {
	n.Helper()
	memory, err := engine.New(engine.Config{Store: store, Sources: sources})
	if err != nil {
		n.Fatal(err)
	}
	return memory
}

// unstamped is a source whose file system tells nothing but size and time.
type unstamped struct{ memoir.Source }

func (u unstamped) Scan(ctx context.Context) iter.Seq2[memoir.ScanEntry, error] {
	return func(yield func(memoir.ScanEntry, error) bool) {
		for e, err := range u.Source.Scan(ctx) {
			if e.Stamp = 0; !yield(e, err) {
				return
			}
		}
	}
}

func (u unstamped) Read(ctx context.Context, id memoir.DocID) (memoir.Document, error) {
	doc, err := u.Source.Read(ctx, id)
	doc.Stamp = 0
	return doc, err
}

// countedSource is a source that counts what is read.
type countedSource struct {
	memoir.Source
	reads *atomic.Int32
}

func (c countedSource) Read(ctx context.Context, id memoir.DocID) (memoir.Document, error) {
	c.reads.Add(1)
	return c.Source.Read(ctx, id)
}

// writes is a store that notes how many documents each write is of.
type writes struct {
	memoir.Store
	put, touched, removed []int
}

func (w *writes) Write(ctx context.Context, c memoir.Changes) error {
	note := func(list *[]int, n int) {
		if n > 0 {
			*list = append(*list, n)
		}
	}
	note(&w.put, len(c.Put))
	note(&w.touched, len(c.Touch))
	note(&w.removed, len(c.Delete))
	return w.Store.Write(ctx, c)
}

// TestEditWithSizeAndTimeOfBefore: an edit is seen even if a tool keeps the
// file's time, or if another file takes its place.
func TestEditWithSizeAndTimeOfBefore(t *testing.T) {
	at := time.Now().Add(-24 * time.Hour)
	for name, edit := range map[string]func(file string) error{
		"written in place": func(file string) error {
			return errors.Join(os.WriteFile(file, []byte("gamma"), 0o644), os.Chtimes(file, at, at))
		},
		"another file renamed": func(file string) error {
			other := filepath.Join(filepath.Dir(file), "other.txt")
			return errors.Join(os.WriteFile(other, []byte("gamma"), 0o644), os.Chtimes(other, at, at), os.Rename(other, file))
		},
	} {
		t.Run(name, func(t *testing.T) {
			n := newNotes(t, engine.Config{}, "a.md", "alpha")
			file := filepath.Join(n.dir, "a.md")
			if err := os.Chtimes(file, at, at); err != nil {
				t.Fatal(err)
			}
			n.sync()
			stamped := func() (stamp uint64) {
				for e := range n.source().Scan(t.Context()) {
					stamp = e.Stamp
				}
				return stamp
			}
			before := stamped()
			if before == 0 {
				t.Skip("this system tells no more of files than size and time")
			}
			// Until the clock of the file system has ticked.
			for tries := 0; stamped() == before && tries < 10_000; tries++ {
				if err := edit(file); err != nil {
					t.Fatal(err)
				}
			}
			if got := n.sync(); got.Changed != 1 {
				t.Errorf("got %+v, want one changed", got)
			}
			if res := n.search(memoir.Query{Text: "gamma"}); len(res.Hits) != 1 {
				t.Errorf("got %d hits, want the new text", len(res.Hits))
			}
		})
	}
}

// TestMovedWithItsIndex: notes that were copied to another machine have other
// stamps. They are read once and not indexed again. Their new stamps are
// written in batches.
func TestMovedWithItsIndex(t *testing.T) {
	store := &writes{Store: memstore.New()}
	n := newNotes(t, engine.Config{Store: store}, manyNotes()...)
	n.sync()
	there := newNotes(t, engine.Config{})
	if err := os.CopyFS(there.dir, os.DirFS(n.dir)); err != nil {
		t.Fatal(err)
	}
	for e := range n.source().Scan(t.Context()) {
		if err := os.Chtimes(filepath.Join(there.dir, string(e.ID)), e.ModTime, e.ModTime); err != nil {
			t.Fatal(err)
		}
	}
	var reads atomic.Int32
	memory := there.over(store, countedSource{there.source(), &reads})
	*store = writes{Store: store.Store}
	for range 2 {
		stats, err := memory.Sync(t.Context(), nil)
		if diff := gocmp.Diff(memoir.SyncStats{Scanned: 200}, stats); diff != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	}
	touched := 0
	for _, n := range store.touched {
		touched += n
	}
	if reads.Load() != 200 || len(store.put) > 0 || touched != 200 || len(store.touched) > 12 {
		t.Errorf("%d reads, puts of %v, touches of %v; want 200 read once, none put and few touches", reads.Load(), store.put, store.touched)
	}
}

// TestFileFromTheFuture: a time that is far ahead is as good as any other.
func TestFileFromTheFuture(t *testing.T) {
	n := newNotes(t, engine.Config{}, "a.md", "alpha", "b.md", "beta")
	ahead := time.Now().Add(time.Hour)
	if err := os.Chtimes(filepath.Join(n.dir, "a.md"), ahead, ahead); err != nil {
		t.Fatal(err)
	}
	var reads atomic.Int32
	memory := n.over(n.store, countedSource{n.source(), &reads})
	for range 3 {
		if _, err := memory.Sync(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
	}
	if got := reads.Load(); got != 2 {
		t.Errorf("%d reads in three syncs, want each of the two files read once", got)
	}
}

// slowPut takes five seconds to put documents.
type slowPut struct{ memoir.Store }

func (s slowPut) Write(ctx context.Context, c memoir.Changes) error {
	time.Sleep(5 * time.Second)
	return s.Store.Write(ctx, c)
}

// TestYoungWhenRead: a file that was young when it was read is doubted, however
// long it waits for its turn.
func TestYoungWhenRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNotes(t, engine.Config{}, "a.md", "# A\n\n"+strings.Repeat("some more words\n", 5_000), "b.md", "beta")
		now := time.Now()
		if err := os.Chtimes(filepath.Join(n.dir, "b.md"), now, now); err != nil {
			t.Fatal(err)
		}
		var reads atomic.Int32
		memory := n.over(slowPut{n.store}, countedSource{n.source(), &reads})
		for range 2 {
			if _, err := memory.Sync(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
		}
		if got := reads.Load(); got != 3 {
			t.Errorf("%d reads, want two and the young file once more", got)
		}
	})
}

// inMemory is a source of documents in memory; a text that begins with "!" is the
// reason why one is skipped.
type inMemory [][2]string // path and text

func (l inMemory) Kind() memoir.Kind { return memoir.KindNote }

func (l inMemory) Scan(context.Context) iter.Seq2[memoir.ScanEntry, error] {
	return func(yield func(memoir.ScanEntry, error) bool) {
		for _, d := range l {
			e := memoir.ScanEntry{DocumentMeta: memoir.DocumentMeta{ID: memoir.DocID(d[0]), Kind: memoir.KindNote, Size: int64(len(d[1]))}}
			if reason, ok := strings.CutPrefix(d[1], "!"); ok {
				e.Skip = reason
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}

func (l inMemory) Read(_ context.Context, id memoir.DocID) (memoir.Document, error) {
	for _, d := range l {
		if d[0] == string(id) {
			meta := memoir.DocumentMeta{ID: id, Kind: memoir.KindNote, Size: int64(len(d[1])), Hash: memoir.HashText(d[1])}
			return memoir.Document{DocumentMeta: meta, Text: d[1]}, nil
		}
	}
	return memoir.Document{}, memoir.ErrNotFound
}

// TestNamesakesOfTwoSources: of two documents with the same id, that of the
// first source is indexed once. The other is listed with the reason.
func TestNamesakesOfTwoSources(t *testing.T) {
	const reason = "another source before this one has a file of the same name"
	ctx := t.Context()
	n := newNotes(t, engine.Config{})
	store := &writes{Store: n.store}
	first := inMemory{{"b.md", "beta"}, {"a.md", "alpha"}, {"large.md", "!too large"}} // in no order
	second := inMemory{{"a.md", "another alpha"}, {"c.md", "gamma"}, {"large.md", "large"}}
	memory := n.over(store, first, second)
	namesakes := []memoir.Skipped{{ID: "large.md", Reason: "too large"}, {ID: "a.md", Reason: reason}, {ID: "large.md", Reason: reason}}
	for i, want := range []memoir.SyncStats{{Scanned: 3, Added: 3, Skipped: namesakes}, {Scanned: 3, Skipped: namesakes}} {
		got, err := memory.Sync(ctx, nil)
		if diff := gocmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("sync %d: %v (-want +got):\n%s", i, err, diff)
		}
	}
	if !slices.Equal(store.put, []int{3}) {
		t.Errorf("puts of %v documents, want the three together", store.put)
	}
	// Searches and the status say that something is missing.
	const hidden = "2 notes not indexed: another source has files of the same names"
	res, err := memory.Search(ctx, memoir.Query{Text: "alpha", Mode: memoir.ModeText})
	if err != nil || len(res.Degraded) != 1 || res.Degraded[0].Reason != hidden {
		t.Errorf("the search says %+v, %v; want %q", res.Degraded, err, hidden)
	}
	if st, err := memory.Status(ctx); err != nil || len(st.Degraded) != 1 || st.Degraded[0].Reason != hidden {
		t.Errorf("the status says %+v, %v; want %q", st.Degraded, err, hidden)
	}
	text := func(e *engine.Engine) string {
		doc, err := e.Get(ctx, "a.md", 0, 0)
		return cmp.Or(doc.Text, fmt.Sprint(err))
	}
	if got := text(memory); got != "alpha" {
		t.Errorf("got %q, want the text that is indexed", got)
	}
	// What the first source loses the second one gives.
	memory = n.over(n.store, first[:1], second)
	got, err := memory.Sync(ctx, nil)
	if want := (memoir.SyncStats{Scanned: 4, Added: 1, Changed: 1}); err != nil || gocmp.Diff(want, got) != "" || text(memory) != "another alpha" {
		t.Errorf("got %+v, %v, %q; want %+v and the text of the second", got, err, text(memory), want)
	}
}

// TestRemovalsTogether: notes that a branch no longer has are removed from the
// index in few commits, the first of which is small.
func TestRemovalsTogether(t *testing.T) {
	store := &writes{Store: memstore.New()}
	var all inMemory
	for i := range 5_000 {
		all = append(all, [2]string{fmt.Sprintf("%04d.md", i), "word"})
	}
	n := newNotes(t, engine.Config{})
	if _, err := n.over(store, all).Sync(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	steps, last := 0, 0
	stats, err := n.over(store, all[4_000:]).Sync(t.Context(), func(done, total int) {
		if done <= last || total != 4_000 {
			t.Errorf("progress %d of %d after %d", done, total, last)
		}
		steps, last = steps+1, done
	})
	if want := (memoir.SyncStats{Scanned: 1_000, Removed: 4_000}); err != nil || gocmp.Diff(want, stats) != "" {
		t.Errorf("got %+v, %v, want %+v", stats, err, want)
	}
	if len(store.removed) > 10 || store.removed[0] > 100 || steps != len(store.removed) || last != 4_000 {
		t.Errorf("removals of %v, %d steps of progress to %d", store.removed, steps, last)
	}
	left, err := store.Stats(t.Context(), memoir.Space{})
	if err != nil || left.Documents != 1_000 {
		t.Errorf("%d documents are left, %v, want 1,000", left.Documents, err)
	}
}

// TestWhyNamesWhatHelps: where an edit cannot be seen without reading the file,
// another index run would not help.
func TestWhyNamesWhatHelps(t *testing.T) {
	n := newNotes(t, engine.Config{}, "a.md", "alpha", "b.md", "beta")
	n.engine = n.over(n.store, unstamped{n.source()})
	n.sync()
	file := filepath.Join(n.dir, "a.md")
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.WriteFile(file, []byte("gamma"), 0o644), os.Chtimes(file, info.ModTime(), info.ModTime())); err != nil {
		t.Fatal(err)
	}
	x := n.why(memoir.Query{Text: "gamma"}, "a.md", 1)
	if x.Verdict != explain.VerdictUnsynced || remedies(x) != "memoir rebuild" {
		t.Errorf("got %s (%s), %q; want to rebuild", x.Verdict, x.Reason, remedies(x))
	}
	if _, err := n.engine.Rebuild(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if x = n.why(memoir.Query{Text: "gamma"}, "a.md", 1); x.Verdict != explain.VerdictHit {
		t.Errorf("after it: got %s (%s), want a hit", x.Verdict, x.Reason)
	}
}

// away is a source that cannot look at what lies below an id for a moment.
type away struct {
	inMemory
	id memoir.DocID
}

func (a away) Scan(ctx context.Context) iter.Seq2[memoir.ScanEntry, error] {
	return func(yield func(memoir.ScanEntry, error) bool) {
		for e, err := range a.inMemory.Scan(ctx) {
			if !yield(e, err) {
				return
			}
		}
		yield(memoir.ScanEntry{DocumentMeta: memoir.DocumentMeta{ID: a.id}, Skip: "busy", Temporary: true}, nil)
	}
}

// TestAwayForAMoment: what cannot be looked at now stays in the index, with
// everything below it. What lies beside it is removed.
func TestAwayForAMoment(t *testing.T) {
	n := newNotes(t, engine.Config{})
	all := inMemory{{"a/b", "alpha"}, {"a/c/d", "beta"}, {"ab", "gamma"}, {"a", "delta"}, {"e", "epsilon"}}
	if _, err := n.over(n.store, all).Sync(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	stats, err := n.over(n.store, away{inMemory{{"e", "epsilon"}, {"a/c/d", "!too large"}}, "a"}).Sync(t.Context(), nil)
	if err != nil || stats.Removed != 2 || len(stats.Skipped) != 2 {
		t.Errorf("got %+v, %v; want ab and a/c/d removed", stats, err)
	}
}

// sessions are documents of another source, as sessions.
type sessions struct{ countedSource }

func (sessions) Kind() memoir.Kind { return memoir.KindSession }

func (s sessions) Scan(ctx context.Context) iter.Seq2[memoir.ScanEntry, error] {
	return func(yield func(memoir.ScanEntry, error) bool) {
		for entry, err := range s.Source.Scan(ctx) {
			if entry.Kind = memoir.KindSession; !yield(entry, err) {
				return
			}
		}
	}
}

// TestStatusReadsNoSession: a status reads new notes, to tell those that no run would index,
// but no sessions, which are as large unpacked as they like.
func TestStatusReadsNoSession(t *testing.T) {
	n := newNotes(t, engine.Config{}, "a.md", "a\x00b")
	for _, want := range []struct{ reads, lacking, skipped int }{{1, 0, 1}, {0, 1, 0}} {
		counted := countedSource{n.source(), new(atomic.Int32)}
		var from memoir.Source = counted
		if want.reads == 0 {
			from = sessions{counted}
		}
		st, err := n.over(memstore.New(), from).Status(t.Context())
		if err != nil || int(counted.reads.Load()) != want.reads || st.Unindexed != want.lacking || len(st.Skipped) != want.skipped {
			t.Errorf("%d reads, %d not indexed, skipped %v, %v; want %+v", counted.reads.Load(), st.Unindexed, st.Skipped, err, want)
		}
	}
}
