package fts5_test

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	_ "modernc.org/sqlite"

	"github.com/memoir-ai/memoir/store/internal/fts5"
)

var weights = []float64{1, 1.25, 100, 10000}

// table is an FTS5 table on one connection.
type table struct {
	t               testing.TB
	conn            *sql.Conn
	records, leaves *sql.Stmt
}

func newTable(t testing.TB, pageSize int) *table {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	conn, err := db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	tb := &table{t: t, conn: conn}
	tb.exec(`CREATE VIRTUAL TABLE f USING fts5 (title, heading, date, body, content = '', contentless_delete = 1,
		tokenize = "ascii tokenchars '_'")`)
	tb.exec("CREATE VIRTUAL TABLE v USING fts5vocab (f, instance)")
	tb.exec("INSERT INTO f (f, rank) VALUES ('pgsz', ?)", pageSize)
	tb.records = tb.prepare("SELECT id, block FROM f_data WHERE id BETWEEN ? AND ?")
	tb.leaves = tb.prepare(`SELECT k.key, s.key, d.id, d.block FROM json_each(?1) k CROSS JOIN json_each(?2) s CROSS JOIN f_data d
		ON d.id = max(s.value, (s.value >> 37 << 37) + coalesce(
			(SELECT pgno >> 1 FROM f_idx WHERE segid = s.value >> 37 AND term <= unhex(k.value) ORDER BY term DESC LIMIT 1), 0))`)
	return tb
}

func (tb *table) prepare(query string) *sql.Stmt {
	s, err := tb.conn.PrepareContext(context.Background(), query)
	if err != nil {
		tb.t.Fatal(err)
	}
	tb.t.Cleanup(func() { s.Close() })
	return s
}

func (tb *table) exec(query string, args ...any) {
	tb.t.Helper()
	if _, err := tb.conn.ExecContext(context.Background(), query, args...); err != nil {
		tb.t.Fatalf("%s: %v", query, err)
	}
}

func (tb *table) insert(row int64, title, heading, date, body string) {
	tb.t.Helper()
	tb.exec("INSERT INTO f (rowid, title, heading, date, body) VALUES (?, ?, ?, ?, ?)", row, title, heading, date, body)
}

func (tb *table) delete(row int64) { tb.exec("DELETE FROM f WHERE rowid = ?", row) }

// Records implements [fts5.Source].
func (tb *table) Records(from, to int64, f func(int64, []byte) (bool, error)) error {
	return each(tb.records, []any{from, to}, func(rows *sql.Rows) (bool, error) {
		var id int64
		var block sql.RawBytes
		if err := rows.Scan(&id, &block); err != nil {
			return false, err
		}
		return f(id, block)
	})
}

// Leaves implements [fts5.Source].
func (tb *table) Leaves(keys [][]byte, segments []int64, f func(key, segment int, id int64, record []byte) error) error {
	var list []string
	for _, k := range keys {
		list = append(list, hex.EncodeToString(k))
	}
	a, err := json.Marshal(list)
	if err != nil {
		return err
	}
	b, err := json.Marshal(segments)
	if err != nil {
		return err
	}
	return each(tb.leaves, []any{string(a), string(b)}, func(rows *sql.Rows) (bool, error) {
		var key, segment int
		var id int64
		var block sql.RawBytes
		if err := rows.Scan(&key, &segment, &id, &block); err != nil {
			return false, err
		}
		return true, f(key, segment, id, block)
	})
}

func each(query *sql.Stmt, args []any, f func(*sql.Rows) (bool, error)) (err error) {
	rows, err := query.Query(args...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		if more, err := f(rows); err != nil || !more {
			return err
		}
	}
	return rows.Err()
}

// vocabulary returns what SQLite says of every term.
func (tb *table) vocabulary() map[string][]fts5.Posting {
	tb.t.Helper()
	rows, err := tb.conn.QueryContext(context.Background(), "SELECT term, doc, col, count(*) FROM v GROUP BY 1, 2, 3")
	if err != nil {
		tb.t.Fatal(err)
	}
	defer rows.Close()
	out := map[string][]fts5.Posting{}
	for rows.Next() {
		var term, column string
		var row int64
		var n float64
		if err := rows.Scan(&term, &row, &column, &n); err != nil {
			tb.t.Fatal(err)
		}
		n *= weights[slices.Index([]string{"title", "heading", "date", "body"}, column)]
		list := out[term]
		if k := len(list); k > 0 && list[k-1].Row == row {
			list[k-1].Count += n
		} else {
			list = append(list, fts5.Posting{Row: row, Count: n})
		}
		out[term] = list
	}
	if err := rows.Err(); err != nil {
		tb.t.Fatal(err)
	}
	return out
}

// compare holds what is read of every term, and of absent, to the vocabulary.
func (tb *table) compare(absent ...string) {
	tb.t.Helper()
	x, err := fts5.Open(tb)
	if err != nil {
		tb.t.Fatal(err)
	}
	all := tb.vocabulary()
	for _, term := range absent {
		if _, ok := all[term]; !ok {
			all[term] = nil
		}
	}
	terms := slices.Sorted(maps.Keys(all))
	next := 0
	_, err = x.Read(tb, terms, weights, nil, func(i int, got []fts5.Posting) error {
		if i != next {
			tb.t.Fatalf("term %d, want %d", i, next)
		}
		next++
		slices.SortFunc(got, func(a, b fts5.Posting) int { return cmp.Compare(a.Row, b.Row) })
		if diff := gocmp.Diff(got, all[terms[i]], cmpopts.EquateEmpty()); diff != "" {
			tb.t.Fatalf("%.40q (-got +want):\n%s", terms[i], diff)
		}
		return nil
	})
	if err != nil || next != len(terms) {
		tb.t.Fatalf("%d of %d terms, %v", next, len(terms), err)
	}
}

func TestEmpty(t *testing.T) {
	tb := newTable(t, 4050)
	tb.compare("a")
	tb.insert(1, "", "", "", "")
	tb.compare("a", "")
}

func TestTerms(t *testing.T) {
	tb := newTable(t, 64)
	long := strings.Repeat("x", 3000)
	tb.insert(1, "数据 据库 库连", "a aa aaa aab ab b", "2026_03_02", "数据 数据 a "+long)
	tb.insert(2, "a", "a a", "a a a", "a a a a")
	tb.insert(1<<40, long, long+"y", "", "aab 连接 🙂 🙂")
	tb.insert(1<<40+1, "", "", "aa", long+" 🙂")
	tb.compare("", "0", "aaaa", "c", "数", "数据库", "🙁", long[:2999], long+"x", long+"z", "\xff\xff", "00")
	tb.insert(0, "zero", "", "", "aa")
	tb.insert(-5, "minus", "", "", "aa")
	tb.compare()
	tb.delete(0)
	tb.delete(1 << 40)
	tb.compare(long + "y")
	tb.exec("INSERT INTO f (f) VALUES ('optimize')")
	tb.compare("zero")
}

func TestLongPositionLists(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long")
	}
	for _, pageSize := range []int{32, 4050} {
		tb := newTable(t, pageSize)
		for i := range int64(25) {
			tb.insert(i+1, "", strings.Repeat("again ", 1+int(i)*7), "", strings.Repeat("again and ", int(i*i*7)))
		}
		tb.insert(100, strings.Repeat("again ", 10_000), "again", strings.Repeat("filler ", 3000)+"again", strings.Repeat("and ", 9000)+"again")
		tb.compare("agai", "again_")
	}
}

// Doclists over hundreds of pages, in segments that are merged bit by bit.
func TestLongLists(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long")
	}
	tb := newTable(t, 128)
	tb.exec("INSERT INTO f (f, rank) VALUES ('automerge', 0)")
	rng := rand.New(rand.NewPCG(1, 2))
	for range 5 {
		tb.exec("BEGIN")
		for range 1000 {
			tb.exec("INSERT OR REPLACE INTO f (rowid, title, body) VALUES (?, 'common', ?)", rng.Int64N(1<<30), fmt.Sprintf("common w%d common", rng.IntN(50)))
		}
		tb.exec("COMMIT")
	}
	tb.compare()
	for range 4 {
		tb.exec("INSERT INTO f (f, rank) VALUES ('merge', -40)")
		tb.compare("w")
	}
}

// What grows and shrinks in any order reads as SQLite reads it.
func TestRandomHistory(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long")
	}
	for seed := range uint64(3) {
		rng := rand.New(rand.NewPCG(seed, 3))
		tb := newTable(t, []int{32, 64, 200, 1000, 4050}[rng.IntN(5)])
		tb.exec("INSERT INTO f (f, rank) VALUES ('automerge', ?)", []int{0, 2, 4, 8}[rng.IntN(4)])
		if rng.IntN(2) == 0 {
			tb.exec("INSERT INTO f (f, rank) VALUES ('deletemerge', ?)", 1+rng.IntN(50))
		}
		var rows []int64
		for i := range 40 {
			tb.exec("BEGIN")
			for range 1 + rng.IntN(30) {
				if len(rows) > 0 && rng.IntN(3) == 0 {
					i := rng.IntN(len(rows))
					tb.delete(rows[i])
					if rng.IntN(2) == 0 { // to be put again
						tb.insert(rows[i], words(rng), words(rng), words(rng), words(rng))
					} else {
						rows = slices.Delete(rows, i, i+1)
					}
					continue
				}
				row := rng.Int64N(40)<<20 + rng.Int64N(100)
				if !slices.Contains(rows, row) {
					rows = append(rows, row)
					tb.insert(row, words(rng), words(rng), words(rng), words(rng))
				}
			}
			tb.exec("COMMIT")
			switch rng.IntN(12) {
			case 0:
				tb.exec("INSERT INTO f (f, rank) VALUES ('merge', ?)", rng.IntN(400)-200)
			case 1:
				tb.exec("INSERT INTO f (f) VALUES ('optimize')")
			}
			if i%10 == 9 {
				tb.compare("w", "zz", "w1_")
			}
		}
	}
}

func words(rng *rand.Rand) string {
	var b strings.Builder
	for range rng.IntN(12) {
		switch rng.IntN(8) {
		case 0:
			fmt.Fprintf(&b, "%c%c ", 0x4e00+rng.IntN(20), 0x4e00+rng.IntN(20))
		case 1:
			b.WriteString(strings.Repeat("often ", 1+rng.IntN(40)))
		default:
			fmt.Fprintf(&b, "w%d ", rng.IntN(200))
		}
	}
	return b.String()
}

func TestFormatErrors(t *testing.T) {
	for name, damage := range map[string]string{
		"no structure":       "DELETE FROM f_data WHERE id = 10",
		"short structure":    "UPDATE f_data SET block = x'00000000' WHERE id = 10",
		"other structure":    "UPDATE f_data SET block = x'00000000FF00000201010101010101010101' WHERE id = 10",
		"structure cut":      "UPDATE f_data SET block = substr(block, 1, length(block) - 3) WHERE id = 10",
		"page missing":       "DELETE FROM f_data WHERE id >> 37 = 1 AND id & 0xffff = 3",
		"pages missing":      "DELETE FROM f_data WHERE id >> 37 = 1",
		"pages empty":        "UPDATE f_data SET block = x'' WHERE id >> 37 = 1",
		"pages of zeros":     "UPDATE f_data SET block = zeroblob(100) WHERE id >> 37 = 1",
		"tombstones missing": "DELETE FROM f_data WHERE id >> 37 > 65536",
		"tombstones short":   "UPDATE f_data SET block = x'04' WHERE id >> 37 > 65536",
	} {
		t.Run(name, func(t *testing.T) {
			tb := newTable(t, 64)
			tb.exec("BEGIN")
			for i := range int64(200) {
				tb.insert(i, "", "", "", "common")
			}
			tb.exec("COMMIT")
			tb.delete(7)
			tb.compare()
			tb.exec(damage)
			x, err := fts5.Open(tb)
			if err == nil {
				_, err = x.Read(tb, []string{"common"}, weights, nil, func(int, []fts5.Posting) error { return nil })
			}
			if !errors.Is(err, fts5.ErrFormat) {
				t.Errorf("got %v, want %v", err, fts5.ErrFormat)
			}
		})
	}
}

// Of a page that was overwritten in part, hardly a term is taken for absent in silence: an
// error says that the page is damaged.
func TestOverwrittenPages(t *testing.T) {
	tb := newTable(t, 4050)
	rng := rand.New(rand.NewPCG(5, 6))
	tb.exec("BEGIN")
	for i := range int64(1000) {
		tb.insert(i+1, "", "", "", fmt.Sprintf("w%d w%d w%d", rng.IntN(90_000), rng.IntN(90_000), rng.IntN(90_000)))
	}
	tb.exec("COMMIT")
	all := slices.Sorted(maps.Keys(tb.vocabulary()))
	x, err := fts5.Open(tb)
	if err != nil {
		t.Fatal(err)
	}
	asked, absent := 0, 0
	for i := range 40 {
		id := int64(1)<<37 | int64(i%x.Pages()[0]) + 1
		var good []byte
		if err := tb.conn.QueryRowContext(t.Context(), "SELECT block FROM f_data WHERE id = ?", id).Scan(&good); err != nil {
			t.Fatal(err)
		}
		bad := slices.Clone(good)
		from := 4 + rng.IntN(len(bad)/2)
		for at := from; at < min(from+len(bad)/2, len(bad)); at++ {
			bad[at] = byte(rng.Uint32())
		}
		tb.exec("UPDATE f_data SET block = ? WHERE id = ?", bad, id)
		for n := rng.IntN(5); n < len(all); n += 5 {
			asked++
			found := 0
			_, err := x.Read(tb, all[n:n+1], weights, nil, func(_ int, got []fts5.Posting) error {
				found = len(got)
				return nil
			})
			if err == nil && found == 0 {
				absent++
			}
		}
		tb.exec("UPDATE f_data SET block = ? WHERE id = ?", good, id)
	}
	t.Logf("of %d questions %d were answered in silence with no row", asked, absent)
	if absent > asked/300 { // 344 before a page was looked at as a whole
		t.Error("damage hides terms in silence")
	}
}

// When the rows that say on which page a term stands are lost, as when the disk does not
// keep a write, no term that is there is taken for absent in silence. With these rows a
// term that is not there is no damage, wherever it would stand.
func TestUnlistedPages(t *testing.T) {
	tb := newTable(t, 1000)
	tb.exec("BEGIN")
	for i := range int64(400) {
		tb.insert(i+1, "", "", "", fmt.Sprintf("w%d common w%d", 3*i, 7*i))
	}
	tb.exec("COMMIT")
	tb.exec("INSERT INTO f(f) VALUES ('optimize')")
	x, err := fts5.Open(tb)
	if err != nil {
		t.Fatal(err)
	}
	found := func(term string) (rows int, err error) {
		_, err = x.Read(tb, []string{term}, weights, nil, func(_ int, got []fts5.Posting) error {
			rows = len(got)
			return nil
		})
		return rows, err
	}
	all := slices.Sorted(maps.Keys(tb.vocabulary()))
	for _, term := range all {
		if n, err := found(term + "!"); n != 0 || err != nil {
			t.Fatalf("%q is not there: got %d rows, %v", term+"!", n, err)
		}
	}
	tb.exec("DELETE FROM f_idx")
	silent, failed := 0, 0
	for _, term := range all {
		switch n, err := found(term); {
		case errors.Is(err, fts5.ErrFormat):
			failed++
		case n == 0 || err != nil:
			silent++
			t.Logf("%q: %d rows, %v", term, n, err)
		}
	}
	if silent > 0 || failed == 0 {
		t.Errorf("of %d terms %d are silently absent, %d fail", len(all), silent, failed)
	}
}
