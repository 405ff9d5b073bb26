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

// markdown writes lines of Markdown, which are safe to write, wrapped: those of a list item
// begin below its text. Front matter, code and rows of tables stay as they are. before is
// what stands above them in their note.
func (s style) markdown(out io.Writer, before, text string) error {
	w := bufio.NewWriter(out)
	all := before + text
	_, _, body := blocks.Front(all)
	var code blocks.Code
	at, indented, free, row := 0, false, true, false // free: indented code may begin
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
			row = !blank && (row || strings.Contains(line, "|") && (underHead(line) || underHead(firstLine(all[at:]))))
			as = within || edge || indented || blank || row || strings.HasPrefix(strings.TrimLeft(line, " >"), "|")
		}
		switch {
		case start < len(before):
		case as:
			fmt.Fprintln(w, shown)
		default:
			s.hang(w, shown)
		}
	}
	return w.Flush()
}

// hang writes a line, wrapped, with what continues it below its text.
func (s style) hang(w io.Writer, line string) {
	n := hanging(line)
	head, text := line[:n], line[n:]
	for from, to := range s.wrap(text, n) {
		fmt.Fprintf(w, "%s%s\n", head, text[from:to])
		head = strings.Repeat(" ", n)
	}
}

// firstLine returns a text up to its first line end.
func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// underHead reports whether a line is the one below the head of a table, of dashes and
// bars: https://github.github.com/gfm/#tables-extension-.
func underHead(line string) bool {
	line = strings.TrimLeft(line, " >")
	return strings.Contains(line, "|") && strings.Contains(line, "-") && strings.Trim(line, "-:| \t\r\n") == ""
}

// hanging returns how many bytes of a line stand before its text: its blanks and the mark
// of a list item. A tab, whose width is the terminal's, is not looked at.
func hanging(line string) int {
	text := strings.TrimLeft(line, " ")
	rest := strings.TrimLeft(text, "0123456789")
	if digits := len(text) - len(rest); rest == "" || digits > 9 || digits == 0 && !strings.ContainsRune("-*+", rune(rest[0])) || digits > 0 && !strings.ContainsRune(".)", rune(rest[0])) {
		return len(line) - len(text)
	}
	item := strings.TrimLeft(rest[1:], " ")
	if item == "" || len(item) == len(rest)-1 {
		return len(line) - len(text)
	}
	return len(line) - len(item)
}
