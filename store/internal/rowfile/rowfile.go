// Package rowfile keeps vectors rounded to 8 bits in a file beside the index
// that they are of, and finds those nearest to a query by reading them all: some
// 400 bytes a vector of 384 values, as fast as memory is read. What it finds is
// a choice for measuring with the vectors themselves; how far it may be wrong is
// known ([Query.Margin]).
//
// The file is a sequence of blocks, each of up to 8192 rows that never change.
// It grows by blocks at its end and is otherwise replaced, never rewritten in
// place, so that those who have it open may go on reading. Writers need no lock:
// a block says after which id it begins, and carries checksums. A block that is
// torn, of another index or out of order ends the file; what is behind it is as
// good as missing, and its owner writes the file anew.
package rowfile

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"

	"github.com/memoir-ai/memoir/internal/mapped"
	"github.com/memoir-ai/memoir/internal/regular"
	"github.com/memoir-ai/memoir/internal/vecmath"
)

// A Key says what rows are of. Rows of another key are never taken for one's own.
type Key struct {
	Stamp      [16]byte // of the index and the space of the vectors
	Dimensions int      // 1 to MaxDimensions
}

// MaxDimensions is how many values a vector can have.
const MaxDimensions = 1 << 15

// stride is the length of a row in bytes.
func (k Key) stride() int {
	return (k.Dimensions + vecmath.ScanStep - 1) / vecmath.ScanStep * vecmath.ScanStep
}

// A Set is the rows of one space, in files or in memory. It is safe for
// concurrent use but for Append and Close.
type Set struct {
	key    Key
	blocks []*block
	rows   int
	file   *mapped.File // nil: all blocks are in memory
	size   int64        // of the file, as far as it is sound
	torn   bool         // the file has more, which is not
	opened int          // blocks that were in the file when it was opened
	filed  int          // blocks that are in it by now
	worst  float64      // the largest error of a row

	through int64 // all vectors up to this id are there
}

// NewSet returns a set without rows.
func NewSet(key Key) *Set { return &Set{key: key} }

// Open opens a file as far as it is sound and of that key. Without one the error
// wraps fs.ErrNotExist, and [regular.ErrKind] where something else is. All blocks are read, to check them. Where whole is set
// the file is read into memory and not kept open: Windows does not replace or
// remove a file that is mapped.
func Open(path string, key Key, whole bool) (*Set, error) {
	s := NewSet(key)
	f, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() // of a file that was only read
	var data []byte
	if whole {
		if data, err = io.ReadAll(f); err != nil {
			return nil, err
		}
	} else {
		if s.file, err = mapped.Of(f); err != nil {
			return nil, err
		}
		data = s.file.Bytes()
	}
	for rest := data; len(rest) > 0; {
		b, err := parse(rest, key)
		if err == nil {
			err = s.add(b)
		}
		if err != nil {
			s.torn = true
			break
		}
		rest = rest[len(b.raw):]
		s.size += int64(len(b.raw))
	}
	s.opened, s.filed = len(s.blocks), len(s.blocks)
	return s, nil
}

var errGap = errors.New("ids between two blocks are missing")

// add appends a block, without the rows that are there already: two processes
// may have appended the same.
func (s *Set) add(b *block) error {
	if b.from > s.through {
		return errGap
	}
	if b.from < s.through {
		b.skip(s.through)
	}
	s.blocks = append(s.blocks, b)
	s.rows += b.count - b.first
	s.worst = max(s.worst, b.worst)
	s.through = max(s.through, b.through)
	return nil
}

// smallBlock is up to how many rows a block is made anew to take more.
const smallBlock = 512

// Extend returns a set of the rows of s and those that fill adds, in memory, of
// vectors with ids above those of s, which then has all of them up to the id
// through. Both sets use the file of s: only one of them is closed.
func (s *Set) Extend(through int64, fill func(*Builder) error) (*Set, error) {
	out := *s
	out.blocks = slices.Clone(s.blocks)
	b := NewBuilder(s.key, s.through, func(raw []byte) error {
		made, err := parse(raw, s.key)
		if err != nil {
			return err
		}
		return out.add(made)
	})
	if n := len(s.blocks) - 1; n >= s.filed && s.blocks[n].count <= smallBlock {
		last := s.blocks[n]
		out.blocks = out.blocks[:n]
		out.rows -= last.count
		out.through = last.from
		b.resume(last)
	}
	if err := fill(b); err != nil {
		return nil, err
	}
	return &out, b.Close(through)
}

// Key returns what the rows are of.
func (s *Set) Key() Key { return s.key }

// Through returns the id up to which all vectors are in the set, 0 at first.
func (s *Set) Through() int64 { return s.through }

// Rows returns how many rows there are.
func (s *Set) Rows() int { return s.rows }

// Unfiled returns how many of the rows are in no file.
func (s *Set) Unfiled() int { return s.count(s.filed) }

// InMemory returns how many of the rows do not come out of the file that the
// set was opened from.
func (s *Set) InMemory() int { return s.count(s.opened) }

func (s *Set) count(from int) (rows int) {
	for _, b := range s.blocks[from:] {
		rows += b.count - b.first
	}
	return rows
}

// Torn reports whether the file has something behind its last sound block, or
// is of another index: nothing can be appended to it.
func (s *Set) Torn() bool { return s.torn }

// Close closes the file. The set is not used any more.
func (s *Set) Close() error {
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}

// Append appends the blocks that are in memory alone to the file at path, which
// the set was opened from. When the file is not as it was then, nothing is
// written and the error says so. A crash on the way leaves a file that [Open]
// knows to be torn. The set goes on as it is.
func (s *Set) Append(path string) (err error) {
	if s.torn {
		return fmt.Errorf("append to %s: it is torn", path)
	}
	var data []byte
	for _, b := range s.blocks[s.filed:] {
		data = append(data, b.raw...)
	}
	f, err := regular.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.Size() != s.size {
		return fmt.Errorf("append to %s: it has changed", path)
	}
	// In one call, so that two processes write behind each other.
	if _, err := f.Write(data); err != nil {
		return err
	}
	s.size += int64(len(data))
	s.filed = len(s.blocks)
	return nil
}

// A Row is a vector as the set has it.
type Row struct {
	ID, Text int64
	// Values are the vector at unit length, each about Scale * (value - 128).
	Values []byte
	Scale  float32
}

// Sample returns up to n rows: the last ones, which a file loses first, and as
// many spread over all.
func (s *Set) Sample(n int) (rows []Row) {
	var wanted []int // numbers of rows, counted over all blocks, ascending
	for i := range n / 2 {
		wanted = append(wanted, s.rows*i/n)
	}
	for i := max(0, s.rows-n/2); i < s.rows; i++ {
		wanted = append(wanted, i)
	}
	slices.Sort(wanted)
	wanted = slices.Compact(wanted)
	before := 0
	for _, b := range s.blocks {
		for ; len(wanted) > 0 && wanted[0]-before < b.count-b.first; wanted = wanted[1:] {
			if wanted[0] < s.rows {
				rows = append(rows, b.row(b.first+wanted[0]-before, s.key))
			}
		}
		before += b.count - b.first
	}
	return rows
}

// Is reports whether a row is of a vector, as far as rounding on different
// processors can tell.
func (r Row) Is(v []float32) bool {
	var b Builder
	b.key.Dimensions = len(v)
	values := make([]byte, b.key.stride())
	scale, _, ok := b.round(values, v)
	if !ok || len(values) != len(r.Values) || math.Abs(float64(scale-r.Scale)) > 1e-5*float64(scale) {
		return false
	}
	for i, x := range values {
		if d := int(x) - int(r.Values[i]); d < -1 || d > 1 {
			return false
		}
	}
	return true
}
