package search

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/explain"
	"github.com/memoir-ai/memoir/internal/entry"
)

// maxAlsoIn is how many other passages with the same words a hit names.
const maxAlsoIn = 10

// collapse leaves out each candidate that has the same words as a better one.
// Among equals a note is better than a document of a collection, and that is
// better than a session.
func collapse(all []*candidate) []*candidate {
	known, nearest := make(map[uint64]bool, len(all)), map[uint64]int{}
	if slices.ContainsFunc(all, func(f *candidate) bool { return f.Kind.ReadOnly() }) {
		for _, f := range all {
			if at, ok := nearest[f.Digest]; !ok || remoteness(f.Kind) < at {
				nearest[f.Digest] = remoteness(f.Kind)
			}
		}
	}
	kept := make([]*candidate, 0, len(all))
	for _, f := range all {
		if !known[f.Digest] && remoteness(f.Kind) <= nearest[f.Digest] {
			known[f.Digest] = true
			kept = append(kept, f)
		}
	}
	return kept
}

// remoteness is how far documents of a kind are from the user's own notes.
func remoteness(k memoir.Kind) int {
	switch k {
	case memoir.KindSession:
		return 2
	case memoir.KindCollection:
		return 1
	}
	return 0
}

// maxTwins is how many chunks with the same words are compared to name the
// best.
const maxTwins = 64

// nameTwins finds the chunks with the same words as those shown, whether or not
// they were candidates, ordered by their fused scores.
func (s *search) nameTwins(ctx context.Context, shown []*candidate) error {
	place := make(map[uint64]int, len(shown))
	digests := make([]uint64, len(shown))
	for i, f := range shown {
		digests[i], place[f.Digest] = f.Digest, i
	}
	twins, err := s.index.Twins(ctx, digests, s.query.Filter)
	if err != nil {
		return fmt.Errorf("look for the same words: %w", err)
	}
	if len(twins) <= len(shown) {
		return nil
	}
	filter := s.query.Filter
	filter.Chunks = nil
	count := make([]int, len(shown))
	for _, t := range twins {
		if i := place[t.Digest]; t.ChunkID != shown[i].ChunkID && count[i] < maxTwins {
			count[i]++
			filter.Chunks = append(filter.Chunks, t.ChunkID)
		}
	}
	if len(filter.Chunks) == 0 {
		return nil
	}
	scored, _, err := s.candidates(ctx, filter, len(filter.Chunks)+1, 0)
	if err != nil {
		return err
	}
	s.order(scored)
	for _, t := range scored {
		if f := shown[place[t.Digest]]; t.score > 0 && len(f.alsoIn) < maxAlsoIn {
			f.alsoIn = append(f.alsoIn, memoir.Chunk{ChunkMeta: t.ChunkMeta})
		}
	}
	return nil
}

// fusion names the way in which scores were fused; "" for a list.
func (s *search) fusion() string {
	if s.asked.text == "" {
		return ""
	}
	return s.searcher.cfg.Ranking.Fusion
}

// unsureHits is how many hits a brief answer has when none is confident.
const unsureHits = 3

// nothing says that no hit is confident.
func nothing(hits []memoir.Hit) string {
	if len(hits) == 0 || slices.ContainsFunc(hits, func(h memoir.Hit) bool { return h.Confident() }) {
		return ""
	}
	return "nothing is clearly relevant; these are the nearest"
}

// citationOf returns the citation of a candidate, or "" for nil and for one whose note is gone.
func citationOf(f *candidate) string {
	if f == nil || f.chunk.EndLine == 0 {
		return ""
	}
	return f.chunk.Citation()
}

// saysWhich reports whether a hit may name its newer or older candidate. The entries of a shelf
// have nothing in common, so in a passage with several a reader would not know which one it means.
func saysWhich(f *candidate) bool {
	if f.later == nil && f.earlier == nil {
		return false
	}
	return !f.Labels.Has(memoir.LabelEntries) || len(entry.Parse(f.chunk.Text)) == 1
}

// hits makes the hits of an answer from the candidates. A candidate that scores
// 0 is no hit.
func (s *search) hits(all []*candidate) []memoir.Hit {
	hits, quota := []memoir.Hit{}, s.quota()
	for _, f := range all {
		if quota.full() || f.score < s.query.MinScore || f.score == 0 {
			break
		}
		h := memoir.Hit{
			Chunk: f.chunk, Relevance: s.relevance(f), Score: f.score, TextScore: round(f.lists.Text), VectorScore: round(f.lists.Vector),
			Successor: f.successor, AlsoIn: f.alsoIn,
		}
		if saysWhich(f) {
			h.Later, h.Earlier = citationOf(f.later), citationOf(f.earlier)
			h.Date = cmp.Or(h.Date, toldLast(&f.ChunkMeta))
		}
		if s.query.Explain {
			held, _ := s.covered(f)
			h.Explain = &explain.Score{
				Fusion: s.fusion(),
				Text:   explain.Part{Rank: f.lists.TextRank, Raw: f.share, Score: f.lists.Text, Weight: f.weights.Text},
				Vector: explain.Part{Rank: f.lists.VectorRank, Raw: f.cosine, Score: f.lists.Vector, Weight: f.weights.Vector},
				Reach:  s.reach, Held: held, Least: s.least(f), Most: s.most(f),
				Link: f.link, Signals: f.signals, Exact: f.exact, Rerank: f.rerank,
			}
		}
		parts := []memoir.Hit{h}
		if told := s.told(&h.ChunkMeta); len(told) > 0 {
			parts = slices.DeleteFunc(s.narrowed(h, told), func(part memoir.Hit) bool { return toldBefore(hits, &part) })
		}
		for _, part := range parts {
			if !quota.full() {
				hits = append(hits, part)
				quota.take(f.ChunkID)
			}
		}
		if len(parts) == 0 { // no more texts were read than an answer may have passages
			quota.take(f.ChunkID)
		}
	}
	return hits
}
