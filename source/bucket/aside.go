package bucket

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/memoir-ai/memoir/internal/atomicfile"
	"github.com/memoir-ai/memoir/internal/regular"
	"github.com/memoir-ai/memoir/internal/syserr"
)

// Aside is the folder to which memoir moves files that another program wrote into the copy.
type Aside string

// AsideOf returns that folder of the copy in a folder.
func AsideOf(dir string) Aside { return Aside(filepath.Join(dir, "aside")) }

// Texts calls do with each file, and writes the text that it returns in the place of another
// one. It returns how many files it changed. The error joins those of all files.
func (a Aside) Texts(do func(file, text string) (string, error)) (changed int, err error) {
	entries, err := os.ReadDir(string(a))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	for _, e := range entries {
		file := filepath.Join(string(a), e.Name())
		data, failed := regular.ReadFile(file)
		now := ""
		if failed == nil {
			now, failed = do(file, string(data))
		}
		if failed == nil && now != string(data) {
			changed++
			failed = atomicfile.Write(file, 0o600, func(w io.Writer) error {
				_, err := io.WriteString(w, now)
				return err
			})
		}
		err = errors.Join(err, syserr.Reason(failed))
	}
	return changed, err
}
