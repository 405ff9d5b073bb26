package fts5_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir/store/internal/fts5"
)

// BenchmarkRead reads the lists of six words beside SQLite's own ranking by
// them and what fts5vocab says of them, among 6,600 rows of 120 words whose
// frequencies follow Zipf's law; MEMOIR_BENCH_CHUNKS sets another size.
func BenchmarkRead(b *testing.B) {
	rows := 6600
	if n, err := strconv.Atoi(os.Getenv("MEMOIR_BENCH_CHUNKS")); err == nil {
		rows = n
	}
	tb := newTable(b, 4050)
	rng := rand.New(rand.NewPCG(3, 4))
	zipf := rand.NewZipf(rng, 1.07, 1, 60_000)
	for i := 0; i < rows; {
		tb.exec("BEGIN")
		for end := min(i+1000, rows); i < end; i++ {
			var text strings.Builder
			for range 120 {
				fmt.Fprintf(&text, "w%d ", zipf.Uint64())
			}
			tb.insert(int64(i/10)<<20|int64(i%10), "", "", "", text.String())
		}
		tb.exec("COMMIT")
	}
	question := []string{"w10", "w20", "w150", "w600", "w2000", "w5000"}
	b.Run("pages", func(b *testing.B) {
		x, err := fts5.Open(tb)
		if err != nil {
			b.Fatal(err)
		}
		var buffer []fts5.Posting
		read := 0
		pages := &counting{Source: tb}
		if _, err := x.Read(pages, question, weights, nil, func(int, []fts5.Posting) error { return nil }); err != nil {
			b.Fatal(err)
		}
		b.SetBytes(pages.bytes)
		for b.Loop() {
			read = 0
			buffer, err = x.Read(tb, question, weights, buffer, func(_ int, list []fts5.Posting) error {
				read += len(list)
				return nil
			})
			if err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(read)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mpostings/s")
	})
	scan := func(query string, args ...any) func(b *testing.B) {
		return func(b *testing.B) {
			s := tb.prepare(query)
			for b.Loop() {
				rows, err := s.QueryContext(context.Background(), args...)
				if err != nil {
					b.Fatal(err)
				}
				for rows.Next() {
				}
				if err := rows.Err(); err != nil {
					b.Fatal(err)
				}
			}
		}
	}
	b.Run("rank", scan("SELECT rowid FROM f WHERE f MATCH ? ORDER BY rank LIMIT 50", `"`+strings.Join(question, `" OR "`)+`"`))
	b.Run("vocabulary", scan("SELECT doc, col FROM v WHERE term IN (?, ?, ?, ?, ?, ?)", question[0], question[1], question[2], question[3], question[4], question[5]))
}

// counting counts the bytes of the records that a source gives.
type counting struct {
	fts5.Source
	bytes int64
}

func (c *counting) Records(from, to int64, f func(int64, []byte) (bool, error)) error {
	return c.Source.Records(from, to, func(id int64, record []byte) (bool, error) {
		c.bytes += int64(len(record))
		return f(id, record)
	})
}

func (c *counting) Leaves(keys [][]byte, segments []int64, f func(int, int, int64, []byte) error) error {
	return c.Source.Leaves(keys, segments, func(key, segment int, id int64, record []byte) error {
		c.bytes += int64(len(record))
		return f(key, segment, id, record)
	})
}
