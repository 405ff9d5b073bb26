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

// A Repair is something that [Fix] does.
type Repair struct {
	What string // for people, as "make the folder …"
	Done bool
	Err  error // why it is not done; nil also when nobody wanted it done

	do func() error
}

// Fix does what is safe about what is wrong, and tells it; dry tells it alone. It makes
// folders that are missing, takes from others what lets them read memoir's own files,
// removes what writers left behind that were killed, and indexes where notes are not
// indexed or the index is damaged, by words. No note is written to, and nothing outside
// the folder of the index is changed but for a folder of notes that is not there. What
// else is wrong is the person's to decide about, and [Diagnose] says how.
func Fix(ctx context.Context, settings *config.Loaded, opts app.Options, dry bool) []Repair {
	var done []Repair
	for _, look := range []func(context.Context, *config.Loaded, app.Options) []Repair{missingFolders, openFiles, leftovers, unindexed} {
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

// missingFolders makes the folder of notes and that of the index. A folder of notes that
// has been indexed is, as likely as not, on a disk that is not mounted.
func missingFolders(_ context.Context, settings *config.Loaded, _ app.Options) (all []Repair) {
	index := settings.IndexPath()
	if _, err := os.Stat(settings.Workspace); settings.Bucket.URL == "" && errors.Is(err, fs.ErrNotExist) {
		r := Repair{What: "make the folder of notes " + settings.Workspace, do: func() error { return os.MkdirAll(settings.Workspace, 0o777) }}
		if _, err := os.Lstat(index); err == nil {
			r.Err = errors.New("it was indexed once: bring it back, or mount its disk; memoir init makes an empty one")
		}
		all = append(all, r)
	}
	if _, err := os.Lstat(filepath.Dir(index)); errors.Is(err, fs.ErrNotExist) {
		all = append(all, Repair{What: "make the folder of the index " + filepath.Dir(index), do: func() error { return statedir.Make(index) }})
	}
	return all
}

// own walks the files and folders of memoir's own beside the index, the folder itself
// first. Links are not followed. Where notes stand among them nothing is memoir's own.
func own(settings *config.Loaded, visit func(path string, info fs.FileInfo)) {
	if settings.StateDirHoldsNotes() {
		return
	}
	dir := filepath.Dir(settings.IndexPath())
	if regular.Folder(dir) != nil {
		return
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

// openFiles takes from others what lets them read the text of notes.
func openFiles(_ context.Context, settings *config.Loaded, _ app.Options) []Repair {
	if runtime.GOOS == "windows" {
		return nil // whose permissions are others
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
		What: fmt.Sprintf("let nobody else read %s in %s", english.Plural(len(paths), "file and folder", "files and folders"), filepath.Dir(settings.IndexPath())),
		do: func() (err error) {
			for _, path := range paths {
				err = errors.Join(err, private(path))
			}
			return err
		},
	}}
}

// private lets nobody but the owner at a file or folder, which is not reached through a link.
func private(path string) error {
	f, err := os.OpenFile(path, os.O_RDONLY|regular.NoFollow|regular.NonBlock, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it has been removed since
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

// left is how files are called that were being written, by atomicfile and by doctor.
var left = lazyregexp.New(`^(\..+\.[0-9a-f]{8}\.new|\.doctor-[0-9]+)$`)

// leftAfter is how old such a file is at least, so that nobody is at it any more.
const leftAfter = time.Hour

// leftovers removes what writers left behind that were killed.
func leftovers(_ context.Context, settings *config.Loaded, _ app.Options) (all []Repair) {
	own(settings, func(path string, info fs.FileInfo) {
		if info.Mode().IsRegular() && left().MatchString(filepath.Base(path)) && time.Since(info.ModTime()) > leftAfter {
			all = append(all, Repair{What: "remove " + path + ", which a memoir left that was killed", do: func() error { return os.Remove(path) }})
		}
	})
	return all
}

// unindexed indexes what is not, and puts a fresh index in the place of a damaged one, as
// memoir index does. Vectors are left to that, or to a memoir that lives on.
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

// empty reports whether there are no notes, or they cannot be listed.
func empty(ctx context.Context, settings *config.Loaded) bool {
	notes, err := app.OpenSource(settings)
	if err != nil {
		return false // it may have been made just now
	}
	for entry, err := range notes.Scan(ctx) {
		if err == nil && entry.Skip == "" {
			return false
		}
	}
	return true
}

// index makes the index agree with the notes, by words.
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
