package hook

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

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/regular"
	"github.com/memoir-ai/memoir/internal/syserr"
)

// A Queue is work that hooks leave to the next process that has time. It is the
// folder of hooks of a workspace, with one file for each item.
type Queue string

// maxItems bounds a queue. A full queue takes no more items, so that waiting
// items are not lost.
const maxItems = 256

// The kinds of items.
const (
	kindSession = "session" // a session stopped or ended, and its changes must be indexed
	kindSummary = "summary" // of a session that was compacted; it must be kept
)

// An Item is work that waits.
type Item struct {
	Kind    string    `json:"kind"`              // session or summary
	Agent   string    `json:"agent"`             // as in memoir hook
	Event   string    `json:"event"`             // the last one
	Session string    `json:"session,omitempty"` // as the agent calls it; see [maskedID]
	At      time.Time `json:"at"`                // of the event
	Text    string    `json:"text,omitempty"`    // of a summary
}

// Ended reports whether the item says that a session has ended.
func (i *Item) Ended() bool { return i.Kind == kindSession && i.Event == SessionEnd }

// Summary reports whether the item is a summary, which is to be kept.
func (i *Item) Summary() bool { return i.Kind == kindSummary }

// read reads an item and reports whether it is valid. An unknown kind, which a
// newer memoir may leave, is not.
func (i *Item) read(data []byte) bool {
	return json.Unmarshal(data, i) == nil && (i.Kind == kindSession || i.Kind == kindSummary)
}

// name returns a name that is equal for items that need to be done only once:
// one for each session, and one for each summary.
func (i *Item) name() string {
	if i.Summary() {
		return i.Kind + "-" + short(i.Agent+"\x00"+i.Session+"\x00"+i.Text) + ".json"
	}
	return i.Kind + "-" + short(i.Agent+"\x00"+i.Session) + ".json"
}

func (q Queue) dir() string { return filepath.Join(string(q), "queue") }

// list returns the files in the queue's folder, or none if there is no folder.
// It follows no link in its place or above it, because finished items are
// removed.
func (q Queue) list() ([]fs.DirEntry, error) {
	if err := trusted(q.dir()); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(q.dir())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return entries, syserr.Reason(err)
}

// names returns the files of the items; none where there is no queue.
func (q Queue) names() ([]string, error) {
	entries, err := q.list()
	var names []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".json") && !strings.HasPrefix(e.Name(), ".") {
			names = append(names, e.Name())
		}
	}
	return names, err
}

// Len returns how many items wait.
func (q Queue) Len() int {
	names, _ := q.names() // items that cannot be listed cannot be done
	return len(names)
}

func (q Queue) add(item Item) error {
	if err := folder(q.dir()); err != nil {
		return err
	}
	path := filepath.Join(q.dir(), item.name())
	if q.Len() >= maxItems && regular.Check(path) == nil {
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			return memoir.WithHint(fmt.Errorf("%d items wait already, and this one was left out", maxItems), "memoir index")
		}
	}
	var data bytes.Buffer
	if err := json.NewEncoder(&data).Encode(item); err != nil {
		return err
	}
	if err := put(path, data.Bytes()); err != nil {
		return fmt.Errorf("leave work to the next process: %w", syserr.Reason(err))
	}
	return nil
}

// unfinished ends the name of an item that is being written.
const unfinished = ".new"

// put makes or replaces a file in one step. Unlike [atomicfile.Write], it does
// so before the disk confirms the data: an agent may kill a hook that waits for
// a disk, and then the item is there already.
func put(path string, data []byte) (err error) {
	if err := regular.Check(path); err != nil {
		return err
	}
	name := filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s.%08x%s", filepath.Base(path), rand.Uint32(), unfinished))
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(name, path)
	}
	if err != nil {
		_ = os.Remove(name) // the cause is reported
		return err
	}
	if f, err := regular.OpenFile(path, os.O_RDWR, 0); err == nil {
		_ = f.Sync() // the item is there in any case
		_ = f.Close()
	}
	return nil
}

// left is the age from which on no hook can still be writing a file.
const left = time.Minute

// Adopt takes over what killed hooks left unfinished. A complete item waits
// like any other from then on. An incomplete one is removed.
func (q Queue) Adopt(now time.Time) error {
	entries, failed := q.list()
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() || !strings.HasPrefix(e.Name(), ".") || !strings.HasSuffix(e.Name(), unfinished) || now.Sub(info.ModTime()) < left {
			continue
		}
		path := filepath.Join(q.dir(), e.Name())
		var item Item
		data, err := regular.ReadFile(path)
		if err == nil && item.read(data) {
			to := filepath.Join(q.dir(), item.name())
			if _, there := os.Lstat(to); errors.Is(there, fs.ErrNotExist) {
				failed = errors.Join(failed, syserr.Reason(os.Rename(path, to)))
				continue
			}
		}
		if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
			failed = errors.Join(failed, syserr.Reason(err))
		}
	}
	return failed
}

// Forget removes the summaries of sessions that wait, and those that killed hooks left
// unfinished. It returns how many those were.
func (q Queue) Forget(means func(agent, session string) bool) (removed int, err error) {
	entries, failed := q.list()
	for _, e := range entries {
		path := filepath.Join(q.dir(), e.Name())
		data, err := regular.ReadFile(path)
		var item Item
		if err != nil || !item.read(data) || !item.Summary() || !means(item.Agent, item.Session) {
			continue
		}
		switch err := os.Remove(path); {
		case err == nil:
			removed++
		case !errors.Is(err, fs.ErrNotExist):
			failed = errors.Join(failed, syserr.Reason(err))
		}
	}
	return removed, failed
}

// Texts calls do with each summary that waits, those included that killed hooks left
// unfinished, and with what else lies in the folder as it is. It writes the text that do
// returns in the place of another one, and removes a summary of which nothing is left. It
// returns how many files it changed. The error joins those of all files.
func (q Queue) Texts(do func(file, text string) (string, error)) (changed int, err error) {
	entries, failed := q.list()
	for _, e := range entries {
		path := filepath.Join(q.dir(), e.Name())
		data, err := regular.ReadFile(path)
		var item Item
		is := err == nil && item.read(data)
		if err != nil || is && !item.Summary() {
			continue // a session that ended has no text
		}
		old := item.Text
		if !is {
			old = string(data)
		}
		now, err := do(path, old)
		if err == nil && now != old {
			if err = q.replace(path, item, now, is); err == nil {
				changed++
			}
		}
		if !errors.Is(err, fs.ErrNotExist) {
			failed = errors.Join(failed, syserr.Reason(err))
		}
	}
	return changed, failed
}

// Unread returns the files of the queue that hold no item, and the summaries that still wait.
// What they hold is kept in no note.
func (q Queue) Unread() (files []string, err error) {
	entries, err := q.list()
	for _, e := range entries {
		path := filepath.Join(q.dir(), e.Name())
		var item Item
		if data, err := regular.ReadFile(path); err == nil && (!item.read(data) || item.Summary()) {
			files = append(files, path)
		}
	}
	return files, err
}

// replace writes another text to a file of the queue.
func (q Queue) replace(path string, item Item, text string, is bool) error {
	switch item.Text = text; {
	case !is:
		return put(path, []byte(text))
	case text == "":
		return os.Remove(path)
	}
	data, err := json.Marshal(item)
	if err != nil {
		return err
	}
	return put(path, data)
}

// Drain calls do for each item, and removes the item if do returns no error.
// Two processes may do the same item at once, so do must allow that. A file
// that holds no valid item is set aside under another name. The error joins
// those of all items.
func (q Queue) Drain(ctx context.Context, do func(Item) error) error {
	names, failed := q.names()
	for _, name := range names {
		if ctx.Err() != nil {
			return errors.Join(failed, ctx.Err())
		}
		path := filepath.Join(q.dir(), name)
		data, err := regular.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue // another process did it
		}
		var item Item
		if err == nil && !item.read(data) {
			failed = errors.Join(failed, fmt.Errorf("%s holds no item and is set aside", name), os.Rename(path, path+".bad"))
			continue
		}
		if err == nil {
			err = do(item)
		}
		if err == nil {
			err = q.done(path, data)
		}
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s of %s: %w", item.Kind, item.Agent, err))
		}
	}
	return failed
}

// done removes an item, unless it was put again meanwhile.
func (q Queue) done(path string, data []byte) error {
	now, err := regular.ReadFile(path)
	if err == nil && !bytes.Equal(now, data) {
		return nil
	}
	if err = os.Remove(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return syserr.Reason(err)
}
