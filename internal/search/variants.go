package search

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

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

// lookUpVariants finds the chunks that hold a number or a day of the query in any form,
// if one holds it in another form than the query, of several terms, and adds the signal
// that raises them. Where many hold it, it says little.
func (s *search) lookUpVariants(ctx context.Context) (all []memoir.ChunkMeta, err error) {
	s.forms = map[memoir.ChunkID]float64{}
	raise := func(found []memoir.ChunkMeta, weight float64) {
		for _, c := range found {
			if s.forms[c.ChunkID] == 0 {
				all = append(all, c)
			}
			s.forms[c.ChunkID] = max(s.forms[c.ChunkID], weight)
		}
	}
	found, err := s.holdersOf(ctx, s.written.Phrases)
	if err == nil && len(found) > 0 { // what is written as in the query must not stand below
		found, err = s.holdersOf(ctx, slices.Concat(s.written.Phrases, s.written.Same))
	}
	if err != nil {
		return nil, err
	}
	raise(found, formWeight)
	for _, r := range s.asked.when {
		if r.From.IsZero() || !r.From.Equal(r.To) {
			continue
		}
		if found, err = s.holdersOfDay(ctx, r.From); err != nil {
			return nil, err
		}
		raise(found, dayWeight)
	}
	if len(all) > 0 {
		s.signals = append(s.signals, signal{explain.SignalForm, func(p *memoir.ChunkMeta) (float64, bool) { return s.forms[p.ChunkID], s.forms[p.ChunkID] > 0 },
			func(score, value float64) float64 { return score + (1-score)*value }, []memoir.Filter{}})
	}
	return all, nil
}

// holdersOfDay returns the chunks that tell of a day in whatever form: with its year, or if
// none does without. A day of the query that has no year may also be the next one. What is
// of that day itself is near to it already.
func (s *search) holdersOfDay(ctx context.Context, day time.Time) ([]memoir.ChunkMeta, error) {
	text := analyze.Fold(s.asked.text)
	dated, yearless := analyze.DayVariants(day)
	switch {
	case !strings.ContainsAny(text, "0123456789"):
		yearless = nil // yesterday is a day of this year
	case !strings.Contains(text, day.Format("2006")) && day.Before(s.today):
		next, _ := analyze.DayVariants(day.AddDate(1, 0, 0))
		dated = append(dated, next...)
	}
	found, err := s.holdersOf(ctx, dated)
	if err == nil && len(found) == 0 {
		found, err = s.holdersOf(ctx, yearless)
	}
	return slices.DeleteFunc(found, func(c memoir.ChunkMeta) bool { return c.Date == dayOf(day) }), err
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
	counts, err := memoir.CountWords(ctx, s.index, terms, nil)
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
	held, err := s.passing(ctx, memoir.AnyOf(filters...), fewHolders+1)
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
		counts, err := memoir.CountWords(ctx, s.index, terms, nil)
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
