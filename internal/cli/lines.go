package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/lines"
)

// maxLine is the longest line of standard input, in bytes.
const maxLine = 1 << 20

// inputLine is a line of standard input, or an error in its place.
type inputLine struct {
	text string
	err  error // wraps memoir.ErrInvalid if only this line is too long
}

// readLines reads lines until the input ends, fails or ctx is done, and closes
// the channel. Its goroutine may be stuck in a read that cannot be interrupted;
// the process ends without it.
func readLines(ctx context.Context, in io.Reader) <-chan inputLine {
	found := make(chan inputLine, embedBatch)
	go func() {
		defer close(found)
		in := lines.New(in, maxLine)
		for {
			line, err := in.Next()
			switch {
			case errors.Is(err, io.EOF):
				return
			case errors.Is(err, lines.ErrTooLong):
				err = fmt.Errorf("a line is longer than %d bytes: %w", maxLine, memoir.ErrInvalid)
			}
			select {
			case found <- inputLine{strings.TrimRight(string(line), "\r\n"), err}:
			case <-ctx.Done():
				return
			}
			if err != nil && !errors.Is(err, memoir.ErrInvalid) {
				return
			}
		}
	}()
	return found
}

// next waits for the next line. It returns false at the end. An error means
// that nothing more can be read, or that ctx is done.
func next(ctx context.Context, input <-chan inputLine) (inputLine, bool, error) {
	select {
	case line, ok := <-input:
		if line.err != nil && !errors.Is(line.err, memoir.ErrInvalid) {
			return line, false, fmt.Errorf("read standard input: %w", line.err)
		}
		return line, ok, ctx.Err()
	case <-ctx.Done():
		return inputLine{}, false, ctx.Err()
	}
}

// answerLines answers every line of standard input with one line of JSON, as
// soon as it is read. answer returns the value to write. A line that is too
// long is answered with a failure, and the next lines are answered as usual.
func (s *session) answerLines(ctx context.Context, answer func(line string) any) error {
	return s.answerEach(ctx, func(line inputLine) any {
		if line.err != nil {
			return s.failureOf(line.err)
		}
		return answer(line.text)
	})
}

// answerEach does what answerLines does, but passes on lines that are too long.
func (s *session) answerEach(ctx context.Context, answer func(line inputLine) any) error {
	input := readLines(ctx, s.in)
	for {
		line, ok, err := next(ctx, input)
		if err != nil || !ok {
			return err
		}
		value := answer(line)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := writeJSON(s.out, value); err != nil {
			return fmt.Errorf("write the answer: %w", err)
		}
	}
}
