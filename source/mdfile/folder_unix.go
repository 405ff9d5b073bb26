//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package mdfile

import (
	"errors"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/memoir-ai/memoir/internal/watch"
)

// folder is an open folder. Everything below it is opened through it, and never
// through a link. Paths from the root would make the kernel look at each folder
// on the way, for each file.
type folder struct{ file *os.File }

func openFolder(root *os.Root) (*folder, error) {
	f, err := root.Open(".")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return (&folder{f}).open(".")
}

// open opens a folder in this one.
func (d *folder) open(name string) (*folder, error) {
	for {
		fd, err := unix.Openat(int(d.file.Fd()), name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		switch {
		case err == nil:
			return &folder{os.NewFile(uintptr(fd), name)}, nil
		case !errors.Is(err, unix.EINTR):
			return nil, err
		}
	}
}

// list lists the folder in the order of the file system. It looks at no file.
func (d *folder) list() ([]fs.DirEntry, error) { return d.file.ReadDir(-1) }

// look returns the file system's facts about an entry.
func (d *folder) look(e fs.DirEntry) (facts, error) {
	var st unix.Stat_t
	for {
		err := unix.Fstatat(int(d.file.Fd()), e.Name(), &st, unix.AT_SYMLINK_NOFOLLOW)
		if err == nil {
			break
		}
		if !errors.Is(err, unix.EINTR) {
			return facts{}, err
		}
	}
	return facts{
		regular: st.Mode&unix.S_IFMT == unix.S_IFREG, link: st.Mode&unix.S_IFMT == unix.S_IFLNK,
		size: st.Size, modTime: time.Unix(st.Mtim.Unix()), stamp: mix(st.Ctim.Nano(), uint64(st.Ino)), shared: st.Nlink > 1,
	}, nil
}

// watch makes a watcher count changes in the folder.
func (d *folder) watch(w *watch.Watcher) { w.Add(d.file) }

func (d *folder) close() { d.file.Close() }
