package fts5_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir/store/internal/fts5"
)

// damaged is an index of one segment whose records are whatever came.
type damaged struct {
	structure  []byte
	pages      [3][]byte
	tombstones []byte
}

func (d *damaged) Records(from, to int64, f func(int64, []byte) (bool, error)) error {
	switch {
	case from == 10:
		_, err := f(from, d.structure)
		return err
	case from > 1<<53:
		_, err := f(from, d.tombstones)
		return err
	}
	for i, p := range d.pages[1:] {
		if from+int64(i) > to {
			break
		}
		if more, err := f(from+int64(i), p); err != nil || !more {
			return err
		}
	}
	return nil
}

func (d *damaged) Leaves(keys [][]byte, segments []int64, f func(int, int, int64, []byte) error) error {
	for k := range keys {
		for i, id := range segments {
			if err := f(k, i, id, d.pages[0]); err != nil {
				return err
			}
		}
	}
	return nil
}

func FuzzIndex(f *testing.F) {
	tb := newTable(f, 64)
	tb.insert(1, "a", "b", "a c", "a a a ab abc")
	tb.insert(1<<20, "a", "数据", "", "a a a ab abc "+strings.Repeat("abcd ", 60)+"abcde abcdef")
	tb.exec("INSERT INTO f (f) VALUES ('optimize')")
	tb.delete(1)
	var records [][]byte
	read := func(_ int64, r []byte) (bool, error) {
		records = append(records, append([]byte(nil), r...))
		return true, nil
	}
	if err := tb.Records(10, 1<<62, read); err != nil {
		f.Fatal(err)
	}
	if len(records) < 5 {
		f.Fatalf("%d records, want a structure, three pages and tombstones", len(records))
	}
	last := records[len(records)-1]
	for _, term := range []string{"a", "ab", "abc", "数据", ""} {
		f.Add(records[0], records[1], records[2], records[3], last, term)
		f.Add(records[0], records[2], records[3], records[1], last, term)
	}
	f.Fuzz(func(t *testing.T, structure, a, b, c, tombstones []byte, term string) {
		src := &damaged{structure, [3][]byte{a, b, c}, tombstones}
		x, err := fts5.Open(src)
		if err == nil {
			_, err = x.Read(src, []string{term, "b"}, weights, nil, func(_ int, got []fts5.Posting) error {
				for _, p := range got {
					if !(p.Count > 0) {
						t.Errorf("got %v, want a count above 0", p)
					}
				}
				return nil
			})
		}
		if err != nil && !errors.Is(err, fts5.ErrFormat) {
			t.Errorf("got %v, want one of %v", err, fts5.ErrFormat)
		}
	})
}
