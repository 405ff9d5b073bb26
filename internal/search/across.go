package search

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/rank"
	"github.com/memoir-ai/memoir/internal/script"
)

// languages is what a search knows of passages in other languages than the query's. To a
// model texts of one language are nearer to each other than to those of any other, whatever
// they say, and no word of the query stands in them (docs/design/across.md).
type languages struct {
	script memoir.Label // that chunks in the query's script bear; "": the query has none
	mixed  bool         // some chunks are in its script, and some are not
	own    crowd        // what is near among those in its script; all chunks where there are none
	others crowd        // among those that are not
	lifts  lifts        // of those that are not, so that both compare
	common *common      // what the chunks in its script have in common; nil: not known
}

// A crowd is how near the chunks of one script are to a query when none of them answers it:
// a normal distribution, of which the head of a list is known.
type crowd struct {
	mean float64 // cosine
	top  float64 // cosine of the nearest that is to be expected; 0: not known
}

// Lifts are added to the cosines of chunks in other scripts than the query's. Who stands out
// from its crowd, so that it is likely to answer, gets what the means of both crowds differ
// by. All others get no more than what lets the nearest of both compare: of many, the nearest
// would else stand above whatever answers in the query's script.
type lifts struct{ answer, crowd float64 }

// crowdHead is the last place of a list that tells of a crowd. The first may be the answer.
const crowdHead = 8

// spread is the standard deviation of a crowd on the scale of scores: .021 to .025 of
// cosines for the model inside, in each pair of seven languages.
const spread = .1

// mostLift bounds the lift on the scale of scores.
const mostLift = .5

// crowdOf returns the crowd of n chunks of which a list has the nearest.
func (s *search) crowdOf(list []memoir.Match, n int) crowd {
	head := min(crowdHead, len(list))
	if head < 2 {
		return crowd{}
	}
	n = max(n, len(list))
	deviation := spread * (1 - s.calibration.Unrelated)
	mean, place := 0.0, 0.0
	for i, m := range list[1:head] {
		mean += m.Score
		place += placeOf(i+2, n)
	}
	mean = (mean - deviation*place) / float64(head-1)
	return crowd{mean, mean + deviation*placeOf(1, n)}
}

// among returns of how many chunks a list has the nearest: of all, or of what a filter lets
// through. That number is not known, except that it is not below what is listed.
func among(filter memoir.Filter, all, listed int) int {
	if passesAll(filter) {
		return all
	}
	return listed
}

// placeOf returns how many standard deviations above the mean the i-th largest of n values
// of a normal distribution is to be expected (Blom, 1958).
func placeOf(i, n int) float64 {
	return math.Sqrt2 * math.Erfinv(1-2*(float64(i)-.375)/(float64(n)+.25))
}

// elsewhere reports whether a chunk is in another script than the query.
func (s *search) elsewhere(c *memoir.ChunkMeta) bool {
	return s.languages.mixed && c.Labels.Value(memoir.KeyScript) != "" && !c.Labels.Has(s.languages.script)
}

// calibrate places the cosine of a chunk on the scale of scores.
func (s *search) calibrate(m *memoir.Match) float64 {
	if s.elsewhere(&m.ChunkMeta) {
		return s.calibration.Score(s.lifted(m.Score))
	}
	return s.calibration.Score(m.Score)
}

// lifted returns the cosine of a chunk in another script with its lift.
func (s *search) lifted(cosine float64) float64 {
	if s.crossOdds(s.leadOf(cosine, s.languages.others)) >= rank.Confident {
		return cosine + s.languages.lifts.answer
	}
	return cosine + s.languages.lifts.crowd
}

// leadOf returns by how much a cosine is higher than that of the nearest of a crowd is
// expected to be, on the scale of scores.
func (s *search) leadOf(cosine float64, among crowd) float64 {
	return (cosine - among.top) / (1 - s.calibration.Unrelated)
}

// crossOdds returns the chance that a chunk in another script answers the query, by its lead.
func (s *search) crossOdds(lead float64) float64 {
	if s.languages.lowers() {
		return rank.AcrossLowered(lead)
	}
	return rank.Across(lead)
}

// lookUpLanguages finds out whether the index has chunks in other scripts than the query's.
func (s *search) lookUpLanguages(ctx context.Context) error {
	names := script.Names(s.asked.text, .5)
	if len(names) != 1 {
		return nil
	}
	labels, err := s.index.Labels(ctx)
	if err != nil {
		return fmt.Errorf("count the scripts: %w", err)
	}
	l := &s.languages
	l.script = memoir.KeyLabel(memoir.KeyScript, names[0])
	if labels[l.script].Chunks == 0 {
		return nil
	}
	for label := range labels {
		if _, ok := label.Value(memoir.KeyScript); ok && label != l.script {
			l.mixed = true
		}
	}
	return nil
}

// inOtherScripts restricts a filter to chunks that are not in the query's script.
func (s *search) inOtherScripts(f memoir.Filter) memoir.Filter {
	return restrict(f, []condition{{filter: memoir.Filter{Without: []memoir.Filter{{Labels: []memoir.Label{s.languages.script}}}}}})
}

// withOthers adds to a list of the nearest chunks those that are in other scripts than the
// query, and learns of both crowds from the first lists.
func (p *pool) withOthers(ctx context.Context, filter memoir.Filter, depth int, list []memoir.Match) ([]memoir.Match, error) {
	l, known := &p.languages, p.languages.own != crowd{}
	if !l.mixed {
		if !known {
			l.own = p.crowdOf(list, among(filter, p.size, len(list)))
		}
		return list, nil
	}
	own := slices.DeleteFunc(list, func(m memoir.Match) bool { return p.elsewhere(&m.ChunkMeta) })
	others, err := p.searchVector(ctx, p.vector, p.inOtherScripts(filter), depth)
	if err != nil || p.vector == nil {
		return nil, err
	}
	least := memoir.Match{}
	if len(others) == depth {
		least = others[depth-1]
	}
	others = slices.DeleteFunc(others, func(m memoir.Match) bool { return !p.elsewhere(&m.ChunkMeta) })
	if !known {
		if l.common, err = p.searcher.commons.of(ctx, p.search); err != nil {
			return nil, err
		}
	}
	if err := p.lower(ctx, others); err != nil || p.vector == nil {
		return nil, err
	}
	if !known {
		labels, err := p.index.Labels(ctx)
		if err != nil {
			return nil, fmt.Errorf("count the scripts: %w", err)
		}
		mine := labels[l.script].Chunks
		l.own = p.crowdOf(own, among(filter, mine, len(own)))
		l.others = p.crowdOf(firstOf(others, crowdHead), among(filter, max(p.size-mine, len(others)), len(others)))
		if l.own != (crowd{}) && l.others != (crowd{}) {
			most := mostLift * (1 - p.calibration.Unrelated)
			l.lifts.answer = min(max(l.own.mean-l.others.mean, 0), most)
			l.lifts.crowd = min(max(l.own.top-l.others.top, 0), l.lifts.answer)
		}
	}
	if least.Score > 0 {
		p.frontier.Vector = max(p.frontier.Vector, p.calibrate(&least)) // who is lowered was above
	}
	return p.inOrder(append(own, others...)), nil
}

// inOrder returns matches by their places on the scale of scores, the nearest first.
func (s *search) inOrder(all []memoir.Match) []memoir.Match {
	type place struct {
		at float64
		i  int
	}
	places := make([]place, len(all))
	for i := range all {
		places[i] = place{s.calibrate(&all[i]), i}
	}
	slices.SortFunc(places, func(a, b place) int {
		if c := cmp.Compare(b.at, a.at); c != 0 {
			return c
		}
		return all[a.i].Compare(all[b.i].ChunkID)
	})
	sorted := make([]memoir.Match, len(all))
	for i, x := range places {
		sorted[i] = all[x.i]
	}
	return sorted
}

// acrossOdds returns the chance that a chunk in another language answers the query, 0 for
// one in the same, or where that is not likely enough for the language to be looked at.
func (s *search) acrossOdds(f *candidate) float64 {
	l := &s.languages
	elsewhere := s.elsewhere(&f.ChunkMeta)
	among := l.own
	if elsewhere {
		among = l.others
	}
	if among == (crowd{}) || f.cosine == 0 || s.asked.noise || s.asked.empty {
		return 0
	}
	lead := s.leadOf(f.cosine, among)
	if elsewhere {
		return s.crossOdds(lead)
	}
	chance := rank.Across(lead)
	if chance < rank.Confident || !otherTongue(s.asked.text, f.chunk.Text) {
		return 0
	}
	return chance
}

// placeAcross raises what is nearest in another script, when it is likely to answer, to the
// place that [search.placeNearest] gives. No word of the query can be in it, so that what
// holds one would hide it.
func (s *search) placeAcross(all []*candidate) {
	var nearest *candidate
	for _, f := range all {
		if s.elsewhere(&f.ChunkMeta) && (nearest == nil || f.cosine > nearest.cosine) {
			nearest = f
		}
	}
	if nearest != nil && nearest.score > 0 && !isScrap(nearest) && s.acrossOdds(nearest) >= rank.Confident {
		raiseNearest(all, nearest)
	}
}
