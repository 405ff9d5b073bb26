package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/notegen"
	"github.com/memoir-ai/memoir/source/mdfile"
	"github.com/memoir-ai/memoir/store/sqlite"
)

// chunksPerDay is about how many chunks a generated log of usual size gives.
const chunksPerDay = 41

// daysOf returns how many logs give about so many chunks.
func daysOf(chunks int) int { return max(1, chunks/chunksPerDay) }

// logs returns options for logs that give about that many chunks. The last day
// is in 2025.
func (b *bench) logs(chunks int) notegen.Options {
	opts := notegen.Options{Seed: b.seed, Days: daysOf(chunks), Links: true}
	opts.First = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, -opts.Days)
	return opts
}

// year returns options for that many logs of the usual size. A year is 367
// notes of 6 MB.
func (b *bench) year(days int) notegen.Options {
	return notegen.Options{Seed: b.seed, Days: days, BytesPerDay: b.bytesPerDay}
}

// openEngine makes an engine over a folder of notes.
func openEngine(notes string, store memoir.Store, embedder memoir.Embedder) (*engine.Engine, error) {
	source, err := mdfile.Open(notes, mdfile.Options{})
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	memory, err := engine.New(engine.Config{Store: store, Sources: []memoir.Source{source}, Embedder: embedder})
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return memory, nil
}

// openIndex makes an engine over a folder of notes with an index in a file.
func openIndex(ctx context.Context, notes, index string, embedder memoir.Embedder) (*engine.Engine, error) {
	store, err := sqlite.Open(ctx, index, sqlite.Options{})
	if err != nil {
		return nil, err
	}
	return openEngine(notes, store, embedder)
}

// fileBytes returns the size of a file, together with the files beside it whose
// names begin with its name.
func fileBytes(name string) (int64, error) {
	names, err := filepath.Glob(name + "*")
	if err != nil {
		return 0, err
	}
	var all int64
	for _, n := range names {
		info, err := os.Stat(n)
		if err != nil {
			return 0, err
		}
		all += info.Size()
	}
	return all, nil
}
