package sqlite_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	_ "modernc.org/sqlite/vec"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/store/sqlite"
)

// TestShell asks the file with plain SQL, as the files of schema say.
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
	want(t, "vectors", query(`SELECT f.path || ' ' || round(vec_distance_cosine(v.vector, q.vector), 3)
		FROM chunks a JOIN vectors q ON q.text = a.embed_text JOIN vectors v ON v.space = q.space
			JOIN chunks c ON c.embed_text = v.text JOIN files f ON f.id = c.file
		WHERE a.id = 1048576 ORDER BY vec_distance_cosine(v.vector, q.vector) LIMIT 5`), []string{"a.md 0.0", "b.md 1.0"})
	want(t, "texts", query(`SELECT lower(hex(hash)) FROM texts t JOIN chunks c ON c.embed_text = t.id WHERE c.text = 'beta word'`),
		[]string{string(memoir.HashText("beta word"))})
	want(t, "chunks_vocab", query("SELECT DISTINCT term FROM chunks_vocab ORDER BY term"), []string{"alpha", "beta", "gamma", "word"})
	want(t, "meta", query("SELECT key || ' ' || value FROM meta WHERE key IN ('chunks', 'documents', 'terms') ORDER BY key"),
		[]string{"chunks 3", "documents 3", "terms 5"})
	want(t, "application_id", query("SELECT printf('%x', application_id) FROM pragma_application_id"), []string{"4d454d4f"})
	want(t, "journal", query("PRAGMA journal_mode"), []string{"wal"})
}

func TestWordIndexBroken(t *testing.T) {
	for name, damage := range map[string]string{
		"no table":      "DROP TABLE chunks_fts_data",
		"no records":    "DELETE FROM chunks_fts_data",
		"other format":  "UPDATE chunks_fts_config SET v = 7 WHERE k = 'version'",
		"empty pages":   "UPDATE chunks_fts_data SET block = zeroblob(0) WHERE id > 10",
		"other pages":   "UPDATE chunks_fts_data SET block = unhex(replace(hex(zeroblob(4050)), '00', 'ff')) WHERE id > 10",
		"cut pages":     "UPDATE chunks_fts_data SET block = substr(block, 1, length(block) / 2) WHERE id > 10",
		"missing pages": "DELETE FROM chunks_fts_data WHERE id > 10",
		"stray chunks":  "INSERT INTO chunks_fts (rowid, body) VALUES (7 << 20, 'word')",
	} {
		t.Run(name, func(t *testing.T) {
			path := sample(t)
			s := open(t, path)
			run(t, path, damage)
			_, err := searchText(t.Context(), s, "word")
			if !errors.Is(err, memoir.ErrUnavailable) || memoir.Hint(err) != "memoir index" {
				t.Errorf("SearchText = %v, hint %q; want ErrUnavailable and memoir index", err, memoir.Hint(err))
			}
			want(t, "near", near(t, s, 1, .5, 0), []string{"a.md", "b.md"})
			if err := s.Clear(t.Context()); err != nil {
				t.Fatalf("Clear: %v", err)
			}
			put(t, s, "a.md", "alpha word")
			want(t, "after a rebuild", found(t, s, "word"), []string{"a.md"})
		})
	}
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
	if _, err := f.WriteAt(make([]byte, 8192), (page-1)*8192); err != nil {
		t.Fatal(err)
	}
	f.Close()

	s := open(t, path)
	var chunks []memoir.Chunk
	if err := s.View(t.Context(), func(v memoir.View) (err error) {
		chunks, err = v.Chunks(t.Context(), []memoir.ChunkID{{Doc: "a.md"}})
		return err
	}); err != nil || len(chunks) > 0 {
		t.Errorf("Chunks = %v, %v; want none of those that cannot be read", chunks, err)
	}
	if err := s.Check(t.Context()); !errors.Is(err, memoir.ErrCorrupt) || memoir.Hint(err) != "memoir index" {
		t.Errorf("Check = %v, hint %q; want ErrCorrupt and memoir index", err, memoir.Hint(err))
	}
	reader, err := sqlite.Open(t.Context(), path, sqlite.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []*sqlite.Store{s, reader} {
		if d := s.Degradations(); len(d) != 1 || d[0].Part != "index" || d[0].Action != "memoir index" {
			t.Errorf("Degradations = %+v, want the damage that was met", d)
		}
	}
	reader.Close()
	if err := s.Clear(t.Context()); err != nil {
		t.Fatalf("Clear: %v", err)
	}
	put(t, s, "a.md", "alpha word")
	want(t, "after a rebuild", found(t, s, "word"), []string{"a.md"})
	want(t, "vectors", near(t, s, 1, .5, 0), []string{"a.md"})
	if d := s.Degradations(); len(d) != 1 || !strings.Contains(d[0].Reason, "being rebuilt") {
		t.Errorf("Degradations = %+v, want that it was set aside", d)
	}
	want(t, "later", s.Degradations(), nil)
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
		"PutDocuments":    s.PutDocuments(ctx, []memoir.IndexedDocument{{DocumentMeta: memoir.DocumentMeta{ID: "x.md"}}}),
		"TouchDocuments":  s.TouchDocuments(ctx, []memoir.DocumentMeta{{ID: "a.md"}}),
		"DeleteDocuments": s.DeleteDocuments(ctx, []memoir.DocID{"a.md"}),
		"PutVectors":      s.PutVectors(ctx, space, map[memoir.Hash][]float32{"h": {1, 0, 0}}),
		"Clear":           s.Clear(ctx),
	} {
		if !errors.Is(err, memoir.ErrUnavailable) || memoir.Hint(err) == "" {
			t.Errorf("%s = %v, hint %q; want ErrUnavailable with a hint", name, err, memoir.Hint(err))
		}
	}
}

// TestManyEquallyNear: thousands of ties are cut by id.
func TestManyEquallyNear(t *testing.T) {
	s := open(t, t.TempDir()+"/index.db")
	putVector(t, s, "same", 1, 1, 1)
	const n = 4200
	chunks := make([]memoir.IndexedChunk, n)
	for i := range chunks {
		chunks[i].ChunkID = memoir.ChunkID{Doc: "z.md", Ordinal: i}
		chunks[i].EmbedHash = memoir.HashText("same")
	}
	if err := s.PutDocuments(t.Context(), []memoir.IndexedDocument{{DocumentMeta: memoir.DocumentMeta{ID: "z.md"}, Chunks: chunks}}); err != nil {
		t.Fatal(err)
	}
	put(t, s, "a.md", "same")
	for _, limit := range []int{1, 4096, 4097, n + 1} {
		ms, err := searchVector(t.Context(), s, space, []float32{1, 1, 1}, limit)
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
