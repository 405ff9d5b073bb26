package show

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Words yields the stretches of text between white space, with their offsets.
func Words(text string) func(yield func(int, string) bool) {
	return func(yield func(int, string) bool) {
		start := -1
		for i := 0; i < len(text); {
			r, width := rune(text[i]), 1
			if r >= utf8.RuneSelf {
				r, width = utf8.DecodeRuneInString(text[i:])
			}
			switch blank := unicode.IsSpace(r); {
			case !blank && start < 0:
				start = i
			case blank && start >= 0:
				if !yield(start, text[start:i]) {
					return
				}
				start = -1
			}
			i += width
		}
		if start >= 0 {
			yield(start, text[start:])
		}
	}
}

// letterRuns yields the stretches of letters, digits and marks, with ASCII
// separate from the rest.
func letterRuns(text string) func(yield func(int, string) bool) {
	return func(yield func(int, string) bool) {
		for start, run := range Runs(text, func(r rune) bool {
			return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
		}) {
			for len(run) > 0 {
				ascii := run[0] < utf8.RuneSelf
				n := strings.IndexFunc(run, func(r rune) bool { return (r < utf8.RuneSelf) != ascii })
				if n < 0 {
					n = len(run)
				}
				if !yield(start, run[:n]) {
					return
				}
				start, run = start+n, run[n:]
			}
		}
	}
}

// Runs yields the longest stretches of runes for which in is true.
func Runs(text string, in func(rune) bool) func(yield func(int, string) bool) {
	return func(yield func(int, string) bool) {
		start := -1
		for i, r := range text {
			switch {
			case in(r) && start < 0:
				start = i
			case !in(r) && start >= 0:
				if !yield(start, text[start:i]) {
					return
				}
				start = -1
			}
		}
		if start >= 0 {
			yield(start, text[start:])
		}
	}
}

// Pairs yields the byte ranges of neighbouring runes; of a single rune, itself. A byte that is not
// UTF-8 counts as one.
func Pairs(text string) func(yield func(int, int) bool) {
	return func(yield func(int, int) bool) {
		for before, i := -1, 0; i < len(text); {
			_, width := utf8.DecodeRuneInString(text[i:])
			at := i + width
			if before >= 0 && !yield(before, at) {
				return
			}
			if i == 0 && at == len(text) {
				yield(0, at)
			}
			before, i = i, at
		}
	}
}
