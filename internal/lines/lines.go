// Package lines reads lines of bounded length from what others write: a line that
// is too long is skipped, whatever its length, and the next one is read.
package lines

import (
	"bufio"
	"errors"
	"io"
)

// ErrTooLong reports a line beyond the bound. What follows it can be read.
var ErrTooLong = errors.New("the line is too long")

// A Reader reads lines. It is for one goroutine.
type Reader struct {
	// TooLong is given the lines that are too long, in pieces; nil: nobody reads them. What it
	// returns is ignored.
	TooLong io.Writer

	in   *bufio.Reader
	most int
}

// New returns a reader of lines of at most so many bytes, their ends included.
func New(in io.Reader, most int) *Reader {
	return &Reader{in: bufio.NewReaderSize(in, 64<<10), most: most}
}

// Next returns the next line with its end, if it has one, in memory of its own, or
// [ErrTooLong]; [io.EOF] when there is none. The last line may lack its end. Another
// error is the input's, after the line that was cut off by it.
func (r *Reader) Next() ([]byte, error) {
	var line []byte
	tooLong := false
	for {
		part, err := r.in.ReadSlice('\n')
		if tooLong = tooLong || len(line)+len(part) > r.most; tooLong {
			if r.TooLong != nil {
				_, _ = r.TooLong.Write(line)
				_, _ = r.TooLong.Write(part)
			}
			line = nil
		} else {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err != nil && len(line) == 0 && !tooLong:
			return nil, err
		case tooLong:
			return nil, ErrTooLong
		default:
			return line, nil // an error behind the last line comes again with the next call
		}
	}
}
