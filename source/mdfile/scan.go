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
	"github.com/memoir-ai/memoir/internal/layout"
	"github.com/memoir-ai/memoir/internal/order"
	"github.com/memoir-ai/memoir/internal/regular"
	"github.com/memoir-ai/memoir/internal/syserr"
	"golang.org/x/sync/errgroup"
)

// Scan yields the notes and the skipped files of the folder, ordered by id. It
// lists several folders at a time, and reads only ignore files. When the folder
// itself cannot be listed, or ctx is done, it yields one error and no entry.
func (s *Source) Scan(ctx context.Context) iter.Seq2[memoir.ScanEntry, error] {
	return func(yield func(memoir.ScanEntry, error) bool) {
		found, err := s.scan(ctx)
		if err != nil {
			yield(memoir.ScanEntry{}, err)
			return
		}
		for e := range found {
			if !yield(e.entry(), nil) {
				return
			}
		}
	}
}

func (s *Source) scan(ctx context.Context) (iter.Seq[*item], error) {
	root, err := s.openRoot()
	if err != nil {
		return nil, err
	}
	defer root.Close()
	top, err := openFolder(root)
	if err != nil {
		return nil, s.unlisted(err)
	}
	all := node{place: place{real: "."}}
	w := walker{src: s, root: root}
	w.group.SetLimit(lookers)
	err = w.walk(ctx, top, &all)
	if err := cmp.Or(w.group.Wait(), err); err != nil {
		return nil, s.unlisted(err)
	}
	if info, err := root.Stat("."); err == nil {
		s.watched.root.Store(&info)
	}
	if all.sorted() {
		return all.entries, nil
	}
	found := slices.SortedFunc(all.entries, (*item).compare)
	for i := 1; i < len(found); i++ {
		if found[i].id == found[i-1].id && found[i].skip == "" {
			found[i].skip = "another file has this name in another Unicode normal form"
		}
	}
	return slices.Values(found), nil
}

// lookers is how many folders are listed at the same time. That is enough for a
// few processors or a slow disk, and each has some files open.
const lookers = 8

// unlisted says that the workspace could not be listed.
func (s *Source) unlisted(err error) error {
	err = fmt.Errorf("list workspace %s: %w", s.dir, syserr.Reason(err))
	if syserr.TooManyFiles(err) {
		err = memoir.WithHint(err, syserr.MoreFiles)
	}
	return err
}

// node holds what was found in a folder, in the order of the ids.
type node struct {
	place
	items []item
}

// item is a file, or a folder with its content. The id of a folder ends with a
// slash, so that it sorts like the ids of its content.
type item struct {
	id, real string // as [place] has them
	facts
	skip  string // as [memoir.ScanEntry] has it
	below *node
}

func (it *item) entry() memoir.ScanEntry {
	return memoir.ScanEntry{
		DocumentMeta: memoir.DocumentMeta{ID: memoir.DocID(it.id), Kind: memoir.KindNote, Size: it.size, ModTime: it.modTime, Stamp: it.stamp},
		Skip:         it.skip,
	}
}

// compare orders by id. Of two files with one id, the one whose name needs no
// normalisation comes first, because [Source.Read] tries it first.
func (it *item) compare(other *item) int {
	if it.id != other.id {
		return cmp.Compare(it.id, other.id)
	}
	return cmp.Or(cmp.Compare(it.rank(), other.rank()), cmp.Compare(it.real, other.real))
}

func (it *item) rank() int {
	if it.real == it.id {
		return 0
	}
	return 1
}

// entries yields what was found in the folder and below it.
func (n *node) entries(yield func(*item) bool) { n.each(yield) }

func (n *node) each(yield func(*item) bool) bool {
	for i := range n.items {
		it := &n.items[i]
		if it.below != nil && !it.below.each(yield) || it.below == nil && !yield(it) {
			return false
		}
	}
	return true
}

// sorted reports whether all entries are in the order of their ids and no two
// share an id. Two folders can share one when their names differ only in normal
// form.
func (n *node) sorted() bool {
	last := ""
	for it := range n.entries {
		if it.id <= last {
			return false
		}
		last = it.id
	}
	return true
}

// walker collects the entries of one scan.
type walker struct {
	src   *Source
	root  *os.Root
	shape shape
	group errgroup.Group // lists folders concurrently
}

// walk lists a folder, which it closes, and everything below it. It returns an
// error only when the root cannot be listed, or when the reason has nothing to
// do with the folder: ctx is done, or too many files are open.
func (w *walker) walk(ctx context.Context, dir *folder, n *node) error {
	defer dir.close()
	if err := ctx.Err(); err != nil {
		return err
	}
	dir.watch(w.src.watched.watcher) // before listing, so that later changes are counted
	entries, err := dir.list()
	if err == nil && n.id == "" {
		w.shape = shapeOf(entries)
	}
	if err == nil && slices.ContainsFunc(entries, mayIgnore) {
		n.place, err = w.src.enter(w.root, n.place)
	}
	if err != nil {
		return n.fail(err)
	}
	n.items = make([]item, 0, len(entries))
	for _, e := range entries {
		w.visit(dir, n, n.child(e.Name()), e)
	}
	order.By(n.items, func(a, b item) int { return cmp.Compare(a.id, b.id) })
	for i := range n.items {
		below := n.items[i].below
		if below == nil {
			continue
		}
		sub, err := dir.open(path.Base(below.real))
		if err != nil {
			if err := below.fail(err); err != nil {
				return err
			}
			continue
		}
		look := func() error { return w.walk(ctx, sub, below) }
		if !w.group.TryGo(look) {
			if err := look(); err != nil {
				return err
			}
		}
	}
	return nil
}

// fail records that the folder cannot be listed. A folder that has vanished is
// no failure.
func (n *node) fail(err error) error {
	var refused *refusedError
	switch {
	case n.id == "" || syserr.TooManyFiles(err):
		return err
	case errors.As(err, &refused):
		n.skip(n.place, refused.reason)
	case !errors.Is(err, fs.ErrNotExist):
		n.skip(n.place, unreadable(err))
	}
	return nil
}

// visit decides about one entry of a folder.
func (w *walker) visit(dir *folder, n *node, p place, e fs.DirEntry) {
	if out, byGit := w.src.ignores(p, e.IsDir()); out {
		if byGit && layout.Expected(p.id) {
			n.skip(p, "left out by .gitignore")
		}
		return
	}
	note := w.src.included(p.id)
	isLink := e.Type()&fs.ModeSymlink != 0
	switch {
	case !note && !e.IsDir() && !mayLinkFolder(p.id, isLink):
	case nameProblem(e.Name()) != "":
		n.skip(p, nameProblem(e.Name()))
	case isLink:
		n.skip(p, reasonLink)
	case e.IsDir():
		n.items = append(n.items, item{id: p.id + "/", real: p.real, below: &node{place: p}})
	default:
		w.file(dir, n, p, e)
	}
}

// file adds a file whose name is that of a note.
func (w *walker) file(dir *folder, n *node, p place, e fs.DirEntry) {
	f, err := dir.look(e)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return // vanished meanwhile
	case err != nil:
		n.skip(p, unreadable(err))
		return
	}
	if f.shared {
		w.src.watched.shared.Store(true)
	}
	reason := w.src.role(p.id, w.shape)
	if reason == "" {
		reason = w.src.fileProblem(f)
	}
	n.items = append(n.items, item{id: p.id, real: p.real, facts: f, skip: reason})
}

func (n *node) skip(p place, reason string) {
	n.items = append(n.items, item{id: strings.ToValidUTF8(p.id, "\ufffd"), real: p.real, skip: reason})
}

const reasonLink = "symbolic link; links are not followed"

// fileProblem returns why a file cannot be a note whatever it contains, or "".
func (s *Source) fileProblem(f facts) string {
	switch {
	case f.link:
		return reasonLink
	case !f.regular:
		return "not an ordinary file"
	case s.maxBytes >= 0 && f.size > s.maxBytes:
		return s.tooLarge(f.size)
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

// mayLinkFolder reports whether a link may be meant as a folder of notes. Its
// target must not be looked at, because that would follow the link. So the name
// has to tell: folders rarely have an extension.
func mayLinkFolder(id string, isLink bool) bool { return isLink && path.Ext(id) == "" }

// listDir lists a folder in the order of the file system.
func listDir(root *os.Root, name string) ([]fs.DirEntry, error) {
	// If a pipe has taken the place of the folder meanwhile, do not wait for it.
	f, err := root.OpenFile(name, os.O_RDONLY|regular.NonBlock, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.ReadDir(-1)
}

// unreadable says that the operating system refuses to open a file.
func unreadable(err error) string {
	return "cannot be read: " + syserr.Reason(err).Error() // the path is in the id already
}
