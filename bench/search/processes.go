package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/memoir-ai/memoir/internal/notegen"
)

// coldIndexes is how often an index is made from nothing at most.
const coldIndexes = 5

// sync measures memoir index as a process, words only.
func (b *bench) sync(ctx context.Context) error {
	dir, err := os.MkdirTemp(b.temp, "sync-")
	if err != nil {
		return err
	}
	notes := filepath.Join(dir, "notes")
	files, bytes := 0, 0
	changed := ""
	for log := range notegen.Logs(notegen.Options{Seed: b.seed, Days: b.days}) {
		if err := log.Write(notes); err != nil {
			return err
		}
		files, bytes, changed = files+1, bytes+len(log.Text), filepath.Join(notes, filepath.FromSlash(log.Path))
	}
	var cold, same, one runs
	for i := range b.repeats {
		home := filepath.Join(dir, fmt.Sprint("home-", min(i, coldIndexes-1)))
		p, err := b.memoir(ctx, home, notes, "MEMOIR_PROVIDER=none")
		if err != nil {
			return err
		}
		if i < coldIndexes {
			run, err := p.run(ctx, "index")
			if err != nil {
				return err
			}
			cold = append(cold, run)
		}
		run, err := p.run(ctx, "index")
		if err != nil {
			return err
		}
		same = append(same, run)
		if err := appendLine(changed, i); err != nil {
			return err
		}
		if run, err = p.run(ctx, "index"); err != nil {
			return err
		}
		one = append(one, run)
	}
	b.report.add(b.out, table{
		Title:   "Index: memoir index as a process, words only",
		About:   fmt.Sprintf("%d notes, %.1f MB. Medians of %d runs from nothing, %d of the others, from start to end of the process.", files, float64(bytes)/1e6, len(cold), len(same)),
		Columns: []string{"run", "ms", "slowest ms", "CPU ms", "peak MB"},
		Rows:    [][]string{cold.row("from nothing"), same.row("nothing changed"), one.row("one file changed")},
	})
	return nil
}

// cold measures memoir search as a process, with the model inside.
func (b *bench) cold(ctx context.Context) error {
	home, notes, err := b.prepared()
	if err != nil {
		return err
	}
	p, err := b.memoir(ctx, home, notes)
	if err != nil {
		return err
	}
	b.progress("cold: making the vectors of notes that are missing")
	if _, err := p.run(ctx, "index"); err != nil {
		return err
	}
	const search, words, embed, version = 0, 1, 2, 3
	all := make([]runs, 4)
	asked := notegen.Questions(b.seed, false, b.repeats)
	for i := range b.repeats {
		q := asked[i%len(asked)]
		for j, args := range [][]string{search: {"search", q}, words: {"search", "--mode", "text", q}, embed: {"embed", "--query", q}, version: {"version"}} {
			run, err := p.run(ctx, args...)
			if err != nil {
				return err
			}
			all[j] = append(all[j], run)
		}
	}
	index, err := b.coldVectors(ctx)
	if err != nil {
		return err
	}
	b.report.add(b.out, table{
		Title: "Cold: memoir search as a process",
		About: fmt.Sprintf("%s passages with the vectors of the model inside, which embeds the question. Medians of %d runs in turns, %d of the index, from start to end of the process.",
			b.passages(ctx, p), b.repeats, len(index)),
		Columns: []string{"run", "ms", "slowest ms", "CPU ms", "peak MB"},
		Rows: [][]string{
			all[search].row("memoir search"), all[words].row("memoir search --mode text"), all[embed].row("memoir embed --query, start to first vector"),
			all[version].row("memoir version, start and nothing else"), index.row(fmt.Sprintf("memoir index of %d notes from nothing, with vectors", vectorDays)),
		},
	})
	return nil
}

// passages returns how many a workspace has, in words.
func (b *bench) passages(ctx context.Context, p program) string {
	var status struct{ Chunks int }
	run, err := p.run(ctx, "status", "--json")
	if err != nil || json.Unmarshal([]byte(run.Output), &status) != nil {
		return "Some"
	}
	return fmt.Sprint(status.Chunks)
}

// vectorDays is how many notes are indexed with their vectors, which takes
// seconds for each.
const vectorDays = 2

// coldVectors indexes a few notes from nothing.
func (b *bench) coldVectors(ctx context.Context) (all runs, err error) {
	dir, err := os.MkdirTemp(b.temp, "cold-")
	if err != nil {
		return nil, err
	}
	notes := filepath.Join(dir, "notes")
	if _, err := notegen.Write(notes, notegen.Options{Seed: b.seed, Days: vectorDays}); err != nil {
		return nil, err
	}
	for i := range min(b.repeats, coldIndexes) {
		p, err := b.memoir(ctx, filepath.Join(dir, fmt.Sprint("home-", i)), notes)
		if err != nil {
			return nil, err
		}
		run, err := p.run(ctx, "index")
		if err != nil {
			return nil, err
		}
		all = append(all, run)
	}
	return all, nil
}

// prepared returns a home and notes that outlive the run, so that their vectors
// are computed once. The folder is named for what the notes say, or for where
// they are when they are a person's own.
func (b *bench) prepared() (home, notes string, err error) {
	if b.notes != "" {
		notes, err = filepath.Abs(b.notes)
		return filepath.Join(b.cache, fmt.Sprintf("own-%x", sha256.Sum256([]byte(notes)))[:16]), notes, err
	}
	opts := notegen.Options{Seed: b.seed, Days: b.coldDays}
	h := sha256.New()
	for log := range notegen.Logs(opts) {
		fmt.Fprintf(h, "%s %d %s", log.Path, len(log.Text), log.Text)
	}
	dir := filepath.Join(b.cache, fmt.Sprintf("notes-%x", h.Sum(nil)[:6]))
	home, notes = filepath.Join(dir, "home"), filepath.Join(dir, "notes")
	if _, err := os.Stat(notes); err == nil {
		return home, notes, nil
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", "", err
	}
	unfinished, err := os.MkdirTemp(dir, "unfinished-")
	if err != nil {
		return "", "", err
	}
	for log := range notegen.Logs(opts) {
		if err := log.Write(unfinished); err != nil {
			return "", "", err
		}
	}
	return home, notes, os.Rename(unfinished, notes)
}
