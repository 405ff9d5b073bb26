package memstore

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/order"
	"github.com/memoir-ai/memoir/store/internal/vector"
	"github.com/memoir-ai/memoir/tune"
)

// space is what is kept of an embedding space.
type space struct {
	vectors     map[memoir.Hash]*entry
	failed      map[memoir.Hash]memoir.FailedText
	calibration memoir.Calibration
	measured    int
}

// entry is a vector and the day on which it was last used.
type entry struct {
	vector []float32
	used   time.Time
}

func today() time.Time { return time.Now().UTC().Truncate(24 * time.Hour) }

func (s *Store) space(id memoir.Space) *space {
	if s.spaces[id] == nil {
		s.spaces[id] = &space{vectors: map[memoir.Hash]*entry{}, failed: map[memoir.Hash]memoir.FailedText{}}
	}
	return s.spaces[id]
}

// vector returns the vector of a text; nil when there is none.
func (s *Store) vector(id memoir.Space, hash memoir.Hash) []float32 {
	if sp := s.spaces[id]; sp != nil && sp.vectors[hash] != nil {
		return sp.vectors[hash].vector
	}
	return nil
}

// use records that the vectors of a text were in use until now.
func (s *Store) use(hash memoir.Hash) {
	for _, sp := range s.spaces {
		if e := sp.vectors[hash]; e != nil {
			e.used = today()
		}
	}
}

// Stats implements [memoir.Store].
func (s *Store) Stats(ctx context.Context, space memoir.Space) (stats memoir.StoreStats, err error) {
	err = s.read(ctx, func() error {
		stats = s.stats(space)
		return nil
	})
	return stats, err
}

func (s *Store) stats(id memoir.Space) memoir.StoreStats {
	stats := memoir.StoreStats{
		Documents: len(s.documents), Chunks: len(s.chunks), Texts: len(s.texts()), Serving: s.serving, Written: s.written,
	}
	sp := s.spaces[id]
	for h := range s.pending(id) {
		if sp != nil && sp.failed[h].Attempts > 0 {
			stats.Failed++
		} else {
			stats.Pending++
		}
	}
	if sp != nil {
		stats.Calibration, stats.Measured = sp.calibration, sp.measured
	}
	return stats
}

// PendingTexts implements [memoir.Store].
func (s *Store) PendingTexts(ctx context.Context, id memoir.Space, due time.Time, after memoir.Hash, limit int) (texts []memoir.PendingText, err error) {
	err = s.read(ctx, func() error {
		pending := s.pending(id)
		for _, h := range slices.Sorted(maps.Keys(pending)) {
			if len(texts) >= limit {
				break
			}
			var failed memoir.FailedText
			if sp := s.spaces[id]; sp != nil {
				failed = sp.failed[h]
			}
			if h > after && (failed.Attempts == 0 || !failed.NextTry.After(due)) {
				texts = append(texts, memoir.PendingText{Hash: h, Text: pending[h].EmbedTextOf(h), Attempts: failed.Attempts})
			}
		}
		return nil
	})
	return texts, err
}

// NewestPending implements [memoir.Store].
func (s *Store) NewestPending(ctx context.Context, id memoir.Space, due time.Time, limit int) ([]memoir.PendingText, error) {
	texts, err := s.PendingTexts(ctx, id, due, "", math.MaxInt)
	if err != nil || limit <= 0 {
		return nil, err
	}
	err = s.read(ctx, func() error {
		pending := s.pending(id)
		order.By(texts, func(a, b memoir.PendingText) int {
			x, y := pending[a.Hash], pending[b.Hash]
			if x == nil || y == nil { // it has a vector by now
				return cmp.Compare(a.Hash, b.Hash)
			}
			return cmp.Or(cmp.Compare(y.day(), x.day()), x.ChunkID.Compare(y.ChunkID))
		})
		return nil
	})
	return texts[:min(len(texts), limit)], err
}

// day returns a key by which newer documents sort before older ones.
func (c *chunk) day() string {
	switch modified := c.document.ModTime; {
	case c.Date != "":
		return c.Date
	case modified.IsZero():
		return "9999"
	default:
		return modified.UTC().Format(time.RFC3339Nano)
	}
}

// pending returns a chunk for each hash that has no vector of the space.
func (s *Store) pending(id memoir.Space) map[memoir.Hash]*chunk {
	if id == (memoir.Space{}) {
		return nil
	}
	out := s.texts()
	maps.DeleteFunc(out, func(h memoir.Hash, _ *chunk) bool { return s.vector(id, h) != nil })
	return out
}

// texts returns a chunk for each hash that a vector is wanted for.
func (s *Store) texts() map[memoir.Hash]*chunk {
	out := map[memoir.Hash]*chunk{}
	for _, c := range s.chunks {
		for _, h := range c.EmbedHashes {
			out[h] = c
		}
	}
	return out
}

// PutVectors implements [memoir.Store].
func (s *Store) PutVectors(ctx context.Context, id memoir.Space, vectors map[memoir.Hash][]float32, failed []memoir.FailedText) error {
	if id == (memoir.Space{}) && len(failed) > 0 {
		return fmt.Errorf("note failed texts of no space: %w", memoir.ErrInvalid)
	}
	for h, v := range vectors {
		if err := vector.Check(v, id.Dimensions); err != nil {
			return fmt.Errorf("put the vector of %s: %w: %w", h, memoir.ErrInvalid, err)
		}
	}
	if len(vectors)+len(failed) == 0 {
		return ctx.Err()
	}
	return s.write(ctx, func() error {
		for _, f := range failed {
			s.space(id).failed[f.Hash] = f
		}
		for h, v := range vectors {
			if s.serving == (memoir.Space{}) {
				s.serving = id
			}
			s.space(id).vectors[h] = &entry{slices.Clone(v), today()}
			delete(s.space(id).failed, h)
		}
		return nil
	})
}

// PutSpace implements [memoir.Store].
func (s *Store) PutSpace(ctx context.Context, id memoir.Space, facts memoir.SpaceFacts) error {
	return s.write(ctx, func() error {
		sp := s.spaces[id]
		if sp == nil {
			return nil
		}
		sp.calibration, sp.measured = facts.Calibration, facts.Measured
		if facts.TakesOver {
			s.serving = id
			maps.DeleteFunc(s.spaces, func(other memoir.Space, _ *space) bool { return other != id })
		}
		return nil
	})
}

// Settle implements [memoir.Store].
func (s *Store) Settle(ctx context.Context, id memoir.Space, limits tune.Cache) error {
	return s.write(ctx, func() error {
		s.trim(id, limits)
		return nil
	})
}

// Sample implements [memoir.View].
func (s view) Sample(ctx context.Context, id memoir.Space, limit int) (sample []memoir.SampledVector, err error) {
	for _, c := range s.chunks {
		for _, h := range c.EmbedHashes {
			if v := s.vector(id, h); vector.Norm(v) > 0 {
				sample = append(sample, memoir.SampledVector{ChunkMeta: c.ChunkMeta, Hash: h, Vector: v})
			}
		}
	}
	slices.SortFunc(sample, func(a, b memoir.SampledVector) int {
		return cmp.Or(strings.Compare(string(a.Hash), string(b.Hash)), a.ChunkID.Compare(b.ChunkID))
	})
	sample = sample[:min(len(sample), max(limit, 0))]
	for i := range sample {
		sample[i].Vector = slices.Clone(sample[i].Vector)
	}
	return sample, ctx.Err()
}

// trim removes unused vectors that are too old or too many.
func (s *Store) trim(current memoir.Space, limits tune.Cache) {
	type unused struct {
		space memoir.Space
		hash  memoir.Hash
		used  time.Time
	}
	var candidates []unused
	texts, entries := s.texts(), 0
	for id, sp := range s.spaces {
		entries += len(sp.vectors)
		for h, e := range sp.vectors {
			if id != current && id != s.serving || texts[h] == nil {
				candidates = append(candidates, unused{id, h, e.used})
			}
		}
	}
	order.By(candidates, func(a, b unused) int {
		return cmp.Or(a.used.Compare(b.used), strings.Compare(string(a.hash), string(b.hash)), strings.Compare(a.space.Key(), b.space.Key()))
	})
	oldest := time.Now().Add(-limits.MaxAge).UTC().Truncate(24 * time.Hour)
	for _, c := range candidates {
		if limits.MaxAge > 0 && c.used.Before(oldest) || limits.MaxEntries > 0 && entries > limits.MaxEntries {
			delete(s.spaces[c.space].vectors, c.hash)
			entries--
		}
	}
}
