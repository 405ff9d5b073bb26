package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/notebook"
)

// A Draft is a change of notes as it is planned, for [Engine.Edit]. It is for one
// goroutine, as long as the plan runs. Notes are named by their paths below the
// workspace, with slashes. A path that is no place for a note (outside of the
// workspace, hidden, behind a link, of a name that no source reads) gives
// [memoir.ErrInvalid].
type Draft struct {
	draft *notebook.Draft
	owns  func(path string) bool
	// at returns the path of a note by its name; nil where names are paths.
	at func(name string) (path string, err error)
}

// Read returns what a note holds with what is planned so far, "" for one that is
// not there, and whether it is.
func (d *Draft) Read(path string) (text string, exists bool, err error) {
	if path, err = d.path(path); err != nil {
		return "", false, err
	}
	text, exists, err = d.draft.Read(path)
	return text, exists, noteError(err)
}

// Write gives a note another content, and makes one that is not there.
func (d *Draft) Write(path, text string) error {
	path, err := d.path(path)
	if err != nil {
		return err
	}
	return noteError(d.draft.Write(path, text))
}

// Remove takes a note away. The history keeps it.
func (d *Draft) Remove(path string) error {
	path, err := d.path(path)
	if err != nil {
		return err
	}
	return noteError(d.draft.Remove(path))
}

// path returns the path of a note by its name, or why it is none.
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

// Edit makes one change of notes as a whole, or none: what plan says through the
// draft, for whom and why, one line each. plan may be called again when another
// program changes a note meanwhile; its error ends the edit and is returned. The
// change is on disk when Edit returns, the next search finds it, and [Engine.Undo]
// takes it back. Texts are kept as they are given. A note that others change again
// and again gives [memoir.ErrConflict].
func (e *Engine) Edit(ctx context.Context, who, why string, plan func(*Draft) error) (Change, error) {
	k, err := e.keep("edit notes")
	if err != nil {
		return Change{}, err
	}
	defer e.calls.end()
	defer e.indexer.Wake()
	change, err := k.Edit(ctx, who, why, func(d *notebook.Draft) error { return plan(&Draft{draft: d, owns: e.Owns}) })
	return change, noteError(err)
}

// Note returns what a note holds, as it is on disk. One that is not there gives
// [memoir.ErrNotFound], a path that is no place for a note [memoir.ErrInvalid].
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
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("%s: %w", path, memoir.ErrNotFound)
	}
	return text, noteError(err)
}

// noteError gives what went wrong with a note its sentinel.
func noteError(err error) error {
	sentinel := error(nil)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, memoir.ErrInvalid), errors.Is(err, memoir.ErrNotFound), errors.Is(err, memoir.ErrConflict):
		return err
	case errors.Is(err, notebook.ErrPath):
		sentinel = memoir.ErrInvalid
	case errors.Is(err, notebook.ErrBusy), errors.Is(err, notebook.ErrConflict), errors.Is(err, fs.ErrExist):
		sentinel = memoir.ErrConflict
	case errors.Is(err, notebook.ErrUnknown), errors.Is(err, notebook.ErrForgotten), errors.Is(err, fs.ErrNotExist):
		sentinel = memoir.ErrNotFound
	default:
		return err
	}
	return &kindError{err, sentinel}
}

// kindError is an error that a sentinel belongs to, which is not spelt out.
type kindError struct{ err, kind error }

func (e *kindError) Error() string   { return e.err.Error() }
func (e *kindError) Unwrap() []error { return []error{e.err, e.kind} }

// Documents yields what is indexed, ordered by id. After an error it stops.
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
