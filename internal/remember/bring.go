package remember

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/memoir-ai/memoir/internal/entry"
	"github.com/memoir-ai/memoir/internal/layout"
	"github.com/memoir-ai/memoir/internal/notebook"
	"github.com/memoir-ai/memoir/internal/secret"
)

// An Incoming is a note of another memory, to be brought unchanged.
type Incoming struct {
	Path string // where it should go, below the workspace
	Text string // valid UTF-8
}

// What becomes of a note that is brought. A note that exists already is never
// changed, except that NoteGrown adds to its end.
const (
	NoteAdded    = "added"
	NoteGrown    = "grown"    // the existing note is the beginning of it; the rest was added at the end
	NoteThere    = "there"    // an existing note has all of it
	NoteBeside   = "beside"   // another note has the name; it was written beside that one, as NAME-2
	NoteConflict = "conflict" // other notes have both names; it was left out
	NoteRefused  = "refused"  // no note can be written there
)

// Brought says what became of a note.
type Brought struct {
	Outcome string // one of the constants
	Path    string // where it was written, or the note that is in its way
	Reason  string // why it was refused
	Secret  bool   // it holds a secret, and was written with the secret
	// Forgotten is how many entries were left out of it, because they were
	// forgotten on purpose.
	Forgotten int
}

// Bring puts notes of another memory into the workspace unchanged, all in one
// change, and returns what became of each, in order. Entries that were forgotten are
// left out of them, as [Keeper.Forget] takes them out of a note. No two of them may have
// names that a file system may take for the same ([SameName]). A dry run writes
// nothing. With an error nothing is written.
func (k *Keeper) Bring(ctx context.Context, b notebook.Bundle, notes []Incoming, dryRun bool) ([]Brought, error) {
	buried, err := k.marks.buried()
	if err != nil {
		return nil, err
	}
	var out []Brought
	plan := func(d *notebook.Draft) error {
		d.Join(b)
		out = make([]Brought, 0, len(notes))
		for _, note := range notes {
			text, forgotten := k.marks.without(note.Text, buried)
			if forgotten > 0 && entry.Bare(text) {
				out = append(out, Brought{Outcome: NoteRefused, Path: note.Path, Reason: reasons[Forgotten], Forgotten: forgotten})
				continue
			}
			note.Text = text
			done, err := bring(d, note)
			if err != nil {
				return fmt.Errorf("bring %s: %w", note.Path, err)
			}
			done.Forgotten = forgotten
			out = append(out, done)
		}
		return nil
	}
	if dryRun {
		return out, k.opts.Notebook.Preview(plan)
	}
	_, err = k.opts.Notebook.Do(ctx, b.Who, b.Why, plan)
	return out, err
}

// SameName returns a key that is equal for paths which some file system takes
// for the same: one that ignores case, or how accented letters are composed.
func SameName(path string) string { return strings.ToLower(norm.NFC.String(path)) }

// noPlace says why no note can stand at a path.
func noPlace(path string) string {
	for name := range strings.SplitSeq(path, "/") {
		if reason := layout.Reserved(name); reason != "" {
			return "no note can stand there: " + reason
		}
	}
	return "no note can stand there"
}

// bring plans what becomes of one note.
func bring(d *notebook.Draft, note Incoming) (Brought, error) {
	if layout.Obeyed(note.Path) {
		return Brought{Outcome: NoteRefused, Path: note.Path, Reason: "agents take it for orders, and it is no memory"}, nil
	}
	for _, name := range []string{note.Path, second(note.Path)} {
		text, exists, err := d.Read(name)
		switch {
		case errors.Is(err, notebook.ErrPath):
			return Brought{Outcome: NoteRefused, Path: note.Path, Reason: noPlace(name)}, nil
		case err != nil:
			return Brought{}, err
		}
		done := Brought{Path: name, Secret: len(secret.Find(note.Text)) > 0}
		switch {
		case !exists:
			done.Outcome = NoteAdded
			if name != note.Path {
				done.Outcome = NoteBeside
			}
			return done, d.Create(name, note.Text)
		case holds(text, note.Text):
			return Brought{Outcome: NoteThere, Path: name}, nil
		case strings.HasPrefix(note.Text, text) && (text == "" || strings.HasSuffix(text, "\n")):
			done.Outcome = NoteGrown
			return done, d.Append(name, note.Text[len(text):])
		case bare(text) && !strings.HasPrefix(note.Text, "---") && !strings.HasPrefix(note.Text, "+++"): // front matter must come first
			done.Outcome = NoteGrown
			return done, d.Append(name, "\n"+note.Text)
		}
	}
	return Brought{Outcome: NoteConflict, Path: note.Path}, nil
}

// second returns a name to use when another note has the first one. The name of
// a day log stays that of a day.
func second(name string) string {
	ext := path.Ext(name)
	return strings.TrimSuffix(name, ext) + "-2" + ext
}

// holds reports whether a note has all lines of another, unchanged and
// together.
func holds(text, lines string) bool {
	if lines == "" {
		return true
	}
	for at := 0; ; {
		i := strings.Index(text[at:], lines)
		if i < 0 {
			return false
		}
		at += i
		end := at + len(lines)
		if (at == 0 || text[at-1] == '\n') && (end == len(text) || text[end-1] == '\n' || text[end] == '\n' || text[end] == '\r') {
			return true
		}
		at++
	}
}

// bare reports whether a note says nothing yet: its only line is a heading.
func bare(text string) bool {
	heading, ok := strings.CutSuffix(text, "\n")
	return ok && strings.HasPrefix(heading, "# ") && !strings.Contains(strings.TrimRight(heading, "\r\n"), "\n")
}
