package statedir

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/memoir-ai/memoir/internal/regular"
)

// workspaceName is the file in the folder of what is kept of a workspace that says whose
// it is: the name of the folder does not say.
const workspaceName = "workspace"

// maxPath bounds what is read of it, in bytes.
const maxPath = 64 << 10

// NoteWorkspace notes in a folder of which notes it keeps something, once.
func NoteWorkspace(kept, workspace string) error {
	path := filepath.Join(kept, workspaceName)
	if _, err := os.Lstat(path); err == nil {
		return nil
	}
	if err := Make(path); err != nil {
		return err
	}
	if real, err := filepath.EvalSymlinks(workspace); err == nil {
		workspace = real
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err == nil {
		_, err = f.WriteString(workspace + "\n")
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		_ = os.Remove(path) // half of it says something else; there may be nothing
	}
	return nil // what is kept is of use without
}

// Workspace returns the notes of which a folder keeps something, "" when that was not noted.
func Workspace(kept string) string {
	f, err := regular.Open(filepath.Join(kept, workspaceName))
	if err != nil {
		return ""
	}
	defer f.Close() // of a file that was only read
	data, err := io.ReadAll(io.LimitReader(f, maxPath))
	path, whole := strings.CutSuffix(string(data), "\n")
	if err != nil || !whole || !filepath.IsAbs(path) {
		return ""
	}
	return path
}
