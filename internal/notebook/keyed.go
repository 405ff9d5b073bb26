package notebook

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"sync"

	"github.com/memoir-ai/memoir/internal/regular"
)

// Keyed returns the change that has a key and was carried out, and whether
// there is one. A change that the history has dropped is not found. One that was
// taken back, alone or with its bundle, does not count, so that the same request
// can make it again; back says that there is such a one.
func (n *Notebook) Keyed(key string) (c Change, ok, back bool, err error) {
	if key == "" {
		return Change{}, false, false, nil
	}
	var found []keyedChange
	if n.opts.Remote != nil {
		n.refresh()
		text, readErr := n.remoteText()
		whole := &keyIndex{}
		whole.add(text, 0)
		found, err = whole.of(key, bytes.NewReader(text)), readErr
	} else {
		found, err = n.keys.lookUp(n.historyPath(), key)
	}
	if err != nil {
		return Change{}, false, false, fmt.Errorf("read the history: %w", err)
	}
	for _, f := range found {
		switch {
		case f.back:
			back = true
		case f.done || n.happened(f.Change):
			return f.Change, true, back, nil
		}
	}
	return Change{}, false, back, nil
}

// keyedChange is a change with a key, and whether later lines take it back.
type keyedChange struct {
	Change
	back bool
}

// keyIndex says where in the history the changes with keys are. The history is read once,
// and later only what was added to it. It is safe for concurrent use. The zero value knows
// nothing.
type keyIndex struct {
	mu    sync.Mutex // guards the rest
	size  int64      // how much of the history is known: whole lines
	end   []byte     // the last bytes of that, which tell whether the history was rewritten
	keyed map[string][]*keyedPlace
	open  map[string]*keyedPlace // by id: those of which nothing says yet that they were carried out
	undos []undoing
}

type keyedPlace struct {
	at   int64 // where the line begins
	size int
	id   string
	done bool
}

// undoing is a change that takes back another one.
type undoing struct {
	at         int64
	id, undoes string
}

// knownEnd is how many bytes are compared to tell whether a history was rewritten. The last
// lines have ids that no others have.
const knownEnd = 1 << 10

// lookUp returns the changes with a key, the oldest first.
func (x *keyIndex) lookUp(path, key string) ([]keyedChange, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	f, err := regular.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		x.forget()
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close() // of a file that was only read
	if !x.knows(f) {
		x.forget()
	}
	if err := x.readOn(f); err != nil {
		x.forget()
		return nil, err
	}
	found := x.of(key, f)
	if len(found) == len(x.keyed[key]) {
		return found, nil
	}
	x.forget() // the lines are others than those that were read
	err = x.readOn(f)
	return x.of(key, f), err
}

func (x *keyIndex) forget() {
	x.size, x.end, x.keyed, x.open, x.undos = 0, nil, nil, nil, nil
}

// knows reports whether a history begins with what is known.
func (x *keyIndex) knows(f io.ReaderAt) bool {
	end := make([]byte, len(x.end))
	_, err := f.ReadAt(end, x.size-int64(len(end)))
	return (err == nil || errors.Is(err, io.EOF)) && bytes.Equal(end, x.end)
}

// readOn reads the whole lines that are not known yet.
func (x *keyIndex) readOn(f io.ReaderAt) error {
	part := make([]byte, 4<<10)
	for {
		n, err := f.ReadAt(part, x.size)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		whole := bytes.LastIndexByte(part[:n], '\n') + 1
		x.add(part[:whole], x.size)
		switch {
		case err != nil:
			return nil // a line that is not whole was cut short, or is being written
		case len(part) < 256<<10 || whole == 0:
			part = make([]byte, 4*len(part))
		}
	}
}

// add adds whole lines, which begin at a place of the history.
func (x *keyIndex) add(lines []byte, at int64) {
	for line := range bytes.Lines(lines) {
		if line[len(line)-1] == '\n' {
			x.line(line, at)
			at += int64(len(line))
		}
	}
	x.size = at
	if len(lines) >= knownEnd {
		x.end = x.end[:0]
	}
	x.end = append(x.end, lines[max(0, len(lines)-knownEnd):]...)
	x.end = slices.Delete(x.end, 0, max(0, len(x.end)-knownEnd))
}

// line adds a line. Quotes within a change's texts are escaped, so these bytes can only be
// its fields.
func (x *keyIndex) line(line []byte, at int64) {
	if id, ok := bytes.CutPrefix(line, []byte(`{"done":"`)); ok {
		id, _, _ = bytes.Cut(id, []byte{'"'})
		if p := x.open[string(id)]; p != nil {
			p.done = true
			delete(x.open, p.id)
		}
		return
	}
	head, _, _ := bytes.Cut(line, []byte(`"edits":`))
	if bytes.Contains(head, []byte(`"undoes":`)) {
		var c Change
		if json.Unmarshal(line, &c) == nil && c.Undoes != "" {
			x.undos = append(x.undos, undoing{at, c.ID, c.Undoes})
		}
	}
	_, rest, ok := bytes.Cut(line[len(head):], []byte(`"key":"`))
	if !ok {
		return
	}
	key, _, _ := bytes.Cut(rest, []byte{'"'})
	_, rest, _ = bytes.Cut(head, []byte(`"id":"`))
	id, _, _ := bytes.Cut(rest, []byte{'"'})
	p := &keyedPlace{at: at, size: len(line), id: string(id)}
	if x.keyed == nil {
		x.keyed, x.open = map[string][]*keyedPlace{}, map[string]*keyedPlace{}
	}
	x.keyed[string(key)] = append(x.keyed[string(key)], p)
	x.open[p.id] = p
}

// of returns the changes with a key as they stand in the history.
func (x *keyIndex) of(key string, history io.ReaderAt) (found []keyedChange) {
	for _, p := range x.keyed[key] {
		line := make([]byte, p.size)
		var c Change
		if _, err := history.ReadAt(line, p.at); err != nil && !errors.Is(err, io.EOF) || json.Unmarshal(line, &c) != nil || c.Key != key || c.ID != p.id {
			continue
		}
		c.done = p.done
		found = append(found, keyedChange{c, x.takenBack(cmp.Or(c.Bundle, c.ID), p.at)})
	}
	return found
}

// takenBack reports whether lines after a place of the history take back the change with an
// id. A change that takes it back does not count if it was taken back itself.
func (x *keyIndex) takenBack(id string, after int64) bool {
	undone := map[string]bool{}
	for _, u := range slices.Backward(x.undos) {
		if u.at > after && !undone[u.id] {
			undone[u.undoes] = true
		}
	}
	return undone[id]
}
