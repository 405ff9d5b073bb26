package cli

import (
	"os"
	"strings"
	"unicode"

	"golang.org/x/term"
)

// isTerminal asks the operating system whether a stream leads to a person's screen.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// style is how text for people looks. The zero value is plain text for pipes.
type style struct {
	safe                    bool   // control characters are taken out
	bold, dim, match, reset string // escape sequences; "" without colours
}

// style returns the style of the output: safe on a terminal, and with colours
// unless NO_COLOR (https://no-color.org) or TERM says otherwise.
func (s *session) style() style {
	if !s.terminal(s.out) {
		return style{}
	}
	if os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return style{safe: true}
	}
	return style{safe: true, bold: "\x1b[1m", dim: "\x1b[2m", match: "\x1b[1;33m", reset: "\x1b[0m"}
}

// text returns a note's text as it may be written in this style.
func (s style) text(text string) string {
	if s.safe {
		return printable(text)
	}
	return text
}

// wrapped returns text between the given escape sequence and the reset.
func (s style) wrapped(sequence, text string) string {
	if sequence == "" || text == "" {
		return s.text(text)
	}
	return sequence + s.text(text) + s.reset
}

// printable replaces what could steer a terminal: control characters other
// than tabs and line ends, and the characters that override the direction of
// writing. Notes may hold anything, also what a stranger wrote.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r == '\r':
			return -1
		case unicode.IsControl(r), r >= '\u202a' && r <= '\u202e', r >= '\u2066' && r <= '\u2069':
			return unicode.ReplacementChar
		}
		return r
	}, text)
}
