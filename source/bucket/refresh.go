package bucket

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/layout"
	"github.com/memoir-ai/memoir/internal/lazyregexp"
	"github.com/memoir-ai/memoir/internal/objects"
	"github.com/memoir-ai/memoir/internal/order"
	"github.com/memoir-ai/memoir/internal/syserr"
)

// HistoryDir is the folder of a bucket that holds the history of changes, in
// numbered pieces.
const HistoryDir = ".memoir/history"

const maxHistory = 64 << 20

var historyName = lazyregexp.New(`^\.memoir/history/[0-9]{8}\.jsonl$`)

// IsHistory reports whether an object is a piece of the history.
func IsHistory(name string) bool { return historyName().MatchString(name) }

// refresh lists the bucket and fetches what differs. After an error, what was
// already fetched stays. The caller holds the lock.
func (c *Copy) refresh(ctx context.Context) error {
	if !c.stale && c.isFresh(c.look.Listed, c.look.Took) {
		return nil
	}
	start := c.opts.Now()
	listed, there, skipped, err := c.list(ctx)
	if err != nil {
		return err
	}
	took := c.opts.Now().Sub(start)
	root, err := os.OpenRoot(NotesDir(c.opts.Dir))
	if err != nil {
		return fmt.Errorf("open the copy of the bucket: %w", err)
	}
	defer root.Close()
	var ask []string
	for name, o := range listed {
		if k, ok := c.intact(root, name); !ok || k.ETag != o.ETag || k.Size != o.Size {
			ask = append(ask, name)
		}
	}
	for name := range c.record.Objects {
		_, wanted := listed[name]
		switch {
		case wanted:
		case there[name]: // it has become too large, or is no note any more
			if err := c.drop(root, name); err != nil {
				return err
			}
		default: // it is gone, or not listed yet
			ask = append(ask, name)
		}
	}
	slices.Sort(ask)
	refused, err := c.fetchAll(ctx, root, ask)
	if err != nil {
		return err
	}
	for name, o := range listed {
		if k, ok := c.record.Objects[name]; ok && k.ETag == o.ETag && !o.Modified.IsZero() {
			k.Modified = o.Modified.Unix()
			c.know(name, k)
		}
	}
	if err := c.sweep(root); err != nil {
		return fmt.Errorf("tidy the copy of the bucket: %w", err)
	}
	c.look.Listed, c.look.Took, c.looked = start, took, true
	c.changed = c.changed || c.record.Version == ""
	c.told.Lock()
	defer c.told.Unlock()
	c.stale, c.skipped = false, append(skipped, refused...)
	return nil
}

// list returns the objects that are to be in the copy, which there are of those that are
// known, and those that a person would miss.
func (c *Copy) list(ctx context.Context) (listed map[string]objects.Object, there map[string]bool, skipped []memoir.ScanEntry, err error) {
	listed, there = map[string]objects.Object{}, map[string]bool{}
	for o, err := range c.opts.Bucket.List(ctx) {
		if err != nil {
			return nil, nil, nil, err
		}
		if _, ok := c.record.Objects[o.Name]; ok {
			there[o.Name] = true
		}
		switch reason := problem(o.Name); {
		case !IsHistory(o.Name) && !c.opts.Keeps(o.Name):
		case reason != "":
			skipped = append(skipped, entry(o, reason))
		case hidden(o.Name):
		case o.Size > c.most(o.Name):
			skipped = append(skipped, entry(o, fmt.Sprintf("too large: %d bytes; the limit is the setting maxFileBytes", o.Size)))
		default:
			listed[o.Name] = o
		}
	}
	if c.folds {
		skipped = append(skipped, apart(listed)...)
	}
	return listed, there, skipped, nil
}

func entry(o objects.Object, reason string) memoir.ScanEntry {
	return memoir.ScanEntry{DocumentMeta: memoir.DocumentMeta{ID: shown(o.Name), Kind: memoir.KindNote, Size: o.Size, ModTime: o.Modified}, Skip: reason}
}

// shown returns a printable form of a name that no file can have.
func shown(name string) memoir.DocID {
	if strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		name = strconv.QuoteToASCII(name)
	}
	return memoir.DocID(name)
}

// problem says why no file can have the name of an object, or returns "" when
// one can.
func problem(name string) string {
	if !fs.ValidPath(name) || name == "." || !filepath.IsLocal(filepath.FromSlash(name)) || strings.ContainsRune(name, '\\') ||
		strings.ContainsFunc(name, unicode.IsControl) || !utf8.ValidString(name) || len(name) > 1024 {
		return "its name is not that of a file"
	}
	for part := range strings.SplitSeq(name, "/") {
		if reason := layout.Reserved(part); reason != "" {
			return reason
		}
		if len(part) > 255 {
			return "its name is too long for a file"
		}
	}
	return ""
}

// hidden reports whether an object is memoir's own, or is hidden by its name as
// a file would be. Ignore files are not hidden.
func hidden(name string) bool {
	if IsHistory(name) {
		return false
	}
	base := path.Base(name)
	if dir := path.Dir(name); strings.HasPrefix(dir, ".") && dir != "." || strings.Contains(dir, "/.") {
		return true
	}
	return strings.HasPrefix(base, ".") && base != ".gitignore" && base != ".memoirignore"
}

// intact returns what is known of an object whose file was not touched since
// memoir wrote it.
func (c *Copy) intact(root *os.Root, name string) (known, bool) {
	k, ok := c.record.Objects[name]
	if !ok {
		return known{}, false
	}
	info, err := root.Lstat(filepath.FromSlash(name))
	return k, err == nil && info.Mode().IsRegular() && info.Size() == k.Size && info.ModTime().UnixNano() == k.Time
}

// fetchAll fetches several objects at a time, and returns those that cannot be
// copied.
func (c *Copy) fetchAll(ctx context.Context, root *os.Root, names []string) (refused []memoir.ScanEntry, err error) {
	var mu sync.Mutex
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(objects.Parallel)
	for _, name := range names {
		group.Go(func() error {
			data, etag, err := c.opts.Bucket.Get(ctx, name, c.most(name))
			mu.Lock()
			defer mu.Unlock()
			if errors.Is(err, objects.ErrLarge) { // since it was listed
				return nil
			}
			if err := c.got(root, name, data, etag, err); err != nil {
				reason := syserr.Cause(err) // nil unless the file system of the copy said so
				if reason == nil {
					return err
				}
				e := entry(objects.Object{Name: name}, "it cannot be copied: "+reason.Error())
				e.Temporary = true
				refused = append(refused, e)
			}
			return nil
		})
	}
	err = group.Wait()
	order.By(refused, func(a, b memoir.ScanEntry) int { return strings.Compare(string(a.ID), string(b.ID)) })
	return refused, err
}

// fetch fetches one object.
func (c *Copy) fetch(ctx context.Context, root *os.Root, name string) error {
	data, etag, err := c.opts.Bucket.Get(ctx, name, c.most(name))
	return c.got(root, name, data, etag, err)
}

// got puts the response for an object into the copy.
func (c *Copy) got(root *os.Root, name string, data []byte, etag string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return c.drop(root, name)
	}
	if err != nil {
		return err
	}
	k, err := c.keep(root, name, data, etag)
	if err != nil {
		c.forget(name)
		return err
	}
	c.know(name, k)
	return nil
}

// keep writes a file of the copy in one step. What somebody else has written
// there is moved aside.
func (c *Copy) keep(root *os.Root, name string, data []byte, etag string) (known, error) {
	if err := c.aside(root, name, data); err != nil {
		return known{}, err
	}
	file := filepath.FromSlash(name)
	dir := filepath.Dir(file)
	if err := root.MkdirAll(dir, 0o700); err != nil {
		return known{}, err
	}
	temporary := filepath.Join(dir, fmt.Sprintf(".%08x.new", rand.Uint32()))
	if err := root.WriteFile(temporary, data, 0o600); err != nil {
		return known{}, errors.Join(err, root.Remove(temporary))
	}
	if err := root.Rename(temporary, file); err != nil {
		return known{}, errors.Join(err, root.Remove(temporary))
	}
	info, err := root.Lstat(file)
	if err != nil {
		return known{}, err
	}
	return known{ETag: etag, Size: info.Size(), Time: info.ModTime().UnixNano()}, nil
}

// drop removes an object from the copy, and folders that become empty.
func (c *Copy) drop(root *os.Root, name string) error {
	if err := c.aside(root, name, nil); err != nil {
		return err
	}
	c.forget(name)
	file := filepath.FromSlash(name)
	if err := root.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for dir := filepath.Dir(file); dir != "."; dir = filepath.Dir(dir) {
		if root.Remove(dir) != nil {
			break
		}
	}
	return nil
}

// aside moves a file away that the copy did not write, unless it has the same
// content.
func (c *Copy) aside(root *os.Root, name string, data []byte) error {
	file := filepath.FromSlash(name)
	info, err := root.Lstat(file)
	if err != nil || info.IsDir() {
		return nil // nothing, or what says so itself
	}
	if _, ok := c.intact(root, name); ok {
		return nil
	}
	if now, err := root.ReadFile(file); info.Mode().IsRegular() && err == nil && string(now) == string(data) {
		return nil
	}
	if err := os.MkdirAll(string(AsideOf(c.opts.Dir)), 0o700); err != nil {
		return err
	}
	to := fmt.Sprintf("%s-%08x-%s", c.opts.Now().UTC().Format("20060102-150405"), rand.Uint32(), filepath.Base(file))
	return os.Rename(filepath.Join(NotesDir(c.opts.Dir), file), filepath.Join(string(AsideOf(c.opts.Dir)), to))
}

// sweep moves files away that are not objects of the bucket.
func (c *Copy) sweep(root *os.Root) error {
	var strange []string
	err := fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if _, ok := c.record.Objects[name]; !ok && !d.IsDir() {
			strange = append(strange, name)
		}
		return nil
	})
	for _, name := range slices.Sorted(slices.Values(strange)) {
		if strings.HasSuffix(name, ".new") && strings.HasPrefix(path.Base(name), ".") {
			err = errors.Join(err, root.Remove(filepath.FromSlash(name))) // of a process that was killed
			continue
		}
		err = errors.Join(err, c.aside(root, name, nil))
	}
	return err
}
