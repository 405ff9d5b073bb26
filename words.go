package memoir

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/memoir-ai/memoir/internal/rank"
)

// A Scorer is a [View] that ranks by words itself, alone or as one of several
// indexes that answer together.
type Scorer interface {
	// SearchText does what the function [SearchTextAmong] does. When all is nil,
	// the counts are those of this index alone. The scores are exactly, to the
	// last bit, those that [Candidates.Ranked] computes from the result of
	// Terms. Calling it again with the same pointer is faster.
	SearchText(ctx context.Context, terms []Term, filter Filter, limit int, all *WordCounts) ([]Match, error)
	// CountWords does what the function [CountWords] does.
	CountWords(ctx context.Context, terms []Term, hidden []Filter) (WordCounts, error)
}

// SearchText ranks the chunks that pass the filter and hold at least one term,
// by BM25 over the fields with the weights of the terms. internal/rank computes
// the scores, in the same way for every store. Scores lie in (0, 1): they are
// shares of the highest score that the query could reach. Ties are ordered by
// chunk id. Corpus statistics are those of the whole index, whatever the
// filter.
func SearchText(ctx context.Context, v View, terms []Term, filter Filter, limit int) ([]Match, error) {
	return SearchTextAmong(ctx, v, terms, filter, limit, nil)
}

// SearchTextAmong does what [SearchText] does for one of several indexes that
// answer together. all are the word counts of all of them, including those of
// this view. So each chunk gets the score that it would have if all chunks were
// in one index.
func SearchTextAmong(ctx context.Context, v View, terms []Term, filter Filter, limit int, all *WordCounts) ([]Match, error) {
	if s, ok := As[Scorer](v); ok {
		return s.SearchText(ctx, terms, filter, limit, all)
	}
	if limit <= 0 {
		return nil, ctx.Err()
	}
	found, err := v.Terms(ctx, terms, filter, limit)
	if err != nil {
		return nil, err
	}
	if all == nil {
		all = &found.Counts
	}
	return found.Ranked(terms, all, limit), nil
}

// CountWords counts what [SearchTextAmong] needs to know of the index behind a
// view, as if the index had no chunk that passes one of the hidden filters. With
// such filters it lists the chunks of a view that is no [Scorer], and guesses the
// number of words from the mean length of the chunks that hold a term.
func CountWords(ctx context.Context, v View, terms []Term, hidden []Filter) (WordCounts, error) {
	if s, ok := As[Scorer](v); ok {
		return s.CountWords(ctx, terms, hidden)
	}
	if len(hidden) > 0 {
		return countListed(ctx, v, terms, Filter{Without: hidden})
	}
	found, err := v.Terms(ctx, terms, Filter{}, 0)
	return found.Counts, err
}

// countListed counts the chunks that pass a filter one by one.
func countListed(ctx context.Context, v View, terms []Term, filter Filter) (WordCounts, error) {
	all, err := v.List(ctx, filter, math.MaxInt32)
	if err != nil {
		return WordCounts{}, err
	}
	documents := map[DocID]bool{}
	for _, c := range all {
		documents[c.Doc] = true
	}
	counts := WordCounts{Documents: len(documents), Chunks: len(all), Words: len(all), Holders: map[string]Holders{}}
	plain := make([]Term, len(terms)) // a light term may be common only among the others
	for i, t := range terms {
		plain[i] = Term{Text: t.Text, Weight: 1}
	}
	if len(plain) == 0 || len(all) == 0 {
		return counts, ctx.Err()
	}
	found, err := v.Terms(ctx, plain, filter, len(all))
	if err != nil {
		return WordCounts{}, err
	}
	length := 0
	for _, c := range found.Chunks {
		length += c.Length
	}
	if n := len(found.Chunks); n > 0 {
		counts.Words = max(1, length*len(all)/n)
	}
	for i, t := range plain {
		var held Holders
		documents := map[DocID]bool{}
		for _, c := range found.Chunks {
			if c.Held[i] > 0 {
				held.Chunks++
				documents[c.Doc] = true
			}
		}
		held.Documents = len(documents)
		counts.Holders[t.Text] = held
	}
	return counts, nil
}

// WordCounts are what ranking by words needs to know of an index, or of
// several.
type WordCounts struct {
	Documents, Chunks int
	Words             int                // in the bodies of all chunks
	Holders           map[string]Holders // by the text of the term; a term that nothing holds may be missing
}

// Holders says how many chunks and documents hold a term.
type Holders struct{ Chunks, Documents int }

// Add adds the counts of another index.
func (c *WordCounts) Add(other WordCounts) {
	c.Documents, c.Chunks, c.Words = c.Documents+other.Documents, c.Chunks+other.Chunks, c.Words+other.Words
	if c.Holders == nil {
		c.Holders = make(map[string]Holders, len(other.Holders))
	}
	for term, h := range other.Holders {
		c.Holders[term] = Holders{c.Holders[term].Chunks + h.Chunks, c.Holders[term].Documents + h.Documents}
	}
}

// Candidates are chunks that hold terms of a query, with the figures from which
// their scores are computed. They are in no particular order.
type Candidates struct {
	Counts WordCounts // of the whole index, whatever the filter
	Chunks []Candidate
}

// A Candidate is a chunk with what ranking by words needs to know of it.
type Candidate struct {
	ChunkMeta
	// Length is the number of terms in the chunk's body. DocumentLength is that
	// of the bodies of all chunks of its document.
	Length, DocumentLength int
	// Held says how often the chunk holds each term of the query, in order.
	// DocumentHeld says the same of all chunks of its document together. An
	// occurrence counts with the weight of its field ([rank.FieldWeights]).
	Held, DocumentHeld []float32
}

// Ranked scores the candidates and returns at most limit of them as
// [SearchText] would. It leaves out a candidate that no term finds. terms are
// the terms that were asked for. all are the counts of what is ranked together:
// c.Counts, or those of several indexes.
func (c *Candidates) Ranked(terms []Term, all *WordCounts, limit int) []Match {
	counted := make([]rank.Counted, len(terms))
	for i, t := range terms {
		counted[i] = rank.Counted{Weight: t.Weight, Role: t.Role(), Light: t.Light, Spread: rank.Spread(all.Holders[t.Text])}
		if t.Text == "" {
			counted[i].Weight = 0
		}
	}
	held := make([]rank.Held, len(c.Chunks))
	for i, x := range c.Chunks {
		held[i] = rank.Held{Length: x.Length, DocumentLength: x.DocumentLength, Chunk: x.Held, Document: x.DocumentHeld}
	}
	scores, reach := rank.DefaultBM25.Score(rank.Totals{Documents: all.Documents, Chunks: all.Chunks, Terms: all.Words}, counted, held)
	var matches []Match
	for i, score := range scores {
		if score > 0 {
			matches = append(matches, Match{c.Chunks[i].ChunkMeta, score, reach})
		}
	}
	slices.SortFunc(matches, func(a, b Match) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), a.Compare(b.ChunkID))
	})
	return matches[:min(len(matches), max(limit, 0))]
}
