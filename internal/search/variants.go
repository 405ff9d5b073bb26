package search

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/explain"
	"github.com/memoir-ai/memoir/internal/analyze"
)

// formWeight is how far a chunk is raised towards 1 that holds a day or a number which
// the question writes in another way.
const formWeight = .35

// dayWeight is the same for a day: the log of that day stands beside it, or that of another
// year.
const dayWeight = .8

// lookUpVariants finds the chunks that hold what the question names in another way of
// writing that makes several terms, and adds the signal that raises them. Where many hold
// it, it says little.
func (s *search) lookUpVariants(ctx context.Context) ([]memoir.ChunkMeta, error) {
	groups := [][][]string{s.rewritten}
	text := analyze.Fold(s.asked.text)
	for _, r := range s.asked.when {
		if !r.From.Equal(r.To) || r.From.IsZero() {
			continue
		}
		dated, yearless := analyze.DayVariants(r.From)
		if !strings.Contains(text, r.From.Format("2006")) && r.From.Before(s.today) && strings.ContainsAny(text, "0123456789") {
			next, _ := analyze.DayVariants(r.From.AddDate(1, 0, 0))
			dated = append(dated, next...)
		}
		groups = append(groups, dated, yearless)
	}
	s.forms = map[memoir.ChunkID]float64{}
	var all []memoir.ChunkMeta
	for i, phrases := range groups {
		if i > 0 && i%2 == 0 && len(groups[i-1]) == 0 {
			continue // the day stands with its year
		}
		found, err := s.holdersOf(ctx, phrases)
		if err != nil {
			return nil, err
		}
		if i%2 == 1 && len(found) > 0 {
			groups[i] = nil
		}
		for _, c := range found {
			if s.forms[c.ChunkID] == 0 {
				all = append(all, c)
			}
			weight := formWeight
			if i > 0 {
				weight = dayWeight
			}
			s.forms[c.ChunkID] = max(s.forms[c.ChunkID], weight)
		}
	}
	if len(all) > 0 {
		s.signals = append(s.signals, signal{explain.SignalForm, func(p *memoir.ChunkMeta) (float64, bool) { return s.forms[p.ChunkID], s.forms[p.ChunkID] > 0 },
			func(score, value float64) float64 { return score + (1-score)*value }, []memoir.Filter{}})
	}
	return all, nil
}

// holdersOf returns the chunks that hold one of some phrases, none if they are many.
func (s *search) holdersOf(ctx context.Context, phrases [][]string) ([]memoir.ChunkMeta, error) {
	if len(phrases) == 0 {
		return nil, nil
	}
	asked := map[string]bool{}
	var terms []memoir.Term
	for _, p := range phrases {
		for _, t := range p {
			if !asked[t] {
				asked[t] = true
				terms = append(terms, memoir.Term{Text: t, Weight: 1})
			}
		}
	}
	counts, err := memoir.CountWords(ctx, s.index, terms)
	if err != nil {
		return nil, nil // the search itself tells that the words cannot be read
	}
	var filters []memoir.Filter
	for _, p := range phrases {
		if !slices.ContainsFunc(p, func(t string) bool { return counts.Holders[t].Chunks == 0 }) {
			filters = append(filters, memoir.Filter{Phrases: []memoir.Phrase{{Terms: p, Fields: []memoir.Field{memoir.FieldBody}}}})
		}
	}
	if len(filters) == 0 {
		return nil, nil
	}
	held, err := s.index.List(ctx, restrict(s.query.Filter, []condition{{filter: memoir.AnyOf(filters...)}}), fewHolders+1)
	switch {
	case errors.Is(err, memoir.ErrUnavailable):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("look for other ways of writing: %w", err)
	case len(held) > fewHolders:
		return nil, nil
	}
	return held, nil
}

// includeExact adds what the query names exactly, and what holds another way of writing, to
// the candidates. A chunk of those that no term and no vector finds has no score of its own.
func (s *search) includeExact(ctx context.Context, all []*candidate, forms []memoir.ChunkMeta) ([]*candidate, error) {
	found := slices.Concat(s.exact.found, forms)
	ids := slices.Clone(s.exact.chunks)
	for _, c := range forms {
		ids = append(ids, c.ChunkID)
	}
	all, err := s.include(ctx, all, ids)
	if err != nil || len(found) == 0 {
		return all, err
	}
	known := map[memoir.ChunkID]bool{}
	for _, f := range all {
		known[f.ChunkID] = true
	}
	for _, c := range found {
		if !known[c.ChunkID] {
			known[c.ChunkID] = true
			all = append(all, &candidate{ChunkMeta: c, weights: s.weights})
		}
	}
	return all, nil
}

// longNumbers returns the long numbers of the query as phrases, each as the notes may
// write it.
func (s *search) longNumbers(ctx context.Context) (phrases []quotedPhrase) {
	if s.query.Literal {
		return nil
	}
	numbers := analyze.LongNumbers(s.asked.text)
	for i := range numbers {
		var terms []memoir.Term
		for _, t := range numbers[i].Terms() {
			terms = append(terms, memoir.Term{Text: t, Weight: 1})
		}
		counts, err := memoir.CountWords(ctx, s.index, terms)
		if err != nil {
			return nil // the search itself tells that the words cannot be read
		}
		var ways []memoir.Phrase
		for _, way := range numbers[i].Written(func(term string) bool { return counts.Holders[term].Chunks > 0 }) {
			ways = append(ways, memoir.Phrase{Terms: way})
		}
		if len(ways) > 0 {
			phrases = append(phrases, quotedPhrase{text: numbers[i].Text, ways: ways})
		}
	}
	return phrases
}
