// Package regular opens ordinary files and nothing else. A symbolic link, a
// pipe, a device, a socket or a folder in the place of a file is refused with
// [ErrKind], and is neither followed, waited for nor read.
//
// To look at a path and then open it would not do: what was looked at may be
// replaced in between. So a file is looked at, opened in a way that follows no
// link and waits for nobody, and looked at again through what was opened.
//
// Only the last name of a path is judged. Folders on the way may be links,
// unless the caller asks [Folder] about them.
package regular

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
)

var (
	// ErrKind is what every refusal of a file wraps.
	ErrKind = errors.New("not an ordinary file")
	// ErrFolder is what the refusal of a folder wraps.
	ErrFolder = errors.New("not a folder")
)

// Open opens a file for reading.
func Open(path string) (*os.File, error) { return OpenFile(path, os.O_RDONLY, 0) }

// attempts is how often a file is looked at that others replace meanwhile.
const attempts = 100

// OpenFile opens a file as [os.OpenFile] does. With [os.O_CREATE] a file that
// is not there is made, never through a link that leads nowhere. [os.O_TRUNC]
// and [os.O_EXCL] are refused: the one would empty a file before it is looked at,
// the other leaves nothing to look at.
func OpenFile(path string, flag int, perm fs.FileMode) (*os.File, error) {
	if flag&(os.O_TRUNC|os.O_EXCL) != 0 {
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrInvalid}
	}
	for range attempts {
		before, err := os.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) && flag&os.O_CREATE != 0 {
			f, err := os.OpenFile(path, flag|os.O_EXCL, perm)
			if errors.Is(err, fs.ErrExist) {
				continue // somebody else made it this moment
			}
			return f, err
		}
		if err != nil {
			return nil, err
		}
		if err := judge(path, before); err != nil {
			return nil, err
		}
		f, err := os.OpenFile(path, flag&^os.O_CREATE|NoFollow|NonBlock, perm)
		if errors.Is(err, fs.ErrNotExist) && flag&os.O_CREATE != 0 {
			continue // it was removed this moment
		}
		if err != nil {
			return nil, err
		}
		after, err := opened(f, path)
		if err != nil {
			return nil, err
		}
		if NoFollow != 0 || os.SameFile(before, after) {
			return f, nil
		}
		// Where a link cannot be refused it shows: it leads to another file.
		if err := f.Close(); err != nil {
			return nil, err
		}
	}
	return nil, &fs.PathError{Op: "open", Path: path, Err: errors.New("it is replaced again and again")}
}

// Follow opens a file for reading that a person names: symbolic links are
// followed, and must lead to an ordinary file.
func Follow(path string) (*os.File, error) {
	before, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if err := judge(path, before); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDONLY|NonBlock, 0)
	if err != nil {
		return nil, err
	}
	if _, err := opened(f, path); err != nil {
		return nil, err
	}
	return f, nil
}

// opened looks at a file that is open, and closes it when it is refused.
func opened(f *os.File, path string) (fs.FileInfo, error) {
	info, err := f.Stat()
	if err == nil {
		err = judge(path, info)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return info, nil
}

// ReadFile returns the content of a file.
func ReadFile(path string) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() // of a file that was only read
	var all bytes.Buffer
	if info, err := f.Stat(); err == nil && info.Size() < math.MaxInt32 {
		all.Grow(int(info.Size()) + bytes.MinRead) // at one go
	}
	_, err = all.ReadFrom(f)
	return all.Bytes(), err
}

// Check reports with [ErrKind] whether something other than an ordinary file is at
// path, which need not exist. It is for files that others open by their name.
func Check(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return judge(path, info)
}

// Within returns the permissions of a new file or folder in dir: those of perm that dir
// gives to its users. A file in a folder that only one user can read is readable by that user alone.
func Within(dir string, perm fs.FileMode) fs.FileMode {
	info, err := os.Stat(dir)
	if err != nil {
		return perm
	}
	return perm & info.Mode().Perm()
}

// Folder reports with [ErrFolder] whether something other than a folder, such as
// a link to one, is at path, which need not exist.
func Folder(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.IsDir():
		return nil
	}
	return &fs.PathError{Op: "open", Path: path, Err: fmt.Errorf("it is %s, %w", kind(info.Mode()), ErrFolder)}
}

// judge refuses what is no ordinary file.
func judge(path string, info fs.FileInfo) error {
	if info.Mode().IsRegular() {
		return nil
	}
	return &fs.PathError{Op: "open", Path: path, Err: fmt.Errorf("it is %s, %w", kind(info.Mode()), ErrKind)}
}

// kind says what a file is.
func kind(mode fs.FileMode) string {
	switch {
	case mode.IsRegular():
		return "a file"
	case mode.IsDir():
		return "a folder"
	case mode&fs.ModeSymlink != 0:
		return "a symbolic link"
	case mode&fs.ModeNamedPipe != 0:
		return "a pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return "something of the system's own"
}

// DirFS returns a folder that a person names, as [os.DirFS] does. Its files are
// opened as by [Follow].
func DirFS(dir string) fs.FS { return folder(dir) }

type folder string

// Open implements [fs.FS].
func (f folder) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	local, err := filepath.Localize(name)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	file, err := Follow(filepath.Join(string(f), local))
	if err != nil {
		return nil, err // and no interface that holds no file
	}
	return file, nil
}
