package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/memoir-ai/memoir"
)

// maxLine bounds one line of standard input, in bytes.
const maxLine = 1 << 20

// lines answers every line of standard input with one line of JSON, as soon as
// it is read. answer returns the value to write. A line that is too long is
// answered with a failure, and the rest goes on.
func (s *session) lines(ctx context.Context, answer func(line string) any) error {
	in := bufio.NewReaderSize(s.in, 64<<10)
	for {
		line, err := readLine(in)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		var value any
		switch {
		case errors.Is(err, memoir.ErrInvalid):
			value = failureOf(err)
		case err != nil:
			return fmt.Errorf("read standard input: %w", err)
		default:
			value = answer(line)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := writeJSON(s.out, value); err != nil {
			return fmt.Errorf("write the answer: %w", err)
		}
	}
}

// readLine reads one line without its end; io.EOF when there is none. Of a
// line that is too long the rest is skipped, and the error is [memoir.ErrInvalid].
func readLine(in *bufio.Reader) (string, error) {
	var line []byte
	tooLong := false
	for {
		part, err := in.ReadSlice('\n')
		if len(line)+len(part) > maxLine {
			tooLong, line = true, nil
		}
		if !tooLong {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && len(line) == 0 && !tooLong:
			return "", io.EOF
		case err != nil && !errors.Is(err, io.EOF):
			return "", err
		case tooLong:
			return "", fmt.Errorf("a line is longer than %d bytes: %w", maxLine, memoir.ErrInvalid)
		}
		return strings.TrimRight(string(line), "\r\n"), nil
	}
}
