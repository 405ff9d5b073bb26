// Package fts5 reads the inverted index that SQLite's FTS5 keeps in its tables
// %_data and %_idx: which rows hold a term, and how often. It decodes the pages
// themselves, which is many times faster than asking the table fts5vocab.
//
// It reads what tables with contentless_delete=1 and detail=full hold, as the
// comments of ext/fts5/fts5_index.c in SQLite's sources describe it. Nothing is
// written. Whatever does not fit the format is an error that wraps [ErrFormat].
package fts5

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
)

// ErrFormat says that a record is damaged, or of a format that is not known.
var ErrFormat = errors.New("not an FTS5 index as it should be")

// Rows of %_data.
const (
	structureRow = 10
	segmentShift = 37      // a page of a segment: segment << 37 | page number
	tombstoneBit = 1 << 16 // the same with this bit set: a page of its tombstones
)

// Limits that SQLite holds to.
const (
	maxSegments = 2000
	maxPage     = 1<<31 - 1
)

// structureV2 marks the record that knows of tombstones.
var structureV2 = []byte{0xff, 0, 0, 1}

// A Source reads the tables of an index, all of it in one transaction. Records
// are not used after a call returns; an error of such a call ends the reading.
type Source interface {
	// Records gives the rows of %_data from one id to another, ascending, as
	// long as it is asked for more.
	Records(from, to int64, f func(id int64, record []byte) (more bool, err error)) error
	// Leaves gives, for each key in order and of each segment in order, the row of
	// %_data that holds the key, if any row of the segment does. A segment is
	// named by its first row: its number is that of the row >> 37, and its pages
	// are the rows number << 37 | page. The page is half of pgno (rounded down) in
	// the row of %_idx with this segid and the greatest term that is not greater
	// than the key; or the first row, where that is later or there is none.
	Leaves(keys [][]byte, segments []int64, f func(key, segment int, id int64, record []byte) error) error
}

// An Index is what has to be known of one state of an index to read its terms.
// It does not change, and many goroutines may use it.
type Index struct {
	segments []segment
	first    []int64 // row of %_data of each segment
}

type segment struct {
	id         int64
	last       int64   // row of %_data
	tombstones []int64 // the rows of the table that are gone, ascending
}

// Open reads which segments there are, and which of their rows are gone.
func Open(src Source) (*Index, error) {
	var x *Index
	var pages []int
	err := src.Records(structureRow, structureRow, func(_ int64, record []byte) (bool, error) {
		var err error
		x, pages, err = decodeStructure(record)
		return false, err
	})
	if err != nil {
		return nil, err
	}
	if x == nil {
		return nil, fmt.Errorf("%w: it has no structure record", ErrFormat)
	}
	for i := range x.segments {
		if x.segments[i].tombstones, err = readTombstones(src, x.segments[i].id, pages[i]); err != nil {
			return nil, err
		}
	}
	return x, nil
}

// Pages returns how many pages each segment has.
func (x *Index) Pages() []int {
	pages := make([]int, len(x.segments))
	for i, s := range x.segments {
		pages[i] = int(s.last - x.first[i] + 1)
	}
	return pages
}

// decodeStructure returns the segments that hold something, and how many pages
// of tombstones each has.
func decodeStructure(record []byte) (*Index, []int, error) {
	bad := fmt.Errorf("%w: its structure record is damaged, or of another version", ErrFormat)
	if len(record) < 8 || !bytes.Equal(record[4:8], structureV2) {
		return nil, nil, bad
	}
	r := reader{record[8:]}
	levels, total := r.varint(), r.varint()
	r.varint() // how much was ever written
	if r.data == nil || levels > maxSegments || total > maxSegments {
		return nil, nil, bad
	}
	x := &Index{}
	var pages []int
	for range levels {
		r.varint() // how many segments of this level are being merged
		n := r.varint()
		if n > total {
			return nil, nil, bad
		}
		total -= n
		for range n {
			id, first, last := r.varint(), r.varint(), r.varint()
			r.varint() // which transactions wrote it, from
			r.varint() // and to
			tombstones := r.varint()
			r.varint() // how many tombstones
			r.varint() // how many rows
			if r.data == nil || id == 0 || id >= tombstoneBit || first > last || last > maxPage || tombstones > maxPage {
				return nil, nil, bad
			}
			if first > 0 { // else all of it has moved to another segment
				base := int64(id) << segmentShift
				x.segments = append(x.segments, segment{id: int64(id), last: base | int64(last)})
				x.first = append(x.first, base|int64(first))
				pages = append(pages, int(tombstones))
			}
		}
	}
	if total != 0 {
		return nil, nil, bad
	}
	return x, pages, nil
}

// readTombstones reads the hash table of rows that a segment has lost, as a
// list. The hash is of no use here: terms come with ascending rows.
func readTombstones(src Source, id int64, pages int) ([]int64, error) {
	if pages == 0 {
		return nil, nil
	}
	var rows []int64
	found := 0
	from := (id | tombstoneBit) << segmentShift
	err := src.Records(from, from+int64(pages)-1, func(at int64, page []byte) (bool, error) {
		if len(page) < 8 {
			return false, fmt.Errorf("%w: tombstones of segment %d are cut short", ErrFormat, id)
		}
		if at == from && page[1] != 0 {
			rows = append(rows, 0)
		}
		found++
		rows = appendTombstones(rows, page)
		return true, nil
	})
	if err == nil && found != pages {
		err = fmt.Errorf("%w: segment %d has %d pages of tombstones, not %d", ErrFormat, id, found, pages)
	}
	slices.Sort(rows)
	return rows, err
}

// appendTombstones adds the rows that one page of a hash table names.
func appendTombstones(rows []int64, page []byte) []int64 {
	size := 8
	if page[0] == 4 {
		size = 4
	}
	for slots := page[8:]; len(slots) >= size; slots = slots[size:] {
		var row int64
		for _, b := range slots[:size] {
			row = row<<8 | int64(b)
		}
		if row != 0 {
			rows = append(rows, row)
		}
	}
	return rows
}
