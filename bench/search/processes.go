package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/memoir-ai/memoir/bench/internal/measure"
	"github.com/memoir-ai/memoir/internal/notegen"
)

// coldIndexes is how often an index is made from nothing at most. If that takes
// long, it is made once.
const (
	coldIndexes = 5
	manyDays    = 1000
)

// sync measures memoir index, and a search, as processes, words only.
func (b *bench) sync(ctx context.Context) error {
	t := table{
		Title:   "Sync: memoir index as a process, words only",
		About:   fmt.Sprintf("Medians of %d runs, of %d from nothing at most, from start to end of the process.", b.repeats, min(b.repeats, coldIndexes)),
		Columns: []string{"notes", "MB", "passages", "run", "ms", "slowest ms", "CPU ms", "peak MB"},
	}
	for _, days := range b.days {
		rows, err := b.syncSet(ctx, days)
		if err != nil {
			return fmt.Errorf("%d notes: %w", days, err)
		}
		t.Rows = append(t.Rows, rows...)
	}
	b.report.add(b.out, t)
	return nil
}

func (b *bench) syncSet(ctx context.Context, days int) (rows [][]string, err error) {
	dir, err := os.MkdirTemp(b.temp, "sync-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	notes, bytes, changed := filepath.Join(dir, "notes"), 0, ""
	for log := range notegen.Logs(b.year(days)) {
		if err := log.Write(notes); err != nil {
			return nil, err
		}
		bytes, changed = bytes+len(log.Text), filepath.Join(notes, filepath.FromSlash(log.Path))
	}
	cold := min(b.repeats, coldIndexes)
	if days > manyDays {
		cold = 1
	}
	const nothing, same, one, search = 0, 1, 2, 3
	all := make([]runs, 4)
	asked := notegen.Questions(b.seed, false, b.repeats)
	var p program
	for i := range b.repeats {
		if p, err = b.memoir(ctx, filepath.Join(dir, fmt.Sprint("home-", min(i, cold-1))), notes, "MEMOIR_PROVIDER=none"); err != nil {
			return nil, err
		}
		for kind := range all {
			if kind == nothing && i >= cold {
				continue
			}
			if kind == one {
				if err := appendLine(changed, i); err != nil {
					return nil, err
				}
			}
			args := []string{"index"}
			if kind == search {
				args = []string{"search", asked[i%len(asked)]}
			}
			run, err := p.run(ctx, args...)
			if err != nil {
				return nil, err
			}
			all[kind] = append(all[kind], run)
		}
	}
	passages, err := passagesOf(ctx, p)
	if err != nil {
		return nil, err
	}
	for kind, name := range []string{nothing: "from nothing", same: "nothing changed", one: "one file changed", search: "a search"} {
		rows = append(rows, all[kind].row(fmt.Sprint(days), digits(float64(bytes)/1e6), fmt.Sprint(passages), name))
		b.report.point(chartIndex, name, float64(passages), measure.Median(all[kind].wall()))
		b.report.point(chartMemory, name, float64(passages), float64(all[kind].peak())/1e6)
	}
	b.progress("sync: %d notes", days)
	return rows, nil
}

// appendLine changes a note, and says so by its modification time.
func appendLine(name string, n int) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "\nOne more line, number %d.\n", n)
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	modified := time.Date(2025, time.February, 1, 0, 0, n, 0, time.UTC)
	return os.Chtimes(name, modified, modified)
}

// passagesOf returns how many chunks a workspace has.
func passagesOf(ctx context.Context, p program) (int, error) {
	var status struct{ Chunks int }
	run, err := p.run(ctx, "status", "--json")
	if err != nil {
		return 0, err
	}
	err = json.Unmarshal([]byte(run.Output), &status)
	return status.Chunks, err
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
	passages, err := passagesOf(ctx, p)
	if err != nil {
		return err
	}
	index, err := b.coldVectors(ctx)
	if err != nil {
		return err
	}
	b.report.add(b.out, table{
		Title: "Cold: memoir search as a process",
		About: fmt.Sprintf("%d passages with the vectors of the model inside, which embeds the question. Medians of %d runs in turns, %d of the index, from start to end of the process.",
			passages, b.repeats, len(index)),
		Columns: []string{"run", "ms", "slowest ms", "CPU ms", "peak MB"},
		Rows: [][]string{
			all[search].row("memoir search"), all[words].row("memoir search --mode text"), all[embed].row("memoir embed --query, start to first vector"),
			all[version].row("memoir version, start and nothing else"), index.row(fmt.Sprintf("memoir index of %d notes from nothing, with vectors", vectorDays)),
		},
	})
	return nil
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
	if _, err := notegen.Write(notes, b.year(vectorDays)); err != nil {
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
	opts := b.year(b.coldDays)
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
