package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// indexFiles returns the databases of the state folder.
func (l *life) indexFiles() ([]string, error) {
	return filepath.Glob(filepath.Join(l.state, "cache", "*", "*.sqlite"))
}

// damage overwrites a page of the index or cuts off its end, as happens with a
// disk that reports writes which it has not done.
func (l *life) damage(ctx context.Context) error {
	files, err := l.indexFiles()
	if err != nil || len(files) == 0 {
		return err
	}
	path := files[l.rng.IntN(len(files))]
	info, err := os.Stat(path)
	if err != nil || info.Size() < 4096 {
		return err
	}
	page := l.rng.Int64N(info.Size() / 4096)
	if l.rng.IntN(4) == 0 {
		err = os.Truncate(path, page*4096)
	} else {
		err = overwrite(path, page*4096, l.rng)
	}
	if err != nil {
		return err
	}
	if err := l.run(ctx, nil, "search", "--json", "harbour"); err != nil { // it answers with what is left
		return err
	}
	return l.search(ctx)
}

func overwrite(path string, at int64, rng *rand.Rand) error {
	page := make([]byte, 4096)
	for i := range page {
		page[i] = byte(rng.Uint32())
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(page, at)
	return errors.Join(err, f.Close())
}

func (l *life) removeIndex(context.Context) error {
	files, err := l.indexFiles()
	for _, f := range files {
		for _, name := range []string{f, f + "-wal", f + "-shm"} {
			if e := os.Remove(name); e != nil && !errors.Is(e, os.ErrNotExist) {
				err = errors.Join(err, e)
			}
		}
	}
	return err
}

// fillDisk tells an entry while the disk is full. The entry is kept, or its
// words are in the error. Searches still answer. All is well once there is room
// again.
func (l *life) fillDisk(ctx context.Context) error {
	if !l.mounted {
		return nil
	}
	// On a full disk a damaged index is not made anew. So it is made whole before.
	if err := l.index(ctx); err != nil {
		return err
	}
	filler := filepath.Join(l.disk, "filler")
	f, err := os.Create(filler)
	if err != nil {
		return err
	}
	for size := 1 << 20; size > 0; {
		if _, err := f.Write(make([]byte, size)); err != nil {
			size /= 2
		}
	}
	_ = f.Close()
	e := l.newEntry()
	var got outcome
	if err := l.run(ctx, &got, "remember", "--json", "--type", e.kind, "--key", e.key, e.text); err == nil {
		if err := l.acknowledge(e, got); err != nil {
			return err
		}
	} else if !strings.Contains(strings.Replace(err.Error(), e.text, "", 1), e.text) { // once in the command
		return fmt.Errorf("the text is not in the error: %w", err)
	}
	if err := l.run(ctx, nil, "search", "--json", "harbour"); err != nil {
		return fmt.Errorf("on a full disk: %w", err)
	}
	if err := os.Remove(filler); err != nil {
		return err
	}
	return l.compare(ctx)
}
