package main

import (
	"context"
	"database/sql"
	"encoding/binary"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	_ "modernc.org/sqlite"
	_ "modernc.org/sqlite/vec"

	"github.com/memoir-ai/memoir"
)

// A baseline is a database with nothing but what is measured: sqlite-vec's vec0
// or FTS5, in the same build of SQLite that memoir uses, in the same process.
type baseline struct {
	db *sql.DB
}

// openBaseline makes a database of statements. It has what makes it fast: a
// log, 64 MB of pages in memory and the file mapped as far as SQLite allows.
func openBaseline(ctx context.Context, path string, statements ...string) (*baseline, error) {
	pragmas := url.Values{"_pragma": {"journal_mode(wal)", "synchronous(normal)", "cache_size(-65536)", "mmap_size(2147418112)", "temp_store(memory)"}}
	slashed := filepath.ToSlash(path)
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed
	}
	db, err := sql.Open("sqlite", "file://"+(&url.URL{Path: slashed}).EscapedPath()+"?"+pragmas.Encode())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1) // statements then stay with their connection
	for _, s := range statements {
		if _, err := db.ExecContext(ctx, s); err != nil {
			db.Close()
			return nil, fmt.Errorf("%s: %w", s, err)
		}
	}
	return &baseline{db}, nil
}

func (b *baseline) close() error { return b.db.Close() }

// insert runs one statement for each row of values, in one transaction.
func (b *baseline) insert(ctx context.Context, statement string, rows int, values func(i int) []any) error {
	tx, err := b.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	s, err := tx.PrepareContext(ctx, statement)
	if err != nil {
		return err
	}
	for i := range rows {
		if _, err := s.ExecContext(ctx, values(i)...); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// An asker asks a prepared query and returns the numbers that it finds, best first.
type asker func(ctx context.Context, args ...any) ([]int, error)

// asking prepares a query whose rows are a number and a measure.
func (b *baseline) asking(ctx context.Context, query string) (asker, error) {
	s, err := b.db.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, args ...any) ([]int, error) {
		rows, err := s.QueryContext(ctx, args...)
		if err != nil {
			return nil, err
		}
		defer rows.Close()
		var out []int
		for rows.Next() {
			var n int
			var measure float64
			if err := rows.Scan(&n, &measure); err != nil {
				return nil, err
			}
			out = append(out, n)
		}
		return out, rows.Err()
	}, nil
}

func openVec0(ctx context.Context, path string, dimensions int) (*baseline, error) {
	return openBaseline(ctx, path, fmt.Sprintf("CREATE VIRTUAL TABLE v USING vec0 (embedding float[%d] distance_metric=cosine)", dimensions))
}

// addVectors adds vectors, numbered from first.
func (b *baseline) addVectors(ctx context.Context, first int, vectors [][]float32) error {
	return b.insert(ctx, "INSERT INTO v (rowid, embedding) VALUES (?, ?)", len(vectors), func(i int) []any {
		return []any{first + i, blob(vectors[i])}
	})
}

const askVec0 = "SELECT rowid, distance FROM v WHERE embedding MATCH ? AND k = ? ORDER BY distance"

func blob(v []float32) []byte {
	out := make([]byte, 4*len(v))
	// It fails only for a buffer that is too small.
	_, _ = binary.Encode(out, binary.LittleEndian, v)
	return out
}

// openFTS5 makes a table with the columns and the tokenizer of memoir's own, so
// that both rank the same terms.
func openFTS5(ctx context.Context, path string) (*baseline, error) {
	return openBaseline(ctx, path, `CREATE VIRTUAL TABLE t USING fts5 (body, title, heading, date, content = '', contentless_delete = 1,
		tokenize = "ascii tokenchars '!""#$%&''()*+,-./:;<=>?@[\]^_`+"`"+`{|}~'")`)
}

// addChunks adds the terms of chunks, numbered from first.
func (b *baseline) addChunks(ctx context.Context, first int, chunks []memoir.IndexedChunk) error {
	return b.insert(ctx, "INSERT INTO t (rowid, title, heading, date, body) VALUES (?, ?, ?, ?, ?)", len(chunks), func(i int) []any {
		row := []any{first + i}
		for _, field := range chunks[i].Terms {
			row = append(row, strings.Join(field, " "))
		}
		return row
	})
}

const askFTS5 = "SELECT rowid, rank FROM t WHERE t MATCH ? ORDER BY rank LIMIT ?"

// matchAny writes a query of FTS5 for any of the terms.
func matchAny(terms []memoir.Term) string {
	quoted := make([]string, len(terms))
	for i, t := range terms {
		quoted[i] = `"` + strings.ReplaceAll(t.Text, `"`, `""`) + `"`
	}
	return strings.Join(quoted, " OR ")
}

// versions returns those of SQLite and of sqlite-vec, as they tell them.
func versions(ctx context.Context) (sqlite, vec string, err error) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return "", "", err
	}
	defer db.Close()
	err = db.QueryRowContext(ctx, "SELECT sqlite_version(), vec_version()").Scan(&sqlite, &vec)
	return sqlite, vec, err
}
