package transfer

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/regular"
	"github.com/memoir-ai/memoir/internal/syserr"
)

// maxNote is how large a note may be that is brought or exported: 32 MiB. What is
// larger is no note that anybody wrote.
const maxNote = 32 << 20

// A file is a file below a folder, with why it cannot be read, or its text.
type file struct {
	name string // below the folder, slash-separated, as the file system spells it
	text string // valid UTF-8
	skip string
}

// walk goes through the files below a folder that have the name of a note, in the
// order of their paths. Links are not followed, and nothing but ordinary files is
// opened. Hidden files and folders, and those of package managers, are left out.
func walk(dir string, isNote func(name string) bool, yield func(file) bool) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("open %s: %w", dir, syserr.Reason(err))
	}
	defer root.Close() // of a folder that was only read
	return fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case name == "." && err != nil:
			return fmt.Errorf("list %s: %w", dir, syserr.Reason(err))
		case name == ".":
			return nil
		case leftOut(d.Name()):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case err != nil:
			if syserr.TooManyFiles(err) {
				return err
			}
			return keepOn(yield(file{name: name, skip: unreadable(err)}))
		case d.IsDir():
			return nil
		}
		isLink := d.Type()&fs.ModeSymlink != 0
		if !isNote(name) && !(isLink && path.Ext(name) == "") { // a link to a folder, by the looks of it
			return nil
		}
		f := file{name: name}
		if f.skip = nameProblem(name); f.skip == "" {
			f.text, f.skip, err = read(root, name, d)
		}
		if err != nil {
			return err
		}
		f.name = strings.ToValidUTF8(f.name, "\ufffd")
		return keepOn(yield(f))
	})
}

func keepOn(more bool) error {
	if more {
		return nil
	}
	return fs.SkipAll
}

// leftOut reports whether a file or folder of a name is none of a person's notes.
func leftOut(name string) bool {
	switch name {
	case "node_modules", "venv", "__pycache__":
		return true
	}
	return strings.HasPrefix(name, ".")
}

// nameProblem returns why a note cannot have a path, or "".
func nameProblem(name string) string {
	switch {
	case !utf8.ValidString(name):
		return "its name is not valid UTF-8"
	case strings.ContainsFunc(name, unicode.IsControl):
		return "its name has a control character"
	}
	return ""
}

// read returns the text of a file, or why it has none. An error says nothing of
// the file: the process has too many open.
func read(root *os.Root, name string, d fs.DirEntry) (text, skip string, err error) {
	switch {
	case d.Type()&fs.ModeSymlink != 0:
		return "", "a symbolic link; links are not followed", nil
	case !d.Type().IsRegular():
		return "", "not an ordinary file", nil
	}
	f, err := root.OpenFile(filepath.FromSlash(name), os.O_RDONLY|regular.NoFollow|regular.NonBlock, 0)
	if syserr.TooManyFiles(err) {
		return "", "", memoir.WithHint(syserr.Reason(err), syserr.MoreFiles)
	}
	if err != nil {
		return "", unreadable(err), nil
	}
	defer f.Close() // of a file that was only read
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return "", "not an ordinary file", nil // it took the place of one meanwhile
	}
	b, err := limited(f, maxNote)
	if err == nil {
		b, err = unzipped(b, maxNote)
	}
	switch {
	case errors.Is(err, errTooLarge):
		return "", fmt.Sprintf("larger than %d MiB", maxNote>>20), nil
	case err != nil:
		return "", unreadable(err), nil
	case !utf8.Valid(b):
		return "", "not valid UTF-8", nil
	}
	return string(b), "", nil
}

var errTooLarge = errors.New("too large")

// limited reads all there is, and gives errTooLarge for more than a number of bytes.
func limited(r io.Reader, most int64) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, most+1))
	if err == nil && int64(len(b)) > most {
		return nil, errTooLarge
	}
	return b, err
}

// unzipped returns what gzip has packed, up to a number of bytes, and any other bytes
// as they are.
func unzipped(b []byte, most int64) ([]byte, error) {
	if !bytes.HasPrefix(b, []byte("\x1f\x8b")) { // which begins no text
		return b, nil
	}
	r, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, fmt.Errorf("unpack it: %w", err)
	}
	return limited(r, most)
}

// unreadable says that the operating system withholds a file.
func unreadable(err error) string { return "cannot be read: " + syserr.Reason(err).Error() }

func isMarkdown(name string) bool {
	ext := path.Ext(name)
	return strings.EqualFold(ext, ".md") || strings.EqualFold(ext, ".markdown")
}

// apart makes sure that a folder is neither the workspace nor one in or around
// it: its notes would be found in themselves.
func apart(dir, workspace string) error {
	if workspace == "" {
		return nil
	}
	a, err := real(dir)
	if err != nil {
		return err
	}
	b, err := real(workspace)
	if err != nil {
		return err
	}
	for _, x := range [][2]string{{a, b}, {b, a}} {
		if rel, err := filepath.Rel(x[0], x[1]); err == nil && filepath.IsLocal(rel) {
			return memoir.WithHint(fmt.Errorf("%s and the workspace %s are one in the other: %w", dir, workspace, memoir.ErrInvalid),
				"a folder of notes is used where it is: memoir --workspace "+dir+" index")
		}
	}
	return nil
}

// real returns the path of a folder without links.
func real(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return "", fmt.Errorf("find %s: %w", dir, syserr.Reason(err))
	}
	return dir, nil
}

// below returns the folder of a name in dir where there is one, else dir itself.
func below(dir string, names ...string) string {
	deeper := filepath.Join(append([]string{dir}, names...)...)
	if info, err := os.Stat(deeper); err == nil && info.IsDir() {
		return deeper
	}
	return dir
}

// asFolder makes sure that a path is a folder.
func asFolder(path string) error {
	if info, err := os.Stat(path); err != nil {
		return fmt.Errorf("open %s: %w", path, syserr.Reason(err))
	} else if !info.IsDir() {
		return memoir.WithHint(fmt.Errorf("%s is not a folder: %w", path, memoir.ErrInvalid), "name a folder")
	}
	return nil
}
