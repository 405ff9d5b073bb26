// Package notegen writes day logs that look like an agent's memory, in English
// and Chinese, with facts planted at known lines. Benchmarks index them, and
// tests look the facts up again.
//
// The same options give the same bytes on every machine.
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
	Days        int       // how many logs; 0 means [DefaultDays]
	BytesPerDay int       // of one log, exceeded by less than one section; 0 means [DefaultBytesPerDay]
	First       time.Time // day of the first log; the zero time means 2025-01-01
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
	Kind FactKind `json:"kind"`
	Text string   `json:"text"`
	Path string   `json:"path"` // of the log: "memory/2025-01-01.md"
	Line int      `json:"line"` // 1-based
}

// Write writes the logs below dir/memory, one file a day, and returns the facts
// by day. It makes the folders and overwrites no file; an error leaves what was
// written before.
func Write(dir string, opts Options) ([]Fact, error) {
	var facts []Fact
	for log := range logs(opts) {
		name := filepath.Join(dir, filepath.FromSlash(log.path))
		if err := writeNew(name, log.text); err != nil {
			return nil, fmt.Errorf("write day log: %w", err)
		}
		facts = append(facts, log.facts...)
	}
	return facts, nil
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

// dayLog is one log before it is written.
type dayLog struct {
	path  string
	text  string
	facts []Fact
}

// logs yields the logs by day.
func logs(opts Options) iter.Seq[dayLog] {
	if opts.Days == 0 {
		opts.Days = DefaultDays
	}
	if opts.BytesPerDay == 0 {
		opts.BytesPerDay = DefaultBytesPerDay
	}
	if opts.First.IsZero() {
		opts.First = time.Date(2025, time.January, 1, 0, 0, 0, 0, time.UTC)
	}
	return func(yield func(dayLog) bool) {
		for n := range opts.Days {
			day := opts.First.AddDate(0, 0, n)
			w := &writer{
				rand:  rand.New(rand.NewPCG(opts.Seed, uint64(n))),
				path:  path.Join("memory", day.Format(time.DateOnly)+".md"),
				facts: planted(opts.Seed, n),
			}
			if !yield(w.log(day, opts.BytesPerDay)) {
				return
			}
		}
	}
}
