package fts5

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
)

// mainIndex is the byte before every term that is not of a prefix index.
const mainIndex = '0'

// A Posting is a row that holds a term.
type Posting struct {
	Row   int64
	Count float64 // the sum of the weights of the columns in which it stands, once for each time
}

// Read reads the postings of terms and gives f those of each term in turn: every
// row that holds the term, once, in runs that ascend. They are not used after f
// returns; an error of f ends the reading. weights has the weight of one
// occurrence for each column. src reads the same state as at [Open]. Read works
// in the buffer and returns it, perhaps grown, for the next time.
func (x *Index) Read(src Source, terms []string, weights []float64, buffer []Posting, f func(term int, postings []Posting) error) ([]Posting, error) {
	if len(terms) == 0 {
		return buffer[:0], nil
	}
	keys := make([][]byte, len(terms))
	for i, t := range terms {
		keys[i] = append(append(make([]byte, 0, 1+len(t)), mainIndex), t...)
	}
	buffer = buffer[:0]
	reading := 0 // the number of the term
	finish := func(before int) error {
		for ; reading < before; reading++ {
			if err := f(reading, buffer); err != nil {
				return err
			}
			buffer = buffer[:0]
		}
		return nil
	}
	pages := 0
	err := src.Leaves(keys, x.first, func(key, segment int, id int64, page []byte) error {
		if key*len(x.segments)+segment != pages {
			return fmt.Errorf("%w: page %d does not come where it should", ErrFormat, id)
		}
		pages++
		if err := finish(key); err != nil {
			return err
		}
		s := &x.segments[segment]
		d := decoder{out: buffer, key: keys[key], weights: weights, tombstones: s.tombstones}
		err := d.read(src, s, id, page)
		buffer = d.out
		return err
	})
	if err == nil && pages < len(terms)*len(x.segments) {
		err = fmt.Errorf("%w: segments lack their pages", ErrFormat)
	}
	if err == nil {
		err = finish(len(terms))
	}
	return buffer, err
}

// A damage says what is wrong with a page.
type damage string

func (d damage) Error() string { return string(d) }

const (
	errHeader    damage = "its header points beyond it"
	errTerm      damage = "a term is cut short"
	errUnlisted  damage = "it begins with a term that should have led to it"
	errRow       damage = "a row number is cut short or does not ascend"
	errSize      damage = "the size of a position list is cut short or of another format"
	errOverlong  damage = "a position list does not end where the next entry begins"
	errPositions damage = "a position list names a column that is not there, or is cut short"
)

// decoder reads the pages of one segment for one term.
type decoder struct {
	out        []Posting
	key        []byte
	weights    []float64
	tombstones []int64 // those that are not below row

	open bool  // the term was found and its list may go on on the next page
	past bool  // all terms of the page are smaller: those of the next must be greater
	some bool  // the list has had an entry
	row  int64 // of the last entry
	left int   // bytes of its position list that are still to come

	count     float64 // of the last entry, so far
	column    int     // of its position list
	switching bool    // the number of the next column comes next
}

// read reads what a segment has of a list that begins on a page, if any.
func (d *decoder) read(src Source, s *segment, id int64, page []byte) error {
	next := id
	read := func(id int64, page []byte) (bool, error) {
		if id != next || id > s.last {
			return false, fmt.Errorf("%w: page %d comes where %d should", ErrFormat, id, next)
		}
		next++
		more, err := d.page(page)
		if err != nil {
			err = fmt.Errorf("%w: page %d: %s", ErrFormat, id, err)
		}
		return more, err
	}
	more, err := read(id, page)
	if err == nil && more && next <= s.last {
		err = src.Records(next, s.last, read)
	}
	if err == nil && (d.left > 0 || d.open && next <= s.last) {
		err = fmt.Errorf("%w: segment %d ends within a term", ErrFormat, s.id)
	}
	return err
}

// page reads one page and reports whether the list may go on on the next.
func (d *decoder) page(p []byte) (more bool, err error) {
	if len(p) < 4 {
		return false, errHeader
	}
	row, size := int(binary.BigEndian.Uint16(p)), int(binary.BigEndian.Uint16(p[2:]))
	if size < 4 || size > len(p) || row > size || row > 0 && row < 4 {
		return false, errHeader
	}
	terms := reader{p[size:]}
	body := p[:size]
	switch {
	case d.open:
		err = d.resume(body, row, terms)
	case d.past:
		return d.beyond(body, terms)
	default:
		err = d.seek(body, terms)
	}
	return (d.open || d.past) && err == nil, err
}

// beyond looks at a page after one whose terms are all smaller than the key. When it
// begins with a term that is not greater, %_idx has lost its rows: they should have led to
// this page or a later one. After a page without terms, which is in the middle of a list,
// more says to go on.
func (d *decoder) beyond(body []byte, terms reader) (more bool, err error) {
	if len(terms.data) == 0 {
		return true, nil
	}
	at := terms.varint()
	if terms.data == nil || at < 4 || at >= uint64(len(body)) {
		return false, errTerm
	}
	r := reader{body[at:]}
	size := r.varint()
	if r.data == nil || size == 0 || size > uint64(len(r.data)) {
		return false, errTerm
	}
	if bytes.Compare(r.data[:size], d.key) <= 0 {
		return false, errUnlisted
	}
	return false, nil
}

// seek looks for the term among those of a page, and reads what the page has of
// its list.
func (d *decoder) seek(body []byte, terms reader) error {
	at, matched := 0, 0 // matched: how many bytes of the key the term before has in common with it
	length := uint64(0) // of the term before
	for n := 0; len(terms.data) > 0; n++ {
		step := terms.varint()
		if terms.data == nil || step > uint64(len(body)) || at+int(step) >= len(body) || step == 0 {
			return errTerm
		}
		at += int(step)
		r := reader{body[at:]}
		kept := uint64(0)
		if n > 0 {
			kept = r.varint()
		}
		size := r.varint()
		if r.data == nil || size > uint64(len(r.data)) || kept > length {
			return errTerm
		}
		// There are no prefix indexes, so that all terms begin with the same byte.
		if first := n == 0; first == (kept > 0) || first && (size == 0 || r.data[0] != mainIndex) {
			return errTerm
		}
		length = kept + size
		switch {
		case kept < uint64(matched):
			return d.absent(body, at, terms) // it is greater
		case kept > uint64(matched):
			continue // it differs from the key where the one before did
		}
		text, rest := r.data[:size], d.key[matched:]
		same := 0
		for same < len(text) && same < len(rest) && text[same] == rest[same] {
			same++
		}
		matched += same
		switch {
		case same == len(rest) && same == len(text):
			return d.start(body, len(body)-len(r.data)+int(size), at, terms)
		case same == len(rest) || same < len(text) && text[same] > rest[same]:
			return d.absent(body, at, terms)
		}
	}
	d.past = true
	return nil
}

// absent looks at what a page says of the terms after the one at an offset, because on
// a damaged page a term may only seem to be absent.
func (d *decoder) absent(body []byte, at int, terms reader) error {
	for len(terms.data) > 0 {
		step := terms.varint()
		if terms.data == nil || step == 0 || step >= uint64(len(body)-at) {
			return errTerm
		}
		at += int(step)
	}
	return nil
}

// start reads the list that begins at an offset, where terms has what follows
// the term at the offset term.
func (d *decoder) start(body []byte, at, term int, terms reader) error {
	end := len(body)
	d.open = true
	if len(terms.data) > 0 {
		step := terms.varint()
		if terms.data == nil || step > uint64(len(body)) || term+int(step) > len(body) || term+int(step) < at {
			return errTerm
		}
		end, d.open = term+int(step), false
	}
	if err := d.entries(body[:end], at); err != nil {
		return err
	}
	if d.left > 0 && !d.open {
		return errOverlong
	}
	return nil
}

// resume reads what a page has of a list that began before: the rest of a
// position list, then entries from the offset row, if it is not 0, up to the
// first term.
func (d *decoder) resume(body []byte, row int, terms reader) error {
	end := len(body)
	if len(terms.data) > 0 {
		first := terms.varint()
		if terms.data == nil || first < 4 || first > uint64(len(body)) {
			return errTerm
		}
		end, d.open = int(first), false
	}
	begin := end
	if row > 0 {
		begin = row
	}
	if begin > end {
		return errHeader
	}
	rest := body[4:begin]
	if len(rest) > d.left || len(rest) < d.left && begin < len(body) {
		return errOverlong
	}
	if d.left > 0 {
		d.left -= len(rest)
		if err := d.positions(rest); err != nil {
			return err
		}
		if d.left == 0 {
			if err := d.put(); err != nil {
				return err
			}
		}
	}
	if row == 0 {
		return nil
	}
	v, n := varint(body[begin:end])
	if n == 0 || d.some && int64(v) <= d.row {
		return errRow
	}
	d.row, d.some = int64(v), true
	at, err := d.list(body[:end], begin+n)
	if err != nil {
		return err
	}
	return d.entries(body[:end], at)
}

// entries reads entries up to the end of the data.
func (d *decoder) entries(p []byte, at int) error {
	for at < len(p) {
		v, n := varint(p[at:])
		row := d.row + int64(v)
		if n == 0 || d.some && row <= d.row {
			return errRow
		}
		d.row, d.some = row, true
		at += n
		if n := shortList(p[at:]); n > 0 && len(d.tombstones) == 0 {
			d.out = append(d.out, Posting{row, float64(n) * d.weights[0]})
			at += 1 + n
			continue
		}
		var err error
		if at, err = d.list(p, at); err != nil {
			return err
		}
	}
	return nil
}

// list reads the position list of an entry, or as much of it as there is.
func (d *decoder) list(p []byte, at int) (next int, err error) {
	v, n := varint(p[at:])
	// An odd number would mark an entry as deleted: that is what tables have
	// that keep no tombstones.
	if n == 0 || v < 2 || v&1 != 0 || v > 1<<31 {
		return 0, errSize
	}
	at += n
	size := int(v >> 1)
	d.count, d.column, d.switching = 0, 0, false
	if size > len(p)-at {
		d.left = size - (len(p) - at)
		return len(p), d.positions(p[at:])
	}
	if err := d.positions(p[at : at+size]); err != nil {
		return 0, err
	}
	return at + size, d.put()
}

// positions counts the positions in a part of a position list, which ends
// between two numbers.
func (d *decoder) positions(p []byte) error {
	i := 0
	for i < len(p) {
		if p[i] == 1 || d.switching {
			if !d.switching {
				i++
			}
			if d.switching = i == len(p); d.switching {
				return nil
			}
			if d.column = int(p[i]); d.column >= len(d.weights) {
				return errPositions
			}
			i++
		}
		n := 0
		for ; i+8 <= len(p) && notShort(p[i:]) == 0; i += 8 {
			n += 8
		}
		for ; i < len(p) && p[i] != 1; i++ {
			for p[i] >= 0x80 {
				if i++; i == len(p) {
					return errPositions
				}
			}
			n++
		}
		d.count += float64(n) * d.weights[d.column]
	}
	return nil
}

// shortList returns how many positions a list has that data begins with: up to
// eight in the first column, each of one byte, as most lists are. It is 0 for
// others, and near the end of the data.
func shortList(p []byte) int {
	if len(p) < 9 || p[0]&1 != 0 || p[0] > 16 {
		return 0
	}
	n := int(p[0] >> 1)
	if notShort(p[1:])&(1<<(8*n)-1) != 0 {
		return 0
	}
	return n
}

// notShort has a bit for each of the first eight bytes that is not a position of
// its own but part of a longer number, or the mark of another column, or comes
// after such a mark; the first byte has the lowest bits.
func notShort(p []byte) uint64 {
	x := binary.LittleEndian.Uint64(p)
	return (x | (x - 0x0202020202020202)) & 0x8080808080808080
}

// put appends the entry that was read, if its row is still there.
func (d *decoder) put() error {
	if d.switching || !(d.count > 0) {
		return errPositions
	}
	if len(d.tombstones) > 0 && d.tombstones[0] <= d.row {
		i, gone := slices.BinarySearch(d.tombstones, d.row)
		if d.tombstones = d.tombstones[i:]; gone {
			return nil
		}
	}
	d.out = append(d.out, Posting{d.row, d.count})
	return nil
}
