package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"unicode/utf8"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/notebook"
	"github.com/memoir-ai/memoir/internal/sentinel"
)

// A Draft is a planned change of notes, for [Engine.Edit]. It is for one
// goroutine, and valid while the plan runs. Notes are named by their paths
// below the workspace, with slashes. A path where no note can be (outside the
// workspace, hidden, behind a link, or with a name that no source reads) gives
// [memoir.ErrInvalid].
type Draft struct {
	draft *notebook.Draft
	owns  func(path string) bool
	// at returns the path of a note by its name. When it is nil, names are
	// paths.
	at       func(name string) (path string, err error)
	regained func(before, text string) (line int, err error)
}

// Read returns the content of a note, with what the draft has planned so far,
// and whether the note exists. For one that does not, text is "".
func (d *Draft) Read(path string) (text string, exists bool, err error) {
	if path, err = d.path(path); err != nil {
		return "", false, err
	}
	text, exists, err = d.draft.Read(path)
	return text, exists, noteError(err)
}

// Write replaces the content of a note, or makes a new note. A text that is not
// valid UTF-8 gives [memoir.ErrInvalid].
func (d *Draft) Write(path, text string) error {
	path, err := d.path(path)
	if err != nil {
		return err
	}
	if !utf8.ValidString(text) {
		return memoir.WithHint(fmt.Errorf("the text for %s is not valid UTF-8: %w", path, memoir.ErrInvalid), "send text in UTF-8")
	}
	return noteError(d.draft.Write(path, text))
}

// Regained returns the number of a line of text that was forgotten on purpose and that the note
// has not, 0 for none. Ask before you write what an agent sent: the owner alone brings back
// what was forgotten. An error wraps [memoir.ErrUnavailable] when that is not known.
func (d *Draft) Regained(path, text string) (line int, err error) {
	before, _, err := d.Read(path)
	if err != nil {
		return 0, err
	}
	return d.regained(before, text)
}

// Remove removes a note. The history keeps it.
func (d *Draft) Remove(path string) error {
	path, err := d.path(path)
	if err != nil {
		return err
	}
	return noteError(d.draft.Remove(path))
}

// path returns the path of a note by its name, or an error that says why no
// note can be there.
func (d *Draft) path(name string) (path string, err error) {
	if path = name; d.at != nil {
		if path, err = d.at(name); err != nil {
			return "", err
		}
	}
	return path, d.check(path)
}

func (d *Draft) check(path string) error {
	if !d.owns(path) {
		return memoir.WithHint(fmt.Errorf("%q is not the name of a note: %w", path, memoir.ErrInvalid), "name a Markdown file below the workspace, such as memory/notes.md")
	}
	return nil
}

// Edit changes notes as plan says through the draft: all in one change, or
// none. who and why say in one line each for whom and why. When another program
// changes one of the notes meanwhile, plan may be called again. An error of
// plan ends the edit and is returned. When Edit returns, the change is on disk,
// and the next search finds it as far as [Config.SyncBudget] lets it; [Engine.Undo] takes it back. Texts are kept
// exactly as given. When others keep changing a note, Edit returns
// [memoir.ErrConflict].
func (e *Engine) Edit(ctx context.Context, who, why string, plan func(*Draft) error) (Change, error) {
	k, err := e.keep("edit notes")
	if err != nil {
		return Change{}, err
	}
	defer e.calls.end()
	defer e.indexer.Wake()
	change, err := k.Edit(ctx, who, why, func(d *notebook.Draft) error { return plan(&Draft{draft: d, owns: e.Owns, regained: k.Regained}) })
	return change, noteError(err)
}

// Note returns the content of a note as it is on disk. It returns
// [memoir.ErrNotFound] when there is no such note, and [memoir.ErrInvalid] for
// a path where no note can be.
func (e *Engine) Note(path string) (string, error) {
	k, err := e.keep("read " + path)
	if err != nil {
		return "", err
	}
	defer e.calls.end()
	d := Draft{owns: e.Owns}
	if err := d.check(path); err != nil {
		return "", err
	}
	text, err := k.Note(path)
	if errors.Is(err, fs.ErrNotExist) && !errors.Is(err, notebook.ErrGone) {
		return "", fmt.Errorf("%s: %w", path, memoir.ErrNotFound)
	}
	return text, noteError(err)
}

// unreadable adds to an error about a note that is not UTF-8 that it exists and cannot be
// read.
func unreadable(err error) error {
	if other := (*notebook.EncodingError)(nil); errors.As(err, &other) {
		return sentinel.As(err, &memoir.SkipError{ID: memoir.DocID(other.Note), Reason: other.Error()})
	}
	return err
}

// noteError adds to an error about a note the sentinel that it belongs to.
func noteError(err error) error {
	kind := error(nil)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, memoir.ErrInvalid), errors.Is(err, memoir.ErrNotFound), errors.Is(err, memoir.ErrConflict):
		return err
	case errors.Is(err, notebook.ErrPath):
		err, kind = unreadable(err), memoir.ErrInvalid
	case errors.Is(err, notebook.ErrBusy), errors.Is(err, notebook.ErrConflict), errors.Is(err, fs.ErrExist):
		kind = memoir.ErrConflict
	case errors.Is(err, notebook.ErrGone):
		return memoir.WithHint(err, notebook.BringBack)
	case errors.Is(err, notebook.ErrUnknown), errors.Is(err, notebook.ErrForgotten), errors.Is(err, fs.ErrNotExist):
		kind = memoir.ErrNotFound
	default:
		return err
	}
	return sentinel.As(err, kind)
}

// Documents yields the indexed documents, ordered by id. It stops after an
// error.
func (e *Engine) Documents(ctx context.Context) iter.Seq2[memoir.DocumentMeta, error] {
	return func(yield func(memoir.DocumentMeta, error) bool) {
		if err := e.calls.begin("list the documents"); err != nil {
			yield(memoir.DocumentMeta{}, err)
			return
		}
		defer e.calls.end()
		for meta, err := range e.store.Documents(ctx) {
			if !yield(meta, err) {
				return
			}
		}
	}
}
