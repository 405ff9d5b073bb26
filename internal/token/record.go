package token

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/regular"
	"github.com/memoir-ai/memoir/internal/statedir"
)

// A record is a value in a file that several processes read and change. It is safe
// for concurrent use. Who reads it gets what was written last, and must not change it.
type record[T any] struct {
	path string
	what string // for people

	mu    sync.Mutex
	seen  fs.FileInfo // of the file that was read
	value T
}

// load returns the value; the zero value when there is no file.
func (r *record[T]) load() (T, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.value, r.read()
}

// own refuses a folder of state that others can write to. They would put a folder of their own
// in the place of the one with the file, and decide who is let in.
func (r *record[T]) own() error { return statedir.Own(filepath.Dir(filepath.Dir(r.path))) }

// read reads the file when it is another one than before. With an error the value is
// the zero value: nobody is let in by what cannot be read.
func (r *record[T]) read() error {
	var none T
	err := r.own()
	if err == nil {
		err = statedir.Check(r.path)
	}
	if err != nil {
		r.value, r.seen = none, nil
		return err
	}
	info, err := os.Lstat(r.path)
	if errors.Is(err, fs.ErrNotExist) {
		r.value, r.seen = none, nil
		return nil
	}
	if err == nil && r.seen != nil && os.SameFile(info, r.seen) && info.ModTime().Equal(r.seen.ModTime()) && info.Size() == r.seen.Size() {
		return nil
	}
	r.value, r.seen = none, nil
	data, err := regular.ReadFile(r.path)
	if err != nil {
		return fmt.Errorf("read the %s: %w", r.what, err)
	}
	var value T
	if err := json.Unmarshal(data, &value); err != nil {
		return memoir.WithHint(fmt.Errorf("the %s in %s cannot be read: %w", r.what, r.path, err), "remove the file, and make the "+r.what+" again")
	}
	r.value, r.seen = value, info
	return nil
}

// change writes what f makes of the value, while no other process does.
func (r *record[T]) change(ctx context.Context, f func(T) (T, error)) error {
	if err := r.own(); err != nil {
		return err
	}
	if err := statedir.Make(r.path); err != nil {
		return err
	}
	lock, err := statedir.Acquire(ctx, r.path+".lock", nil)
	if err != nil {
		return err
	}
	defer lock.Release()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen = nil
	if err := r.read(); err != nil {
		return err
	}
	value, err := f(r.value)
	if err != nil {
		return err
	}
	data, err := json.MarshalIndent(value, "", " ")
	if err != nil {
		return fmt.Errorf("encode the %s: %w", r.what, err)
	}
	r.seen = nil
	return Secret(r.path, append(data, '\n'))
}
