package search

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/memoir-ai/memoir"
)

// What chunks have in common is the mean of their vectors among so many that are sampled, if
// there are enough of them.
const (
	sampledVectors = 256
	leastInCommon  = 4
)

// hubShare is how much of what a chunk is nearer than others to all that is in the query's
// script is taken from its cosine.
const hubShare = .75

// lowers reports whether chunks in other scripts have lower scores than their cosines.
func (l *languages) lowers() bool { return l.common != nil && l.common.mean != nil }

// lower lowers the scores of chunks in other scripts than the query's, and leaves them in the
// order that they had. Some of them, short ones first of all, are near to whatever is said in
// that script.
func (s *search) lower(ctx context.Context, matches []memoir.Match) error {
	common := s.languages.common
	if !s.languages.lowers() {
		return nil
	}
	unknown := common.lower(matches)
	if len(unknown) == 0 {
		return nil
	}
	at := make(map[memoir.ChunkID]int, len(unknown))
	ids := make([]memoir.ChunkID, 0, len(unknown))
	for _, i := range unknown {
		at[matches[i].ChunkID], ids = i, append(ids, matches[i].ChunkID)
	}
	near, err := s.searchVector(ctx, common.mean, memoir.Filter{Chunks: ids}, len(ids))
	if err != nil {
		return err
	}
	for i, nearer := range common.learn(near) {
		matches[at[near[i].ChunkID]].Score -= hubShare * nearer
	}
	return nil
}

// firstOf returns at most n matches with the highest scores, the nearest first.
func firstOf(matches []memoir.Match, n int) []memoir.Match {
	var head []memoir.Match
	for _, m := range matches {
		if len(head) == n && m.Score <= head[n-1].Score {
			continue
		}
		at := len(head)
		for at > 0 && head[at-1].Score < m.Score {
			at--
		}
		head = slices.Insert(head[:min(len(head), n-1)], min(at, n-1), m)
	}
	return head
}

func lengthOf(v []float32) float64 {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	return math.Sqrt(sum)
}

// commons keeps what the chunks in a script have in common, as long as the index is as it was
// when that was computed; where its revision is not known, as long as it has as many chunks
// and vectors. It is safe for concurrent use.
type commons struct {
	mu    sync.Mutex
	known map[commonKey]*common
}

type commonKey struct {
	space  memoir.Space
	script memoir.Label
}

// An indexState tells states of an index apart.
type indexState struct {
	revision         uint64 // 0: not known
	chunks, inScript int
	filled           float64 // share of the texts that have a vector
}

type common struct {
	of     indexState
	mean   []float32 // of vectors of length 1; nil: too few were met
	others float64   // the mean of its cosines with chunks in other scripts

	mu   sync.Mutex
	hubs map[hub]float64 // how much nearer to the mean than others some chunks in other scripts are
}

// A hub is a chunk with the words that it had.
type hub struct {
	memoir.ChunkID
	digest uint64
}

// mostHubs bounds what is kept of one script, at some 60 bytes each.
const mostHubs = 1 << 14

// lower lowers those matches of which it is known how much nearer than others they are, and
// returns the places of the others.
func (c *common) lower(matches []memoir.Match) (unknown []int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range matches {
		if nearer, ok := c.hubs[hub{matches[i].ChunkID, matches[i].Digest}]; ok {
			matches[i].Score -= hubShare * nearer
		} else {
			unknown = append(unknown, i)
		}
	}
	return unknown
}

// learn keeps how near chunks are to the mean, and returns how much nearer than others.
func (c *common) learn(near []memoir.Match) []float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.hubs == nil || len(c.hubs)+len(near) > mostHubs {
		c.hubs = map[hub]float64{}
	}
	nearer := make([]float64, len(near))
	for i := range near {
		nearer[i] = max(near[i].Score-c.others, 0)
		c.hubs[hub{near[i].ChunkID, near[i].Digest}] = nearer[i]
	}
	return nearer
}

// of returns what the chunks in the query's script have in common.
func (c *commons) of(ctx context.Context, s *search) (*common, error) {
	labels, err := s.index.Labels(ctx)
	if err != nil {
		return nil, fmt.Errorf("count the scripts: %w", err)
	}
	key := commonKey{s.space, s.languages.script}
	now := &common{of: indexState{s.revision, s.size, labels[key.script].Chunks, s.filled}}
	c.mu.Lock()
	last := c.known[key]
	c.mu.Unlock()
	if last != nil && last.of == now.of {
		return last, nil
	}
	sample, err := s.index.Sample(ctx, s.space, sampledVectors)
	if errors.Is(err, memoir.ErrUnavailable) {
		return nil, nil // vectors that cannot be sampled may still be searched
	}
	if err != nil {
		return nil, fmt.Errorf("sample the vectors: %w", err)
	}
	own, others := make([]float64, len(s.vector)), make([]float64, len(s.vector))
	mine, theirs := 0, 0
	for i := range sample {
		switch v := &sample[i]; {
		case v.Labels.Has(key.script):
			addUnit(own, v.Vector)
			mine++
		case s.elsewhere(&v.ChunkMeta):
			addUnit(others, v.Vector)
			theirs++
		}
	}
	if mine >= leastInCommon && theirs > 0 {
		now.mean = make([]float32, len(own))
		for i, x := range own {
			now.mean[i] = float32(x / float64(mine))
		}
		length := lengthOf(now.mean)
		for i, x := range now.mean {
			now.others += float64(x) / length * others[i] / float64(theirs)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known == nil {
		c.known = map[commonKey]*common{}
	}
	c.known[key] = now
	return now, nil
}

// addUnit adds a vector, made one of length 1, to a sum.
func addUnit(sum []float64, v []float32) {
	length := lengthOf(v)
	for i, x := range v[:min(len(v), len(sum))] {
		sum[i] += float64(x) / length
	}
}
