package cli

import (
	"os"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/memoir-ai/memoir"
)

// isTerminal asks the operating system whether a stream leads to a person's screen.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// style is how text for people looks. The zero value is plain text, for pipes.
// Those mostly lead to a screen too.
type style struct {
	bold, dim, match, reset string // escape sequences; "" without colours

	columns int                                          // of the screen, at which passages are wrapped; 0 is none
	address func(memoir.Scope, memoir.DocID, int) string // of a line of a note, for links; nil is none
}

// style returns the style of the output: on a terminal wrapped, and with colours, unless
// NO_COLOR (https://no-color.org) or TERM says otherwise.
func (s *session) style() style {
	if !s.terminal(s.out) {
		return style{}
	}
	columns, _ := s.size()
	if os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return style{columns: columns}
	}
	return style{bold: "\x1b[1m", dim: "\x1b[2m", match: "\x1b[1;33m", reset: "\x1b[0m", columns: columns}
}

// size returns how many columns and lines the terminal has; 80 and 24 when it does not tell.
func (s *session) size() (columns, rows int) {
	if f, ok := s.screen.(*os.File); ok {
		if columns, rows, err := term.GetSize(int(f.Fd())); err == nil && columns > 0 && rows > 0 {
			return columns, rows
		}
	}
	return 80, 24
}

// text returns a text on one line, in a form that is safe to write.
func (style) text(text string) string { return unbroken(text) }

// wrapped returns text between the given escape sequence and the reset.
func (s style) wrapped(sequence, text string) string {
	if sequence == "" || text == "" {
		return s.text(text)
	}
	return sequence + s.text(text) + s.reset
}

// printable replaces what could steer a terminal: control characters other than
// tabs and line ends, and characters that override the direction of writing. A
// note may hold anything, also from a stranger.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r == '\r':
			return -1
		case steers(r):
			return unicode.ReplacementChar
		}
		return r
	}, text)
}

// unbroken puts a text with line ends on one line, in a form that is safe to write.
func unbroken(text string) string {
	return printable(strings.Join(strings.FieldsFunc(text, endsLine), " "))
}

// named returns what a file or a folder is called, or where a passage of it stands, in a
// form that is safe to write: in quotes, with what cannot be seen spelled out, where a
// person would not see it as it is.
func named(path string) string {
	if strings.ContainsFunc(path, hidden) || !utf8.ValidString(path) {
		return strconv.Quote(path)
	}
	return path
}

// hidden reports whether a person would not see a character where it stands.
func hidden(r rune) bool { return steers(r) || endsLine(r) }

func endsLine(r rune) bool {
	return r >= '\n' && r <= '\r' || r == '\u0085' || r == '\u2028' || r == '\u2029'
}

func steers(r rune) bool {
	return unicode.IsControl(r) || r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069'
}

// printableLines does what printable does and keeps the line ends as they are.
func printableLines(text string) string {
	lines := strings.SplitAfter(text, "\r\n")
	for i, line := range lines {
		body, ended := strings.CutSuffix(line, "\r\n")
		if lines[i] = printable(body); ended {
			lines[i] += "\r\n"
		}
	}
	return strings.Join(lines, "")
}
