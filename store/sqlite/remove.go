package sqlite

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/memoir-ai/memoir/internal/order"
	"github.com/memoir-ai/memoir/internal/regular"
)

// A File is one of the files of an index.
type File struct {
	Path string
	Info fs.FileInfo
}

// Files returns the files of an index, all of which can be made again: the
// database, what SQLite keeps beside it, the rows of vectors, and files that
// were set aside for damage. The database comes last.
func Files(path string) ([]File, error) {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	var files []File
	for _, e := range entries {
		rest, ours := strings.CutPrefix(e.Name(), filepath.Base(path))
		if !ours || !e.Type().IsRegular() || !derived(rest) {
			continue
		}
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		files = append(files, File{filepath.Join(filepath.Dir(path), e.Name()), info})
	}
	order.Stable(files, func(a, b File) int { return len(b.Path) - len(a.Path) })
	return files, nil
}

// syncedSuffix is how the file is called in which package statedir notes the last sync.
const syncedSuffix = ".synced"

// derived reports whether a file beside the index holds only data made from
// notes. rest is what its name adds to that of the index.
func derived(rest string) bool {
	switch rest {
	case "", markSuffix, checkedSuffix, syncedSuffix:
		return true
	}
	for _, suffix := range sidecars {
		if rest == suffix {
			return true
		}
	}
	for _, start := range []string{rowsSuffix, corruptPart, freshSuffix} {
		if strings.HasPrefix(rest, start) {
			return true
		}
	}
	return false
}

// Remove removes an index that nobody has open. It removes the log before the
// database, because a log that is left would be applied to the next file at the
// path.
func Remove(path string) error {
	if err := regular.Folder(filepath.Dir(path)); err != nil {
		return err
	}
	files, err := Files(path)
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := os.Remove(f.Path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
