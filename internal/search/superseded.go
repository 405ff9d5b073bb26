package search

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/explain"
	"github.com/memoir-ai/memoir/internal/analyze"
	"github.com/memoir-ai/memoir/internal/entry"
	"github.com/memoir-ai/memoir/internal/querylang"
)

// The values of status: in a query.
const (
	statusActive     = "active"
	statusSuperseded = "superseded"
	statusAll        = "all"
)

// maxSuccessors is how many times a superseded entry is followed to its
// successor.
const maxSuccessors = 8

// statusFilter returns the filter of a value of status:. Every query asks for
// active unless it says otherwise.
func statusFilter(value string) memoir.Filter {
	if value == statusSuperseded {
		return memoir.Filter{Labels: []memoir.Label{memoir.LabelSuperseded}}
	}
	return memoir.Filter{}
}

// maxBeside is how many passages with the word of a mark are looked at.
const maxBeside = 10_000

// besideNow lets status:superseded pass also the chunks that hold a superseded
// entry beside the one that holds in its place. Only their text tells of it.
func (s *search) besideNow(ctx context.Context) error {
	if s.asked.status != statusSuperseded {
		return nil
	}
	var words []memoir.Filter
	for _, word := range entry.MarkWords {
		words = append(words, memoir.Filter{Phrases: []memoir.Phrase{{Terms: analyze.AnyForm(word)}}})
	}
	found, err := s.passing(ctx, memoir.AnyOf(words...), maxBeside)
	if err != nil {
		return fmt.Errorf("look for superseded entries: %w", err)
	}
	var ids []memoir.ChunkID
	for _, p := range found {
		if p.Labels.Value(memoir.KeyEntry) != "" { // an entry that replaced another
			ids = append(ids, p.ChunkID)
		}
	}
	chunks, err := s.index.Chunks(ctx, ids)
	if err != nil {
		return fmt.Errorf("read superseded entries: %w", err)
	}
	ids = ids[:0]
	for _, c := range chunks {
		if entry.Marked(c.Text) {
			ids = append(ids, c.ChunkID)
		}
	}
	apart := statusFilter(statusSuperseded)
	for i, c := range s.asked.conditions {
		if len(ids) > 0 && slices.Equal(c.filter.Labels, apart.Labels) {
			s.asked.conditions[i].filter = memoir.AnyOf(apart, memoir.Filter{Chunks: ids})
		}
	}
	return nil
}

func closed(days querylang.Range) bool { return !days.From.IsZero() && !days.To.IsZero() }

// heldIn reports whether a chunk held on one of some days, as far as is known.
func heldIn(p *memoir.ChunkMeta, days querylang.Range) bool {
	from, until := p.Labels.Value(memoir.KeyFrom), p.Labels.Value(memoir.KeyUntil)
	return (days.To.IsZero() || from <= dayOf(days.To)) && (days.From.IsZero() || until == "" || until > dayOf(days.From))
}

// held is the signal that leaves out chunks that did not hold at the time that
// the query asks about. Superseded chunks are left out unless the query asks
// for them or for a time in the past. A standing chunk is left out when it
// began to hold only after the days that a filter names, or, where everything of
// some days is asked for or where these have no end, when nothing of it was told then.
func (s *search) held() signal {
	return signal{explain.SignalStatus, func(p *memoir.ChunkMeta) (float64, bool) { return 0, !s.holds(p) }, scaled, nil}
}

// holds reports whether a chunk may be an answer, given when it holds.
func (s *search) holds(p *memoir.ChunkMeta) bool {
	superseded := p.Labels.Has(memoir.LabelSuperseded)
	if !superseded && !p.Labels.Has(memoir.LabelStanding) {
		return true
	}
	within := func(days querylang.Range) bool { return heldIn(p, days) }
	if p.Date == "" || superseded {
		for _, on := range s.asked.on {
			if !within(on) {
				return false
			}
		}
	}
	if !s.asked.told.pass(p) {
		return false
	}
	return !superseded || s.asked.status == statusAll || s.asked.status == statusSuperseded ||
		s.asked.status == "" && (len(s.asked.on) > 0 || slices.ContainsFunc(s.asked.past(s.today), within))
}

// past returns the past days that dates in words name.
func (u *understood) past(today time.Time) (ranges []querylang.Range) {
	for _, r := range u.when {
		if !r.To.IsZero() && r.To.Before(today) {
			ranges = append(ranges, r)
		}
	}
	return ranges
}

// asksForThen reports whether the query asks for a time at which a chunk held.
func (s *search) asksForThen(p *memoir.ChunkMeta) bool {
	return s.asked.status == "" && s.holds(p)
}

// holding returns the chunks that pass the filter and hold at the time that the
// query asks about, as many as an answer may have. What says nothing is no answer to
// what was on some days.
func (s *search) holding(ctx context.Context) ([]memoir.ChunkMeta, error) {
	most := s.query.Limit * memoir.PassagesPerNote
	for limit := most; ; limit *= 4 {
		passing, err := s.index.List(ctx, s.query.Filter, limit)
		all := len(passing) < limit
		if passing = slices.DeleteFunc(passing, func(p memoir.ChunkMeta) bool {
			return !s.holds(&p) || s.asked.all && p.Labels.Has(memoir.LabelScrap)
		}); !all && err == nil && len(passing) < most {
			continue
		}
		if err == nil {
			passing, err = s.withTold(ctx, passing)
		}
		return passing[:min(len(passing), most)], err
	}
}

// unheld names the filter that leaves a chunk out because it does not hold at
// the time that the query asks about. It returns "" when the chunk holds.
func (s *search) unheld(ctx context.Context, id memoir.ChunkID) (string, error) {
	passing, err := s.index.List(ctx, memoir.Filter{Chunks: []memoir.ChunkID{id}}, 1)
	if err != nil {
		return "", fmt.Errorf("look at a passage: %w", err)
	}
	if len(passing) == 0 || s.holds(&passing[0]) {
		return "", nil
	}
	if passing[0].Labels.Has(memoir.LabelSuperseded) {
		return "status:" + statusActive + ", which every query has (status:all lifts it)", nil
	}
	return "the days that the query names", nil
}
