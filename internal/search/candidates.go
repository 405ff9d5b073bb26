package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/analyze"
	"github.com/memoir-ai/memoir/internal/rank"
	"github.com/memoir-ai/memoir/internal/trace"
)

// identifierVectorWeight scales the weight of vectors when the query holds an
// identifier. Models know nothing of identifiers, so their vectors only add
// noise.
const identifierVectorWeight = 0.1

// codeTextWeight scales the weight of words for a chunk that is source code. A
// question in prose shares few words with code, and those by chance. A query of
// fewer words than minProse is taken as naming what it wants.
const (
	codeTextWeight = 0.15
	minProse       = 3
)

// weigh decides what words and vectors count. While texts wait for their vectors,
// vectors count as the square of the share that have one: of few vectors the
// nearest is far, and it would stand above the words of all others
// (docs/design/fusion.md).
func (s *search) weigh() {
	s.weights.Vector *= s.filled * s.filled
	identifier, words, inCode := false, 0, 1.0
	for _, t := range s.terms {
		identifier = identifier || t.Kind == analyze.Identifier
		if t.Weight >= 1 {
			words++
		}
	}
	switch mode := s.mode(); {
	case mode == memoir.ModeText:
		s.weights = rank.Weights{Text: 1}
	case mode == memoir.ModeVector:
		s.weights = rank.Weights{Vector: 1}
	case identifier:
		s.weights.Vector *= identifierVectorWeight
	case words >= minProse:
		inCode, s.prose = codeTextWeight, true
	}
	s.code = rank.Weights{Text: s.weights.Text * inCode, Vector: s.weights.Vector}.Normalize()
	s.weights = s.weights.Normalize()
}

// weaken returns weights of which words have a share of theirs.
func weaken(w rank.Weights, share float64) rank.Weights {
	return rank.Weights{Text: w.Text * share, Vector: w.Vector}.Normalize()
}

// weightsOf returns the weights that a candidate is scored with.
func (s *search) weightsOf(f *candidate) rank.Weights {
	if f.Labels.Has(memoir.LabelCode) {
		return s.code
	}
	return s.weights
}

// A pool collects the candidates of a search.
type pool struct {
	*search
	byID     map[memoir.ChunkID]*candidate
	more     []memoir.Match // the rest of the words' list, after its head
	frontier rank.Candidate // the highest scores of a chunk that is in neither list
	left     frontier       // of the chunks in more that were left out
}

// A frontier is the highest score that a chunk outside the candidates can have:
// after fusion, and after signals.
type frontier struct{ fused, adjusted float64 }

// textAhead is how many times deeper the words' list is searched than the
// vectors'. The score by words is known for every chunk that holds one, but
// each vector must be read.
const textAhead = 4

// candidates returns the first depth chunks of both lists, each scored by both,
// and the frontier. In the words' list it looks much deeper, for chunks that
// could be among the first needed.
//
// Chunks near the days that the query names can be raised far above their fused
// scores. So the first of those are candidates too.
func (s *search) candidates(ctx context.Context, filter memoir.Filter, depth, needed int) ([]*candidate, frontier, error) {
	p := pool{search: s, byID: map[memoir.ChunkID]*candidate{}}
	unseen, err := p.fill(ctx, filter, depth, needed)
	if err != nil {
		return nil, frontier{}, err
	}
	out := frontier{max(unseen, p.left.fused), max(s.bound(unseen, false), p.left.adjusted)}
	for _, days := range s.near() {
		within := pool{search: s, byID: map[memoir.ChunkID]*candidate{}}
		dated, err := within.fill(ctx, restrict(filter, []condition{{filter: days}}), depth, needed)
		if err != nil {
			return nil, frontier{}, err
		}
		for id, f := range within.byID {
			if p.byID[id] == nil {
				f.unrank()
				p.byID[id] = f
			}
		}
		out.adjusted = max(out.adjusted, s.bound(min(unseen, dated), true), within.left.adjusted)
	}
	all := make([]*candidate, 0, len(p.byID))
	for _, f := range p.byID {
		all = append(all, f)
	}
	return all, out, nil
}

// unrank takes its ranks from a candidate that comes from lists of less than the whole index.
func (f *candidate) unrank() { f.lists.TextRank, f.lists.VectorRank = 0, 0 }

// fill collects the candidates and returns the highest fused score of a chunk
// that is in neither list, 0 if none are needed.
func (p *pool) fill(ctx context.Context, filter memoir.Filter, depth, needed int) (unseen float64, err error) {
	if err := p.lists(ctx, filter, depth, needed > 0); err != nil {
		return 0, err
	}
	if err := p.complete(ctx); err != nil {
		return 0, err
	}
	if err := p.look(ctx, needed); err != nil || needed == 0 {
		return 0, err
	}
	return p.highest(ctx, filter, depth, needed)
}

func (p *pool) get(m memoir.Match) *candidate {
	f := p.byID[m.ChunkID]
	if f == nil {
		f = &candidate{ChunkMeta: m.ChunkMeta}
		p.byID[m.ChunkID] = f
	}
	return f
}

// lists asks both lists.
func (p *pool) lists(ctx context.Context, filter memoir.Filter, depth int, ahead bool) error {
	var text, vector []memoir.Match
	var err error
	textDepth := depth
	if ahead && p.mode() == memoir.ModeHybrid {
		textDepth *= textAhead
	}
	if !p.noWords {
		if text, err = p.searchText(ctx, filter, textDepth); err != nil {
			return err
		}
		p.setTextScale(text)
		if len(text) == textDepth {
			p.frontier.Text = p.textScore(text[textDepth-1].Score)
		}
	}
	if p.vector != nil {
		if vector, err = p.searchVector(ctx, p.vector, filter, depth); err != nil {
			return err
		}
		if len(vector) == depth || p.filled < 1 && len(vector) > 0 {
			p.frontier.Vector = p.calibration.Score(vector[len(vector)-1].Score)
		}
		if p.vector != nil { // else the vectors cannot be read
			if vector, err = p.withOthers(ctx, filter, depth, vector); err != nil {
				return err
			}
		}
	}
	for i, m := range vector {
		f := p.get(m)
		f.cosine, f.lists.Vector, f.lists.VectorRank = m.Score, p.calibrate(&m), i+1
	}
	for i, m := range text {
		f := p.byID[m.ChunkID]
		if f == nil && i >= depth {
			p.more = append(p.more, m)
			continue
		}
		f = p.get(m)
		f.share, f.lists.Text, f.lists.TextRank = m.Score, p.textScore(m.Score), i+1
	}
	return nil
}

// complete asks each list for the scores of the candidates that only the other
// list returned. A list that is not full already has every chunk that it can
// have.
func (p *pool) complete(ctx context.Context) error {
	var noText, noVector []memoir.ChunkID
	for id, f := range p.byID {
		if f.lists.TextRank == 0 && p.frontier.Text > 0 {
			noText = append(noText, id)
		}
		if f.lists.VectorRank == 0 && p.frontier.Vector > 0 {
			noVector = append(noVector, id)
		}
	}
	if err := p.measureText(ctx, noText); err != nil || p.noWords {
		return err
	}
	return p.measure(ctx, noVector)
}

// measureText looks up the scores by words of candidates.
func (p *pool) measureText(ctx context.Context, ids []memoir.ChunkID) error {
	if len(ids) == 0 || p.vector == nil {
		return nil
	}
	matches, err := p.searchText(ctx, memoir.Filter{Chunks: ids}, len(ids))
	for _, m := range matches {
		f := p.byID[m.ChunkID]
		f.share, f.lists.Text = m.Score, p.textScore(m.Score)
	}
	return err
}

// measure looks up the cosines of candidates. While texts wait for their vectors,
// one without counts like the last of the vectors' list: the newest notes would
// else stand below whatever has a vector, even where they alone hold the words.
func (p *pool) measure(ctx context.Context, ids []memoir.ChunkID) error {
	if len(ids) == 0 {
		return nil
	}
	matches, err := p.nearness(ctx, ids)
	if err != nil {
		return err
	}
	if p.filled < 1 {
		for _, id := range ids {
			p.byID[id].lists.Vector = p.frontier.Vector
		}
	}
	for _, m := range matches {
		f := p.byID[m.ChunkID]
		f.cosine, f.lists.Vector = m.Score, p.calibrate(&m)
	}
	return nil
}

// nearness measures how near candidates are, those in other scripts as they are measured.
func (p *pool) nearness(ctx context.Context, ids []memoir.ChunkID) ([]memoir.Match, error) {
	var own, others []memoir.ChunkID
	for _, id := range ids {
		if p.languages.lowers() && p.elsewhere(&p.byID[id].ChunkMeta) {
			others = append(others, id)
		} else {
			own = append(own, id)
		}
	}
	var all []memoir.Match
	if len(own) > 0 {
		matches, err := p.searchVector(ctx, p.vector, memoir.Filter{Chunks: own}, len(own))
		if err != nil || p.vector == nil {
			return nil, err
		}
		all = matches
	}
	if len(others) == 0 {
		return all, nil
	}
	matches, err := p.searchVector(ctx, p.vector, memoir.Filter{Chunks: others}, len(others))
	if err == nil {
		err = p.lower(ctx, matches)
	}
	return append(all, matches...), err
}

// look goes through the rest of the words' list. It adds each chunk that could
// be among the first needed if its cosine were as high as it can be. It leaves
// out a chunk when that many candidates already score higher than it ever can.
func (p *pool) look(ctx context.Context, needed int) error {
	if len(p.more) == 0 {
		return nil
	}
	sure := p.sure(needed)
	var ids []memoir.ChunkID
	f := new(candidate)
	for _, m := range p.more {
		f.ChunkMeta, f.lists.Text, f.lists.Vector = m.ChunkMeta, p.textScore(m.Score), p.frontier.Vector
		p.fuse(f)
		if adjusted := p.adjusted(f, nil); max(f.score, adjusted) < sure {
			p.left = frontier{max(p.left.fused, f.score), max(p.left.adjusted, adjusted)}
			continue
		}
		f.share, f.lists.Vector = m.Score, 0
		p.byID[m.ChunkID] = f
		ids = append(ids, m.ChunkID)
		f = new(candidate)
	}
	if p.frontier.Vector == 0 {
		return nil // no chunk outside the vectors' list has a cosine above 0
	}
	return p.measure(ctx, ids)
}

// sure returns a score that at least needed distinct candidates reach, both
// before and after signals. It returns 0 when there are fewer candidates.
// Candidates that the query names exactly, and scraps, are not counted.
func (p *pool) sure(needed int) float64 {
	best := map[uint64]float64{}
	for _, f := range p.byID {
		if p.exact.holders[f.ChunkID] > 0 || p.exact.named[noteOf(f.ChunkID)] || f.Labels.Has(memoir.LabelScrap) {
			continue
		}
		p.fuse(f)
		best[f.Digest] = max(best[f.Digest], min(f.score, p.adjusted(f, nil)))
	}
	if len(best) < needed {
		return 0
	}
	scores := slices.Sorted(maps.Values(best))
	return scores[len(scores)-needed]
}

// highest returns the highest fused score of a chunk that is in neither list.
func (p *pool) highest(ctx context.Context, filter memoir.Filter, depth, needed int) (float64, error) {
	highest := rank.Convex.Score(p.weights, p.frontier)
	code, err := p.highestCode(ctx, filter, depth, max(highest, p.sure(needed)))
	return round(max(highest, code)), err
}

// enoughWords is the BM25 from which on the best match of the words is one. Words of which
// the best match has less weigh less beside vectors: in a small memory one word in common is
// chance, since each of its few passages holds many of the words that questions have
// (docs/design/fusion.md). That is so of questions in prose. A query of few words, an
// identifier, a number or a day name what they want, and while many texts wait for their
// vectors, words decide.
const enoughWords = 6

// setTextScale sets the scale from the best match of the first words' list. A
// deeper list begins with the same match. Linked notes are scored on this scale
// too.
func (s *search) setTextScale(text []memoir.Match) {
	if s.textScale > 0 {
		return
	}
	s.textScale = 1
	if len(text) > 0 {
		s.reach = text[0].Reach
	}
	if rank.Fusion(s.searcher.cfg.Ranking.Fusion) == rank.Convex && len(text) > 0 && text[0].Score > 0 {
		s.textScale = 1 / math.Sqrt(text[0].Score)
		if s.prose && s.filled >= nearlyFilled && len(s.forms) == 0 && !s.weakened {
			share := min(1, text[0].Score*s.reach/enoughWords)
			s.weights, s.code, s.weakened = weaken(s.weights, share), weaken(s.code, share), true
		}
	}
}

// namesIdentifier reports whether the query holds an identifier.
func (s *search) namesIdentifier() bool {
	return slices.ContainsFunc(s.terms, func(t analyze.Term) bool { return t.Kind == analyze.Identifier })
}

// textScore places a match of the words on the scale of scores. It is the
// geometric mean of two shares: that of the highest score that the query could
// reach, and that of what the best chunk reached. The first share alone would
// let vectors decide every long question, because no chunk holds all its words.
// The second alone would make the best of a hopeless list look perfect
// (docs/design/fusion.md).
func (s *search) textScore(share float64) float64 { return min(1, share*s.textScale) }

// storeTerm returns a term as a store takes it. Where words alone decide what
// is found, a single ideograph finds nothing: 数 is in too many texts that have
// nothing to do with 数据. Where vectors take part they find everything, and the
// ideograph helps to tell what is nearer, unless too many chunks hold it.
func (s *search) storeTerm(t analyze.Term) memoir.Term {
	ideograph := t.Kind == analyze.Character
	return memoir.Term{Text: t.Text, Weight: t.Weight, Supports: ideograph && s.vector == nil, Light: ideograph, Alternative: t.Kind == analyze.Together || t.Kind == analyze.Variant}
}

// storeTerms returns all terms of the search as a store takes them.
func (s *search) storeTerms() []memoir.Term {
	terms := make([]memoir.Term, 0, len(s.terms)+len(s.together)+len(s.learned))
	for _, t := range s.terms {
		terms = append(terms, s.storeTerm(t))
	}
	for _, t := range s.together {
		terms = append(terms, s.storeTerm(t))
	}
	return append(terms, s.learned...)
}

// searchText searches by words. When the store cannot, it reports that once,
// and vectors answer alone.
func (s *search) searchText(ctx context.Context, filter memoir.Filter, limit int) ([]memoir.Match, error) {
	stage := trace.Begin(ctx, "words")
	matches, err := memoir.SearchText(ctx, s.index, s.storeTerms(), filter, limit)
	stage.End(len(matches), "passages")
	if errors.Is(err, memoir.ErrUnavailable) && s.vector != nil {
		s.noWords = true
		s.degrade("words", err.Error(), cmp.Or(memoir.Hint(err), "memoir index"))
		s.weigh()
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("search words: %w", err)
	}
	return matches, nil
}

// searchVector searches by a vector, the query's or one made of it. When the store cannot, it reports that
// once, and words answer alone.
func (s *search) searchVector(ctx context.Context, vector []float32, filter memoir.Filter, limit int) ([]memoir.Match, error) {
	stage := trace.Begin(ctx, "vectors")
	matches, err := s.index.SearchVector(ctx, s.space, vector, filter, limit)
	stage.End(len(matches), "passages")
	if errors.Is(err, memoir.ErrUnavailable) && !s.noWords {
		s.vector = nil
		s.degrade("vectors", err.Error(), cmp.Or(memoir.Hint(err), "memoir index"))
		s.weigh()
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("search vectors: %w", err)
	}
	return matches, nil
}

// order scores the candidates and sorts them. It rounds the scores first, so
// that candidates whose scores print as equal are ordered by document and line.
func (s *search) order(all []*candidate) {
	for _, f := range all {
		s.fuse(f)
	}
	sortFound(all)
}

// fuse gives a candidate its fused score.
func (s *search) fuse(f *candidate) {
	fusion := rank.Fusion(s.searcher.cfg.Ranking.Fusion)
	if s.mode() != memoir.ModeHybrid {
		fusion = rank.Convex // a single list
	}
	f.weights = s.weightsOf(f)
	f.score = round(fusion.Score(f.weights, f.lists))
}

func sortFound(all []*candidate) {
	slices.SortFunc(all, func(a, b *candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.Kind, b.Kind), a.ChunkID.Compare(b.ChunkID)) // notes come before sessions
	})
}

func round(x float64) float64 { return math.Round(x*1e6) / 1e6 }
