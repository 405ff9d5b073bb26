package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"

	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/lazyregexp"
	"github.com/memoir-ai/memoir/internal/regular"
	"github.com/memoir-ai/memoir/internal/statedir"
)

// A Repair is one thing that [Fix] does or would do.
type Repair struct {
	What string // for people, as "make the folder …"
	Done bool
	Err  error // why it is not done; nil also in a dry run

	do func() error
}

// Fix mends what it can mend safely, and returns each repair. With dry it only returns
// them. It makes missing folders, and takes away permissions that let other users read
// memoir's own files. It removes what killed writers left behind. It indexes by words
// when notes are not indexed or the index is damaged. It writes to no note. Outside the
// folder of state it changes two things only: it makes a missing folder of notes, and keeps
// other users out of the one in the home folder.
// Everything else is for a person to decide, and [Diagnose] says how.
func Fix(ctx context.Context, settings *config.Loaded, opts app.Options, dry bool) []Repair {
	var done []Repair
	for _, look := range []func(context.Context, *config.Loaded, app.Options) []Repair{missingFolders, openNotes, openFiles, leftovers, unindexed} {
		for _, r := range look(ctx, settings, opts) {
			if !dry && r.Err == nil {
				r.Err = r.do()
				r.Done = r.Err == nil
			}
			done = append(done, r)
		}
	}
	return done
}

// missingFolders makes the folder of notes and the folder of the index. It does not make
// a folder of notes that was indexed before: that one is probably on a disk that is not
// mounted.
func missingFolders(_ context.Context, settings *config.Loaded, _ app.Options) (all []Repair) {
	index := settings.IndexPath()
	if _, err := os.Stat(settings.Workspace); settings.Bucket.URL == "" && errors.Is(err, fs.ErrNotExist) {
		r := Repair{What: "make the folder of notes " + settings.Workspace, do: func() error { return app.MakeWorkspace(settings) }}
		if app.HasIndex(settings) {
			r.Err = errors.New("it was indexed once: bring it back, or mount its disk; memoir init makes an empty one")
		}
		all = append(all, r)
	}
	if _, err := os.Lstat(filepath.Dir(index)); errors.Is(err, fs.ErrNotExist) {
		all = append(all, Repair{What: "make the folder of the index " + filepath.Dir(index), do: func() error { return statedir.Make(index) }})
	}
	return all
}

// own walks memoir's own files and folders of a workspace, beginning with the two folders
// themselves. It does not follow links. If notes stand among them, it takes nothing there for
// memoir's own.
func own(settings *config.Loaded, visit func(path string, info fs.FileInfo)) {
	if settings.StateDirHoldsNotes() {
		return
	}
	for _, dir := range []string{settings.KeptDir(), filepath.Dir(settings.IndexPath())} {
		if regular.Folder(dir) != nil {
			continue
		}
		_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err != nil {
				return nil // what cannot be listed cannot be mended here
			}
			if info, err := e.Info(); err == nil && (info.IsDir() || info.Mode().IsRegular()) {
				visit(path, info)
			}
			return nil
		})
	}
}

// openNotes closes the user's own notes in the home folder to other users.
func openNotes(_ context.Context, settings *config.Loaded, _ app.Options) []Repair {
	dirs := openHome(settings)
	if len(dirs) == 0 {
		return nil
	}
	return []Repair{{What: "let nobody else read the notes in " + dirs[len(dirs)-1], do: func() (err error) {
		for _, dir := range dirs {
			err = errors.Join(err, private(dir))
		}
		return err
	}}}
}

// openHome returns the folders of the user's own notes in the home folder if other users
// may enter all of them, the notes first. Notes that the settings put elsewhere are where
// the user wants them.
func openHome(settings *config.Loaded) (dirs []string) {
	if runtime.GOOS == "windows" || settings.Bucket.URL != "" || !settings.UsersOwn() || settings.IsSet("workspace") {
		return nil
	}
	const enter = 0o011
	may := fs.FileMode(enter)
	for _, dir := range []string{settings.Workspace, filepath.Dir(settings.Workspace)} {
		info, err := os.Lstat(dir)
		if err != nil || !info.IsDir() {
			return nil
		}
		may &= info.Mode()
		dirs = append(dirs, dir)
	}
	if may == 0 {
		return nil
	}
	return dirs
}

// openFiles takes away the permissions by which other users can read the text of notes.
func openFiles(_ context.Context, settings *config.Loaded, _ app.Options) []Repair {
	if runtime.GOOS == "windows" {
		return nil // permissions there are of another kind
	}
	var paths []string
	own(settings, func(path string, info fs.FileInfo) {
		if info.Mode().Perm()&0o077 != 0 {
			paths = append(paths, path)
		}
	})
	if len(paths) == 0 {
		return nil
	}
	return []Repair{{
		What: fmt.Sprintf("let nobody else read %s in %s", english.Plural(len(paths), "file and folder", "files and folders"), settings.StateDir),
		do: func() (err error) {
			for _, path := range paths {
				err = errors.Join(err, private(path))
			}
			return err
		},
	}}
}

// private takes all permissions from everybody but the owner. It follows no link.
func private(path string) error {
	f, err := os.OpenFile(path, os.O_RDONLY|regular.NoFollow|regular.NonBlock, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it was removed meanwhile
	}
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err == nil && (info.IsDir() || info.Mode().IsRegular()) {
		err = f.Chmod(info.Mode().Perm() &^ 0o077)
	}
	return errors.Join(err, f.Close())
}

// left matches the names of files that atomicfile or doctor was writing.
var left = lazyregexp.New(`^(\..+\.[0-9a-f]{8}\.new|\.doctor-[0-9]+)$`)

// leftAfter is the least age of such a file. By then no process is writing it.
const leftAfter = time.Hour

// leftovers removes the files that killed writers left behind.
func leftovers(_ context.Context, settings *config.Loaded, _ app.Options) (all []Repair) {
	own(settings, func(path string, info fs.FileInfo) {
		if info.Mode().IsRegular() && left().MatchString(filepath.Base(path)) && time.Since(info.ModTime()) > leftAfter {
			all = append(all, Repair{What: "remove " + path + ", which a killed memoir left", do: func() error { return os.Remove(path) }})
		}
	})
	return all
}

// unindexed indexes notes that are not indexed, and puts a fresh index in the place of a
// damaged one, as memoir index does. It computes no vectors: memoir index does, or a
// memoir that keeps running.
func unindexed(ctx context.Context, settings *config.Loaded, opts app.Options) []Repair {
	d := &Diagnosis{}
	d.index(ctx, settings)
	if len(d.Checks) == 0 {
		return nil
	}
	last := d.Checks[len(d.Checks)-1]
	if last.Health == Healthy || !strings.HasPrefix(last.Action, "memoir index") {
		return nil
	}
	r := Repair{What: "index the notes, for " + last.Detail, do: func() error { return index(ctx, settings, opts) }}
	switch {
	case app.Indexing(settings):
		r.Err = errors.New("another memoir is indexing now")
	case empty(ctx, settings):
		r.Err = errors.New("the folder of notes has none: bring them back, or mount their disk; memoir index takes what is gone out of the index")
	}
	return []Repair{r}
}

// empty reports whether there are no notes, or the notes cannot be listed.
func empty(ctx context.Context, settings *config.Loaded) bool {
	notes, err := app.OpenSource(settings)
	if err != nil {
		return false // it may have been made a moment ago
	}
	for entry, err := range notes.Scan(ctx) {
		if err == nil && entry.Skip == "" {
			return false
		}
	}
	return true
}

// index makes the index agree with the notes. It computes no vectors.
func index(ctx context.Context, settings *config.Loaded, opts app.Options) (err error) {
	opts.Need, opts.Exclusive = app.NeedWords, true
	a, err := app.Open(ctx, settings, opts)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	_, err = a.Engine.Sync(ctx, nil)
	return err
}
