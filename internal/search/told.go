package search

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/analyze"
	"github.com/memoir-ai/memoir/internal/order"
	"github.com/memoir-ai/memoir/internal/querylang"
)

// orStanding returns a filter of chunks that are dated on some days, and of those with
// entries that say since when they hold. The filter does not know whether one of these held
// or was told on those days; [search.holds] does.
func orStanding(days querylang.Range) memoir.Filter {
	return memoir.AnyOf(dated(days), standing())
}

// standing returns a filter of chunks with entries that say since when they hold.
func standing() memoir.Filter {
	return memoir.Filter{Labels: []memoir.Label{memoir.LabelStanding}}
}

// dated returns a filter of chunks that are dated on some days.
func dated(days querylang.Range) memoir.Filter {
	return memoir.Filter{From: dayOf(days.From), To: dayOf(days.To)}
}

// A telling says that an entry was told on a day, and on which lines it stands.
type telling struct {
	day         string
	first, last int // lines of the chunk, counted from 0
}

// tellings returns the tellings of a chunk's entries.
func tellings(p *memoir.ChunkMeta) (all []telling) {
	for _, label := range p.Labels {
		value, ok := label.Value(memoir.KeyTold)
		if !ok {
			continue
		}
		day, lines, _ := strings.Cut(value, ":")
		first, last, _ := strings.Cut(lines, "-")
		t := telling{day: day}
		t.first, _ = strconv.Atoi(first)
		t.last, _ = strconv.Atoi(last)
		all = append(all, t)
	}
	return all
}

// toldLast returns the last day on which the entry of a chunk was told, or "" when the chunk
// has several entries.
func toldLast(p *memoir.ChunkMeta) (day string) {
	all := tellings(p)
	for _, t := range all {
		if t.first != all[0].first {
			return ""
		}
		day = max(day, t.day)
	}
	return day
}

// within reports whether a day lies within one of some ranges.
func within(day string, ranges []querylang.Range) bool {
	return day != "" && slices.ContainsFunc(ranges, func(r querylang.Range) bool {
		return day >= dayOf(r.From) && (r.To.IsZero() || day <= dayOf(r.To))
	})
}

// askedDays are lists of ranges; a day has to be in one range of each list.
type askedDays [][]querylang.Range

func (d askedDays) hold(day string) bool {
	return !slices.ContainsFunc(d, func(ranges []querylang.Range) bool { return !within(day, ranges) })
}

// pass reports whether something of a chunk is of those days: it is dated so, or one of its
// entries was told then.
func (d askedDays) pass(p *memoir.ChunkMeta) bool { return d.hold(p.Date) || len(d.tellings(p)) > 0 }

// tellings returns the tellings on those days; none for a chunk that is dated so.
func (d askedDays) tellings(p *memoir.ChunkMeta) []telling {
	if d.hold(p.Date) {
		return nil
	}
	return slices.DeleteFunc(tellings(p), func(t telling) bool { return !d.hold(t.day) })
}

// lastDay returns the last of the days that the query asks for of which something in a chunk
// is; its date where the query asks for none.
func (s *search) lastDay(p *memoir.ChunkMeta) string {
	day := ""
	for _, t := range s.asked.told.tellings(p) {
		day = max(day, t.day)
	}
	if day == "" {
		day = p.Date
	}
	return day
}

// ofAnotherDay reports whether the query asks about some days, the candidate and what was told
// in it are of others, and it holds no word of the query but those of a date.
func (s *search) ofAnotherDay(f *candidate) bool {
	if f.Date == "" || f.chunk.EndLine == 0 || len(s.asked.when) == 0 || (askedDays{s.asked.when}).pass(&f.ChunkMeta) {
		return false
	}
	words := slices.DeleteFunc(analyze.Query(s.asked.undated), func(t analyze.Term) bool { return t.Weight < 1 })
	holds := analyze.Document(nil, sieveOf(words).Sift(titles(&f.chunk)+"\n"+f.chunk.Text))
	return !slices.ContainsFunc(words, func(t analyze.Term) bool { return slices.Contains(holds, t.Text) })
}

// maxStanding is how many chunks with entries that say since when they hold are looked at for
// some days.
const maxStanding = 100_000

// withTold adds to chunks that pass the filter, the latest first, those of which an entry was
// told on the days that the query asks for.
func (s *search) withTold(ctx context.Context, passing []memoir.ChunkMeta) ([]memoir.ChunkMeta, error) {
	if len(s.asked.told) == 0 {
		return passing, nil
	}
	others, err := s.passing(ctx, standing(), maxStanding)
	if err != nil {
		return nil, fmt.Errorf("look for what was told: %w", err)
	}
	known := map[memoir.ChunkID]bool{}
	for _, p := range passing {
		known[p.ChunkID] = true
	}
	for _, p := range others {
		if !known[p.ChunkID] && s.holds(&p) {
			passing = append(passing, p)
		}
	}
	day := make(map[memoir.ChunkID]string, len(passing))
	for i := range passing {
		day[passing[i].ChunkID] = s.lastDay(&passing[i])
	}
	order.Stable(passing, func(a, b memoir.ChunkMeta) int { return strings.Compare(day[b.ChunkID], day[a.ChunkID]) })
	return passing, nil
}

// told returns what of a chunk's entries the query asks for by the days on which they were
// told, in order; none for other queries and for chunks that are of the days themselves.
func (s *search) told(p *memoir.ChunkMeta) []telling {
	told := s.asked.told.tellings(p)
	if s.asked.whenTold && len(s.asked.told) == 0 && p.Date == "" {
		told = tellings(p)
	}
	order.By(told, func(a, b telling) int {
		days := strings.Compare(b.day, a.day)
		if s.asked.whenTold { // since when it is known
			days = -days
		}
		return cmp.Or(a.first-b.first, days)
	})
	return told
}

// narrowed returns a hit once for each run of its entries that were told on one day, with
// that day. Where the query asks when something was told, each entry is by itself. Of a query
// with words those are left out that hold none, where others do. A list has the latest first.
func (s *search) narrowed(h memoir.Hit, told []telling) []memoir.Hit {
	lines := strings.Split(h.Text, "\n")
	var hits []memoir.Hit
	for _, t := range told {
		first, last := t.first, min(t.last, len(lines)-1)
		if n := len(hits) - 1; n >= 0 {
			before := &hits[n]
			next := before.EndLine + 1 - h.StartLine
			if first < next {
				continue // told twice
			}
			if !s.asked.whenTold && before.Date == t.day && strings.TrimSpace(strings.Join(lines[next:first], "")) == "" {
				before.Text, before.EndLine = strings.Join(lines[before.StartLine-h.StartLine:last+1], "\n"), h.StartLine+last
				continue
			}
		}
		if first <= last {
			part := h
			part.Date, part.Text, part.StartLine, part.EndLine = t.day, strings.Join(lines[first:last+1], "\n"), h.StartLine+first, h.StartLine+last
			hits = append(hits, part)
		}
	}
	if len(hits) == 0 {
		return []memoir.Hit{h}
	}
	if s.asked.whenTold && len(hits) > 1 && !s.rests(&memoir.Hit{Chunk: memoir.Chunk{Title: h.Title, Heading: h.Heading}}, h.Text) {
		return []memoir.Hit{h} // nothing tells which of them is meant
	}
	rests := func(part memoir.Hit) bool { return s.rests(&part, h.Text) }
	kept := slices.DeleteFunc(slices.Clone(hits), rests)
	if len(kept) == 0 {
		hits[0].Relevance = min(hits[0].Relevance, lackingRelevance)
		return hits[:1]
	}
	if s.asked.text == "" {
		order.Stable(kept, func(a, b memoir.Hit) int { return strings.Compare(b.Date, a.Date) })
	}
	return kept
}

// toldBefore reports whether a better hit holds the lines of one that was narrowed, with the
// same day: passages of a shelf overlap.
func toldBefore(better []memoir.Hit, part *memoir.Hit) bool {
	return slices.ContainsFunc(better, func(b memoir.Hit) bool {
		return b.Scope == part.Scope && b.Doc == part.Doc && b.Date == part.Date && b.StartLine <= part.StartLine && b.EndLine >= part.EndLine
	})
}
