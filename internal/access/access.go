// Package access counts what searches give out of the notes: which entry, on which day,
// for which question. It keeps texts only as digests. The counts are files apart from the
// index, so a rebuild keeps them.
//
// The same question counts once a day. It counts whoever asks it: a person at the command
// line, or a session that searches by itself.
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
	"github.com/memoir-ai/memoir/internal/querylang"
)

// Bounds on the work of one process.
const (
	queued  = 64      // answers that may wait to be counted
	shown   = 12      // how many entries of one answer are counted
	written = 1 << 13 // how many written lines are remembered
)

// A Log counts answers in the background. A search neither waits for it nor fails because
// of it. A nil Log counts nothing.
type Log struct {
	store *store
	log   *slog.Logger
	now   func() time.Time
	queue *behind.Queue[answer]
	lines map[string]bool // what this process has written
}

type answer struct {
	question string
	hits     []memoir.Hit
}

// Open returns a Log that writes to a folder. The folder is made when the first answer
// comes. now returns the time of a day; nil is [time.Now]. Failures go to log; nil
// discards them. Call [Log.Close] at the end.
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

// Add counts the answer to a question. It drops the answer when too many wait already. A
// question that only lists a time, such as what happened yesterday, asks for none of the
// entries that it finds and does not count, and neither does one of filters alone.
func (l *Log) Add(q memoir.Query, res memoir.Results) {
	if l == nil || len(res.Hits) == 0 || l.lists(q, res.Query) {
		return
	}
	if !l.queue.Add(answer{res.Query, slices.Clone(res.Hits)}) {
		l.log.Warn("access counts: too many answers at once; one is not counted")
	}
}

// lists reports whether a question names a time, or filters, and nothing else.
func (l *Log) lists(q memoir.Query, text string) bool {
	if q.Literal {
		return false
	}
	parsed := querylang.Parse(text, l.now())
	return parsed.All || parsed.Text == ""
}

// Close counts the answers that still wait, and ends the Log.
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

// given returns the entries that a hit gave out. These are the entries of its snippet
// that hold words of the question, or all entries of the snippet if none does. A hit
// without a snippet gives out nothing.
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
