package show

import (
	"fmt"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/memoir-ai/memoir"
)

// Lines returns the lines from to to of a document, 1-based and inclusive. When
// to is 0 or beyond the end, it is the last line. A from beyond the end gives
// [memoir.ErrInvalid].
func Lines(id memoir.DocID, text string, from, to int) (memoir.Excerpt, error) {
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	x := memoir.Excerpt{ID: id, TotalLines: len(lines)}
	if len(lines) == 0 && from == 1 {
		return x, nil
	}
	if from > len(lines) {
		return x, fmt.Errorf("%s has %d %s, there is no line %d: %w", id, len(lines), english.PluralWord(len(lines), "line", ""), from, memoir.ErrInvalid)
	}
	if to == 0 || to > len(lines) {
		to = len(lines)
	}
	x.StartLine, x.EndLine = from, to
	x.Text = strings.Join(lines[from-1:to], "")
	return x, nil
}
