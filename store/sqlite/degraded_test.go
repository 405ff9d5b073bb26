package sqlite_test

import (
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	_ "modernc.org/sqlite/vec" // the shell of these tests has the extension too

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/store/sqlite"
)

// TestShell asks the file with plain SQL, as schema/0001.sql says.
func TestShell(t *testing.T) {
	db := shell(t, sample(t))
	query := func(q string) (out []string) {
		t.Helper()
		rows, err := db.Query(q)
		if err != nil {
			t.Fatalf("%s: %v", q, err)
		}
		defer rows.Close()
		for rows.Next() {
			var s string
			if err := rows.Scan(&s); err != nil {
				t.Fatal(err)
			}
			out = append(out, s)
		}
		return out
	}
	want(t, "chunks_fts", query(`SELECT f.path || '#L' || c.start_line || ' ' || c.text
		FROM chunks_fts JOIN chunks c ON c.id = chunks_fts.rowid JOIN files f ON f.id = c.file
		WHERE chunks_fts MATCH '"beta"' ORDER BY chunks_fts.rank LIMIT 5`), []string{"b.md#L1 beta word"})
	want(t, "chunks_vec", query(`SELECT f.path || ' ' || round(v.distance, 3)
		FROM chunks_vec v JOIN chunks c ON c.id = v.rowid JOIN files f ON f.id = c.file
		WHERE v.embedding MATCH (SELECT embedding FROM chunks_vec WHERE rowid = 1048576) AND v.k = 5
		ORDER BY v.distance`), []string{"a.md 0.0", "b.md 1.0"})
	want(t, "embedding_cache", query(`SELECT vec_to_json(e.vector) FROM embedding_cache e JOIN chunks c ON c.embed_hash = e.hash
		WHERE c.text = 'beta word'`), []string{"[0.000000,1.000000,0.000000]"})
	want(t, "chunks_vocab", query("SELECT DISTINCT term FROM chunks_vocab ORDER BY term"), []string{"alpha", "beta", "gamma", "word"})
	want(t, "meta", query("SELECT key || ' ' || value FROM meta WHERE key IN ('chunks', 'documents', 'terms') ORDER BY key"),
		[]string{"chunks 3", "documents 3", "terms 5"})
	want(t, "application_id", query("SELECT printf('%x', application_id) FROM pragma_application_id"), []string{"4d454d4f"})
	want(t, "journal", query("PRAGMA journal_mode"), []string{"wal"})
}

// TestVectorTableBroken: without chunks_vec the answers are the same, only
// slower, and said to be so.
func TestVectorTableBroken(t *testing.T) {
	for name, statements := range map[string][]string{
		"no rows":  {"DROP TABLE chunks_vec_rowids"},
		"no info":  {"DROP TABLE chunks_vec_chunks"},
		"no table": {"DROP TABLE chunks_vec"},
	} {
		t.Run(name, func(t *testing.T) {
			path := sample(t)
			run(t, path, statements...)
			s := open(t, path)
			want(t, "near", near(t, s, 1, .5, 0), []string{"a.md", "b.md"})
			d := s.Degradations()
			if len(d) != 1 || d[0].Part != "vectors" || d[0].Action != "memoir rebuild" {
				t.Errorf("Degradations = %+v, want one of the vectors", d)
			}
			put(t, s, "a.md", "beta word")
			putVector(t, s, "gamma", .5, 1, 0)
			want(t, "after writes", near(t, s, 0, 1, 0), []string{"a.md", "b.md", "c.md"})

			if err := s.Clear(t.Context()); err != nil {
				t.Fatalf("Clear: %v", err)
			}
			put(t, s, "a.md", "beta word")
			putVector(t, s, "beta word", 0, 1, 0)
			want(t, "after a rebuild", near(t, s, 0, 1, 0), []string{"a.md"})
			for _, d := range s.Degradations() {
				if d.Part == "vectors" {
					t.Errorf("after a rebuild: %+v", d)
				}
			}
		})
	}
}

// TestVectorTableMissed: the first to notice may be a write.
func TestVectorTableMissed(t *testing.T) {
	path := sample(t)
	run(t, path, "DROP TABLE chunks_vec_rowids")
	s := open(t, path)
	put(t, s, "a.md", "beta word")
	if d := s.Degradations(); len(d) != 1 {
		t.Errorf("Degradations = %+v, want one", d)
	}
	want(t, "near", near(t, s, 0, 1, 0), []string{"a.md", "b.md"})

	// Another process takes no half-filled table for complete.
	want(t, "near, reopened", near(t, open(t, path), 0, 1, 0), []string{"a.md", "b.md"})
}

func TestWordIndexBroken(t *testing.T) {
	path := sample(t)
	s := open(t, path)
	run(t, path, "DROP TABLE chunks_fts_data")
	_, err := s.SearchText(t.Context(), []memoir.Term{{Text: "word", Weight: 1}}, memoir.Filter{}, 9)
	if !errors.Is(err, memoir.ErrUnavailable) || memoir.Hint(err) != "memoir rebuild" {
		t.Errorf("SearchText = %v, hint %q; want ErrUnavailable and memoir rebuild", err, memoir.Hint(err))
	}
	want(t, "near", near(t, s, 1, .5, 0), []string{"a.md", "b.md"})
	if err := s.Clear(t.Context()); err != nil {
		t.Fatalf("Clear: %v", err)
	}
	put(t, s, "a.md", "alpha word")
	want(t, "after a rebuild", found(t, s, "word"), []string{"a.md"})
}

// TestDamagedLater: the damage is deep in the file and shows in the middle of a query.
func TestDamagedLater(t *testing.T) {
	path := sample(t)
	db := shell(t, path)
	var page int64
	if err := db.QueryRow("SELECT rootpage FROM sqlite_schema WHERE name = 'chunks'").Scan(&page); err != nil {
		t.Fatal(err)
	}
	db.Close()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt(make([]byte, 4096), (page-1)*4096); err != nil {
		t.Fatal(err)
	}
	f.Close()

	s := open(t, path)
	_, err = s.SearchText(t.Context(), []memoir.Term{{Text: "word", Weight: 1}}, memoir.Filter{}, 9)
	if !errors.Is(err, memoir.ErrCorrupt) || memoir.Hint(err) != "memoir rebuild" {
		t.Errorf("SearchText = %v, hint %q; want ErrCorrupt and memoir rebuild", err, memoir.Hint(err))
	}
	if err := s.Clear(t.Context()); err != nil {
		t.Fatalf("Clear: %v", err)
	}
	put(t, s, "a.md", "alpha word")
	want(t, "after a rebuild", found(t, s, "word"), []string{"a.md"})
}

func TestReadOnly(t *testing.T) {
	missing := t.TempDir() + "/index.db"
	if _, err := sqlite.Open(t.Context(), missing, sqlite.Options{ReadOnly: true}); !errors.Is(err, memoir.ErrUnavailable) || memoir.Hint(err) != "memoir index" {
		t.Errorf("Open of none = %v, hint %q; want ErrUnavailable and memoir index", err, memoir.Hint(err))
	}
	path := sample(t)
	s, err := sqlite.Open(t.Context(), path, sqlite.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	readsOnly(t, s)

	// It sees what another process writes.
	put(t, open(t, path), "d.md", "delta word")
	want(t, "written beside", found(t, s, "delta"), []string{"d.md"})
}

// readsOnly checks that the sample answers and refuses to be written to.
func readsOnly(t *testing.T, s *sqlite.Store) {
	t.Helper()
	ctx := t.Context()
	want(t, "words", found(t, s, "word"), []string{"a.md", "b.md"})
	want(t, "vectors", near(t, s, 1, .5, 0), []string{"a.md", "b.md"})
	if _, err := s.Stats(ctx, space); err != nil {
		t.Errorf("Stats: %v", err)
	}
	for name, err := range map[string]error{
		"PutDocument":    s.PutDocument(ctx, memoir.IndexedDocument{DocumentMeta: memoir.DocumentMeta{ID: "x.md"}}, nil),
		"TouchDocument":  s.TouchDocument(ctx, memoir.DocumentMeta{ID: "a.md"}),
		"DeleteDocument": s.DeleteDocument(ctx, "a.md"),
		"PutVectors":     s.PutVectors(ctx, space, map[memoir.Hash][]float32{"h": {1, 0, 0}}),
		"Clear":          s.Clear(ctx),
	} {
		if !errors.Is(err, memoir.ErrUnavailable) || memoir.Hint(err) == "" {
			t.Errorf("%s = %v, hint %q; want ErrUnavailable with a hint", name, err, memoir.Hint(err))
		}
	}
}

// TestTakeOver: the space that is complete is the one in chunks_vec.
func TestTakeOver(t *testing.T) {
	path := sample(t)
	s := open(t, path)
	putVector(t, s, "gamma", 0, 0, 1)
	next := memoir.Space{Provider: "test", Model: "next", Version: "1", Dimensions: 2}
	width := func() (n int) {
		t.Helper()
		if err := shell(t, path).QueryRow("SELECT vec_length(embedding) FROM chunks_vec LIMIT 1").Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	for i := range 3 {
		texts, err := s.PendingTexts(t.Context(), next, time.Now(), "", 1)
		if err != nil || len(texts) != 1 {
			t.Fatalf("PendingTexts = %v, %v; want one", texts, err)
		}
		if got := width(); got != space.Dimensions {
			t.Fatalf("with %d texts done chunks_vec has %d dimensions, want %d", i, got, space.Dimensions)
		}
		if err := s.PutVectors(t.Context(), next, map[memoir.Hash][]float32{texts[0].Hash: {1, float32(i)}}); err != nil {
			t.Fatal(err)
		}
	}
	if texts, err := s.PendingTexts(t.Context(), next, time.Now(), "", 1); err != nil || len(texts) != 0 {
		t.Fatalf("PendingTexts = %v, %v; want none", texts, err)
	}
	if err := s.Settle(t.Context(), next, memoir.CacheLimits{}); err != nil {
		t.Fatal(err)
	}
	if got := width(); got != next.Dimensions {
		t.Errorf("chunks_vec has %d dimensions, want %d", got, next.Dimensions)
	}
	want(t, "the old space", near(t, s, 1, .5, .1), nil)
}

// TestManyEquallyNear: more ties than vec0 can return are still cut by id.
func TestManyEquallyNear(t *testing.T) {
	s := open(t, t.TempDir()+"/index.db")
	putVector(t, s, "same", 1, 1, 1)
	const n = 4200
	chunks := make([]memoir.IndexedChunk, n)
	for i := range chunks {
		chunks[i].ChunkID = memoir.ChunkID{Doc: "z.md", Ordinal: i}
		chunks[i].EmbedHash = memoir.HashText("same")
	}
	if err := s.PutDocument(t.Context(), memoir.IndexedDocument{DocumentMeta: memoir.DocumentMeta{ID: "z.md"}}, chunks); err != nil {
		t.Fatal(err)
	}
	put(t, s, "a.md", "same")
	for _, limit := range []int{1, 4096, 4097, n + 1} {
		ms, err := s.SearchVector(t.Context(), space, []float32{1, 1, 1}, memoir.Filter{}, limit)
		if err != nil || len(ms) != limit || ms[0].Doc != "a.md" {
			t.Fatalf("limit %d: %d matches, %v; want a.md first", limit, len(ms), err)
		}
		for i, m := range ms[1:] {
			if m.Ordinal != i {
				t.Fatalf("limit %d: match %d is %v", limit, i+1, fmt.Sprint(m.ChunkID))
			}
		}
	}
}
