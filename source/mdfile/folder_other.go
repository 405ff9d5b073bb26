//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package mdfile

import (
	"io/fs"
	"os"

	"github.com/memoir-ai/memoir/internal/watch"
)

// folder is an open folder, through which everything below it is opened.
type folder struct{ root *os.Root }

func openFolder(root *os.Root) (*folder, error) { return (&folder{root}).open(".") }

// open opens a folder in this one.
func (d *folder) open(name string) (*folder, error) {
	root, err := d.root.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	return &folder{root}, nil
}

// list lists the folder in the order of the file system.
func (d *folder) list() ([]fs.DirEntry, error) { return listDir(d.root, ".") }

// look returns the file system's facts about an entry.
func (d *folder) look(e fs.DirEntry) (facts, error) {
	info, err := e.Info()
	if err != nil {
		return facts{}, err
	}
	return factsOf(info), nil
}

// watch does nothing: there is no watcher on this system.
func (d *folder) watch(*watch.Watcher) {}

func (d *folder) close() { d.root.Close() }
