package memoir

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/dustin/go-humanize/english"
)

// Excerpt is some lines of a document, as its source has them now.
type Excerpt struct {
	ID         DocID
	StartLine  int // 1-based; 0 when the document is empty
	EndLine    int // 1-based, inclusive
	TotalLines int
	Text       string // the lines with their line ends
}

// Get returns lines from to to, 1-based and inclusive, of a document. A to of
// 0, or beyond the end, means the last line. A from beyond the end gives
// [ErrInvalid], a document that no source has [ErrNotFound].
func (e *Engine) Get(ctx context.Context, id DocID, from, to int) (Excerpt, error) {
	if err := e.calls.begin("read " + string(id)); err != nil {
		return Excerpt{}, err
	}
	defer e.calls.end()
	if from == 0 {
		from = 1
	}
	if from < 1 || to < 0 || to != 0 && to < from {
		return Excerpt{}, fmt.Errorf("lines %d to %d: lines are counted from 1, and the last may not be before the first: %w", from, to, ErrInvalid)
	}
	doc, err := e.readAny(ctx, id)
	if errors.Is(err, ErrNotFound) {
		return Excerpt{}, fmt.Errorf("%s: %w", id, ErrNotFound)
	}
	if err != nil {
		if skip := (*SkipError)(nil); errors.As(err, &skip) {
			return Excerpt{}, fmt.Errorf("read %w", err) // it names the note
		}
		return Excerpt{}, fmt.Errorf("read %s: %w", id, err)
	}
	return excerpt(id, doc.Text, from, to)
}

// readAny reads a document from the first source that has it, else [ErrNotFound].
func (e *Engine) readAny(ctx context.Context, id DocID) (Document, error) {
	for _, src := range e.sources {
		if doc, err := src.Read(ctx, id); !errors.Is(err, ErrNotFound) {
			return doc, err
		}
	}
	return Document{}, ErrNotFound
}

func excerpt(id DocID, text string, from, to int) (Excerpt, error) {
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	x := Excerpt{ID: id, TotalLines: len(lines)}
	if len(lines) == 0 && from == 1 {
		return x, nil
	}
	if from > len(lines) {
		return x, fmt.Errorf("%s has %d %s, there is no line %d: %w", id, len(lines), english.PluralWord(len(lines), "line", ""), from, ErrInvalid)
	}
	if to == 0 || to > len(lines) {
		to = len(lines)
	}
	x.StartLine, x.EndLine = from, to
	x.Text = strings.Join(lines[from-1:to], "")
	return x, nil
}
