package access

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/memoir-ai/memoir/internal/atomicfile"
	"github.com/memoir-ai/memoir/internal/digest"
	"github.com/memoir-ai/memoir/internal/order"
	"github.com/memoir-ai/memoir/internal/regular"
	"github.com/memoir-ai/memoir/internal/statedir"
)

// Bounds of the files.
const (
	maxFresh = 1 << 20 // bytes of new lines, after which they are put in order
	maxKept  = 4 << 20 // bytes of lines that are in order; beyond that the older half is dropped
)

// store is three files of lines: "2026-03-02 QUESTION ENTRY:SCORE ENTRY:SCORE". Several
// processes append new lines to the first file, each line in one write. When the first
// file is full, the lines of the second join the third, and the first becomes the second.
// The third has one line for a question of a day. A process that still has the old first
// file open may write to it late. Its line is not lost, because a megabyte of new lines
// comes before the file is read for the third. Reading lines twice changes nothing.
type store struct {
	digests *digest.Digests
	fresh   string
	before  string
	kept    string
	full    int64 // maxFresh; tests set less
}

func newStore(dir string) *store {
	path := filepath.Join(dir, "accesses")
	return &store{&digest.Digests{Dir: dir}, path, path + ".before", path + ".kept", maxFresh}
}

// keySize is how many hexadecimal digits of a digest are kept.
const keySize = 16

// key returns the digits by which a text is known, "" for a text without any.
func (s *store) key(text string) string {
	d := s.digests.Of(text)
	return d[:min(len(d), keySize)]
}

// moves is how often a line is written anew at most because its file was put in order
// meanwhile.
const moves = 8

// add appends a line. Between the opening of the file and the writing others may put its
// lines in order, twice even, and the line would be in a file that nobody reads. So it is
// written again when the file is another one afterwards: the same line counts once.
func (s *store) add(line string) error {
	for range moves {
		if moved, err := s.append(line); err != nil || !moved {
			return err
		}
	}
	return nil
}

// append writes a line to the end of the file, and reports whether it was another one by
// then.
func (s *store) append(line string) (moved bool, err error) {
	if err := errors.Join(statedir.Check(filepath.Dir(s.fresh)), statedir.Make(s.fresh)); err != nil {
		return false, err
	}
	f, err := regular.OpenFile(s.fresh, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return false, err
	}
	_, err = io.WriteString(f, line)
	info, statErr := f.Stat()
	if err := errors.Join(err, statErr, f.Close()); err != nil {
		return false, err
	}
	if now, err := os.Lstat(s.fresh); err != nil || !os.SameFile(info, now) {
		return true, nil
	}
	if info.Size() > s.full {
		return false, s.order()
	}
	return false, nil
}

// patience is how long a process waits for another one that puts lines in order.
const patience = time.Second

// order puts lines in order, unless another process has just done it.
func (s *store) order() error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	lock, err := statedir.Acquire(ctx, s.fresh+".lock", nil)
	if err != nil {
		return err
	}
	return errors.Join(s.ordered(), lock.Release())
}

func (s *store) ordered() error {
	info, err := os.Lstat(s.fresh)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // another process has just done it
	}
	if err != nil || info.Size() <= s.full {
		return err
	}
	all := asked{}
	if err := errors.Join(all.read(s.before), all.read(s.kept), regular.Check(s.fresh), regular.Check(s.before)); err != nil {
		return err
	}
	err = atomicfile.Write(s.kept, 0o600, func(w io.Writer) error {
		_, err := w.Write(all.lines())
		return err
	})
	if err != nil {
		return err
	}
	return os.Rename(s.fresh, s.before)
}

// asked has the best score of each entry that a question of a day found. The key is the
// day and the question.
type asked map[[2]string]map[string]int

// read adds the lines of a file. It skips a line that is not whole, which a killed
// process may leave.
func (a asked) read(path string) error {
	data, err := regular.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return statedir.WithHint(path, fmt.Errorf("read the access counts: %w", err))
	}
	for line := range bytes.Lines(data) {
		fields := strings.Fields(string(line))
		if len(fields) < 3 || !bytes.HasSuffix(line, []byte("\n")) || !isDay(fields[0]) || len(fields[1]) != keySize {
			continue
		}
		for _, field := range fields[2:] {
			key, digits, _ := strings.Cut(field, ":")
			score, err := strconv.Atoi(digits)
			if len(key) != keySize || err != nil || score < 0 || score > 99 {
				continue
			}
			at := [2]string{fields[0], fields[1]}
			if a[at] == nil {
				a[at] = map[string]int{}
			}
			a[at][key] = max(a[at][key], score)
		}
	}
	return nil
}

func isDay(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}

// lines returns one line for each question of a day, the oldest first. It drops the
// oldest lines when there are too many.
func (a asked) lines() []byte {
	keys := slices.Collect(maps.Keys(a))
	order.By(keys, func(x, y [2]string) int { return slices.Compare(x[:], y[:]) })
	var out bytes.Buffer
	for _, at := range keys {
		out.WriteString(at[0] + " " + at[1])
		for _, key := range slices.Sorted(maps.Keys(a[at])) {
			fmt.Fprintf(&out, " %s:%02d", key, a[at][key])
		}
		out.WriteByte('\n')
	}
	if all := out.Bytes(); len(all) > maxKept {
		cut := len(all) - maxKept/2
		return all[cut+bytes.IndexByte(all[cut:], '\n')+1:]
	}
	return out.Bytes()
}
