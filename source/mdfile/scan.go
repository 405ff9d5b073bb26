package mdfile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dustin/go-humanize"
	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/regular"
	"github.com/memoir-ai/memoir/internal/syserr"
)

// Scan yields the notes and the skipped files of the folder, ordered by id. It
// lists folders and reads nothing but ignore files. When the folder itself
// cannot be listed, or ctx is done, it yields one error and no entry.
func (s *Source) Scan(ctx context.Context) iter.Seq2[memoir.ScanEntry, error] {
	return func(yield func(memoir.ScanEntry, error) bool) {
		found, err := s.scan(ctx)
		if err != nil {
			yield(memoir.ScanEntry{}, err)
			return
		}
		for i := range found {
			if !yield(found[i].ScanEntry, nil) {
				return
			}
		}
	}
}

func (s *Source) scan(ctx context.Context) ([]*foundEntry, error) {
	root, err := s.openRoot()
	if err != nil {
		return nil, err
	}
	defer root.Close()
	w := walker{src: s, root: root}
	if err := w.walk(ctx, place{real: "."}); err != nil {
		err = fmt.Errorf("list workspace %s: %w", s.dir, syserr.Reason(err))
		if syserr.TooManyFiles(err) {
			err = memoir.WithHint(err, syserr.MoreFiles)
		}
		return nil, err
	}
	slices.SortFunc(w.found, (*foundEntry).compare)
	for i := 1; i < len(w.found); i++ {
		if w.found[i].ID == w.found[i-1].ID && w.found[i].Skip == "" {
			w.found[i].Skip = "another file has this name in another Unicode normal form"
		}
	}
	return w.found, nil
}

// foundEntry is an entry with the path that the file system has for it.
type foundEntry struct {
	memoir.ScanEntry
	real string
}

// compare orders by id; of two files with one id the one whose name needs no
// normalisation comes first, as [Source.Read] tries it first.
func (e *foundEntry) compare(other *foundEntry) int {
	if e.ID != other.ID {
		return cmp.Compare(e.ID, other.ID)
	}
	return cmp.Or(cmp.Compare(e.rank(), other.rank()), cmp.Compare(e.real, other.real))
}

func (e *foundEntry) rank() int {
	if e.real == string(e.ID) {
		return 0
	}
	return 1
}

// walker collects the entries of one scan.
type walker struct {
	src    *Source
	root   *os.Root
	layout layout
	found  []*foundEntry
}

// walk lists a folder and all below it. Only the root's own failure is an
// error, and one that says nothing of the folder: too many open files.
func (w *walker) walk(ctx context.Context, dir place) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	entries, err := listDir(w.root, dir.real)
	if err != nil {
		if dir.id == "" || syserr.TooManyFiles(err) {
			return err
		}
		if !errors.Is(err, fs.ErrNotExist) { // else it vanished meanwhile
			w.skip(dir, unreadable(err))
		}
		return nil
	}
	if dir.id == "" {
		w.layout = layoutOf(entries)
	}
	if dir, err = w.src.enter(w.root, dir); err != nil {
		if dir.id == "" || syserr.TooManyFiles(err) {
			return err
		}
		w.skip(dir, err.Error())
		return nil
	}
	for _, e := range entries {
		if err := w.visit(ctx, dir.child(e.Name()), e); err != nil {
			return err
		}
	}
	return nil
}

// visit decides about one entry of a folder.
func (w *walker) visit(ctx context.Context, p place, e fs.DirEntry) error {
	if out, byGit := w.src.ignores(p, e.IsDir()); out {
		if byGit && isMemory(p.id) {
			w.skip(p, "left out by .gitignore")
		}
		return nil
	}
	note := w.src.included(p.id)
	isLink := e.Type()&fs.ModeSymlink != 0
	switch {
	case !note && !e.IsDir() && !mayLinkFolder(p.id, isLink):
		return nil
	case nameProblem(e.Name()) != "":
		w.skip(p, nameProblem(e.Name()))
	case isLink:
		w.skip(p, reasonLink)
	case e.IsDir():
		return w.walk(ctx, p)
	default:
		w.file(p, e)
	}
	return nil
}

// file adds a file that has the name of a note.
func (w *walker) file(p place, e fs.DirEntry) {
	info, err := e.Info()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return // vanished meanwhile
	case err != nil:
		w.skip(p, unreadable(err))
		return
	}
	reason := w.src.role(p.id, w.layout)
	if reason == "" {
		reason = w.src.fileProblem(info)
	}
	w.add(p, memoir.ScanEntry{
		DocumentMeta: memoir.DocumentMeta{
			ID: memoir.DocID(p.id), Kind: memoir.KindNote, Size: info.Size(), ModTime: info.ModTime(),
		},
		Skip: reason,
	})
}

func (w *walker) add(p place, e memoir.ScanEntry) {
	w.found = append(w.found, &foundEntry{e, p.real})
}

func (w *walker) skip(p place, reason string) {
	w.add(p, memoir.ScanEntry{
		DocumentMeta: memoir.DocumentMeta{ID: memoir.DocID(strings.ToValidUTF8(p.id, "\ufffd")), Kind: memoir.KindNote},
		Skip:         reason,
	})
}

const reasonLink = "symbolic link; links are not followed"

// fileProblem returns why a file cannot be a note whatever is in it, or "".
func (s *Source) fileProblem(info fs.FileInfo) string {
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return reasonLink
	case !info.Mode().IsRegular():
		return "not an ordinary file"
	case s.maxBytes >= 0 && info.Size() > s.maxBytes:
		return s.tooLarge(info.Size())
	}
	return ""
}

func (s *Source) tooLarge(size int64) string {
	return fmt.Sprintf("too large: %s, the limit is %s", humanize.IBytes(uint64(size)), humanize.IBytes(uint64(s.maxBytes)))
}

// nameProblem returns why a file of that name cannot be cited, or "".
func nameProblem(name string) string {
	switch {
	case !utf8.ValidString(name):
		return "its name is not valid UTF-8"
	case strings.ContainsFunc(name, unicode.IsControl):
		return "its name has a control character"
	}
	return ""
}

// mayLinkFolder reports whether a link may be meant as a folder of notes. To
// look at its target would be to follow it, so that the name has to tell:
// folders rarely have an ending.
func mayLinkFolder(id string, isLink bool) bool { return isLink && path.Ext(id) == "" }

// isMemory reports whether a path is one that OpenClaw's users expect to be indexed.
func isMemory(id string) bool {
	return id == "MEMORY.md" || id == "USER.md" || id == "memory"
}

// listDir lists a folder in the order of the file system.
func listDir(root *os.Root, name string) ([]fs.DirEntry, error) {
	// A pipe that took the place of a folder meanwhile is not waited for.
	f, err := root.OpenFile(name, os.O_RDONLY|regular.NonBlock, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.ReadDir(-1)
}

// unreadable says that the operating system withholds a file.
func unreadable(err error) string {
	return "cannot be read: " + syserr.Reason(err).Error() // the path is in the id already
}
