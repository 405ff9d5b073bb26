// Package notebook writes notes. No other package of memoir does. A change is
// made whole or not at all, and is on disk when the caller is told of it. It
// loses nothing that others write at the same moment, and can be taken back.
//
// A lock makes memoir's processes take turns, but editors do not know it. So an
// addition is a single write at the end of the file, wherever that is by then.
// A rewritten file is swapped with the one that was read, which is checked
// before it is removed.
package notebook

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/memoir-ai/memoir/internal/regular"
	"github.com/memoir-ai/memoir/internal/sentinel"
	"github.com/memoir-ai/memoir/internal/syserr"
)

// The errors that callers branch on.
var (
	// ErrPath reports a path where no note can be: outside the notebook, hidden,
	// or behind a link.
	ErrPath = errors.New("not a place for a note")
	// ErrBusy reports a note that others keep changing.
	ErrBusy = errors.New("the note is being changed by another program")
	// ErrConflict reports a change that cannot be taken back because somebody
	// has changed its lines since.
	ErrConflict = errors.New("its lines have been changed since")
	// ErrUnknown reports a change that the history does not have.
	ErrUnknown = errors.New("there is no such change")
	// ErrForgotten reports a change that cannot be taken back because the
	// history no longer has what it changed.
	ErrForgotten = errors.New("what it changed was forgotten")
	// ErrGone reports that the folder of the notes is not there any more.
	ErrGone = errors.New("there is no such folder")
	// ErrUnsure reports a change that was carried out but that the disk has not
	// confirmed.
	ErrUnsure = errors.New("the notes have it, but the disk has not confirmed that it keeps it")
)

// An EncodingError reports a note that is not UTF-8. It is an [ErrPath].
type EncodingError struct {
	Note   string // its path
	Likely string // the encoding that it probably has, as iconv calls it; "" if nothing speaks for one
}

func (e *EncodingError) Error() string        { return "its text is not in UTF-8" }
func (e *EncodingError) Is(target error) bool { return target == ErrPath }

// Options are those of a Notebook. The zero value is the documented default.
type Options struct {
	// HistoryBytes is how large the history may grow before its older half is
	// dropped; 0 means [DefaultHistoryBytes].
	HistoryBytes int64
	// Now returns the time of a change; nil: [time.Now].
	Now func() time.Time
	// Remote holds the original notes when the folder is a copy of them, and the
	// history. nil: the folder holds the originals.
	Remote Remote
	// Room is asked before a change that makes more of the notes: of how many notes and
	// bytes more (either may be below 0). Its error ends the change, which then has
	// changed nothing. [Notebook.Undo] asks nobody. While it runs, no other process of
	// memoir writes. nil: there is room for all.
	Room func(ctx context.Context, notes int, bytes int64) error
	// Consent is asked before each change, and before a left-over is touched. Its error
	// ends the change, which then has changed nothing. nil: the notes need no consent.
	Consent func() error
	// Held is called once by a change that has waited two seconds for another process, with
	// the id of that process, 0 when it is not known. It may be called by several goroutines
	// at a time. nil: it is not called.
	Held func(pid int)
}

// DefaultHistoryBytes is how large a history may grow: 16 MiB.
const DefaultHistoryBytes = 16 << 20

// A Notebook is a folder of notes, with the history of memoir's changes. It is
// safe for concurrent use, also by several processes.
type Notebook struct {
	root string
	dir  string
	opts Options
	sync func(*os.File) error // flushes a file to disk; called by several goroutines
	turn chan struct{}        // has room for the one goroutine of this notebook that has the lock or waits in line for it

	patience time.Duration // linePatience
	held     heldNotes
	keys     keyIndex
}

// Open returns the notebook of a folder. Its history and its lock are in the
// folder dir, which is made by the first change.
func Open(root, dir string, opts Options) (*Notebook, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, fmt.Errorf("open notebook: %w", err)
	}
	if opts.HistoryBytes == 0 {
		opts.HistoryBytes = DefaultHistoryBytes
		if opts.Remote != nil {
			opts.HistoryBytes = DefaultRemoteBytes
		}
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	return &Notebook{root: root, dir: dir, opts: opts, sync: (*os.File).Sync, turn: make(chan struct{}, 1), patience: linePatience}, nil
}

// A Change is what memoir did to notes in one step.
type Change struct {
	ID     string    `json:"id"`
	Time   time.Time `json:"time"`
	Who    string    `json:"who"`              // the command or tool: "remember", "tidy"
	Why    string    `json:"why"`              // for people, one line
	Undoes string    `json:"undoes,omitempty"` // the change that this one takes back
	Edits  []Edit    `json:"edits"`
	// Key identifies a request that may be repeated, and Answer is what it was
	// answered with; see [Draft.Sign].
	Key    string          `json:"key,omitempty"`
	Answer json.RawMessage `json:"answer,omitempty"`
	// Forgot says that the change removed something for good.
	Forgot bool `json:"forgot,omitempty"`
	// Bundle is the id of the bundle that the change is a part of; see
	// [Draft.Join].
	Bundle string `json:"bundle,omitempty"`

	// Scope says whose notes the change is of, when several memories are joined.
	// It is not stored.
	Scope string `json:"-"`

	// done says that the change is known to have been carried out. A process
	// that is killed may leave a change whose end is not recorded, and that
	// nobody was told of.
	done bool
}

// An Edit is what a change did to one note: whole lines, with New in the place
// of Old.
type Edit struct {
	Path    string `json:"path"` // below the root, with slashes
	At      int    `json:"at"`   // position in the note, in bytes
	Old     string `json:"old"`
	New     string `json:"new"`
	Left    string `json:"left,omitempty"`    // the line before it
	Right   string `json:"right,omitempty"`   // the line after it
	After   string `json:"after"`             // SHA-256 of the whole note after the edit, in hexadecimal
	Created bool   `json:"created,omitempty"` // the note is new
	Removed bool   `json:"removed,omitempty"` // the note was removed
}

// changes reports whether there is something in the edit that can be taken
// back.
func (e Edit) changes() bool { return e.Old != e.New || e.Created || e.Removed }

// attempts is how often a change is tried again because somebody else has
// changed a note meanwhile.
const attempts = 16

// Do makes one change. It calls plan, which reads notes and says through the
// draft what to do. While plan runs, no other process of memoir writes. If an
// editor changes one of the notes in the meantime, plan is called again with a
// new draft. When Do returns without an error, the change is on disk. With an
// error no note has changed, except with [ErrUnsure]. A context that has ended
// before changes nothing. A plan that changes nothing gives a change without
// edits, which is not in the history.
func (n *Notebook) Do(ctx context.Context, who, why string, plan func(*Draft) error) (Change, error) {
	return n.do(ctx, Change{Who: who, Why: why}, plan, cleaning{})
}

// A Step is a change of a series; see [Notebook.DoAll].
type Step struct {
	Who, Why string // as in [Change]
	Plan     func(*Draft) error
}

// DoAll makes changes one after the other, each as [Notebook.Do] does. Meanwhile no other
// process of memoir writes, and the disk is waited for once. It returns the changes that
// were made: with an error those before the one that failed, except with [ErrUnsure], which
// says that the disk has not confirmed all that were made.
func (n *Notebook) DoAll(ctx context.Context, steps []Step) ([]Change, error) {
	all := make([]planned, len(steps))
	for i, s := range steps {
		all[i] = planned{Change{Who: s.Who, Why: s.Why}, s.Plan, cleaning{}}
	}
	return n.doAll(ctx, all)
}

// Preview calls plan with a draft that is then dropped. It waits for nobody and
// leaves no trace.
func (n *Notebook) Preview(plan func(*Draft) error) error { return plan(n.draft()) }

// cleaning is what a change removes from the history. At most one field is set.
type cleaning struct {
	scrub Scrub
	mask  Mask
}

// consent returns why the notes must not be changed, or nil.
func (n *Notebook) consent() error {
	if n.opts.Consent == nil {
		return nil
	}
	return n.opts.Consent()
}

func (n *Notebook) draft() *Draft { return &Draft{notebook: n, notes: map[string]*draftNote{}} }

// planned is a change that is to be made.
type planned struct {
	Change
	plan  func(*Draft) error
	clean cleaning
}

func (n *Notebook) do(ctx context.Context, c Change, plan func(*Draft) error, clean cleaning) (Change, error) {
	made, err := n.doAll(ctx, []planned{{c, plan, clean}})
	if err != nil {
		return Change{}, err
	}
	return made[0], nil
}

func (n *Notebook) doAll(ctx context.Context, steps []planned) (made []Change, err error) {
	tries := attempts
	if n.opts.Remote != nil {
		tries = exchanges
	}
	if err := cmp.Or(ctx.Err(), n.consent()); err != nil {
		return nil, err
	}
	for failed := 0; len(made) < len(steps); failed++ {
		if failed == tries {
			return made, ErrBusy
		}
		more, err := n.attempt(ctx, steps[len(made):])
		if made = append(made, more...); len(more) > 0 {
			failed = 0
		}
		if err != nil && !errors.Is(err, errChanged) {
			return made, err
		}
		if err != nil {
			if err := n.pause(ctx, failed); err != nil {
				return made, err
			}
		}
	}
	return made, nil
}

// attempt tries the changes, each once, and returns those that were made. It reports when
// somebody else has changed a note.
func (n *Notebook) attempt(ctx context.Context, steps []planned) (made []Change, err error) {
	unlock, err := n.lock(ctx)
	if err != nil {
		return nil, err
	}
	locked := true
	release := func() error {
		if !locked {
			return nil
		}
		locked = false
		return unlock()
	}
	defer func() { err = errors.Join(err, release()) }()
	_ = n.clearKilled() // what cannot be removed now stays for [Notebook.Leftovers]
	w := &written{}
	if len(steps) > 1 {
		w.notes = ownNotes{}
	}
	defer func() { err = errors.Join(err, w.close()) }()
	for i, s := range steps {
		if i > 0 {
			err = ctx.Err()
		}
		var c Change
		if err == nil {
			c, err = n.make(ctx, s, w)
		}
		if err != nil {
			break
		}
		made = append(made, c)
	}
	if w.changes == 0 {
		return made, err
	}
	// Other processes need not wait for the disk.
	lasting := release()
	if lasting == nil {
		if lasting = w.flush(n.sync); lasting != nil {
			lasting = fmt.Errorf("%w: %w", ErrUnsure, lasting)
		}
	}
	if lasting != nil && errors.Is(err, errChanged) {
		err = nil // nobody may try again what comes after
	}
	return made, errors.Join(lasting, err)
}

// make makes one change. The caller has the lock, and flushes what was written.
func (n *Notebook) make(ctx context.Context, s planned, w *written) (Change, error) {
	c, d := s.Change, n.draft()
	d.own = w.notes
	if err := s.plan(d); err != nil {
		return Change{}, err
	}
	if err := n.describe(ctx, &c, d, s.clean); err != nil || len(c.Edits) == 0 {
		return c, err
	}
	if err := d.fits(ctx); err != nil {
		return Change{}, err
	}
	c.ID, c.Time = newID(), n.opts.Now().UTC().Truncate(time.Millisecond)
	history, err := n.openHistory()
	if err != nil {
		return Change{}, err
	}
	if err := w.log(history); err != nil {
		return Change{}, err
	}
	if err := history.add(ctx, c); err != nil {
		return Change{}, err
	}
	if err := d.write(ctx, w); err != nil {
		return Change{}, errors.Join(err, history.takeBack(ctx))
	}
	if err := history.done(ctx, c.ID); err != nil {
		return Change{}, errors.Join(err, d.takeBack(ctx, d.order), history.takeBack(ctx))
	}
	c.done = true
	w.changes++
	return c, nil
}

// describe adds to a change what a draft does. Before that it removes from the
// history what must be forgotten or masked.
func (n *Notebook) describe(ctx context.Context, c *Change, d *Draft, clean cleaning) error {
	if clean.mask != nil {
		if err := n.mask(ctx, clean.mask, d.mask(clean.mask)); err != nil {
			return err
		}
	}
	c.Edits, c.Key, c.Answer = d.edits(clean.mask), d.key, d.answer
	if len(c.Edits) == 0 {
		if clean.scrub != nil { // what is forgotten may stand in the history alone
			return n.scrub(ctx, nil, clean.scrub)
		}
		return nil
	}
	c.Why = cmp.Or(d.why, c.Why)
	if d.bundle.ID != "" {
		c.Bundle, c.Who, c.Why = d.bundle.ID, d.bundle.Who, d.bundle.Why
	}
	if clean.scrub != nil {
		if err := n.scrub(ctx, c.Edits, clean.scrub); err != nil {
			return err
		}
		c.Edits = traces(c.Edits)
	}
	c.Forgot = d.discards || clean.scrub != nil || !slices.ContainsFunc(c.Edits, Edit.changes)
	return nil
}

// newID returns the id of a change: twelve letters and digits.
func newID() string { return strings.ToLower(rand.Text()[:12]) }

// Read returns the content of a note, or [fs.ErrNotExist] when there is no such
// note. It returns [ErrGone] when there is no folder of notes.
func (n *Notebook) Read(id string) (string, error) {
	n.refresh()
	full, err := n.place(id)
	if err != nil {
		return "", err
	}
	text, err := n.held.of(full).read()
	if errors.Is(err, regular.ErrKind) {
		err = fmt.Errorf("%q: %w: %w", id, ErrPath, syserr.Reason(err))
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = cmp.Or(n.there(), err)
	}
	return text, err
}

// there returns an error when the folder of the notes is not there. Nothing is known of
// any note then: the folder may be that of a disk that is not mounted.
func (n *Notebook) there() error {
	if n.opts.Remote != nil {
		return nil
	}
	_, err := os.Stat(n.root)
	if err == nil {
		return nil
	}
	err = fmt.Errorf("open workspace %s: %w", n.root, syserr.Reason(err))
	if errors.Is(err, fs.ErrNotExist) {
		err = sentinel.As(err, ErrGone)
	}
	return err
}

// BringBack is what a person can do about [ErrGone].
const BringBack = syserr.BringBack

// The longest name of a file or folder, and the longest path, of a note, in
// bytes. These are the limits of common file systems.
const (
	maxName = 255
	maxPath = 4000
)

// place returns where a note is in the file system. It refuses a path where no
// note can be.
func (n *Notebook) place(id string) (string, error) {
	if !fs.ValidPath(id) || id == "." || strings.Contains(id, "\x00") || !filepath.IsLocal(filepath.FromSlash(id)) {
		return "", fmt.Errorf("%q: %w", id, ErrPath)
	}
	for dir := id; dir != "."; dir = path.Dir(dir) {
		if strings.HasPrefix(path.Base(dir), ".") {
			return "", fmt.Errorf("%q: %w: it is hidden", id, ErrPath)
		}
		if len(path.Base(dir)) > maxName || len(id) > maxPath {
			return "", fmt.Errorf("%.40q…: %w: the name is too long", id, ErrPath)
		}
	}
	full := n.root
	for name := range strings.SplitSeq(id, "/") {
		if full != n.root {
			if err := regular.Folder(full); err != nil {
				return "", fmt.Errorf("%q: %w: %w", id, ErrPath, syserr.Reason(err))
			}
		}
		full = filepath.Join(full, spelled(full, name))
	}
	return full, nil
}

// spelled returns a name as a folder spells it, which may differ from how it is
// given: macOS and some archives store accented letters decomposed (normal form
// D), and ids are in normal form C.
func spelled(dir, name string) string {
	if !strings.ContainsFunc(name, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return name
	}
	if _, err := os.Lstat(filepath.Join(dir, name)); !errors.Is(err, fs.ErrNotExist) {
		return name
	}
	entries, err := os.ReadDir(dir) // sorted by name
	if err != nil {
		return name
	}
	normal := norm.NFC.String(name)
	for _, e := range entries {
		if norm.NFC.String(e.Name()) == normal {
			return e.Name()
		}
	}
	return name
}
