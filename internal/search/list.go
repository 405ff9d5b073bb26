package search

import (
	"context"
	"fmt"
	"strings"

	"github.com/memoir-ai/memoir"
)

// list answers a query that has only filters: it lists what passes, the latest
// first. All pass equally well, so each score is a millionth below the one
// before, only to keep the order.
func (s *search) list(ctx context.Context) ([]*candidate, error) {
	chunks, err := s.holding(ctx)
	if err != nil {
		return nil, fmt.Errorf("list passages: %w", err)
	}
	return inOrder(chunks), nil
}

// passing lists at most limit chunks that pass the filter of the query and another one, the
// latest first.
func (s *search) passing(ctx context.Context, f memoir.Filter, limit int) ([]memoir.ChunkMeta, error) {
	return s.index.List(ctx, restrict(s.query.Filter, []condition{{filter: f}}), limit)
}

// inOrder makes candidates of chunks that scores keep in their order.
func inOrder(chunks []memoir.ChunkMeta) []*candidate {
	all := make([]*candidate, len(chunks))
	for i, p := range chunks {
		all[i] = &candidate{ChunkMeta: p, score: round(1 - float64(i)/1e6)}
	}
	return all
}

// listDays makes a query that asks for everything of some days one of filters
// alone, as on: would, and lists what passes. It leaves the query as it is, and lists
// nothing, when no passage is of those days, or when the query names a note.
func (s *search) listDays(ctx context.Context) ([]*candidate, error) {
	if !s.asked.all || len(s.exact.named) > 0 {
		return nil, nil
	}
	var texts []string
	var days []memoir.Filter
	for _, r := range s.asked.when {
		from, to := dayOf(r.From), dayOf(r.To)
		days = append(days, orStanding(r))
		if from == to {
			texts = append(texts, "on:"+from)
		} else {
			texts = append(texts, "since:"+from+" until:"+to)
		}
	}
	c := condition{text: strings.Join(texts, " or "), filter: days[0], absent: "no note is of that time"}
	if len(days) > 1 {
		c.filter = memoir.AnyOf(days...)
	}
	before, on := s.query.Filter, s.asked.on
	s.query.Filter = restrict(before, []condition{c})
	s.asked.on, s.asked.told = append(s.asked.on, s.asked.when...), append(s.asked.told, s.asked.when)
	found, err := s.holding(ctx)
	if err != nil {
		return nil, fmt.Errorf("look for passages of those days: %w", err)
	}
	if s.noDays = len(found) == 0; s.noDays {
		s.query.Filter, s.asked.on, s.asked.told = before, on, s.asked.told[:len(s.asked.told)-1]
		return nil, nil
	}
	s.asked.conditions, s.asked.text = append(s.asked.conditions, c), ""
	s.vector, s.noWords, s.terms, s.signals = nil, false, nil, nil
	return inOrder(found), nil
}
