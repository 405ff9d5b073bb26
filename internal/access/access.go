// Package access counts what searches give out of the notes: which entry, on which
// day, to which question. It knows texts by digests alone, and stands apart from
// the index, so that a rebuild keeps it.
//
// A question that is asked again on a day counts no more. Whoever asks counts: a
// person at the command line and a session's own searches.
package access

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/behind"
	"github.com/memoir-ai/memoir/internal/entry"
	"github.com/memoir-ai/memoir/internal/judge"
)

// Bounds of one process.
const (
	queued  = 64      // answers that wait to be counted
	shown   = 12      // entries of one answer that are counted
	written = 1 << 13 // lines that are remembered as written
)

// A Log counts answers behind their back: a search waits for nothing and fails of
// nothing here. Nil counts nothing.
type Log struct {
	store *store
	log   *slog.Logger
	now   func() time.Time
	queue *behind.Queue[answer]
	lines map[string]bool // that this process has written
}

type answer struct {
	question string
	hits     []memoir.Hit
}

// Open returns the counts in a folder, which is made when the first answer comes.
// [Log.Close] ends them. now tells the day, nil is [time.Now]; what goes wrong is told
// the logger, nil discards it.
func Open(dir string, now func() time.Time, log *slog.Logger) *Log {
	if now == nil {
		now = time.Now
	}
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	l := &Log{store: newStore(dir), log: log, now: now, lines: map[string]bool{}}
	l.queue = behind.New(queued, func(a answer) {
		if err := l.count(a); err != nil {
			l.log.Warn("access counts", "err", err)
		}
	})
	return l
}

// Add takes a question with its answer; when more come than can be counted it is
// dropped.
func (l *Log) Add(_ memoir.Query, res memoir.Results) {
	if len(res.Hits) == 0 {
		return
	}
	if !l.queue.Add(answer{res.Query, slices.Clone(res.Hits)}) {
		l.log.Warn("access counts: too many answers at once; one is not counted")
	}
}

// Close counts what is queued.
func (l *Log) Close() {
	if l != nil {
		l.queue.Close()
	}
}

func (l *Log) count(a answer) error {
	var found []string
	for _, h := range a.hits {
		for _, text := range given(h) {
			if key := l.store.key(judge.Normal(text)); key != "" && len(found) < shown && !slices.ContainsFunc(found, func(f string) bool { return strings.HasPrefix(f, key) }) {
				found = append(found, fmt.Sprintf("%s:%02d", key, min(99, int(h.Score*100))))
			}
		}
	}
	if len(found) == 0 {
		return nil
	}
	line := l.now().Format(time.DateOnly) + " " + l.store.key("question\x00"+judge.Normal(a.question)) + " " + strings.Join(found, " ") + "\n"
	if l.lines[line] {
		return nil
	}
	if len(l.lines) >= written {
		clear(l.lines)
	}
	l.lines[line] = true
	return l.store.add(line)
}

// given returns the entries that a hit gave out: those of its snippet that hold what
// the question asks for, or all of its snippet where no word tells. A hit that shows
// nothing gave out nothing.
func given(h memoir.Hit) []string {
	if h.SnippetStart == 0 || h.Kind.ReadOnly() {
		return nil
	}
	var all, matched []string
	for _, e := range entry.Parse(h.Text) {
		from, to := e.StartLine+h.StartLine-1, e.EndLine+h.StartLine-1
		if to < h.SnippetStart || from > h.SnippetEnd {
			continue
		}
		all = append(all, e.Text)
		for _, span := range h.Highlights {
			if line := h.SnippetStart + strings.Count(h.Snippet[:min(span.Start, len(h.Snippet))], "\n"); line >= from && line <= to {
				matched = append(matched, e.Text)
				break
			}
		}
	}
	if len(matched) > 0 {
		return matched
	}
	return all
}
