package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// state is what the oracle knows of an entry.
type state int

const (
	live     state = iota // acknowledged: it stands in one note, once
	replaced              // another entry took its place: it stands there once at most
	gone                  // forgotten or taken back: it stands nowhere
	unknown               // its process was killed: it stands there once or not at all
)

// An oracle knows every entry by its mark, which is a word that stands nowhere
// else. It also knows what a person wrote.
type oracle struct {
	entries map[string]*told
	marks   []string          // of entries, in the order in which they were told
	own     map[string][]byte // the person's notes, by path; memoir writes to none of them
}

// told is an entry.
type told struct {
	text, key, kind, id string
	state               state
	own                 bool  // a person wrote it into a note of memoir's
	by                  *told // what took its place
}

// count returns how often each mark stands in the notes. A file that is neither
// a note nor known is an error.
func (o *oracle) count(notes string) (map[string]int, error) {
	counts := map[string]int{}
	var wrong []error
	err := filepath.WalkDir(notes, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if isLeftover(d.Name()) {
			return nil // until the next look at what is lost
		}
		if filepath.Ext(path) != ".md" || strings.HasPrefix(d.Name(), ".") {
			wrong = append(wrong, fmt.Errorf("%s was left over", path))
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(notes, path)
		if err != nil {
			return err
		}
		if want, ok := o.own[rel]; ok {
			if !bytes.Equal(data, want) {
				wrong = append(wrong, fmt.Errorf("%s was changed: %d bytes, not %d", rel, len(data), len(want)))
			}
			return nil
		}
		if bytes.IndexByte(data, 0) >= 0 || len(data) > 0 && data[len(data)-1] != '\n' {
			wrong = append(wrong, fmt.Errorf("%s is torn: its end is %q", rel, data[max(0, len(data)-60):]))
		}
		for word := range strings.FieldsFuncSeq(string(data), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') }) {
			if strings.HasPrefix(word, markStart) {
				counts[word]++
			}
		}
		return nil
	})
	return counts, errors.Join(append(wrong, err)...)
}

// isLeftover reports whether a file has a name such as killed processes leave
// beside a note. No reader and no search sees such a file, and memoir removes
// it later.
func isLeftover(name string) bool {
	ext := filepath.Ext(name)
	return strings.HasPrefix(name, ".") && (ext == ".new" || ext == ".part")
}

// leftovers returns an error for files that killed processes left among the
// notes.
func leftovers(notes string) error {
	var wrong []error
	err := filepath.WalkDir(notes, func(path string, d fs.DirEntry, err error) error {
		if err == nil && isLeftover(d.Name()) {
			wrong = append(wrong, fmt.Errorf("%s was left over", path))
		}
		return err
	})
	return errors.Join(append(wrong, err)...)
}

// check compares the notes with what is known.
func (o *oracle) check(notes string) error {
	counts, err := o.count(notes)
	wrong := []error{err}
	for _, mark := range o.marks {
		e, n := o.entries[mark], counts[mark]
		switch {
		case e.state == live && n != 1:
			wrong = append(wrong, fmt.Errorf("%q (%s) was acknowledged and stands there %d times", e.text, e.kind, n))
		case e.state == gone && n != 0:
			wrong = append(wrong, fmt.Errorf("%q was taken out and stands there %d times", e.text, n))
		case n > 1:
			wrong = append(wrong, fmt.Errorf("%q stands there %d times", e.text, n))
		}
		delete(counts, mark)
	}
	for mark := range counts {
		wrong = append(wrong, fmt.Errorf("%s was never told", mark))
	}
	return errors.Join(wrong...)
}
