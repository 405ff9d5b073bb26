// Package editor starts the editor that a person has chosen: what its command line
// looks like for a file and a line of it. Pagers are read in the same way. Nothing goes
// through a shell.
package editor

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/memoir-ai/memoir"
)

// Chosen returns the editor that a person has chosen, with its arguments: that of VISUAL,
// or else of EDITOR; "" when there is none.
func Chosen() string {
	return cmp.Or(strings.TrimSpace(os.Getenv("VISUAL")), strings.TrimSpace(os.Getenv("EDITOR")))
}

// Command returns the program and the arguments that open a file in an editor, at a
// line. The file is an absolute path; lines are counted from 1, and 0 is none. Of an
// editor that is not known the line is left out. When none is chosen the error says
// which file it would have opened.
func Command(chosen, file string, line int) ([]string, error) {
	if chosen = strings.TrimSpace(chosen); chosen == "" {
		return nil, memoir.WithHint(fmt.Errorf("no editor is set that could open %s", file), "set the variable EDITOR, to nano, vim or \"code --wait\" for example")
	}
	words, err := Words(chosen)
	if err != nil {
		return nil, memoir.WithHint(fmt.Errorf("the editor %s cannot be read: %w", chosen, err), "mend the variable VISUAL or EDITOR")
	}
	if runtime.GOOS == "windows" {
		if program, err := exec.LookPath(words[0]); err == nil && !plainForBatch(program, file) {
			return nil, memoir.WithHint(fmt.Errorf("%s is a batch file, which would take %s for a command", program, file), "open the note by hand, or rename it")
		}
	}
	return append(words, arguments(words[0], file, line)...), nil
}

// Words takes a program and its arguments apart, as a person writes them in a variable: a
// program that is there may have blanks in its path, and quotation marks hold words
// together. They are never none without an error.
func Words(chosen string) ([]string, error) {
	if _, err := exec.LookPath(chosen); err == nil {
		return []string{chosen}, nil
	}
	return split(chosen, runtime.GOOS == "windows")
}

// arguments returns what an editor wants to be told. The ways are those of the editors'
// own manuals.
func arguments(program, file string, line int) []string {
	if line < 1 {
		return []string{file}
	}
	n := strconv.Itoa(line)
	switch nameOf(program) {
	case "vi", "vim", "nvim", "view", "gvim", "mvim", "nvi", "ex", "nano", "pico", "emacs", "emacsclient", "kak", "micro", "joe", "mg", "ne", "gedit":
		return []string{"+" + n, file}
	case "code", "code-insiders", "codium", "vscodium", "cursor", "windsurf":
		return []string{"--goto", file + ":" + n}
	case "zed", "zeditor", "hx", "helix", "subl", "sublime_text":
		return []string{file + ":" + n}
	case "kate", "kwrite":
		return []string{"--line", n, file}
	}
	return []string{file}
}

// nameOf returns what a program is called wherever it is, on each system.
func nameOf(program string) string {
	name := strings.ToLower(filepath.Base(filepath.FromSlash(program)))
	for _, ending := range []string{".exe", ".cmd", ".bat", ".com"} {
		name = strings.TrimSuffix(name, ending)
	}
	return name
}

// plainForBatch reports whether a program can be handed a file. Windows hands the
// arguments of a batch file to its shell, which reads some characters as its own.
func plainForBatch(program, file string) bool {
	switch strings.ToLower(filepath.Ext(program)) {
	case ".bat", ".cmd":
		return !strings.ContainsAny(file, "&|<>^%!\"\r\n")
	}
	return true
}

var errQuote = errors.New("a quotation mark is not closed")

// split takes the words of a command apart: blanks separate them, and quotation marks
// hold them together. A backslash takes the next character as it is, but where it
// separates folders. Words are never none for a text that is not blank.
func split(text string, backslashes bool) (words []string, err error) {
	var word strings.Builder
	var quote rune
	inside, escaped := false, false
	for _, r := range text {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'' && !backslashes:
			inside, escaped = true, true
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '"' || r == '\'' && !backslashes:
			quote, inside = r, true
		case r == ' ' || r == '\t' || r == '\n' || r == '\r':
			if inside {
				words = append(words, word.String())
				word.Reset()
				inside = false
			}
		default:
			word.WriteRune(r)
			inside = true
		}
	}
	switch {
	case quote != 0:
		return nil, errQuote
	case escaped:
		return nil, errors.New("a backslash stands at its end")
	case inside:
		words = append(words, word.String())
	}
	if len(words) == 0 || words[0] == "" {
		return nil, errors.New("it names no program")
	}
	return words, nil
}
