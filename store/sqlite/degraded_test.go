package sqlite_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite/vec"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/store/sqlite"
)

// TestShell asks the file with plain SQL: the queries that the schema gives.
func TestShell(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.db")
	s := open(t, path)
	doc := func(id memoir.DocID, date, text string, labels ...memoir.Label) memoir.IndexedDocument {
		c := memoir.IndexedChunk{Chunk: memoir.Chunk{
			ChunkMeta: memoir.ChunkMeta{ChunkID: memoir.ChunkID{Doc: id}, Labels: labels}, StartLine: 3, EndLine: 4, Text: text,
		}, EmbedHashes: []memoir.Hash{memoir.HashText(text)}}
		c.Terms[memoir.FieldBody] = strings.Fields(text)
		return memoir.IndexedDocument{DocumentMeta: memoir.DocumentMeta{ID: id}, Date: date, Names: []string{"*/mia", "=mia brown"}, Chunks: []memoir.IndexedChunk{c}}
	}
	if err := s.Write(t.Context(), memoir.Changes{Put: []memoir.IndexedDocument{
		doc("MEMORY.md", "", "the database"), doc("people/mia.md", "2026-03-02", "other databases", "code", "type:decision"), doc("later.md", "2026-04-02", "too large"),
	}}); err != nil {
		t.Fatal(err)
	}
	putVector(t, s, "the database", 1, 0, 0)
	putVector(t, s, "other databases", 1, 1, 0)
	failed := []memoir.FailedText{{Hash: memoir.HashText("too large"), Attempts: 2, Reason: "it is", NextTry: time.Unix(0, 0)}}
	if err := s.PutVectors(t.Context(), space, nil, failed); err != nil {
		t.Fatal(err)
	}
	db := shell(t, path)
	query := func(q string) (out []string) {
		t.Helper()
		rows, err := db.Query(q)
		if err != nil {
			t.Fatalf("%s: %v", q, err)
		}
		defer rows.Close()
		columns, _ := rows.Columns()
		values, at := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			at[i] = &values[i]
		}
		for rows.Next() {
			if err := rows.Scan(at...); err != nil {
				t.Fatal(err)
			}
			out = append(out, strings.Trim(fmt.Sprint(values), "[]"))
		}
		return out
	}
	var got [][]string
	for _, q := range sampleQueries(t) {
		got = append(got, query(q))
	}
	want(t, "the queries of schema.sql", got, [][]string{
		{"MEMORY.md 3 4 the database"},
		{"database 1", "databases 1"},
		{"MEMORY.md 3 0", "people/mia.md 3 0.293"},
		{"*/mia", "=mia brown"},
		{"people/mia.md 3 2026-03-02"},
		{"people/mia.md 3"},
		{"m 2 it is 1970-01-01 00:00:00 too large"},
	})
	want(t, "texts", query(`SELECT lower(hex(hash)) FROM texts t JOIN uses u ON u.text = t.id JOIN chunks c ON c.id = u.chunk WHERE c.text = 'the database'`),
		[]string{string(memoir.HashText("the database"))})
	want(t, "meta", query("SELECT key || ' ' || value FROM meta WHERE key IN ('chunks', 'documents', 'terms') ORDER BY key"),
		[]string{"chunks 3", "documents 3", "terms 6"})
	want(t, "application_id", query("SELECT printf('%x', application_id) FROM pragma_application_id"), []string{"4d454d4f"})
	want(t, "journal", query("PRAGMA journal_mode"), []string{"wal"})
}

// sampleQueries returns the queries in the comment at the top of the schema: the
// lines that are indented, up to a semicolon.
func sampleQueries(t *testing.T) (queries []string) {
	t.Helper()
	text, err := os.ReadFile("schema.sql")
	if err != nil {
		t.Fatal(err)
	}
	q := ""
	for line := range strings.Lines(string(text)) {
		sql, ok := strings.CutPrefix(line, "--   ")
		if !strings.HasPrefix(line, "--") {
			break
		}
		if q += sql; ok && strings.HasSuffix(sql, ";\n") {
			queries, q = append(queries, q), ""
		} else if !ok {
			q = ""
		}
	}
	return queries
}

func TestWordIndexBroken(t *testing.T) {
	for name, damage := range map[string]string{
		"no table":      "DROP TABLE chunks_fts_data",
		"no records":    "DELETE FROM chunks_fts_data",
		"no format":     "DELETE FROM chunks_fts_config",
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
	s.Later()
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
		"put":        s.Write(ctx, memoir.Changes{Put: []memoir.IndexedDocument{{DocumentMeta: memoir.DocumentMeta{ID: "x.md"}}}}),
		"touch":      s.Write(ctx, memoir.Changes{Touch: []memoir.DocumentMeta{{ID: "a.md"}}}),
		"delete":     s.Write(ctx, memoir.Changes{Delete: []memoir.DocID{"a.md"}}),
		"PutVectors": s.PutVectors(ctx, space, map[memoir.Hash][]float32{"h": {1, 0, 0}}, nil),
		"Clear":      s.Clear(ctx),
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
		chunks[i].EmbedHashes = []memoir.Hash{memoir.HashText("same")}
	}
	if err := s.Write(t.Context(), memoir.Changes{Put: []memoir.IndexedDocument{{DocumentMeta: memoir.DocumentMeta{ID: "z.md"}, Chunks: chunks}}}); err != nil {
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
