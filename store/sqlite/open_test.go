package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/store/sqlite"
)

var space = memoir.Space{Provider: "test", Model: "m", Version: "1", Dimensions: 3}

// put indexes a document of one chunk with that text, its words as terms.
func put(t testing.TB, s memoir.Store, id memoir.DocID, text string) {
	t.Helper()
	c := memoir.IndexedChunk{
		Chunk: memoir.Chunk{
			ChunkMeta: memoir.ChunkMeta{ChunkID: memoir.ChunkID{Doc: id}, Kind: memoir.KindNote},
			StartLine: 1, EndLine: 1, Text: text,
		},
		EmbedHashes: []memoir.Hash{memoir.HashText(text)},
	}
	c.Terms[memoir.FieldBody] = strings.Fields(text)
	meta := memoir.DocumentMeta{ID: id, Kind: memoir.KindNote, Hash: memoir.HashText(text)}
	doc := memoir.IndexedDocument{DocumentMeta: meta, Chunks: []memoir.IndexedChunk{c}}
	if err := s.Write(t.Context(), memoir.Changes{Put: []memoir.IndexedDocument{doc}}); err != nil {
		t.Fatalf("put %s: %v", id, err)
	}
}

func putVector(t testing.TB, s memoir.Store, text string, v ...float32) {
	t.Helper()
	if err := s.PutVectors(t.Context(), space, map[memoir.Hash][]float32{memoir.HashText(text): v}, nil); err != nil {
		t.Fatalf("PutVectors: %v", err)
	}
}

// found returns the documents that hold a word, in order.
func found(t testing.TB, s memoir.Store, word string) []string {
	t.Helper()
	ms, err := searchText(t.Context(), s, word)
	if err != nil {
		t.Fatalf("SearchText(%q): %v", word, err)
	}
	return docs(ms)
}

func searchText(ctx context.Context, s memoir.Store, word string) (ms []memoir.Match, err error) {
	err = s.View(ctx, func(v memoir.View) error {
		ms, err = memoir.SearchText(ctx, v, []memoir.Term{{Text: word, Weight: 1}}, memoir.Filter{}, 100)
		return err
	})
	return ms, err
}

func searchVector(ctx context.Context, s memoir.Store, space memoir.Space, query []float32, limit int) (ms []memoir.Match, err error) {
	err = s.View(ctx, func(v memoir.View) error {
		ms, err = v.SearchVector(ctx, space, query, memoir.Filter{}, limit)
		return err
	})
	return ms, err
}

func near(t testing.TB, s memoir.Store, v ...float32) []string {
	t.Helper()
	ms, err := searchVector(t.Context(), s, space, v, 100)
	if err != nil {
		t.Fatalf("SearchVector(%v): %v", v, err)
	}
	return docs(ms)
}

// read returns the chunks of matches.
func read(t testing.TB, s memoir.Store, ms []memoir.Match) (chunks []memoir.Chunk) {
	t.Helper()
	var ids []memoir.ChunkID
	for _, m := range ms {
		ids = append(ids, m.ChunkID)
	}
	if err := s.View(t.Context(), func(v memoir.View) (err error) {
		chunks, err = v.Chunks(t.Context(), ids)
		return err
	}); err != nil || len(chunks) != len(ms) {
		t.Fatalf("%d chunks of %d, %v", len(chunks), len(ms), err)
	}
	return chunks
}

func docs(ms []memoir.Match) []string {
	var out []string
	for _, m := range ms {
		out = append(out, string(m.Doc))
	}
	return out
}

func want[T any](t testing.TB, what string, got, want T) {
	t.Helper()
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("%s (-got +want):\n%s", what, diff)
	}
}

// shell opens the file as any program would.
func shell(t testing.TB, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func run(t testing.TB, path string, statements ...string) {
	t.Helper()
	db := shell(t, path)
	db.SetMaxOpenConns(1)
	for _, q := range append([]string{"PRAGMA busy_timeout = 10000"}, statements...) { // a store may be writing
		if _, err := db.Exec(q); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// sample makes an index of three documents, closes it and returns its path.
func sample(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "index.db")
	s := open(t, path)
	put(t, s, "a.md", "alpha word")
	put(t, s, "b.md", "beta word")
	put(t, s, "c.md", "gamma")
	putVector(t, s, "alpha word", 1, 0, 0)
	putVector(t, s, "beta word", 0, 1, 0)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func setAside(t testing.TB, path string) []string {
	t.Helper()
	out, err := filepath.Glob(path + ".corrupt-*")
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestPaths(t *testing.T) {
	names := []string{"plain.db", "a b.db", "a#b.db", "100%.db", "%41.db", "a&mode=memory.db", "笔记/索引.db", "é/e\u0301.db", "deep/er/index.db", "'; --.db"}
	if runtime.GOOS != "windows" {
		names = append(names, "a?b.db", "a?mode=memory", ":memory:", "file:x.db", "C:\\index.db", "\"quoted\".db", "new\nline.db")
	}
	for _, name := range names {
		path := filepath.Join(t.TempDir(), filepath.FromSlash(name))
		s, err := sqlite.Open(t.Context(), path, sqlite.Options{})
		if err != nil {
			t.Errorf("Open(%q): %v", name, err)
			continue
		}
		put(t, s, "a.md", "word")
		if size, err := s.Size(); s.Path() != path || err != nil || size == 0 {
			t.Errorf("%q: path %q, size %d, %v", name, s.Path(), size, err)
		}
		if err := s.Close(); err != nil {
			t.Errorf("Close of %q: %v", name, err)
		}
		if info, err := os.Stat(path); err != nil || info.Size() == 0 {
			t.Errorf("%q is not where it should be: %v", name, err)
		}
		want(t, name, found(t, open(t, path), "word"), []string{"a.md"})
	}
}

func TestForeign(t *testing.T) {
	t.Run("another program", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "index.db")
		run(t, path, "CREATE TABLE precious (x)", "INSERT INTO precious VALUES (1)")
		refused(t, path, memoir.ErrForeign, "--state-dir")
	})
	t.Run("another program's id", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "index.db")
		run(t, path, "PRAGMA application_id = 7", "CREATE TABLE files (x)")
		refused(t, path, memoir.ErrForeign, "--state-dir")
	})
	t.Run("newer schema", func(t *testing.T) {
		path := sample(t)
		run(t, path, "PRAGMA user_version = 1000")
		refused(t, path, memoir.ErrForeign, "upgrade")
	})
	t.Run("folder", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "index.db")
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
		if _, err := sqlite.Open(t.Context(), path, sqlite.Options{}); !errors.Is(err, memoir.ErrUnavailable) || !strings.Contains(memoir.Hint(err), "--state-dir") {
			t.Errorf("Open = %v, hint %q", err, memoir.Hint(err))
		}
	})
	t.Run("file for a folder", func(t *testing.T) {
		path := filepath.Join(sample(t), "index.db")
		if _, err := sqlite.Open(t.Context(), path, sqlite.Options{}); !errors.Is(err, memoir.ErrUnavailable) || !strings.Contains(memoir.Hint(err), "MEMOIR_STATE_DIR") {
			t.Errorf("Open = %v, hint %q", err, memoir.Hint(err))
		}
	})
}

// refused checks that a file is neither opened nor changed.
func refused(t *testing.T, path string, sentinel error, hint string) {
	t.Helper()
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, opts := range []sqlite.Options{{}, {ReadOnly: true}} {
		_, err = sqlite.Open(t.Context(), path, opts)
		if !errors.Is(err, sentinel) || !strings.Contains(memoir.Hint(err), hint) {
			t.Errorf("Open = %v, hint %q; want %v, hint with %q", err, memoir.Hint(err), sentinel, hint)
		}
	}
	after, err := os.ReadFile(path)
	if err != nil || string(before) != string(after) {
		t.Errorf("the file was changed, %v", err)
	}
	if names := setAside(t, path); len(names) > 0 {
		t.Errorf("set aside: %v", names)
	}
}

func TestDamaged(t *testing.T) {
	tests := []struct {
		name   string
		damage func([]byte) []byte
	}{
		{"text", func([]byte) []byte { return []byte("# Shopping\n- milk\n") }},
		{"one byte", func([]byte) []byte { return []byte{'S'} }},
		{"header only", func(b []byte) []byte { return b[:100] }},
		{"cut in half", func(b []byte) []byte { return b[:len(b)/2] }},
		{"cut by a byte", func(b []byte) []byte { return b[:len(b)-1] }},
		{"no magic", func(b []byte) []byte { b[0] ^= 1; return b }},
		{"schema page", func(b []byte) []byte { clear(b[100:4096]); return b }},
		{"zeros", func(b []byte) []byte { clear(b); return b }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := sample(t)
			good, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			bad := tt.damage(good)
			if err := os.WriteFile(path, bad, 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := sqlite.Open(t.Context(), path, sqlite.Options{ReadOnly: true}); !errors.Is(err, memoir.ErrCorrupt) {
				t.Errorf("Open to read = %v, want ErrCorrupt", err)
			}
			s := open(t, path)
			d := s.Degradations()
			if len(d) != 1 || d[0].Part != "index" || d[0].Action != "memoir index" {
				t.Errorf("Degradations = %+v, want one of the index", d)
			}
			want(t, "told again", s.Degradations(), d)
			s.Later()
			want(t, "told later", s.Degradations(), nil)
			aside := setAside(t, path)
			if len(aside) != 1 {
				t.Fatalf("set aside: %v, want one file", aside)
			}
			if kept, err := os.ReadFile(aside[0]); err != nil || string(kept) != string(bad) {
				t.Errorf("the file set aside differs, %v", err)
			}
			put(t, s, "d.md", "delta word")
			want(t, "fresh index", found(t, s, "word"), []string{"d.md"})
		})
	}
}

func TestSetAsideKeepsTwo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.db")
	if err := os.WriteFile(path, []byte("a person's own text"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		s := open(t, path)
		put(t, s, "a.md", "word")
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(path, 4096+17); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{".corrupt-20260302T100000.000Z-wal", ".corrupt-mine-wal"} { // the first process was killed before it set the index aside
		if err := os.WriteFile(path+name, []byte("a log"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	open(t, path)
	if err := os.Remove(path + ".corrupt-mine-wal"); err != nil {
		t.Error(err)
	}
	aside := setAside(t, path)
	if len(aside) != 3 {
		t.Fatalf("set aside: %v, want the newest two and the one that is not memoir's", aside)
	}
	if own, err := os.ReadFile(slices.Min(aside)); err != nil || string(own) != "a person's own text" {
		t.Errorf("the oldest is %q, %v; want the person's text", own, err)
	}
}

// TestFlipped damages single bytes anywhere. Whatever happens, the store
// answers or says that the index is damaged, and a rebuild mends it.
func TestFlipped(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long")
	}
	path := sample(t)
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(5, 6))
	for range 80 {
		bad := slices.Clone(good)
		for range 1 + r.IntN(20) {
			bad[r.IntN(len(bad))] ^= byte(1 + r.IntN(255))
		}
		path := filepath.Join(t.TempDir(), "index.db")
		if err := os.WriteFile(path, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		exercise(t, path)
	}
}

// FuzzOpen opens arbitrary bytes.
func FuzzOpen(f *testing.F) {
	good, err := os.ReadFile(sample(f))
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(nil))
	f.Add([]byte("# a note\n"))
	f.Add(good[:100])
	f.Add(good[:8192])
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "index.db")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		exercise(t, path)
	})
}

// exercise uses a file that may be damaged: no call may do worse than fail.
func exercise(t *testing.T, path string) {
	t.Helper()
	s, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	if err != nil {
		if !errors.Is(err, memoir.ErrForeign) && !errors.Is(err, memoir.ErrCorrupt) && !errors.Is(err, memoir.ErrUnavailable) {
			t.Errorf("Open = %v, want one of the sentinels", err)
		}
		return
	}
	defer s.Close()
	ctx := t.Context()
	searchText(ctx, s, "word")
	searchVector(ctx, s, space, []float32{1, 1, 0}, 10)
	s.PendingTexts(ctx, space, time.Now(), "", 10)
	s.Stats(ctx, space)
	for range s.Documents(ctx) {
	}
	s.Write(ctx, memoir.Changes{Delete: []memoir.DocID{"b.md"}})
	if err := s.Clear(ctx); err != nil {
		t.Fatalf("Clear = %v, want a usable index", err)
	}
	put(t, s, "d.md", "delta word")
	want(t, "after a rebuild", found(t, s, "word"), []string{"d.md"})
	putVector(t, s, "delta word", 1, 0, 0)
	want(t, "after a rebuild", near(t, s, 1, 0, 0), []string{"d.md"})
}

func BenchmarkOpen(b *testing.B) {
	path := sample(b)
	for b.Loop() {
		s, err := sqlite.Open(b.Context(), path, sqlite.Options{})
		if err != nil {
			b.Fatal(err)
		}
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
