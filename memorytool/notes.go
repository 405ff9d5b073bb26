package memorytool

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"

	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/layout"
)

// Dir is the folder of a workspace behind /memories. It has the same name, so that a file
// has one name for the tool and in the citations of a search.
const Dir = "memories"

// An Editor changes notes, as [engine.Engine] does.
type Editor interface {
	// Edit makes one change of notes as [engine.Engine.Edit] does.
	Edit(ctx context.Context, who, why string, plan func(*engine.Draft) error) (engine.Change, error)
}

// Notes returns the folder [Dir] of a workspace. The engine has to write its notes there
// ([engine.Writing]). Each call that writes is one change in the history of the
// workspace.
func Notes(e Editor, workspace string) Folder { return &notes{e, workspace} }

type notes struct {
	engine    Editor
	workspace string
}

// open opens the folder. It makes the folder if there is none.
func (n *notes) open() (*os.Root, error) {
	workspace, err := os.OpenRoot(n.workspace)
	if err != nil {
		return nil, err
	}
	defer workspace.Close()
	if err := workspace.Mkdir(Dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return workspace.OpenRoot(Dir)
}

// View implements [Folder].
func (n *notes) View(f func(fs.FS) error) (err error) {
	r, err := n.open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	return f(r.FS())
}

// Edit implements [Folder].
func (n *notes) Edit(ctx context.Context, why string, plan func(Draft) error) error {
	_, err := n.engine.Edit(ctx, "memory tool", why, func(d *engine.Draft) error { return plan(below{d}) })
	return err
}

// below is the draft of a workspace, seen from the folder.
type below struct{ draft *engine.Draft }

func (b below) Read(name string) (string, bool, error) { return b.draft.Read(path.Join(Dir, name)) }
func (b below) Remove(name string) error               { return b.draft.Remove(path.Join(Dir, name)) }
func (b below) Regained(name, text string) (line int, err error) {
	return b.draft.Regained(path.Join(Dir, name), text)
}

func (b below) Write(name, text string) error {
	if layout.Obeyed(name) {
		return failf("The file %s/%s cannot be written: agents take a file of that name for orders; choose another name", root, name)
	}
	return b.draft.Write(path.Join(Dir, name), text)
}

// MakeFolder implements [Folder].
func (n *notes) MakeFolder(name string) (err error) {
	r, err := n.open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	return r.MkdirAll(name, 0o755)
}

// RemoveFolder implements [Folder].
func (n *notes) RemoveFolder(name string) (err error) {
	r, err := n.open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	var folders []string
	err = fs.WalkDir(r.FS(), name, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			folders = append(folders, name)
		}
		return err
	})
	for _, folder := range slices.Backward(folders) {
		err = errors.Join(err, r.Remove(folder))
	}
	return err
}
