package engine_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/notegen"
	"github.com/memoir-ai/memoir/source/mdfile"
	"github.com/memoir-ai/memoir/store/sqlite"
)

// year writes 367 day logs of about 6 MB in English and Chinese.
func year(b *testing.B) string {
	b.Helper()
	dir := b.TempDir()
	if _, err := notegen.Write(dir, notegen.Options{Seed: 1}); err != nil {
		b.Fatal(err)
	}
	return dir
}

// openIndex makes an engine over notes with an index in SQLite, words only.
func openIndex(b *testing.B, notes, index string) *engine.Engine {
	b.Helper()
	source, err := mdfile.Open(notes, mdfile.Options{})
	if err != nil {
		b.Fatal(err)
	}
	store, err := sqlite.Open(b.Context(), index, sqlite.Options{})
	if err != nil {
		b.Fatal(err)
	}
	memory, err := engine.New(engine.Config{Store: store, Sources: []memoir.Source{source}})
	if err != nil {
		b.Fatal(err)
	}
	return memory
}

func syncIndex(b *testing.B, e *engine.Engine) memoir.SyncStats {
	b.Helper()
	stats, err := e.Sync(b.Context(), nil)
	if err != nil {
		b.Fatal(err)
	}
	return stats
}

// BenchmarkIndexYear indexes a year of day logs from nothing.
func BenchmarkIndexYear(b *testing.B) {
	notes, dir, n := year(b), b.TempDir(), 0
	for b.Loop() {
		n++
		e := openIndex(b, notes, filepath.Join(dir, fmt.Sprint(n, ".sqlite")))
		if got := syncIndex(b, e); got.Added != 367 {
			b.Fatalf("got %+v, want 367 added", got)
		}
		if err := e.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSyncUnchanged opens the index of a year and finds nothing to do.
func BenchmarkSyncUnchanged(b *testing.B) {
	notes, index := year(b), filepath.Join(b.TempDir(), "index.sqlite")
	e := openIndex(b, notes, index)
	syncIndex(b, e)
	if err := e.Close(); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		e := openIndex(b, notes, index)
		if got := syncIndex(b, e); got.Added+got.Changed+got.Removed != 0 {
			b.Fatalf("got %+v, want nothing done", got)
		}
		if err := e.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSyncOneChanged indexes one changed day log of a year.
func BenchmarkSyncOneChanged(b *testing.B) {
	notes, index := year(b), filepath.Join(b.TempDir(), "index.sqlite")
	e := openIndex(b, notes, index)
	defer e.Close()
	syncIndex(b, e)
	file := filepath.Join(notes, "memory", "2025-06-01.md")
	text, err := os.ReadFile(file)
	if err != nil {
		b.Fatal(err)
	}
	at, n := time.Now().Add(-time.Hour), 0
	for b.Loop() {
		n++
		if err := os.WriteFile(file, fmt.Appendf(text, "\nOne more line, number %d.\n", n), 0o600); err != nil {
			b.Fatal(err)
		}
		at = at.Add(time.Second)
		if err := os.Chtimes(file, at, at); err != nil {
			b.Fatal(err)
		}
		if got := syncIndex(b, e); got.Changed != 1 {
			b.Fatalf("got %+v, want one changed", got)
		}
	}
}

// tree writes small notes, 20 to a folder and 100 folders to one above them.
func tree(b *testing.B, notes int) string {
	b.Helper()
	dir, i := b.TempDir(), 0
	for log := range notegen.Logs(notegen.Options{Seed: 1, Days: notes, BytesPerDay: 300}) {
		log.Path = fmt.Sprintf("area-%02d/project-%04d/note-%02d.md", i/2000, i/20, i%20)
		if err := log.Write(dir); err != nil {
			b.Fatal(err)
		}
		i++
	}
	return dir
}

// BenchmarkManyNotes looks at notes of which none has changed: as a process that
// starts (Open), as one that runs (Warm), and with a search (OpenSearch,
// WarmSearch). MEMOIR_BENCH_NOTES adds a size.
func BenchmarkManyNotes(b *testing.B) {
	sizes := []int{2_000}
	if n, err := strconv.Atoi(os.Getenv("MEMOIR_BENCH_NOTES")); err == nil {
		sizes = append(sizes, n)
	}
	for _, n := range sizes {
		b.Run(fmt.Sprintf("notes=%d", n), func(b *testing.B) {
			notes, index := tree(b, n), filepath.Join(b.TempDir(), "index.sqlite")
			e := openIndex(b, notes, index)
			defer func() { e.Close() }()
			syncIndex(b, e)
			look := func() {
				if got := syncIndex(b, e); got.Scanned != n || got.Added+got.Changed+got.Removed != 0 {
					b.Fatalf("got %+v, want nothing done", got)
				}
			}
			search := func() {
				res, err := e.Search(b.Context(), memoir.Query{Text: "QUEUE_MAX_RETRIES"})
				if err != nil || len(res.Hits) == 0 {
					b.Fatalf("got %+v, %v", res, err)
				}
			}
			reopen := func() {
				if err := e.Close(); err != nil {
					b.Fatal(err)
				}
				e = openIndex(b, notes, index)
			}
			for _, bench := range []struct {
				name string
				do   func()
			}{{"Open", func() { reopen(); look() }}, {"Warm", look}, {"OpenSearch", func() { reopen(); search() }}, {"WarmSearch", search}} {
				b.Run(bench.name, func(b *testing.B) {
					for b.Loop() {
						bench.do()
					}
				})
			}
		})
	}
}

// BenchmarkSearchHidden searches some 6,000 passages by words: all of them, and as a token without
// the permission private (Hidden), to which one note in fifty is hidden.
func BenchmarkSearchHidden(b *testing.B) {
	dir, i := b.TempDir(), 0
	for log := range notegen.Logs(notegen.Options{Seed: 1, Days: 1_000, BytesPerDay: 2_000}) {
		if err := log.Write(dir); err != nil {
			b.Fatal(err)
		}
		if i++; i%50 == 0 {
			file := filepath.Join(dir, filepath.FromSlash(log.Path))
			if err := os.WriteFile(file, []byte("# Private\n\n- The boiler was mended by Tove\n"), 0o600); err != nil {
				b.Fatal(err)
			}
		}
	}
	e := openIndex(b, dir, filepath.Join(b.TempDir(), "index.sqlite"))
	defer e.Close()
	syncIndex(b, e)
	status, err := e.Status(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	hidden := []memoir.Filter{
		{Kinds: []memoir.Kind{memoir.KindSession, memoir.KindCollection}},
		{Labels: []memoir.Label{memoir.LabelPrivate}},
	}
	for name, text := range map[string]string{
		"rare": "QUEUE_MAX_RETRIES", "prose": "when do we review the deploy of the search service?", "中文": "数据库 会议",
	} {
		for _, who := range []string{"all", "Hidden"} {
			b.Run(name+"/"+who, func(b *testing.B) {
				q := memoir.Query{Text: text, Mode: memoir.ModeText, NoSync: true}
				if who == "Hidden" {
					q.Hidden = hidden
				}
				for b.Loop() {
					if res, err := e.Search(b.Context(), q); err != nil || len(res.Hits) == 0 {
						b.Fatalf("got %+v, %v", res, err)
					}
				}
				b.ReportMetric(float64(status.Chunks), "passages")
			})
		}
	}
}
