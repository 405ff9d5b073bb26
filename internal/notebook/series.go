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

// ownNotes are notes as a change has read or left them, by their places. The next change of
// the same series need not read them again: they are as they were, as the file system tells.
// They are for one goroutine. Of a change that is alone there are none.
type ownNotes map[string]*ownNote

type ownNote struct {
	held *heldNote
	text string
	grew *strings.Builder // has text, and grows by what is added, so that the whole is not copied each time; nil: nothing was added
	info fs.FileInfo      // before the note was read, or when the last change had written it
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

// read reads a note and takes it in.
func (o ownNotes) read(held *heldNote) (*heldNote, string, error) {
	if o == nil {
		text, err := held.read()
		return held, text, err
	}
	if own := o.of(held.full); own != nil {
		return own.held, own.text, nil
	}
	info, statErr := os.Lstat(held.full)
	text, err := held.read()
	if err == nil && statErr == nil && info.Mode().IsRegular() && info.Size() == int64(len(text)) {
		held = &heldNote{full: held.full, whole: true}
		o[held.full] = &ownNote{held: held, text: text, info: info}
	}
	return held, text, err
}

// learn takes in what a change has written to a note, to the file f if it was added to.
func (o ownNotes) learn(note *draftNote, f *os.File) {
	if o == nil {
		return
	}
	own := o[note.full]
	delete(o, note.full)
	if f == nil {
		return
	}
	info, err := f.Stat()
	if err != nil || info.Size() != int64(note.size()) {
		return // somebody else has added to it, too
	}
	if own == nil || own.text != note.old {
		own = &ownNote{held: &heldNote{full: note.full, whole: true}}
	}
	if own.grew == nil {
		own.grew = new(strings.Builder)
		own.grew.Grow(note.size() + 64<<10)
		own.grew.WriteString(note.old)
	}
	own.grew.WriteString(note.added())
	own.text, own.info = own.grew.String(), info
	o[note.full] = own
}
