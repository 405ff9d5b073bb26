// Package querylog keeps the questions that were asked over a workspace, so that
// they can be asked again with other settings.
package querylog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/atomicfile"
	"github.com/memoir-ai/memoir/internal/behind"
	"github.com/memoir-ai/memoir/internal/regular"
	"github.com/memoir-ai/memoir/internal/secret"
	"github.com/memoir-ai/memoir/internal/statedir"
)

// Bounds of the query log.
const (
	maxQueryLog   = 4 << 20 // bytes of a file; the one before it is kept beside
	maxQueryLine  = 64 << 10
	queuedQueries = 64
)

// A Query is a question that was asked, a line of JSON in the log.
type Query struct {
	Time  time.Time `json:"time"`           // when it was asked
	Query string    `json:"query"`          // as it was asked
	Mode  string    `json:"mode"`           // that was asked for, one of [memoir.Mode]
	Path  string    `json:"path,omitempty"` // that narrowed the search
	Paths []string  `json:"paths"`          // of the notes that were found, best first, each once
}

// Suffix is how the name of a log ends, after that of its agent. A second file with
// ".old" at its end has the questions before.
const Suffix = ".sqlite.queries.jsonl"

// Path returns the file in the folder of what is kept of a workspace that has the
// questions asked over the index of an agent.
func Path(kept, agent string) string { return filepath.Join(kept, agent+Suffix) }

// Read returns the questions that were kept, the oldest first, and how many lines
// could not be read. Without a log there are none.
func Read(path string) (queries []Query, damaged int, err error) {
	if err := statedir.Check(path); err != nil {
		return nil, 0, err
	}
	for _, name := range []string{path + ".old", path} {
		data, err := regular.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, 0, statedir.WithHint(name, fmt.Errorf("read the query log: %w", err))
		}
		more, bad := parse(data)
		queries, damaged = append(queries, more...), damaged+bad
	}
	return queries, damaged, nil
}

// Secrets returns the secrets that the log keeps, file by file; lines are counted
// through both. Without a log there are none.
func Secrets(path string) ([]secret.Finding, error) {
	queries, _, err := Read(path)
	if err != nil {
		return nil, err
	}
	var found []secret.Finding
	for i, q := range queries {
		for _, f := range secret.Findings(q.Query) {
			f.Line = i + 1
			found = append(found, f)
		}
	}
	return found, nil
}

// Mask masks the secrets of the log. A question that is asked at the same moment may
// not be kept.
func Mask(path string) error {
	return rewrite(path, "mask the query log", func(q *Query) bool {
		if masked, spans := secret.Mask(q.Query); len(spans) > 0 {
			q.Query = masked
		}
		return true
	})
}

// Forget removes the questions that are meant, and returns how many those were. A question
// that is asked at the same moment may not be kept.
func Forget(path string, means func(Query) bool) (removed int, err error) {
	err = rewrite(path, "forget in the query log", func(q *Query) (keep bool) {
		if means(*q) {
			removed++
			return false
		}
		return true
	})
	return removed, err
}

// rewrite hands each question of the log to a function, which may change it and says
// whether it stays.
func rewrite(path, doing string, each func(*Query) (keep bool)) error {
	for _, name := range []string{path + ".old", path} {
		if err := atomicfile.Sweep(name); err != nil {
			return fmt.Errorf("%s: %w", doing, err)
		}
		data, err := regular.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return statedir.WithHint(name, fmt.Errorf("%s: %w", doing, err))
		}
		var out bytes.Buffer
		for line := range bytes.Lines(data) {
			var q Query
			if json.Unmarshal(line, &q) == nil {
				was := q.Query
				if !each(&q) {
					continue
				}
				if q.Query != was {
					if line, err = encode(q); err != nil {
						return fmt.Errorf("%s: %w", doing, err)
					}
				}
			}
			out.Write(line)
		}
		if bytes.Equal(out.Bytes(), data) {
			continue
		}
		if err := atomicfile.Write(name, 0o600, func(w io.Writer) error { _, err := w.Write(out.Bytes()); return err }); err != nil {
			return fmt.Errorf("%s: %w", doing, err)
		}
	}
	return nil
}

// parse reads the lines that are whole. A process that was killed may
// leave half a line.
func parse(data []byte) (queries []Query, damaged int) {
	for line := range bytes.Lines(data) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var q Query
		if err := json.Unmarshal(line, &q); err != nil || q.Query == "" {
			damaged++
			continue
		}
		queries = append(queries, q)
	}
	return queries, damaged
}

// A Log writes questions to a file, behind the answers: a search waits for
// nothing and fails of nothing here. Nil keeps nothing.
type Log struct {
	path  string
	log   *slog.Logger
	queue *behind.Queue[Query]
}

// Open returns the log at a path, which [Log.Close] ends. What goes wrong is told
// the logger; nil discards it.
func Open(path string, log *slog.Logger) *Log {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	l := &Log{path: path, log: log}
	l.queue = behind.New(queuedQueries, func(q Query) {
		if err := l.write(q); err != nil {
			l.log.Warn("query log", "err", err)
		}
	})
	return l
}

// Add takes a question and its answer; when more are asked than can be written
// it is dropped.
func (l *Log) Add(q memoir.Query, res memoir.Results) {
	line := Query{Time: time.Now().UTC().Truncate(time.Second), Query: res.Query, Mode: string(q.Mode), Path: q.Path, Paths: []string{}}
	if line.Mode == "" {
		line.Mode = string(memoir.ModeHybrid)
	}
	for _, h := range res.Hits {
		if !slices.Contains(line.Paths, string(h.Doc)) {
			line.Paths = append(line.Paths, string(h.Doc))
		}
	}
	if !l.queue.Add(line) {
		l.log.Warn("query log: too many questions at once; one is not kept")
	}
}

// Close writes what is queued.
func (l *Log) Close() {
	if l != nil {
		l.queue.Close()
	}
}

// write appends a line in one piece, so that several processes may write.
func (l *Log) write(q Query) error {
	line, err := encode(q)
	if err != nil || len(line) > maxQueryLine {
		return err
	}
	if err := statedir.Make(l.path); err != nil {
		return err
	}
	if info, err := os.Lstat(l.path); err == nil && info.Mode().IsRegular() && info.Size()+int64(len(line)) > maxQueryLog {
		if err := regular.Check(l.path + ".old"); err != nil {
			return err
		}
		if err := os.Rename(l.path, l.path+".old"); err != nil {
			return err
		}
	}
	f, err := regular.OpenFile(l.path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(line)
	return errors.Join(err, f.Close())
}

// encode returns the line of a question.
func encode(q Query) ([]byte, error) {
	var line bytes.Buffer
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false)
	err := enc.Encode(q)
	return line.Bytes(), err
}
