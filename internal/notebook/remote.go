package notebook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/memoir-ai/memoir/internal/lazyregexp"
	"github.com/memoir-ai/memoir/internal/regular"
)

// A Remote holds the notes that a notebook's folder is a copy of, for example a
// bucket to which several machines write. It keeps the copy up to date. When
// its methods return, what they wrote is there for all.
type Remote interface {
	// Refresh makes the copy equal to the remote.
	Refresh(ctx context.Context) error
	// Lock does what Refresh does, and lets no other process of this machine
	// write to the copy. It locks nothing between machines.
	Lock(ctx context.Context) (unlock func() error, err error)
	// Put writes a file to the remote and to the copy, if the remote still has
	// the content was; nil means no such file. Otherwise ok is false, and the
	// copy gets what the remote has. The caller holds the lock.
	Put(ctx context.Context, name string, was *string, text string) (ok bool, err error)
	// Remove removes a file under the same condition.
	Remove(ctx context.Context, name, was string) (ok bool, err error)
}

// The history of a remote is kept in pieces beside the notes. These are
// numbered files with lines like those of a folder's history. A full piece is
// not written to again, unless something must be forgotten.
const (
	remoteHistory = ".memoir/history"
	pieceBytes    = 64 << 10
	// DefaultRemoteBytes is how large a remote's history may grow: 4 MiB.
	DefaultRemoteBytes = 4 << 20
)

// exchanges is how often a change of the remote is tried. Of several machines
// that try at the same time, one succeeds.
const exchanges = 64

var pieceName = lazyregexp.New(`^[0-9]{8}\.jsonl$`)

// lockRemote also locks the remote, if there is one.
func (n *Notebook) lockRemote(ctx context.Context, unlock func() error) (func() error, error) {
	if n.opts.Remote == nil {
		return unlock, nil
	}
	unlockRemote, err := n.opts.Remote.Lock(ctx)
	if err != nil {
		return nil, errors.Join(err, unlock())
	}
	return func() error { return errors.Join(unlockRemote(), unlock()) }, nil
}

// patience is how long reading waits for a remote that does not answer.
const patience = 5 * time.Second

// refresh makes the copy equal to the remote. If that fails, the copy is used
// as it is: every write is conditional anyway, and whoever opened the notebook
// knows that it has a remote.
func (n *Notebook) refresh() {
	if n.opts.Remote != nil {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		_ = n.opts.Remote.Refresh(ctx)
	}
}

// pause gives the machine that was faster its turn. The pauses grow with the
// number of failures.
func (n *Notebook) pause(ctx context.Context, failed int) error {
	if n.opts.Remote == nil {
		return nil
	}
	select {
	case <-time.After(rand.N(time.Millisecond << min(failed+3, 9))):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// writeRemote carries out what is planned for one note.
func (n *Notebook) writeRemote(ctx context.Context, note *draftNote) error {
	name, err := n.below(note.full)
	if err != nil {
		return err
	}
	switch {
	case note.remove:
		return held(n.opts.Remote.Remove(ctx, name, note.old))
	case note.exists:
		return held(n.opts.Remote.Put(ctx, name, &note.old, note.now()))
	}
	return held(n.opts.Remote.Put(ctx, name, nil, note.now()))
}

// takeBackRemote reverses what writeRemote did.
func (n *Notebook) takeBackRemote(ctx context.Context, note *draftNote) error {
	name, err := n.below(note.full)
	if err != nil {
		return err
	}
	text := note.now()
	switch {
	case !note.exists:
		return held(n.opts.Remote.Remove(ctx, name, text))
	case note.remove:
		return held(n.opts.Remote.Put(ctx, name, nil, note.old))
	}
	return held(n.opts.Remote.Put(ctx, name, &text, note.old))
}

// held turns a condition that did not hold into an error.
func held(ok bool, err error) error {
	if err == nil && !ok {
		return errChanged
	}
	return err
}

// below returns the name of a file relative to the root.
func (n *Notebook) below(full string) (string, error) {
	name, err := filepath.Rel(n.root, full)
	return filepath.ToSlash(name), err
}

// pieces returns the names of the pieces of the history, the oldest first, and
// their sizes.
func (n *Notebook) pieces() (names []string, sizes []int64, err error) {
	entries, err := os.ReadDir(filepath.Join(n.root, filepath.FromSlash(remoteHistory))) // sorted by name
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("list the history: %w", err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && pieceName().MatchString(e.Name()) && info.Mode().IsRegular() {
			names, sizes = append(names, remoteHistory+"/"+e.Name()), append(sizes, info.Size())
		}
	}
	return names, sizes, nil
}

// piece returns the content of a piece, or nil when there is none.
func (n *Notebook) piece(name string) (*string, error) {
	b, err := regular.ReadFile(filepath.Join(n.root, filepath.FromSlash(name)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the history: %w", err)
	}
	text := string(b)
	return &text, nil
}

// remoteText returns all lines of the history.
func (n *Notebook) remoteText() ([]byte, error) {
	names, _, err := n.pieces()
	if err != nil {
		return nil, err
	}
	var all bytes.Buffer
	for _, name := range names {
		text, err := n.piece(name)
		if err != nil {
			return nil, err
		}
		if text != nil {
			all.WriteString(*text)
		}
		if all.Len() > 0 && all.Bytes()[all.Len()-1] != '\n' { // another machine wrote it
			all.WriteByte('\n')
		}
	}
	return all.Bytes(), nil
}

// exchange replaces the content of a piece. change makes the new content from
// the current one; nil is no piece.
func (n *Notebook) exchange(ctx context.Context, name string, change func(text *string) (string, error)) error {
	for range exchanges {
		was, err := n.piece(name)
		if err != nil {
			return err
		}
		text, err := change(was)
		if err != nil || was != nil && *was == text || was == nil && text == "" {
			return err
		}
		ok, err := n.opts.Remote.Put(ctx, name, was, text)
		if ok || err != nil {
			return err // another machine was faster; waiting would let yet another go first
		}
	}
	return ErrBusy
}

// rewriteRemote does what rewriteHistory does, for the pieces.
func (n *Notebook) rewriteRemote(ctx context.Context, clean func(Edit) (_ Edit, keep bool)) error {
	names, _, err := n.pieces()
	if err != nil {
		return err
	}
	for _, name := range names {
		err := n.exchange(ctx, name, func(was *string) (string, error) {
			if was == nil {
				return "", nil // the piece was dropped meanwhile
			}
			text, err := cleaned([]byte(*was), clean)
			return string(text), err
		})
		if err != nil {
			return fmt.Errorf("write the history: %w", err)
		}
	}
	return nil
}

// remoteLog is the history in pieces. Machines take turns to add to the last
// one.
type remoteLog struct {
	notebook *Notebook
	name     string // the piece that has the change
	line     string
}

// add writes a change.
func (l *remoteLog) add(ctx context.Context, c Change) error {
	line, err := json.Marshal(c)
	if err != nil {
		return fmt.Errorf("write the history: %w", err)
	}
	l.line = string(line) + "\n"
	l.name, err = l.append(ctx, l.line)
	return err
}

func (l *remoteLog) append(ctx context.Context, line string) (name string, err error) {
	names, sizes, err := l.notebook.pieces()
	if err != nil {
		return "", err
	}
	if err := l.shorten(ctx, names, sizes); err != nil {
		return "", err
	}
	name = remoteHistory + "/00000001.jsonl"
	if last := len(names) - 1; last >= 0 {
		name = names[last]
		var number int
		if sizes[last] > pieceBytes {
			if _, err := fmt.Sscanf(name, remoteHistory+"/%08d.jsonl", &number); err != nil {
				return "", fmt.Errorf("write the history: %w", err)
			}
			name = fmt.Sprintf(remoteHistory+"/%08d.jsonl", number+1)
		}
	}
	err = l.notebook.exchange(ctx, name, func(was *string) (string, error) {
		if was == nil {
			return line, nil
		}
		if *was != "" && !strings.HasSuffix(*was, "\n") {
			return *was + "\n" + line, nil
		}
		return *was + line, nil
	})
	if err != nil {
		return "", fmt.Errorf("write the history: %w", err)
	}
	return name, nil
}

// shorten drops the oldest pieces of a history that is too large.
func (l *remoteLog) shorten(ctx context.Context, names []string, sizes []int64) error {
	total := int64(0)
	for _, size := range sizes {
		total += size
	}
	for i := 0; i+1 < len(names) && total > l.notebook.opts.HistoryBytes; i++ {
		text, err := l.notebook.piece(names[i])
		if err != nil {
			return err
		}
		if text != nil {
			if _, err := l.notebook.opts.Remote.Remove(ctx, names[i], *text); err != nil {
				return fmt.Errorf("shorten the history: %w", err)
			}
		}
		total -= sizes[i]
	}
	return nil
}

// done records that the change was carried out. Without the record that can
// still be seen from the notes, as long as nobody changes the same lines. So
// the change does not fail when the record cannot be written.
func (l *remoteLog) done(ctx context.Context, id string) error {
	_, _ = l.append(ctx, fmt.Sprintf("{\"done\":%q}\n", id))
	return nil
}

// takeBack works even after the caller's context has ended, because a change
// that was not carried out would otherwise be taken for one that was.
func (l *remoteLog) takeBack(ctx context.Context) error {
	return l.notebook.exchange(context.WithoutCancel(ctx), l.name, func(was *string) (string, error) {
		if was == nil {
			return "", nil
		}
		return strings.Replace(*was, l.line, "", 1), nil
	})
}

func (l *remoteLog) flush(func(*os.File) error) error { return nil }

func (l *remoteLog) Close() error { return nil }
