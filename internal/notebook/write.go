package notebook

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/memoir-ai/memoir/internal/regular"
)

// errChanged reports that a note no longer has the content that was read.
var errChanged = errors.New("the note was changed meanwhile")

// add writes text to the end of a note in one write. It returns the open file,
// which the caller must flush and close.
func add(full, text string) (*os.File, error) {
	f, err := regular.OpenFile(full, os.O_WRONLY|os.O_APPEND, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errChanged
	}
	if err != nil {
		return nil, err
	}
	before, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	n, err := io.WriteString(f, text)
	if err == nil {
		return f, nil
	}
	// Part of the text may have been written. It is at the end, unless an editor
	// has written too.
	if after, statErr := f.Stat(); n > 0 && statErr == nil && after.Size() == before.Size()+int64(n) {
		err = errors.Join(err, f.Truncate(before.Size()))
	}
	return nil, errors.Join(err, f.Close())
}

// cut removes what was added at the end of a note that holds text.
func cut(full, text string, size int) error {
	now, err := regular.ReadFile(full)
	if err != nil {
		return err
	}
	if string(now) != text {
		return errChanged
	}
	f, err := regular.OpenFile(full, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Truncate(int64(size)), f.Close())
}

// create makes a new note. Only users who can read the folder of the notes can read it.
func (n *Notebook) create(full, text string) (*os.File, error) {
	f, err := os.OpenFile(full, os.O_WRONLY|os.O_CREATE|os.O_EXCL, regular.Within(n.root, 0o644))
	if errors.Is(err, fs.ErrExist) {
		return nil, errChanged
	}
	if err != nil {
		return nil, err
	}
	if _, err := io.WriteString(f, text); err != nil {
		return nil, errors.Join(err, f.Close(), os.Remove(full))
	}
	return f, n.syncFolder(filepath.Dir(full))
}

// replace replaces a note that holds old. It keeps the permissions and, if that
// is allowed, the owner and the extended attributes.
func (n *Notebook) replace(full, old, text string) (err error) {
	// A note that must not be written to must not be replaced either.
	f, err := regular.OpenFile(full, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return errChanged
	}
	if err != nil {
		return err
	}
	name, err := n.beside(full, old, text, f)
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := exchange(name, full, old, text); err != nil {
		return err
	}
	return n.syncFolder(filepath.Dir(full))
}

// beside makes a file with the text in the folder of a note that holds old, flushed,
// and returns its name, which [leftoverName] matches.
func (n *Notebook) beside(full, old, text string, note *os.File) (name string, err error) {
	like, err := note.Stat()
	if err != nil {
		return "", err
	}
	var f *os.File
	for f == nil {
		name = partName(full, old, text)
		f, err = os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, like.Mode().Perm())
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return "", err
		}
	}
	_, err = io.WriteString(f, text)
	if err == nil {
		err = f.Chmod(like.Mode().Perm())
		if errors.Is(err, errors.ErrUnsupported) {
			err = nil
		}
	}
	keepOwner(f, like)
	keepAttributes(f, note)
	if err == nil {
		err = n.sync(f)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return "", errors.Join(err, os.Remove(name))
	}
	return name, nil
}

// remove removes a note that holds old.
func (n *Notebook) remove(full, old string) error {
	now, err := regular.ReadFile(full)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case string(now) != old:
		return errChanged
	}
	if err := os.Remove(full); err != nil {
		return err
	}
	return n.syncFolder(filepath.Dir(full))
}

// renamed puts the file at name in the place of the note after a last check.
// Nothing better is possible where files cannot be swapped in one step.
func renamed(name, full, old string) error {
	now, err := regular.ReadFile(full)
	if err == nil && string(now) != old || errors.Is(err, fs.ErrNotExist) {
		err = errChanged
	}
	if err == nil {
		err = os.Rename(name, full)
	}
	if err != nil {
		return errors.Join(err, os.Remove(name))
	}
	return nil
}

// syncFolder makes new names durable. Not every system can do that.
func (n *Notebook) syncFolder(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return nil
	}
	_ = n.sync(dir)
	return dir.Close()
}
