package notebook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/memoir-ai/memoir/internal/atomicfile"
	"github.com/memoir-ai/memoir/internal/regular"
)

// changeLog is the history, open for one change.
type changeLog interface {
	add(ctx context.Context, c Change) error
	// done records that a change was carried out.
	done(ctx context.Context, id string) error
	// takeBack removes a change from the history that was not carried out.
	takeBack(ctx context.Context) error
	flush(sync func(*os.File) error) error
	Close() error
}

// historyLog is the history of a folder: a file with one JSON object a line for
// each change, the oldest first. A line that a crash cut short belongs to a
// change that nobody was told of, and is ignored.
type historyLog struct {
	*os.File
	size int64 // before the change
}

func (n *Notebook) historyPath() string { return filepath.Join(n.dir, "history.jsonl") }

func (n *Notebook) openHistory() (changeLog, error) {
	if n.opts.Remote != nil {
		return &remoteLog{notebook: n}, nil
	}
	f, err := regular.OpenFile(n.historyPath(), os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the history: %w", err)
	}
	info, err := f.Stat()
	if err == nil && info.Size() > n.opts.HistoryBytes {
		if err = n.shorten(info.Size() / 2); err == nil {
			return reopened(n, f)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("open the history: %w", errors.Join(err, f.Close()))
	}
	return &historyLog{f, info.Size()}, nil
}

// reopened opens the history again after it was shortened.
func reopened(n *Notebook, before *os.File) (*historyLog, error) {
	if err := before.Close(); err != nil {
		return nil, fmt.Errorf("open the history: %w", err)
	}
	f, err := regular.OpenFile(n.historyPath(), os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return nil, fmt.Errorf("open the history: %w", err)
	}
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("open the history: %w", errors.Join(err, f.Close()))
	}
	return &historyLog{f, info.Size()}, nil
}

// shorten drops the oldest changes, at least that many bytes.
func (n *Notebook) shorten(drop int64) error {
	all, err := regular.ReadFile(n.historyPath())
	if err != nil {
		return err
	}
	cut := bytes.IndexByte(all[drop:], '\n')
	if cut < 0 {
		return nil // a single change is larger than the limit
	}
	rest := all[drop+int64(cut)+1:]
	return atomicfile.Write(n.historyPath(), 0o600, func(w io.Writer) error {
		_, err := w.Write(rest)
		return err
	})
}

// add writes a change.
func (h *historyLog) add(ctx context.Context, c Change) error {
	line, err := json.Marshal(c)
	if err != nil {
		return fmt.Errorf("write the history: %w", err)
	}
	line = append(line, '\n')
	var last [1]byte
	if h.size > 0 {
		if _, err := h.ReadAt(last[:], h.size-1); err != nil {
			return fmt.Errorf("write the history: %w", err)
		}
		if last[0] != '\n' { // the previous line was cut short
			line = append([]byte{'\n'}, line...)
		}
	}
	if _, err := h.Write(line); err != nil {
		return fmt.Errorf("write the history: %w", errors.Join(err, h.takeBack(ctx)))
	}
	return nil
}

func (h *historyLog) done(_ context.Context, id string) error {
	if _, err := fmt.Fprintf(h, "{\"done\":%q}\n", id); err != nil {
		return fmt.Errorf("write the history: %w", err)
	}
	return nil
}

func (h *historyLog) takeBack(context.Context) error { return h.Truncate(h.size) }

func (h *historyLog) flush(sync func(*os.File) error) error { return sync(h.File) }

// History returns the known changes, the oldest first. Those of a bundle are
// one change, whose id is that of the bundle.
func (n *Notebook) History() ([]Change, error) {
	text, err := n.historyText()
	if err != nil {
		return nil, fmt.Errorf("read the history: %w", err)
	}
	var all []Change
	places := map[string]int{} // index in all of each change
	for line := range bytes.Lines(text) {
		if line[len(line)-1] != '\n' {
			break // a line that was cut short
		}
		var entry struct {
			Change
			Done string `json:"done"`
		}
		if json.Unmarshal(line, &entry) != nil {
			continue
		}
		if i, ok := places[entry.Done]; ok {
			all[i].done = true
		} else if entry.ID != "" {
			places[entry.ID] = len(all)
			all = append(all, entry.Change)
		}
	}
	return n.together(all), nil
}

// historyText returns all lines of the history.
func (n *Notebook) historyText() ([]byte, error) {
	if n.opts.Remote != nil {
		n.refresh()
		return n.remoteText()
	}
	text, err := regular.ReadFile(n.historyPath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return text, err
}
