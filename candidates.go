package memoir

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/memoir-ai/memoir/internal/analyze"
	"github.com/memoir-ai/memoir/internal/rank"
)

// identifierVectorWeight scales the weight of vectors when the query holds an
// identifier: models know nothing of identifiers and only add noise.
const identifierVectorWeight = 0.1

// codeTextWeight scales the weight of words for a passage that is source code:
// a question in prose shares few words with it, and those by chance. A query of
// fewer words than minProse names what it wants.
const (
	codeTextWeight = 0.15
	minProse       = 3
)

func (s *searcher) weigh() {
	identifier, words := false, 0
	for _, t := range s.terms {
		identifier = identifier || t.Kind == analyze.Identifier
		if t.Weight >= 1 {
			words++
		}
	}
	switch mode := s.mode(); {
	case mode == ModeText:
		s.weights = rank.Weights{Text: 1}
	case mode == ModeVector:
		s.weights = rank.Weights{Vector: 1}
	case identifier:
		s.weights.Vector *= identifierVectorWeight
	case words >= minProse:
		s.code = rank.Weights{Text: s.weights.Text * codeTextWeight, Vector: s.weights.Vector}.Normalize()
		return
	}
	s.weights = s.weights.Normalize()
	s.code = s.weights
}

// weightsOf returns the weights that a candidate is scored with.
func (s *searcher) weightsOf(f *found) rank.Weights {
	if f.Code {
		return s.code
	}
	return s.weights
}

// candidates returns the union of the heads of both lists, each candidate
// scored by both, and the highest fused score of a chunk that is in neither.
func (s *searcher) candidates(ctx context.Context, filter Filter, depth int) ([]*found, float64, error) {
	byID := map[ChunkID]*found{}
	var frontier rank.Candidate
	get := func(m Match) *found {
		f := byID[m.ChunkID]
		if f == nil {
			f = &found{Passage: m.Passage}
			byID[m.ChunkID] = f
		}
		return f
	}
	if !s.noWords {
		text, err := s.searchText(ctx, filter, depth)
		if err != nil {
			return nil, 0, err
		}
		s.setTextScale(text)
		for i, m := range text {
			f := get(m)
			f.share, f.lists.Text, f.lists.TextRank = m.Score, s.textScore(m.Score), i+1
		}
		if len(text) == depth {
			frontier.Text = s.textScore(text[depth-1].Score)
		}
	}
	if s.vector != nil {
		vector, err := s.searchVector(ctx, filter, depth)
		if err != nil {
			return nil, 0, err
		}
		for i, m := range vector {
			f := get(m)
			f.cosine, f.lists.Vector, f.lists.VectorRank = m.Score, s.calibrate(m.Score), i+1
		}
		if len(vector) == depth {
			frontier.Vector = s.calibrate(vector[depth-1].Score)
		}
	}
	if err := s.complete(ctx, byID); err != nil {
		return nil, 0, err
	}
	all := make([]*found, 0, len(byID))
	code := 0
	for _, f := range byID {
		all = append(all, f)
		if f.Code {
			code++
		}
	}
	highest := rank.Convex.Score(s.weights, frontier)
	if s.code != s.weights {
		total, err := s.index.Code(ctx)
		if err != nil {
			return nil, 0, fmt.Errorf("count the source code: %w", err)
		}
		if code < total {
			highest = max(highest, rank.Convex.Score(s.code, frontier))
		}
	}
	return all, highest, nil
}

// complete asks each list for the scores of the candidates that only the other returned.
func (s *searcher) complete(ctx context.Context, byID map[ChunkID]*found) error {
	if s.noWords || s.vector == nil {
		return nil
	}
	var noText, noVector []ChunkID
	for id, f := range byID {
		if f.lists.TextRank == 0 {
			noText = append(noText, id)
		}
		if f.lists.VectorRank == 0 {
			noVector = append(noVector, id)
		}
	}
	if len(noText) > 0 {
		matches, err := s.searchText(ctx, Filter{Chunks: noText}, len(noText))
		if err != nil {
			return err
		}
		for _, m := range matches {
			f := byID[m.ChunkID]
			f.share, f.lists.Text = m.Score, s.textScore(m.Score)
		}
	}
	if len(noVector) > 0 {
		matches, err := s.searchVector(ctx, Filter{Chunks: noVector}, len(noVector))
		if err != nil {
			return err
		}
		for _, m := range matches {
			f := byID[m.ChunkID]
			f.cosine, f.lists.Vector = m.Score, s.calibrate(m.Score)
		}
	}
	return nil
}

func (s *searcher) calibrate(cosine float64) float64 { return s.calibration.Score(cosine) }

// setTextScale looks at the best match of the words in the first list; a deeper
// one begins with the same, and that of linked notes is measured by it.
func (s *searcher) setTextScale(text []Match) {
	if s.textScale > 0 {
		return
	}
	s.textScale = 1
	if rank.Fusion(s.engine.ranking.Fusion) == rank.Convex && len(text) > 0 && text[0].Score > 0 {
		s.textScale = 1 / math.Sqrt(text[0].Score)
	}
}

// textScore places a match of the words on the scale of scores: the geometric
// mean of the share of the highest score that the query could reach and of the
// share of what the best passage reached. The first alone lets vectors decide
// every long question, whose words no passage holds all; the second alone makes
// the best of a hopeless list look perfect (docs/design/fusion.md).
func (s *searcher) textScore(share float64) float64 { return min(1, share*s.textScale) }

// searchText searches words; when the store cannot, it says so once and the vectors answer alone.
func (s *searcher) searchText(ctx context.Context, filter Filter, limit int) ([]Match, error) {
	terms := make([]Term, len(s.terms), len(s.terms)+len(s.learned))
	for i, t := range s.terms {
		terms[i] = Term{Text: t.Text, Weight: t.Weight}
	}
	terms = append(terms, s.learned...)
	matches, err := s.index.SearchText(ctx, terms, filter, limit)
	if errors.Is(err, ErrUnavailable) && s.vector != nil {
		s.noWords = true
		s.degrade("words", err.Error(), cmp.Or(Hint(err), "memoir rebuild"))
		s.weigh()
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("search words: %w", err)
	}
	return matches, nil
}

// searchVector searches vectors; when the store cannot, it says so once and the words answer alone.
func (s *searcher) searchVector(ctx context.Context, filter Filter, limit int) ([]Match, error) {
	matches, err := s.index.SearchVector(ctx, s.space, s.vector, filter, limit)
	if errors.Is(err, ErrUnavailable) && !s.noWords {
		s.vector = nil
		s.degrade("vectors", err.Error(), cmp.Or(Hint(err), "memoir rebuild"))
		s.weigh()
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("search vectors: %w", err)
	}
	return matches, nil
}

// order scores the candidates and sorts them. Scores are rounded first, so
// that what prints as equal is ordered by document and line.
func (s *searcher) order(all []*found) {
	fusion := rank.Fusion(s.engine.ranking.Fusion)
	if s.mode() != ModeHybrid {
		fusion = rank.Convex // of one list
	}
	for i := range all {
		all[i].weights = s.weightsOf(all[i])
		all[i].score = round(fusion.Score(all[i].weights, all[i].lists))
	}
	sortFound(all)
}

func sortFound(all []*found) {
	slices.SortFunc(all, func(a, b *found) int {
		return cmp.Or(cmp.Compare(b.score, a.score), a.ChunkID.Compare(b.ChunkID))
	})
}

func round(x float64) float64 { return math.Round(x*1e6) / 1e6 }
