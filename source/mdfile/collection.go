package mdfile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/ability"
	"github.com/memoir-ai/memoir/internal/syserr"
)

// CollectionsFolder is the first part of the ids of all collections.
const CollectionsFolder = "collections"

// A Collection is a folder of Markdown beside the workspace, with the rules of a
// [Source]. The ids of its documents are collections/NAME/PATH.
//
// A folder that is missing, cannot be listed or holds no file may be on a disk
// that is not mounted. So it is listed as a skipped entry, and the index keeps
// what it has of it.
type Collection struct {
	src    *Source
	name   string
	prefix string
}

var (
	_ memoir.Source   = (*Collection)(nil)
	_ ability.Watched = (*Collection)(nil)
	_ ability.Owner   = (*Collection)(nil)
)

// OpenCollection returns the collection of a name, which is one part of a path.
// The folder need not exist. A malformed pattern gives [memoir.ErrInvalid].
func OpenCollection(name, folder string, opts Options) (*Collection, error) {
	dir, err := filepath.Abs(folder)
	if err != nil {
		return nil, fmt.Errorf("open collection %s: %w", name, err)
	}
	src, err := open(dir, opts)
	if err != nil {
		return nil, fmt.Errorf("open collection %s: %w", name, err)
	}
	return &Collection{src: src, name: name, prefix: CollectionsFolder + "/" + name + "/"}, nil
}

// Kind returns [memoir.KindCollection].
func (c *Collection) Kind() memoir.Kind { return memoir.KindCollection }

// Prefix returns what the ids of its documents begin with.
func (c *Collection) Prefix() string { return c.prefix }

// Problem says why the folder cannot be read now; nil: no problem is known.
func (c *Collection) Problem() error {
	switch info, err := os.Stat(c.src.dir); {
	case err != nil:
		return c.unread(err)
	case !info.IsDir():
		return fmt.Errorf("%s is not a folder", c.src.dir)
	}
	return nil
}

func (c *Collection) unread(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the folder %s is not there", c.src.dir)
	}
	return fmt.Errorf("the folder %s cannot be read: %w", c.src.dir, syserr.Reason(err))
}

// Owns implements [ability.Owner].
func (c *Collection) Owns(id memoir.DocID) bool {
	below, ok := strings.CutPrefix(string(id), c.prefix)
	return ok && c.src.Owns(memoir.DocID(below))
}

// Scan implements [memoir.Source]. It returns an error only when ctx is done or
// too many files are open.
func (c *Collection) Scan(ctx context.Context) iter.Seq2[memoir.ScanEntry, error] {
	return func(yield func(memoir.ScanEntry, error) bool) {
		none := true
		for e, err := range c.src.Scan(ctx) {
			switch {
			case err != nil && (ctx.Err() != nil || syserr.TooManyFiles(err)):
				yield(e, err)
				return
			case err != nil:
				problem := c.Problem()
				if problem == nil {
					problem = c.unread(err)
				}
				yield(c.kept(problem.Error()), nil)
				return
			}
			none = false
			e.ID, e.Kind = memoir.DocID(c.prefix)+e.ID, memoir.KindCollection
			if !yield(e, nil) {
				return
			}
		}
		if none {
			yield(c.kept("the folder "+c.src.dir+" holds no notes"), nil)
		}
	}
}

// kept returns the entry of a folder about which nothing is known now.
func (c *Collection) kept(reason string) memoir.ScanEntry {
	id := memoir.DocID(strings.TrimSuffix(c.prefix, "/"))
	return memoir.ScanEntry{DocumentMeta: memoir.DocumentMeta{ID: id, Kind: memoir.KindCollection}, Temporary: true,
		Skip: reason + "; what is indexed of it stays as long as the setting collections names it"}
}

// Read implements [memoir.Source]. While the folder is missing, its documents
// count as unreadable for a moment.
func (c *Collection) Read(ctx context.Context, id memoir.DocID) (memoir.Document, error) {
	below, ok := strings.CutPrefix(string(id), c.prefix)
	if !ok {
		return memoir.Document{}, fmt.Errorf("%s: %w", id, memoir.ErrNotFound)
	}
	if problem := c.Problem(); problem != nil {
		skip := &memoir.SkipError{ID: id, Reason: problem.Error(), Temporary: true}
		return memoir.Document{}, memoir.WithHint(skip, "bring the folder or its disk back; memoir doctor looks at all folders")
	}
	doc, err := c.src.Read(ctx, memoir.DocID(below))
	var skip *memoir.SkipError
	switch {
	case errors.As(err, &skip):
		return memoir.Document{}, memoir.WithHint(&memoir.SkipError{ID: memoir.DocID(c.prefix) + skip.ID, Reason: skip.Reason, Temporary: skip.Temporary}, memoir.Hint(err))
	case err != nil:
		return memoir.Document{}, err
	}
	doc.ID, doc.Kind = memoir.DocID(c.prefix)+doc.ID, memoir.KindCollection
	return doc, nil
}

// Locate returns the id of the document that a person means by a path, absolute
// or relative to the working directory. It returns false for a path outside the
// folder. Nothing needs to exist.
func (c *Collection) Locate(path string) (memoir.DocID, bool) {
	abs, err := filepath.Abs(filepath.FromSlash(path))
	if path == "" || strings.ContainsRune(path, 0) || err != nil {
		return "", false
	}
	id, ok := c.src.idOf(abs)
	return memoir.DocID(c.prefix) + id, ok
}

// Mark implements [ability.Watched]. It returns 0 while the folder is missing.
func (c *Collection) Mark() uint64 {
	if c.Problem() != nil {
		return 0
	}
	return c.src.Mark()
}

// Unchanged implements [ability.Watched].
func (c *Collection) Unchanged(mark uint64) bool { return c.src.Unchanged(mark) }

// Wait implements [ability.Watched].
func (c *Collection) Wait(ctx context.Context, mark uint64) bool { return c.src.Wait(ctx, mark) }

// Blind says why the collection cannot detect changes; nil: it can.
func (c *Collection) Blind() error {
	err := c.Problem()
	if err == nil {
		err = c.src.Blind()
	}
	if err != nil {
		return fmt.Errorf("collection %s: %w", c.name, err)
	}
	return nil
}

// Close ends the watching of the folder. The collection stays usable.
func (c *Collection) Close() error { return c.src.Close() }
