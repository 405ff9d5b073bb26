// Package atomicfile replaces a file in one step: whoever opens it sees the old
// content or the new one, never a part, also after a crash or a full disk.
package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/memoir-ai/memoir/internal/regular"
)

// Write makes or replaces the file at path with what the function writes. The
// folder must exist. A file that is replaced keeps its permissions; a new one
// gets perm, less what the process masks. What is no ordinary file, such as a
// symbolic link, is not replaced and gives [regular.ErrKind]. After an error the
// file is as it was.
func Write(path string, perm fs.FileMode, write func(io.Writer) error) (err error) {
	if err := regular.Check(path); err != nil {
		return err
	}
	f, err := create(path, perm)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			// The cause is reported; what is left of the attempt is in the way.
			_ = f.Close()
			_ = os.Remove(f.Name())
		}
	}()
	if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() {
		if err := f.Chmod(info.Mode().Perm()); err != nil && !errors.Is(err, errors.ErrUnsupported) {
			return err
		}
	}
	if err := write(f); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	// A link that took the place of the file meanwhile is replaced, not followed.
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	syncFolder(filepath.Dir(path))
	return nil
}

// Sweep removes what killed processes have left of replacing the file at path. Who
// replaces it at this moment fails.
func Sweep(path string) error {
	entries, err := os.ReadDir(filepath.Dir(path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var failed error
	for _, e := range entries {
		if e.Type().IsRegular() && leftOf(filepath.Base(path), e.Name()) {
			if err := os.Remove(filepath.Join(filepath.Dir(path), e.Name())); !errors.Is(err, fs.ErrNotExist) {
				failed = errors.Join(failed, err)
			}
		}
	}
	return failed
}

// leftOf reports whether a file was made to take the place of another, as create names it.
func leftOf(base, name string) bool {
	mark, ok := strings.CutPrefix(name, "."+base+".")
	mark, ended := strings.CutSuffix(mark, ".new")
	_, err := strconv.ParseUint(mark, 16, 32)
	return ok && ended && len(mark) == 8 && err == nil
}

// create makes a new file beside path, so that both are on one file system.
// Its name starts with a dot, as what lists folders leaves out.
func create(path string, perm fs.FileMode) (*os.File, error) {
	for {
		name := filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s.%08x.new", filepath.Base(path), rand.Uint32()))
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}

// syncFolder makes the new name last. Not every system can do it, and the file
// is whole either way.
func syncFolder(path string) {
	if dir, err := os.Open(path); err == nil {
		_ = dir.Sync()
		_ = dir.Close()
	}
}
