package search

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

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
	lift   float64      // added to the cosines of those that are not, so that both compare
	common *common      // what the chunks in its script have in common; nil: not known
}

// What chunks have in common is the mean of their vectors among so many that are sampled, if
// there are enough of them.
const (
	sampledVectors = 256
	leastInCommon  = 4
)

// hubShare is how much of what a chunk is nearer than others to all that is in the query's
// script is taken from its cosine.
const hubShare = .75

// A crowd is how near the chunks of one script are to a query when none of them answers it:
// a normal distribution, of which the head of a list is known.
type crowd struct {
	mean float64 // cosine
	top  float64 // cosine of the nearest that is to be expected; 0: not known
}

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
		return s.calibration.Score(m.Score + s.languages.lift)
	}
	return s.calibration.Score(m.Score)
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

// withOthers adds to a list of the nearest chunks those that are in other scripts than the
// query, and learns of both crowds from the first lists.
func (p *pool) withOthers(ctx context.Context, filter memoir.Filter, depth int, list []memoir.Match) ([]memoir.Match, error) {
	l, known := &p.languages, p.languages.own != crowd{}
	if !l.mixed {
		if !known {
			l.own = p.crowdOf(list, p.size)
		}
		return list, nil
	}
	own := slices.DeleteFunc(list, func(m memoir.Match) bool { return p.elsewhere(&m.ChunkMeta) })
	others, err := p.searchVector(ctx, p.vector, restrict(filter, []condition{{filter: memoir.Filter{Without: []memoir.Filter{{Labels: []memoir.Label{l.script}}}}}}), depth)
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
		l.own, l.others = p.crowdOf(own, mine), p.crowdOf(others, p.size-mine)
		if l.own != (crowd{}) && l.others != (crowd{}) {
			l.lift = min(max(l.own.mean-l.others.mean, 0), mostLift*(1-p.calibration.Unrelated))
		}
	}
	if least.Score > 0 {
		p.frontier.Vector = max(p.frontier.Vector, p.calibrate(&least)) // who is lowered was above
	}
	all := make([]calibrated, 0, len(own)+len(others))
	for _, list := range [][]memoir.Match{own, others} {
		for i := range list {
			all = append(all, calibrated{list[i], p.calibrate(&list[i])})
		}
	}
	slices.SortFunc(all, func(a, b calibrated) int {
		if c := cmp.Compare(b.at, a.at); c != 0 {
			return c
		}
		return a.ChunkID.Compare(b.ChunkID)
	})
	list = list[:0]
	for i := range all {
		list = append(list, all[i].Match)
	}
	return list, nil
}

// A calibrated match has its place on the scale of scores.
type calibrated struct {
	memoir.Match
	at float64
}

// lower lowers the scores of chunks in other scripts than the query's, and puts them in
// order again. Some of them, short ones first of all, are near to whatever is said in that
// script.
func (s *search) lower(ctx context.Context, matches []memoir.Match) error {
	common := s.languages.common
	if !s.languages.lowers() {
		return nil
	}
	hubs, unknown := common.known(matches)
	if len(unknown) > 0 {
		near, err := s.searchVector(ctx, common.mean, memoir.Filter{Chunks: unknown}, len(unknown))
		if err != nil {
			return err
		}
		common.learn(near, hubs)
	}
	for i := range matches {
		matches[i].Score -= hubShare * hubs[matches[i].ChunkID]
	}
	slices.SortStableFunc(matches, func(a, b memoir.Match) int { return cmp.Compare(b.Score, a.Score) })
	return nil
}

func lengthOf(v []float32) float64 {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	return math.Sqrt(sum)
}

// commons keeps what the chunks in a script have in common, as long as the index is as it was
// when that was computed; where its revision is not known, as long as it has as many chunks
// and vectors. It is safe for concurrent use.
type commons struct {
	mu    sync.Mutex
	known map[commonKey]*common
}

type commonKey struct {
	space  memoir.Space
	script memoir.Label
}

// An indexState tells states of an index apart.
type indexState struct {
	revision         uint64 // 0: not known
	chunks, inScript int
	filled           float64 // share of the texts that have a vector
}

type common struct {
	of     indexState
	mean   []float32 // of vectors of length 1; nil: too few were met
	others float64   // the mean of its cosines with chunks in other scripts

	mu   sync.Mutex
	hubs map[hub]float64 // how much nearer to the mean than others some chunks in other scripts are
}

// A hub is a chunk with the words that it had.
type hub struct {
	memoir.ChunkID
	digest uint64
}

// mostHubs bounds what is kept of one script, at some 60 bytes each.
const mostHubs = 1 << 14

// known returns how much nearer than others chunks are, and those of which it is not known.
func (c *common) known(matches []memoir.Match) (hubs map[memoir.ChunkID]float64, unknown []memoir.ChunkID) {
	hubs = make(map[memoir.ChunkID]float64, len(matches))
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range matches {
		if x, ok := c.hubs[hub{matches[i].ChunkID, matches[i].Digest}]; ok {
			hubs[matches[i].ChunkID] = x
		} else {
			unknown = append(unknown, matches[i].ChunkID)
		}
	}
	return hubs, unknown
}

// learn keeps how near chunks are to the mean, and adds it to what is known.
func (c *common) learn(near []memoir.Match, hubs map[memoir.ChunkID]float64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.hubs == nil || len(c.hubs)+len(near) > mostHubs {
		c.hubs = map[hub]float64{}
	}
	for i := range near {
		x := max(near[i].Score-c.others, 0)
		hubs[near[i].ChunkID], c.hubs[hub{near[i].ChunkID, near[i].Digest}] = x, x
	}
}

// of returns what the chunks in the query's script have in common.
func (c *commons) of(ctx context.Context, s *search) (*common, error) {
	labels, err := s.index.Labels(ctx)
	if err != nil {
		return nil, fmt.Errorf("count the scripts: %w", err)
	}
	key := commonKey{s.space, s.languages.script}
	now := &common{of: indexState{s.revision, s.size, labels[key.script].Chunks, s.filled}}
	c.mu.Lock()
	last := c.known[key]
	c.mu.Unlock()
	if last != nil && last.of == now.of {
		return last, nil
	}
	sample, err := s.index.Sample(ctx, s.space, sampledVectors)
	if err != nil {
		return nil, fmt.Errorf("sample the vectors: %w", err)
	}
	own, others := make([]float64, len(s.vector)), make([]float64, len(s.vector))
	mine, theirs := 0, 0
	for i := range sample {
		switch v := &sample[i]; {
		case v.Labels.Has(key.script):
			addUnit(own, v.Vector)
			mine++
		case s.elsewhere(&v.ChunkMeta):
			addUnit(others, v.Vector)
			theirs++
		}
	}
	if mine >= leastInCommon && theirs > 0 {
		now.mean = make([]float32, len(own))
		for i, x := range own {
			now.mean[i] = float32(x / float64(mine))
		}
		length := lengthOf(now.mean)
		for i, x := range now.mean {
			now.others += float64(x) / length * others[i] / float64(theirs)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known == nil {
		c.known = map[commonKey]*common{}
	}
	c.known[key] = now
	return now, nil
}

// addUnit adds a vector, made one of length 1, to a sum.
func addUnit(sum []float64, v []float32) {
	length := lengthOf(v)
	for i, x := range v[:min(len(v), len(sum))] {
		sum[i] += float64(x) / length
	}
}

// lowers reports whether chunks in other scripts have lower scores than their cosines.
func (l *languages) lowers() bool { return l.common != nil && l.common.mean != nil }

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
	odds := rank.Across
	if elsewhere && l.lowers() {
		odds = rank.AcrossLowered
	}
	chance := odds((f.cosine - among.top) / (1 - s.calibration.Unrelated))
	if !elsewhere && (chance < rank.Confident || !otherTongue(s.asked.text, f.chunk.Text)) {
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
