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

// lookUpVariants finds the chunks that hold what the question names in another way of
// writing that makes several terms, and adds the signal that raises them. Where many hold
// it, it says little.
func (s *search) lookUpVariants(ctx context.Context) ([]memoir.ChunkID, error) {
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
	holders := map[memoir.ChunkID]bool{}
	var all []memoir.ChunkID
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
		for _, id := range found {
			if !holders[id] {
				holders[id], all = true, append(all, id)
			}
		}
	}
	if len(all) > 0 {
		s.signals = append(s.signals, signal{explain.SignalForm, func(p *memoir.ChunkMeta) (float64, bool) { return 1, holders[p.ChunkID] },
			func(score, value float64) float64 { return score + (1-score)*formWeight*value }, []memoir.Filter{}})
	}
	return all, nil
}

// holdersOf returns the chunks that hold one of some phrases, none if they are many.
func (s *search) holdersOf(ctx context.Context, phrases [][]string) ([]memoir.ChunkID, error) {
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
			filters = append(filters, memoir.Filter{Phrases: []memoir.Phrase{{Terms: p, Fields: []memoir.Field{memoir.FieldTitle, memoir.FieldHeading, memoir.FieldBody}}}})
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
	ids := make([]memoir.ChunkID, len(held))
	for i, m := range held {
		ids[i] = m.ChunkID
	}
	return ids, nil
}
