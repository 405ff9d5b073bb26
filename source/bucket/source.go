package bucket

import (
	"context"
	"fmt"
	"hash/fnv"
	"iter"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/ability"
)

// A Source is the notes of a bucket. It reads them from the copy, which a scan
// first makes equal to the bucket.
type Source struct {
	copy  *Copy
	notes memoir.Source // of the folder of the copy
	poll  time.Duration
}

var (
	_ memoir.Source   = (*Source)(nil)
	_ ability.Watched = (*Source)(nil)
	_ ability.Owner   = (*Source)(nil)
)

// Notes returns the notes of a copy. notes reads the folder of the copy. While
// somebody waits for changes the bucket is listed every poll; 0: never.
func (c *Copy) Notes(notes memoir.Source, poll time.Duration) *Source { return &Source{c, notes, poll} }

// Kind implements [memoir.Source].
func (s *Source) Kind() memoir.Kind { return s.notes.Kind() }

// Owns implements [ability.Owner].
func (s *Source) Owns(id memoir.DocID) bool {
	owner, ok := memoir.As[ability.Owner](s.notes)
	return ok && owner.Owns(id)
}

// Scan implements [memoir.Source]. When the bucket cannot be listed it yields the error
// and no entry.
func (s *Source) Scan(ctx context.Context) iter.Seq2[memoir.ScanEntry, error] {
	return func(yield func(memoir.ScanEntry, error) bool) {
		if err := s.copy.Refresh(ctx); err != nil {
			yield(memoir.ScanEntry{}, fmt.Errorf("list the notes of %s: %w", s.copy.opts.Name, err))
			return
		}
		for e, err := range s.notes.Scan(ctx) {
			e.DocumentMeta = s.copy.asThere(e.DocumentMeta)
			if !yield(e, err) || err != nil {
				return
			}
		}
		for _, e := range s.copy.left() {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// left returns the objects that are not in the copy although a person would
// miss them, as of this process's last listing.
func (c *Copy) left() []memoir.ScanEntry {
	c.told.RLock()
	defer c.told.RUnlock()
	return c.skipped
}

// Read implements [memoir.Source]. It returns a note as of the last listing,
// also while the bucket cannot be listed.
func (s *Source) Read(ctx context.Context, id memoir.DocID) (memoir.Document, error) {
	if err := s.copy.retry(ctx); err != nil {
		return memoir.Document{}, err
	}
	doc, err := s.notes.Read(ctx, id)
	doc.DocumentMeta = s.copy.asThere(doc.DocumentMeta)
	return doc, err
}

// asThere gives what is known of a file the time and the stamp of its object. Those of
// the file are of this machine alone: of machines that share an index each would take the
// notes for changed by the other.
func (c *Copy) asThere(meta memoir.DocumentMeta) memoir.DocumentMeta {
	c.told.RLock()
	k, ok := c.shown[string(meta.ID)]
	c.told.RUnlock()
	if !ok || k.Modified == 0 || k.Size != meta.Size || k.Time != meta.ModTime.UnixNano() {
		return meta
	}
	sum := fnv.New64a()
	_, _ = sum.Write([]byte(k.ETag)) // never fails
	meta.ModTime, meta.Stamp = time.Unix(k.Modified, 0).UTC(), sum.Sum64()
	return meta
}

// Mark implements [ability.Watched].
func (s *Source) Mark() uint64 {
	if w, ok := memoir.As[ability.Watched](s.notes); ok {
		return w.Mark()
	}
	return 0
}

// Unchanged implements [ability.Watched]. The last listing counts for a moment.
func (s *Source) Unchanged(mark uint64) bool {
	w, ok := memoir.As[ability.Watched](s.notes)
	return ok && s.copy.fresh() && w.Unchanged(mark)
}

// Wait implements [ability.Watched]: it lists the bucket from time to time.
func (s *Source) Wait(ctx context.Context, mark uint64) bool {
	w, ok := memoir.As[ability.Watched](s.notes)
	if !ok || mark == 0 {
		return false
	}
	for ctx.Err() == nil {
		timed, cancel := ctx, func() {}
		if s.poll > 0 {
			timed, cancel = context.WithTimeout(ctx, s.poll)
		}
		happened := w.Wait(timed, mark)
		ended := timed.Err() != nil
		cancel()
		if happened || !ended {
			return happened
		}
		_ = s.copy.Refresh(ctx) // the next scan reports the error
	}
	return false
}
