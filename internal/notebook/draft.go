package notebook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/memoir-ai/memoir/internal/charset"
	"github.com/memoir-ai/memoir/internal/layout"
	"github.com/memoir-ai/memoir/internal/regular"
	"github.com/memoir-ai/memoir/internal/syserr"
)

// A Draft is a planned change. It is for one goroutine, and valid while the
// plan runs.
type Draft struct {
	notebook *Notebook
	notes    map[string]*draftNote
	order    []string
	key      string
	answer   json.RawMessage
	bundle   Bundle
	why      string // "" is the reason that the change was begun with
	discards bool   // it removes a note of which the history keeps no copy
	restores bool   // it brings notes back, whose names need not be allowed any more
	own      ownNotes
}

// draftNote is a note as it was read, and as it is to become.
type draftNote struct {
	full     string
	held     *heldNote
	old      string
	exists   bool
	addition string // text for its end
	whole    string // old and addition, once somebody has asked for them
	rewrite  *string
	remove   bool
	bare     bool // the history keeps no copy of it
}

// Read returns the content of a note, with what the draft has planned so far,
// and whether the note exists. For one that does not, text is "".
func (d *Draft) Read(id string) (text string, exists bool, err error) {
	note, err := d.note(id)
	if err != nil {
		return "", false, err
	}
	return note.now(), !note.remove && (note.exists || note.changed()), nil
}

// Start returns the beginning of a note that the draft leaves as it was read: the whole of
// it where it is only added to, "" where it is written anew.
func (d *Draft) Start(id string) (string, error) {
	note, err := d.note(id)
	if err != nil || note.rewrite != nil {
		return "", err
	}
	return note.old, nil
}

// Sign gives the change a key, by which [Notebook.Keyed] finds it, and the
// answer to the request with that key. The key consists of letters, digits and
// hyphens. The answer is JSON. It must not hold words of the notes, because it
// stays when they are forgotten.
func (d *Draft) Sign(key string, answer json.RawMessage) { d.key, d.answer = key, answer }

// Explain gives the change another reason than the one that it was begun with.
func (d *Draft) Explain(why string) { d.why = why }

// Append adds text to the end of a note in one write. If others have added to
// the note since it was read, the text comes after that.
func (d *Draft) Append(id, text string) error {
	note, err := d.note(id)
	if err != nil {
		return err
	}
	switch {
	case text == "":
	case note.rewrite != nil:
		whole := *note.rewrite + text
		note.rewrite, note.remove = &whole, false
	default:
		note.addition, note.whole = note.addition+text, ""
	}
	return nil
}

// Write replaces the content of a note.
func (d *Draft) Write(id, text string) error {
	note, err := d.note(id)
	if err != nil {
		return err
	}
	note.addition, note.rewrite, note.remove = "", &text, false
	return nil
}

// Create makes a new note. The history keeps its digest and no copy, however
// large it is. The change can be taken back while the note is as it was made;
// taking it back cannot itself be undone. If the note exists, the error is
// [fs.ErrExist].
func (d *Draft) Create(id, text string) error {
	note, err := d.note(id)
	if err != nil {
		return err
	}
	if note.exists || note.changed() {
		return fmt.Errorf("make %s: %w", id, fs.ErrExist)
	}
	note.rewrite, note.bare = &text, true
	return nil
}

// discard removes a note of which the history keeps no copy.
func (d *Draft) discard(id string) error {
	if err := d.Remove(id); err != nil {
		return err
	}
	d.notes[id].bare, d.discards = true, true
	return nil
}

// Remove removes a note.
func (d *Draft) Remove(id string) error {
	note, err := d.note(id)
	if err != nil {
		return err
	}
	note.addition, note.whole, note.rewrite, note.remove = "", "", nil, note.exists
	if note.exists {
		note.rewrite = new(string)
	}
	return nil
}

// Writable reports why an existing note cannot be written to, or nil when it
// can.
func (d *Draft) Writable(id string) error {
	full, err := d.notebook.place(id)
	if err != nil {
		return err
	}
	f, err := regular.OpenFile(full, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return f.Close()
}

func (d *Draft) note(id string) (*draftNote, error) {
	if note := d.notes[id]; note != nil {
		return note, nil
	}
	full, err := d.notebook.place(id)
	if err != nil {
		return nil, err
	}
	note := &draftNote{full: full, exists: true}
	note.held, note.old, err = d.own.read(d.notebook.held.of(full))
	if errors.Is(err, fs.ErrNotExist) {
		note.exists, err = false, d.notebook.there()
	}
	if errors.Is(err, regular.ErrKind) {
		err = fmt.Errorf("%w: %w", ErrPath, syserr.Reason(err))
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", id, err)
	}
	if !note.exists && !d.restores {
		for name := range strings.SplitSeq(id, "/") {
			if reason := layout.Reserved(name); reason != "" {
				return nil, fmt.Errorf("%q: %w: %s", id, ErrPath, reason)
			}
		}
	}
	if !note.held.valid(note.old) {
		return nil, fmt.Errorf("read %s: %w", id, &EncodingError{id, charset.Guess([]byte(note.old))})
	}
	d.notes[id], d.order = note, append(d.order, id)
	return note, nil
}

// now returns the note as planned.
func (n *draftNote) now() string {
	if n.rewrite != nil {
		return *n.rewrite
	}
	if n.whole == "" {
		n.whole = n.old + n.addition
	}
	return n.whole
}

// size returns how many bytes the note as planned has, without making it.
func (n *draftNote) size() int {
	if n.rewrite != nil {
		return len(*n.rewrite)
	}
	return len(n.old) + len(n.addition)
}

// added returns what is planned for the end of a note that is only added to.
func (n *draftNote) added() string {
	if n.rewrite != nil {
		return (*n.rewrite)[len(n.old):]
	}
	return n.addition
}

// changed reports whether anything is planned for the note.
func (n *draftNote) changed() bool {
	if n.rewrite == nil {
		return n.addition != ""
	}
	return *n.rewrite != n.old || n.remove || !n.exists
}

// fits asks whether there is room for what the draft makes more of. What is taken back
// was there before.
func (d *Draft) fits(ctx context.Context) error {
	notes, bytes := 0, int64(0)
	for _, note := range d.notes {
		if !note.changed() {
			continue
		}
		bytes += int64(note.size() - len(note.old))
		switch {
		case note.remove:
			notes--
		case !note.exists:
			notes++
		}
	}
	if d.notebook.opts.Room == nil || d.restores || notes <= 0 && bytes <= 0 {
		return nil
	}
	return d.notebook.opts.Room(ctx, notes, bytes)
}

// edits returns what the draft changes, in the order in which notes were named.
// With a mask, the edits are those of notes that were masked before.
func (d *Draft) edits(mask Mask) []Edit {
	var edits []Edit
	for _, id := range d.order {
		note := d.notes[id]
		if note.changed() {
			old := note.old
			if mask != nil {
				old = mask(old)
			}
			e := note.edit(old)
			if note.bare {
				e = Edit{After: e.After}
			}
			e.Path, e.Created, e.Removed = id, !note.exists, note.remove
			edits = append(edits, e)
		}
	}
	return edits
}

// edit returns the edit that turns old into the note as planned. Where whole lines are
// added, which is the common case, the text is neither compared nor copied.
func (n *draftNote) edit(old string) Edit {
	if n.rewrite != nil || old != n.old || !lineBegins(old, len(old)) {
		return difference(old, n.now())
	}
	return Edit{At: len(old), New: n.addition, Left: lastLine(old), After: n.held.digest(old, n.addition)}
}

// difference returns the single edit, in whole lines, that turns one text into
// another.
func difference(old, text string) Edit {
	start := 0
	if strings.HasPrefix(text, old) { // the common case of an addition, quick to check
		start = len(old)
	}
	for start < min(len(old), len(text)) && old[start] == text[start] {
		start++
	}
	start = strings.LastIndexByte(old[:start], '\n') + 1
	tail := 0
	for tail < min(len(old), len(text))-start && old[len(old)-1-tail] == text[len(text)-1-tail] {
		tail++
	}
	for tail > 0 && !(lineBegins(old, len(old)-tail) && lineBegins(text, len(text)-tail)) {
		tail--
	}
	return Edit{
		At: start, Old: old[start : len(old)-tail], New: text[start : len(text)-tail],
		Left: lastLine(text[:start]), Right: firstLine(text[len(text)-tail:]), After: digest(text),
	}
}

// lineBegins reports whether a line begins at a byte.
func lineBegins(text string, at int) bool { return at == 0 || text[at-1] == '\n' }

// maxContext is how much of a line beside an edit is kept, in bytes.
const maxContext = 512

// lastLine returns the last line of a text, or "" when it is too long.
func lastLine(text string) string {
	line := text[strings.LastIndexByte(strings.TrimSuffix(text, "\n"), '\n')+1:]
	if len(line) > maxContext {
		return ""
	}
	return line
}

// firstLine returns the first line of a text, or "" when it is too long.
func firstLine(text string) string {
	line, _, more := strings.Cut(text, "\n")
	if more {
		line += "\n"
	}
	if len(line) > maxContext {
		return ""
	}
	return line
}

// write carries out the whole draft or nothing. What must be flushed to disk goes to w.
func (d *Draft) write(ctx context.Context, w *written) error {
	var done []string
	for _, id := range d.order {
		note := d.notes[id]
		if !note.changed() {
			continue
		}
		f, err := d.notebook.write(ctx, note)
		if err == nil {
			done = append(done, id)
			w.notes.learn(note, f)
		}
		if f != nil {
			err = errors.Join(err, w.file(note.full, f, d.notebook.sync))
		}
		if err != nil {
			return errors.Join(fmt.Errorf("write %s: %w", id, err), d.takeBack(ctx, done))
		}
	}
	return nil
}

// takeBack reverses what write did to some notes.
func (d *Draft) takeBack(ctx context.Context, ids []string) (err error) {
	for _, id := range ids {
		if note := d.notes[id]; note.changed() {
			delete(d.own, note.full)
			if back := d.notebook.takeBack(ctx, note); back != nil {
				err = errors.Join(err, fmt.Errorf("take back what was written to %s: %w", id, back))
			}
		}
	}
	return err
}

// write carries out what is planned for one note.
func (n *Notebook) write(ctx context.Context, note *draftNote) (*os.File, error) {
	switch {
	case n.opts.Remote != nil:
		return nil, n.writeRemote(ctx, note)
	case note.remove:
		return nil, n.remove(note.full, note.old)
	case note.exists && note.rewrite != nil && strings.HasPrefix(*note.rewrite, note.old):
		return add(note.full, (*note.rewrite)[len(note.old):])
	case note.exists && note.rewrite != nil:
		return nil, n.replace(note.full, note.old, *note.rewrite)
	case note.exists:
		return add(note.full, note.addition)
	}
	if err := n.there(); err != nil { // do not make it again
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(note.full), regular.Within(n.root, 0o755)); err != nil {
		return nil, err
	}
	return n.create(note.full, note.now())
}

// takeBack reverses what write did, because another note of the same change
// could not be written.
func (n *Notebook) takeBack(ctx context.Context, note *draftNote) error {
	switch text := note.now(); {
	case n.opts.Remote != nil:
		return n.takeBackRemote(ctx, note)
	case !note.exists:
		return n.remove(note.full, text)
	case note.remove:
		f, err := n.create(note.full, note.old)
		if err != nil {
			return err
		}
		return errors.Join(n.sync(f), f.Close())
	default:
		err := n.replace(note.full, text, note.old)
		if err != nil && strings.HasPrefix(text, note.old) && cut(note.full, text, len(note.old)) == nil {
			return nil // a full disk has no room for a second file, but an addition can still be cut off
		}
		return err
	}
}
