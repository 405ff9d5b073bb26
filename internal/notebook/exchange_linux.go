package notebook

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/memoir-ai/memoir/internal/regular"
)

// exchange lets the file at part and the note change places, and looks at what
// came out. When that is not the old text, an editor was faster: both go back.
func exchange(part, full, old, text string) error {
	// From here on the file may hold an editor's words, and its name says so.
	name := staged(part)
	if err := unix.Rename(part, name); err != nil {
		return errors.Join(err, os.Remove(part))
	}
	err := swap(name, full)
	switch {
	case errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EINVAL), errors.Is(err, unix.EOPNOTSUPP):
		return renamed(name, full, old)
	case errors.Is(err, unix.ENOENT):
		return errors.Join(errChanged, os.Remove(name))
	case err != nil:
		return errors.Join(err, os.Remove(name))
	}
	out, err := settled(name)
	cause := errChanged
	if err == nil && out == old {
		if cause = os.Remove(name); cause == nil {
			return nil
		}
	}
	return putBack(name, full, out, text, cause)
}

// putBack puts what came out of an exchange, which is out, back in the place of the
// note, and returns cause. When somebody has written to the note in the meantime, an
// addition to text goes to the end of what is put back. Any other text stays in the
// note, and the file at name stays for [Notebook.Leftovers].
func putBack(name, full, out, text string, cause error) error {
	if err := swap(name, full); err != nil {
		return err // keep the file at name: it holds somebody's words
	}
	now, err := settled(name)
	if err != nil {
		return err
	}
	added, ok := strings.CutPrefix(now, text)
	if !ok {
		if err := swap(name, full); err != nil {
			return err
		}
		return cause
	}
	if added != "" {
		if strings.HasSuffix(text, "\n") && out != "" && !strings.HasSuffix(out, "\n") {
			added = "\n" + added
		}
		f, err := add(full, added)
		if err != nil {
			return err
		}
		if err := errors.Join(f.Sync(), f.Close()); err != nil {
			return err
		}
	}
	return errors.Join(cause, os.Remove(name))
}

func swap(a, b string) error {
	return unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
}

// open is how long to wait for a program that has the replaced file open.
const open = 200 * time.Millisecond

// settled returns the content of a file once nobody else has it open, who could
// still write to it. A lease tells when that is so, on systems that have
// leases.
func settled(name string) (string, error) {
	f, err := regular.Open(name)
	if err != nil {
		return "", err
	}
	for wait := time.Millisecond; wait < open; wait *= 2 {
		_, err := unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_WRLCK)
		if !errors.Is(err, unix.EAGAIN) {
			break
		}
		time.Sleep(wait)
	}
	if err := f.Close(); err != nil { // which also gives up the lease
		return "", err
	}
	b, err := regular.ReadFile(name)
	return string(b), err
}

// keepOwner gives a file the owner of another, if that is allowed.
func keepOwner(f *os.File, like fs.FileInfo) {
	if st, ok := like.Sys().(*syscall.Stat_t); ok {
		_ = f.Chown(int(st.Uid), int(st.Gid))
	}
}
