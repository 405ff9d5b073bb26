package notebook

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"sync"
)

// written is what some changes have written that are made one after the other while nobody
// else of memoir writes.
type written struct {
	notes   ownNotes
	files   map[string]*os.File // by the places of the notes
	history changeLog           // as the last change has it open
	changes int
}

// maxOpen is how many notes are open at most until they are flushed.
const maxOpen = 64

// file takes over a file that has to be flushed. A note is flushed once: what was written
// to it before by another name of the same file is flushed with it.
func (w *written) file(full string, f *os.File, sync func(*os.File) error) error {
	if w.files == nil {
		w.files = map[string]*os.File{}
	}
	var err error
	if before := w.files[full]; before != nil {
		err = before.Close()
	} else if len(w.files) == maxOpen {
		for place, other := range w.files {
			err = errors.Join(sync(other), other.Close())
			delete(w.files, place)
			break
		}
	}
	w.files[full] = f
	return err
}

// log takes over the history as the next change has opened it.
func (w *written) log(history changeLog) error {
	before := w.history
	if w.history = history; before == nil {
		return nil
	}
	return before.Close()
}

// flush waits until the disk has the history and what was written. A file system that
// keeps a journal writes them all at once when it is asked for them at once.
func (w *written) flush(sync_ func(*os.File) error) error {
	errs := make([]error, 0, len(w.files)+1)
	var all sync.WaitGroup
	for _, f := range w.files {
		errs = append(errs, nil)
		err := &errs[len(errs)-1]
		all.Go(func() { *err = sync_(f) })
	}
	errs = append(errs, w.history.flush(sync_))
	all.Wait()
	return errors.Join(errs...)
}

// close closes what is open.
func (w *written) close() (err error) {
	for _, f := range w.files {
		err = errors.Join(err, f.Close())
	}
	if w.history != nil {
		err = errors.Join(err, w.history.Close())
	}
	return err
}

// ownNotes are notes to which a change has just added something, by their places. The next
// change of the same series need not read them again: they are as they were left, as the
// file system tells. They are for one goroutine.
type ownNotes map[string]*ownNote

type ownNote struct {
	held *heldNote
	text strings.Builder // grows by what is added, so that the whole is not copied each time
	info fs.FileInfo     // when the last change had written it
}

// of returns what is known of a note; nil when nothing is, or when somebody else has written
// to it.
func (o ownNotes) of(full string) *ownNote {
	own := o[full]
	if own == nil {
		return nil
	}
	info, err := os.Lstat(full)
	if err != nil || !os.SameFile(info, own.info) || info.Size() != own.info.Size() || !info.ModTime().Equal(own.info.ModTime()) {
		delete(o, full)
		return nil
	}
	return own
}

// learn takes in what a change has written to a note, to the file f if it was added to.
func (o ownNotes) learn(note *draftNote, f *os.File) {
	own := o[note.full]
	delete(o, note.full)
	if f == nil {
		return
	}
	info, err := f.Stat()
	if err != nil || info.Size() != int64(note.size()) {
		return // somebody else has added to it, too
	}
	if own == nil || own.text.String() != note.old {
		own = &ownNote{held: &heldNote{full: note.full, whole: true}}
		own.text.Grow(note.size() + 64<<10)
		own.text.WriteString(note.old)
	}
	own.text.WriteString(note.added())
	own.info = info
	o[note.full] = own
}
