// Package bucket is the [memoir.Source] of notes that are objects in a bucket
// of S3 or a compatible service. The objects are the truth. This machine reads
// them from a copy in a folder of its own, which may be deleted at any time.
//
// Another package reads the folder. This one keeps it equal to the bucket: a
// listing with ETags tells what has changed, and only that is fetched. A write
// goes to the bucket first, on condition that the object is still the one that
// was read.
package bucket

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/atomicfile"
	"github.com/memoir-ai/memoir/internal/objects"
	"github.com/memoir-ai/memoir/internal/regular"
	"github.com/memoir-ai/memoir/internal/statedir"
)

// Options say what is copied, and to where.
type Options struct {
	Bucket *objects.Bucket
	Name   string // of the bucket, for people, and to tell copies of different buckets apart
	Dir    string // of the copy and its record
	// Keeps says which objects are notes or belong to them. Other objects are
	// not copied.
	Keeps    func(name string) bool
	MaxBytes int64 // of an object; a larger one is not copied
	// Fresh is for how long a listing is taken to hold: one that takes long itself holds
	// twice as long as that, so that no more than half of the time is spent on them. 0: not
	// at all.
	Fresh time.Duration
	Now   func() time.Time // nil: [time.Now]
}

// NotesDir returns the folder of notes within the folder of a copy.
func NotesDir(dir string) string { return filepath.Join(dir, "notes") }

// A Copy is the copy of a bucket on this machine. It is safe for concurrent
// use, also by several processes.
type Copy struct {
	opts  Options
	folds bool // the file system takes names that differ in case or in accents for one

	mu      sync.Mutex // held together with the machine's lock
	record  record
	read    fs.FileInfo // of the file that the record was read from or written to; nil: of none
	own     bool        // nobody else has the map of objects
	changed bool        // the record has changed since it was written
	look    look
	looked  bool        // the look has changed since it was written
	writing atomic.Bool // somebody holds the copy for [Copy.Put], and it equals the bucket

	told    sync.RWMutex // guards the fields below, for readers without the lock
	skipped []memoir.ScanEntry
	stale   bool             // an object was another one than was known; written with mu held
	listed  time.Time        // as in the look
	took    time.Duration    // as in the look
	failed  time.Time        // when the bucket could not be listed last
	shown   map[string]known // what was known when the lock was given back; it does not change
}

// A record is what is known of a copy. It is kept in a file beside it.
type record struct {
	Bucket  string           `json:"bucket"`
	Version string           `json:"version"`          // another one each time it is written
	Writes  string           `json:"writes,omitempty"` // what the server can do, once that was tried
	Objects map[string]known `json:"objects"`
}

// A look is what changes with each listing, in a file of its own: the record is some 150
// bytes for each note, and a server that is asked all day long looks each second.
type look struct {
	Version string        `json:"version"` // of the record that it is of
	Listed  time.Time     `json:"listed"`  // when the listing began
	Took    time.Duration `json:"took"`
}

// known is an object as it was fetched or written, with the state in which its
// file was left.
type known struct {
	ETag string `json:"etag"`
	Size int64  `json:"size"`
	Time int64  `json:"time"` // of the file
	// Modified is when the object was written, in seconds, as a listing tells it; 0: none has.
	Modified int64 `json:"modified,omitempty"`
}

// What a server can do.
const (
	canWrite  = "conditional"
	canDelete = "conditional, deletions too"
)

// Open returns the copy of a bucket, and makes it if there is none. It sends no
// request.
func Open(opts Options) (*Copy, error) {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	c := &Copy{opts: opts}
	if err := statedir.Make(c.path()); err != nil {
		return nil, err
	}
	notes := NotesDir(opts.Dir)
	if err := regular.Folder(notes); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, memoir.WithHint(fmt.Errorf("the copy of the bucket: %w", err), "move "+notes+" away")
	}
	if err := os.MkdirAll(notes, 0o700); err != nil {
		return nil, memoir.WithHint(fmt.Errorf("make the copy of the bucket: %w", err), statedir.Hint)
	}
	c.folds = folding(notes)
	return c, nil
}

func (c *Copy) path() string { return filepath.Join(c.opts.Dir, "copy.json") }

func (c *Copy) lookPath() string { return filepath.Join(c.opts.Dir, "look.json") }

// Refresh makes the copy equal to the bucket. It does nothing when the bucket
// was listed a moment ago, or when somebody in this process writes to it and so
// has just done this.
func (c *Copy) Refresh(ctx context.Context) error {
	if c.fresh() || c.writing.Load() {
		return nil
	}
	unlock, err := c.lock(ctx)
	if err != nil {
		return err
	}
	err = c.refresh(ctx)
	if err != nil && ctx.Err() == nil {
		c.told.Lock()
		c.failed = c.opts.Now()
		c.told.Unlock()
	}
	return errors.Join(err, unlock())
}

// pause is for how long a bucket that could not be listed is not asked again by those who
// can do without.
const pause = 5 * time.Second

// retry is Refresh for who can do with the copy as it is, if it was ever whole.
func (c *Copy) retry(ctx context.Context) error {
	c.told.RLock()
	age := c.opts.Now().Sub(c.failed)
	c.told.RUnlock()
	if c.Listed() && age >= 0 && age < pause {
		return nil
	}
	if err := c.Refresh(ctx); err != nil && !c.Listed() {
		return err
	}
	return nil
}

// Listed reports whether the copy was complete at any time.
func (c *Copy) Listed() bool {
	c.told.RLock()
	defer c.told.RUnlock()
	return !c.listed.IsZero()
}

// fresh reports whether the last listing can still be used.
func (c *Copy) fresh() bool {
	c.told.RLock()
	defer c.told.RUnlock()
	return !c.stale && c.isFresh(c.listed, c.took)
}

// isFresh reports whether a listing holds that began and took so long.
func (c *Copy) isFresh(listed time.Time, took time.Duration) bool {
	age, most := c.opts.Now().Sub(listed), c.opts.Fresh
	if most > 0 {
		most = max(most, 2*min(took, time.Minute))
	}
	return age >= 0 && age < most // a time in the future comes from another clock
}

// Lock keeps everybody else on this machine from changing the copy, and makes
// it equal to the bucket.
func (c *Copy) Lock(ctx context.Context) (func() error, error) {
	unlock, err := c.lock(ctx)
	if err != nil {
		return nil, err
	}
	if err := c.refresh(ctx); err != nil {
		return nil, errors.Join(err, unlock())
	}
	c.writing.Store(true)
	return func() error {
		c.writing.Store(false)
		return unlock()
	}, nil
}

func (c *Copy) lock(ctx context.Context) (unlock func() error, err error) {
	lock, err := statedir.Acquire(ctx, filepath.Join(c.opts.Dir, "copy.lock"), nil)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	if err := c.load(); err != nil {
		c.mu.Unlock()
		return nil, errors.Join(err, lock.Release())
	}
	return func() error {
		err := c.save()
		c.told.Lock()
		c.shown, c.own = c.record.Objects, false
		c.told.Unlock()
		c.mu.Unlock()
		return errors.Join(err, lock.Release())
	}, nil
}

// load reads the record, unless this process knows what the file holds. If it
// cannot be read or belongs to another bucket, it counts as empty, and
// everything is fetched again.
func (c *Copy) load() error {
	c.changed, c.looked = false, false
	info, err := os.Lstat(c.path())
	if err != nil || c.read == nil || !os.SameFile(info, c.read) || !info.ModTime().Equal(c.read.ModTime()) || info.Size() != c.read.Size() {
		if err := c.reread(); err != nil {
			return err
		}
		c.read = info // of before it was read: a later one is read again
	}
	c.look = look{}
	data, err := regular.ReadFile(c.lookPath())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return statedir.WithHint(c.lookPath(), fmt.Errorf("read when the bucket was listed: %w", err))
	}
	if json.Unmarshal(data, &c.look) != nil || c.look.Version != c.record.Version || c.record.Version == "" {
		c.look = look{}
	}
	c.noted()
	return nil
}

func (c *Copy) reread() error {
	c.record, c.own = record{}, true
	data, err := regular.ReadFile(c.path())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return statedir.WithHint(c.path(), fmt.Errorf("read what is known of the copy: %w", err))
	}
	if json.Unmarshal(data, &c.record) != nil || c.record.Bucket != c.opts.Name {
		c.record = record{}
	}
	c.record.Bucket = c.opts.Name
	maps.DeleteFunc(c.record.Objects, func(name string, _ known) bool { return problem(name) != "" })
	if c.record.Objects == nil {
		c.record.Objects = map[string]known{}
	}
	return nil
}

func (c *Copy) save() error {
	c.noted()
	if c.changed {
		c.record.Version, c.read = rand.Text(), nil
		err := atomicfile.Write(c.path(), 0o600, func(w io.Writer) error { return json.NewEncoder(w).Encode(c.record) })
		if err != nil {
			return fmt.Errorf("write what is known of the copy: %w", err)
		}
		c.read, _ = os.Lstat(c.path()) // else it is read again
		c.changed = false
	}
	if !c.looked && c.look.Version == c.record.Version || c.look.Listed.IsZero() {
		return nil
	}
	c.look.Version = c.record.Version
	err := atomicfile.Write(c.lookPath(), 0o600, func(w io.Writer) error { return json.NewEncoder(w).Encode(c.look) })
	if err != nil {
		return fmt.Errorf("write when the bucket was listed: %w", err)
	}
	c.looked = false
	return nil
}

// noted publishes the time of the listing to readers without the lock.
func (c *Copy) noted() {
	c.told.Lock()
	defer c.told.Unlock()
	c.listed, c.took = c.look.Listed, c.look.Took
}

// alone makes the map of objects one that nobody reads meanwhile.
func (c *Copy) alone() {
	if !c.own {
		c.record.Objects, c.own = maps.Clone(c.record.Objects), true
	}
}

func (c *Copy) know(name string, k known) {
	if c.record.Objects[name] != k {
		c.alone()
		c.record.Objects[name], c.changed = k, true
	}
}

func (c *Copy) forget(name string) {
	if _, ok := c.record.Objects[name]; ok {
		c.alone()
		delete(c.record.Objects, name)
		c.changed = true
	}
}

// doubt says that the last listing must not be used any more.
func (c *Copy) doubt() {
	c.told.Lock()
	defer c.told.Unlock()
	c.stale = true
}

// Put writes a note to the bucket and to the copy, if the bucket still has the
// text was; nil means that there is no object. Otherwise ok is false, and the
// copy gets what the bucket has. The caller holds the lock.
func (c *Copy) Put(ctx context.Context, name string, was *string, text string) (ok bool, err error) {
	if err := c.collides(name); err != nil {
		return false, err
	}
	if err := c.able(ctx); err != nil {
		return false, err
	}
	root, err := os.OpenRoot(NotesDir(c.opts.Dir))
	if err != nil {
		return false, err
	}
	defer root.Close()
	etag := ""
	if was != nil {
		if etag, ok, err = c.etag(ctx, root, name, *was); !ok || err != nil {
			return false, err
		}
	}
	etag, err = c.opts.Bucket.Put(ctx, name, []byte(text), etag)
	if errors.Is(err, objects.ErrChanged) {
		return false, c.reload(ctx, root, name)
	}
	if err != nil {
		return false, err
	}
	if etag == "" { // it was written, and somebody else has added to it
		_ = c.reload(ctx, root, name) // else the next listing does
		return true, nil
	}
	// The bucket has the note. If the copy cannot be written, the next listing
	// mends it.
	if k, err := c.keep(root, name, []byte(text), etag); err == nil {
		c.know(name, k)
	} else {
		c.forget(name)
		c.doubt()
	}
	return true, nil
}

// Remove removes a note under the same condition. It is no error when the note
// is gone already.
func (c *Copy) Remove(ctx context.Context, name, was string) (ok bool, err error) {
	if err := c.able(ctx); err != nil {
		return false, err
	}
	root, err := os.OpenRoot(NotesDir(c.opts.Dir))
	if err != nil {
		return false, err
	}
	defer root.Close()
	if c.record.Writes != canDelete { // the last check that is possible
		if err := c.reload(ctx, root, name); err != nil {
			return false, err
		}
	}
	etag, ok, err := c.etag(ctx, root, name, was)
	if !ok || err != nil {
		return false, err
	}
	err = c.opts.Bucket.Delete(ctx, name, etag)
	if errors.Is(err, objects.ErrChanged) {
		return false, c.reload(ctx, root, name)
	}
	if err != nil {
		return false, err
	}
	return true, c.drop(root, name)
}

// able finds out, once, whether the server respects conditions.
func (c *Copy) able(ctx context.Context) error {
	if c.record.Writes != "" {
		return nil
	}
	deletes, err := c.opts.Bucket.Conditional(ctx)
	if err != nil {
		return err
	}
	c.record.Writes, c.changed = canWrite, true
	if deletes {
		c.record.Writes = canDelete
	}
	return nil
}

// etag returns the ETag of the object that holds a text, if it is known.
// Otherwise ok is false, and the copy gets what the bucket has.
func (c *Copy) etag(ctx context.Context, root *os.Root, name, text string) (etag string, ok bool, err error) {
	for again := range 2 {
		if k, ok := c.intact(root, name); ok {
			now, err := root.ReadFile(filepath.FromSlash(name))
			if err == nil && string(now) == text {
				return k.ETag, true, nil
			}
			if again > 0 {
				return "", false, nil
			}
		}
		if err := c.reload(ctx, root, name); err != nil {
			return "", false, err
		}
	}
	return "", false, nil
}

// reload fetches one object, even if it seems unchanged.
func (c *Copy) reload(ctx context.Context, root *os.Root, name string) error {
	c.doubt()
	return c.fetch(ctx, root, name)
}

// most returns how large an object may be to be copied.
func (c *Copy) most(name string) int64 {
	if IsHistory(name) {
		return maxHistory
	}
	return cmp.Or(c.opts.MaxBytes, 1<<40)
}
