package cli

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/memoir-ai/memoir/internal/blocks"
	"github.com/memoir-ai/memoir/internal/cells"
)

// wrap yields where the parts of a line that has so many columns before it begin and end,
// which stand below each other on the screen.
func (s style) wrap(line string, before int) iter.Seq2[int, int] {
	if s.columns == 0 {
		return func(yield func(int, int) bool) { yield(0, len(line)) }
	}
	return cells.Wrap(line, max(s.columns-before, 20))
}

// beside writes a text beside a head, which may have escape sequences. Where the screen has
// no room for both on one line the text stands below, wrapped, behind blanks.
func (s style) beside(w io.Writer, head, text, blanks string) error {
	text = s.text(text)
	if line := head + "  " + text; s.columns == 0 || rowsOf(line, s.columns) == 1 {
		_, err := fmt.Fprintln(w, line)
		return err
	}
	if _, err := fmt.Fprintln(w, head); err != nil {
		return err
	}
	return s.below(w, text, blanks)
}

// below writes a text on lines of its own, wrapped, each behind blanks.
func (s style) below(w io.Writer, text, blanks string) error {
	text = s.text(text)
	for from, to := range s.wrap(text, len(blanks)) {
		if _, err := fmt.Fprintf(w, "%s%s\n", blanks, text[from:to]); err != nil {
			return err
		}
	}
	return nil
}

// isMarkdown reports whether a note's lines are prose that may be wrapped, and no code.
func isMarkdown(note string) bool {
	note = strings.ToLower(note)
	return strings.HasSuffix(note, ".md") || strings.HasSuffix(note, ".markdown")
}

// markdown writes lines of Markdown, which are safe to write, wrapped. Front matter, code
// and rows of tables stay as they are. before is what stands above them in their note.
func (s style) markdown(out io.Writer, before, text string) error {
	w := bufio.NewWriter(out)
	all := before + text
	_, _, body := blocks.Front(all)
	var code blocks.Code
	at, indented, free := 0, false, true // free: indented code may begin
	for line := range strings.Lines(all) {
		start, shown := at, strings.TrimRight(line, "\r\n")
		at += len(line)
		as := start < body
		if !as {
			within, edge := code.Next(line)
			blank := strings.TrimSpace(line) == ""
			deep := strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t")
			indented = deep && (free || indented)
			free = blank && !within
			as = within || edge || indented || blank || strings.HasPrefix(strings.TrimLeft(line, " >"), "|")
		}
		switch {
		case start < len(before):
		case as:
			fmt.Fprintln(w, shown)
		default:
			for from, to := range s.wrap(shown, 0) {
				fmt.Fprintln(w, shown[from:to])
			}
		}
	}
	return w.Flush()
}
