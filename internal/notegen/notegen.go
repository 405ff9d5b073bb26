// Package notegen writes day logs that look like an agent's memory, in English
// and Chinese, with facts planted at known lines. Benchmarks index them, and
// tests look the facts up again.
//
// The same options give the same bytes on every machine. Logs are made one by
// one, so that a century of them needs no more memory than a day.
package notegen

import (
	"fmt"
	"io/fs"
	"iter"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"time"
)

// The defaults of [Options]: a year and a day of logs, together about 6 MB.
const (
	DefaultDays        = 367
	DefaultBytesPerDay = 16_500
)

// Options says what to write. The zero value is the default set.
type Options struct {
	Seed        uint64    // other seeds, other texts
	Days        int       // how many logs; 0 means [DefaultDays]. Facts are unique among 65,536
	BytesPerDay int       // of one log, exceeded by less than one section; 0 means [DefaultBytesPerDay]
	First       time.Time // day of the first log; the zero time means 2025-01-01
	Links       bool      // each section links to the log of another day, "[[2025-03-02]]"
}

// Years returns options for the logs of n whole years, the last of which is 2025.
func Years(n int) Options {
	end := time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)
	first := end.AddDate(-n, 0, 0)
	return Options{Days: int(end.Sub(first) / (24 * time.Hour)), First: first}
}

// FactKind says how a fact can be looked up.
type FactKind string

// The kinds of facts. Each day log has one of each.
const (
	FactID      FactKind = "id"      // an identifier, such as "REL-3f09a1c7"
	FactPhrase  FactKind = "phrase"  // eight English words
	FactChinese FactKind = "chinese" // a Chinese clause without a space
)

// A Fact is a text that stands in one line of one log, and nowhere else.
type Fact struct {
	Kind     FactKind `json:"kind"`
	Text     string   `json:"text"`
	Question string   `json:"question"` // that this line alone answers
	Path     string   `json:"path"`     // of the log: "memory/2025-01-01.md"
	Line     int      `json:"line"`     // 1-based
}

// A Query is a question about a fact as memoir eval reads it from a file, an
// object a line.
type Query struct {
	Query  string   `json:"query"`
	Expect []string `json:"expect"` // the line, as a citation: "memory/2025-01-01.md#L12"
	Kind   FactKind `json:"kind"`
}

// Query returns the question about the fact, with the line that answers it.
func (f Fact) Query() Query {
	return Query{f.Question, []string{fmt.Sprintf("%s#L%d", f.Path, f.Line)}, f.Kind}
}

// A Log is the log of one day.
type Log struct {
	Path  string // below the workspace, with slashes: "memory/2025-01-01.md"
	Text  string
	Facts []Fact // one of each kind
}

// Write writes the logs below dir/memory, one file a day, and returns the facts
// by day. It makes the folders and overwrites no file; an error leaves what was
// written before.
func Write(dir string, opts Options) ([]Fact, error) {
	var facts []Fact
	for log := range Logs(opts) {
		if err := log.Write(dir); err != nil {
			return nil, err
		}
		facts = append(facts, log.Facts...)
	}
	return facts, nil
}

// Write writes the log to its path below dir, with a modification time long
// ago, so that who compares times need not doubt it. It makes the folder and
// overwrites no file.
func (l Log) Write(dir string) error {
	name := filepath.Join(dir, filepath.FromSlash(l.Path))
	if err := writeNew(name, l.Text); err != nil {
		return fmt.Errorf("write day log: %w", err)
	}
	modified := time.Date(2025, time.January, 1, 0, 0, 0, 0, time.UTC)
	if err := os.Chtimes(name, modified, modified); err != nil {
		return fmt.Errorf("write day log: %w", err)
	}
	return nil
}

func writeNew(name, text string) error {
	if err := os.MkdirAll(filepath.Dir(name), fs.ModePerm); err != nil {
		return err
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	if _, err := f.WriteString(text); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// Logs yields the logs by day. Each is made when it is asked for.
func Logs(opts Options) iter.Seq[Log] {
	if opts.Days == 0 {
		opts.Days = DefaultDays
	}
	if opts.BytesPerDay == 0 {
		opts.BytesPerDay = DefaultBytesPerDay
	}
	if opts.First.IsZero() {
		opts.First = time.Date(2025, time.January, 1, 0, 0, 0, 0, time.UTC)
	}
	return func(yield func(Log) bool) {
		for n := range opts.Days {
			w := &writer{
				opts:  opts,
				rand:  rand.New(rand.NewPCG(opts.Seed, uint64(n))),
				path:  path.Join("memory", opts.day(n)+".md"),
				facts: planted(opts.Seed, n),
			}
			if !yield(w.log(opts.First.AddDate(0, 0, n))) {
				return
			}
		}
	}
}

// day returns the date of a log, as its file is named.
func (o Options) day(n int) string { return o.First.AddDate(0, 0, n).Format(time.DateOnly) }
