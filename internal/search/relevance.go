package search

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/analyze"
	"github.com/memoir-ai/memoir/internal/rank"
)

// exactRelevance is the lowest relevance of a chunk that holds what the query names
// exactly.
const exactRelevance = .95

// heldRelevance is the lowest relevance of a chunk that holds an identifier of the query
// which few chunks hold, or each of two words or more, or the one word that says
// something and that few hold. Of the first hits that do the former two, 99 and 79 in 100
// answer, and hardly a foreign question has one (docs/design/relevance.md); so few
// questions say no more.
const heldRelevance = .5

// lackingRelevance is the highest relevance of a chunk that holds nothing of the kind that the query
// asks for, such as a number (docs/design/relevance.md).
const lackingRelevance = .2

// fewHolders is how many chunks hold an identifier that tells which is meant: as
// many as an answer shows.
const fewHolders = 2 * memoir.DefaultLimit

// lookUpTerms finds the identifiers of the query that few chunks hold, and the one word
// that says something, whether the notes know the owner of what is asked for, and, for a
// search by vectors alone, how rare each term is.
func (s *search) lookUpTerms(ctx context.Context) {
	var terms []memoir.Term
	owner, _ := s.asked.owner()
	thing := s.asked.thing()
	for _, t := range s.terms {
		if thing.single(t.Text) || t.Kind == analyze.Identifier || s.asked.single && t.Weight >= 1 || s.mode() == memoir.ModeVector || slices.Contains(owner.owners, t.Text) {
			terms = append(terms, s.storeTerm(t))
		}
	}
	if len(terms) == 0 {
		return
	}
	counts, err := memoir.CountWords(ctx, s.index, terms, nil)
	if err != nil {
		return // the search itself tells that the words cannot be read
	}
	s.counts = counts
	for _, t := range s.terms {
		few := counts.Holders[t.Text].Chunks <= fewHolders
		if t.Kind == analyze.Identifier && few {
			s.identifiers = append(s.identifiers, t.Text)
		}
		s.rare = s.rare || s.asked.single && t.Weight >= 1 && few
	}
}

// relevance returns the chance that a candidate answers the query.
func (s *search) relevance(f *candidate) float64 {
	if s.asked.text == "" {
		return 1
	}
	chance := s.exactly(f)
	if !f.Labels.Has(memoir.LabelScrap) { // which says nothing
		chance = max(chance, s.odds(f))
	}
	for _, p := range s.successions { // the entry that it replaced was found
		if p.now == f && p.old.stays != first {
			chance = max(chance, s.odds(p.old))
		}
	}
	if chance < heldRelevance { // a text is read only where that can change anything
		chance = max(chance, s.least(f))
	}
	if chance > lackingRelevance { // as above
		chance = min(chance, s.most(f))
	}
	return math.Round(chance*100) / 100
}

// exactly returns what least does for all but the single words of the query.
func (s *search) exactly(f *candidate) float64 {
	switch {
	case f.exact.Name || f.exact.Phrases > 0:
		return exactRelevance
	case f.Labels.Has(memoir.LabelScrap):
		return 0
	case holdsAny(&f.chunk, s.identifiers):
		return heldRelevance
	}
	return 0
}

// least returns the lowest relevance of a candidate, by what of the query it holds
// exactly.
func (s *search) least(f *candidate) float64 {
	least := s.exactly(f)
	if least > 0 || s.asked.empty || f.Labels.Has(memoir.LabelScrap) {
		return least
	}
	if _, every := s.covered(f); every || s.tellsThing(f) {
		return heldRelevance
	}
	return 0
}

// most returns the highest relevance of a candidate, by what it lacks. Where everything of
// days is asked for of which there is nothing, a passage of another day lacks it.
func (s *search) most(f *candidate) float64 {
	if s.exactly(f) == 0 && (s.noDays && (f.Date != "" || f.Labels.Has(memoir.LabelStanding)) || !s.mayTell(f) || s.ofAnother(f) || s.ofAnotherOwner(f) || s.ofAnotherDay(f)) {
		return lackingRelevance
	}
	return 1
}

// mayHoldAll is the share of the highest BM25 from which on a chunk may hold every
// word of the query; the lowest share of 580 that did was .33. It saves reading the
// others.
const mayHoldAll = .3

// covered returns the share of the query's weight of which a candidate holds the words, a
// rare one weighing more, and whether it holds each of two words or more, or the only one
// where few hold that. By words only the latter is told. A candidate whose text was not read holds nothing.
func (s *search) covered(f *candidate) (share float64, every bool) {
	vectors := s.mode() == memoir.ModeVector
	if f.chunk.EndLine == 0 || !vectors && !s.rare && f.share < mayHoldAll {
		return 0, false
	}
	if !f.read {
		f.held, f.every = s.cover(&f.chunk)
		f.read = true
	}
	return f.held, f.every
}

// cover does what covered does, for a chunk whose text was read.
func (s *search) cover(c *memoir.Chunk) (share float64, every bool) {
	text := headings(c) + "\n" + c.Text
	if day, err := time.Parse(time.DateOnly, c.Date); err == nil {
		text += "\n" + analyze.DateWords(day)
	}
	held := analyze.Document(nil, sieveOf(s.terms).Sift(text))
	words, all := 0, 0.0
	every = true
	for _, t := range s.terms {
		holds := slices.Contains(held, t.Text)
		weight := t.Weight * rank.InverseFrequency(s.counts.Holders[t.Text].Chunks, s.counts.Chunks)
		all += weight
		if holds {
			share += weight
		}
		if t.Weight >= 1 { // a word in its main form
			words++
			every = every && holds
		}
	}
	if all > 0 {
		share /= all
	}
	return share, every && (words > 1 || words == 1 && s.rare)
}

// sieveOf returns a sieve of terms.
func sieveOf(terms []analyze.Term) *analyze.Sieve {
	var v analyze.Sieve
	for _, t := range terms {
		v.Add(t.Text)
	}
	return &v
}

// entryNearer is what an entry alone, the nearest of several, is nearer to any question than
// the passages are that relevance was fitted to (docs/design/relevance.md).
const entryNearer = .04

// odds returns what words and meaning say that a candidate answers the query. One
// that waits for its vector is judged by its words. The cosine is the one that was measured,
// whatever it was lifted by ([languages]).
func (s *search) odds(f *candidate) float64 {
	cosine := f.cosine
	if f.Labels.Has(memoir.LabelEntries) && cosine > 0 {
		cosine = max(0, cosine-entryNearer)
	}
	evidence := rank.Evidence{Share: f.share, Reach: s.reach, Cosine: s.calibration.Score(cosine), Chunks: s.size}
	mode := s.mode()
	if mode == memoir.ModeVector {
		evidence.Share, _ = s.covered(f)
	}
	if s.asked.empty { // a passage that holds "the" answers nothing, and the vector of "…" is near to many
		evidence.Share = 0
	}
	if s.asked.noise {
		evidence.Cosine = 0
	}
	most := 1.0
	if s.asked.single && !s.headed(f) {
		most = heldRelevance
	}
	odds := rank.OddsOfBoth
	switch {
	case mode == memoir.ModeVector:
		odds = rank.OddsOfVectors
	case mode == memoir.ModeText, s.filled < 1 && f.cosine == 0:
		evidence.Cosine, odds = 0, rank.OddsOfWords
	}
	chance := odds.Relevance(evidence)
	if chance < rank.Confident {
		chance = max(chance, s.acrossOdds(f))
	}
	return min(chance, most)
}

// headed reports whether the title, a heading or the file name of a candidate holds a word
// of the query: it is about that then, and does not just mention it.
func (s *search) headed(f *candidate) bool {
	terms := analyze.Document(nil, headings(&f.chunk))
	return slices.ContainsFunc(s.terms, func(t analyze.Term) bool { return slices.Contains(terms, t.Text) })
}
