package app

import (
	"path/filepath"

	"github.com/memoir-ai/memoir/internal/statedir"
)

// HoldEval takes a folder in which memoir eval keeps an index, until release is called
// or the process ends. It is not ok when another run holds the folder.
func HoldEval(dir string) (release func() error, ok bool, err error) {
	lock, ok, err := statedir.TryAcquire(filepath.Join(dir, "lock"))
	if err != nil || !ok {
		return nil, false, err
	}
	return lock.Release, true, nil
}
