package main

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"github.com/memoir-ai/memoir/internal/judge"
	"github.com/memoir-ai/memoir/internal/judge/feature"
	"github.com/memoir-ai/memoir/internal/judge/linear"
)

var relations = []string{"same", "changed", "distinct"}

// How the pair models are fitted; see docs/design/judging.md.
const (
	relationC     = .03
	relatedC      = .1
	differences   = 4
	lacks         = 3
	ownWeight     = .15 // of a pair of the repository beside one of the shared set
	otherWeight   = .45 // of an unrelated pair beside an own one, in the first stage
	alikeSame     = .5  // see package judge
	alikeChanged  = .3
	sameTarget    = .95  // the precision that the threshold of same is chosen for
	changeTarget  = .955 // and that of changed
	matterC       = .03
	nearest       = 25  // unrelated texts per case
	foreignNearer = .02 // what the cosine of texts in two scripts lacks
	firstRelated  = 2   // nearer ones may be related after all
	everyOther    = 3   // of the unrelated ones that train
)

// A candidate is an older text beside a newer one: the case's own (rank -1), or
// another case's, by how near it is.
type candidate struct {
	old, new      int // cases
	rank          int
	row           []float64
	diff, lacking []float64
	rests         float64
	cosine        float64
	rules         feature.Rules
}

type pairs struct {
	*set
	y          []int
	mean       []float64
	candidates []*candidate
	matter     *linear.Model
}

func meanToken(s *set) []float64 {
	var mean []float64
	count := 0.0
	for _, c := range s.cases {
		for _, text := range c.texts() {
			for _, t := range s.lib.readings[text].Tokens {
				if mean == nil {
					mean = make([]float64, len(t.Vector))
				}
				for d, v := range t.Vector {
					mean[d] += float64(v)
				}
				count++
			}
		}
	}
	for d := range mean {
		mean[d] = float64(float32(mean[d] / count))
	}
	return mean
}

func (l *library) side(text *feature.Text, s string, mean []float64) *feature.Side {
	r := l.readings[s]
	var tokens []feature.Token
	for _, t := range r.Tokens {
		tokens = append(tokens, feature.Token(t))
	}
	return feature.NewSide(text, r.Vector, tokens, mean)
}

// newPairs makes the candidates: each case's own and the nearest of the same file.
func newPairs(s *set, all bool) *pairs {
	p := &pairs{set: s, mean: meanToken(s)}
	olds, news := make([]*feature.Side, len(s.cases)), make([]*feature.Side, len(s.cases))
	for i, c := range s.cases {
		p.y = append(p.y, slices.Index(relations, c.Label))
		olds[i], news[i] = s.lib.side(s.texts[c.Old], c.Old, p.mean), s.lib.side(s.texts[c.New], c.New, p.mean)
	}
	for i, c := range s.cases {
		cosine := func(j int) float64 {
			return dot(s.lib.readings[c.New].Vector, s.lib.readings[s.cases[j].Old].Vector)
		}
		var near []int
		for j, o := range s.cases {
			if j != i && o.Own == c.Own && o.Old != c.Old {
				near = append(near, j)
			}
		}
		slices.SortStableFunc(near, func(a, b int) int { return cmp.Compare(cosine(b), cosine(a)) })
		p.candidates = append(p.candidates, &candidate{old: i, new: i, rank: -1, cosine: cosine(i)})
		foreign := 0
		for r, j := range near {
			other := s.cases[j].script(true) != c.script(false)
			if other {
				foreign++
			}
			if r < nearest || other && foreign <= 3 {
				p.candidates = append(p.candidates, &candidate{old: j, new: i, rank: r, cosine: cosine(j)})
			}
		}
	}
	for _, c := range p.candidates {
		a, b := olds[c.old], news[c.new]
		if !all {
			keep := s.census.others(s.cases[c.old].key(), s.cases[c.new].key())
			a, b = a.As(s.texts[s.cases[c.old].Old].Only(keep)), b.As(s.texts[s.cases[c.new].New].Only(keep))
		}
		m := feature.Meet(a, b)
		c.row, c.diff, c.lacking = m.Row().Values, m.Difference(), m.Lacking()
		c.rules, c.rests = m.Rules(), m.Rests()
	}
	p.matter = p.fitMatter()
	return p
}

// fitMatter fits the stage that tells a change from one in another matter of the same thing. It is
// the repository's cases that it learns from: pairs that are changed or distinct, and what
// is known of one thing beside what has changed of it.
func (p *pairs) fitMatter() *linear.Model {
	var rows [][]float64
	var y []int
	var count [2]float64
	add := func(older, newer string, label int) {
		m := feature.Meet(p.lib.side(feature.Read(older), older, p.mean), p.lib.side(feature.Read(newer), newer, p.mean))
		rows, y = append(rows, append(m.Row().Values, m.Rests())), append(y, label)
		count[label]++
	}
	for _, c := range p.cases {
		if c.Own && c.Label != "same" {
			add(c.Old, c.New, number(c.Label == "changed"))
		}
	}
	for _, x := range p.facts {
		for _, y := range p.facts {
			if x == y || x.of != "-" && x.of == y.of && x.matter != y.matter {
				add(x.known, y.changed, number(x == y))
			}
		}
	}
	weights := make([]float64, len(y))
	for i, label := range y {
		weights[i] = count[0] / count[label]
	}
	return linear.Fit(rows, y, 2, linear.Options{C: matterC, Weights: weights})
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

func dot(a, b []float32) float64 {
	var sum float64
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// A pairModel is the two stages.
type pairModel struct {
	related, relation   *linear.Model
	difference, lacking *linear.Projection
}

// fit fits both stages to the candidates for which use is true.
func (p *pairs) fit(use func(c *candidate) bool) *pairModel {
	var rows, diffs, lacking, all [][]float64
	var y, own []int
	var weights, allWeights []float64
	for _, c := range p.candidates {
		if !use(c) {
			continue
		}
		if c.rank < 0 {
			w := 1.0
			if p.cases[c.new].Own {
				w = ownWeight
			}
			rows, diffs, lacking = append(rows, c.row), append(diffs, c.diff), append(lacking, c.lacking)
			y, weights = append(y, p.y[c.new]), append(weights, w)
			all, own, allWeights = append(all, c.row), append(own, 1), append(allWeights, 1)
		} else if c.rank >= firstRelated && c.rank < nearest && c.rank%everyOther == 0 {
			all, own, allWeights = append(all, c.row), append(own, 0), append(allWeights, otherWeight)
		}
	}
	m := &pairModel{
		related:    linear.Fit(all, own, 2, linear.Options{C: relatedC, Weights: allWeights}),
		difference: linear.Project(diffs, y, len(relations), differences),
		lacking:    linear.Project(lacking, y, len(relations), lacks),
	}
	for i := range rows {
		rows[i] = m.join(rows[i], diffs[i], lacking[i])
	}
	m.relation = linear.Fit(rows, y, len(relations), linear.Options{C: relationC, Weights: weights})
	return m
}

func (m *pairModel) join(row, diff, lacking []float64) []float64 {
	row = append(slices.Clone(row), m.difference.Apply(diff)...)
	return append(row, m.lacking.Apply(lacking)...)
}

// odds returns what [judge.Odds] states, before any rule.
func (m *pairModel) odds(c *candidate) (o judge.Odds) {
	o.Related = m.related.Probabilities(c.row)[1]
	p := m.relation.Probabilities(m.join(c.row, c.diff, c.lacking))
	o.Same, o.Changed = p[0]*min(1, o.Related/alikeSame), p[1]*min(1, o.Related/alikeChanged)
	o.Distinct = 1 - o.Same - o.Changed
	return o
}

// A pairRun is the out-of-fold odds of all candidates of shared cases, and the
// thresholds that folds inside the training folds choose.
type pairRun struct {
	odds          map[*candidate]judge.Odds
	same, changed []float64 // by case
}

func (p *pairs) cross(seed int, nested bool) pairRun {
	of := folds(p.cases[:p.shared], seed, foldCount)
	in := func(i, k int) bool { return i < p.shared && of[i] == k }
	run := pairRun{map[*candidate]judge.Odds{}, make([]float64, p.shared), make([]float64, p.shared)}
	var wg sync.WaitGroup
	var mu sync.Mutex
	for k := range foldCount {
		wg.Go(func() {
			odds := p.test(func(i int) bool { return !in(i, k) }, func(i int) bool { return in(i, k) }, nearest)
			inner := map[*candidate]judge.Odds{}
			if nested {
				const parts = 5
				part := folds(p.cases[:p.shared], seed+100, parts)
				for f := range parts {
					use := func(i int) bool { return !in(i, k) && !(i < p.shared && part[i] == f) }
					for c, o := range p.test(use, func(i int) bool { return i < p.shared && part[i] == f && !in(i, k) }, 0) {
						inner[c] = o
					}
				}
			}
			same, changed := p.thresholds(inner)
			mu.Lock()
			defer mu.Unlock()
			for c, o := range odds {
				run.odds[c] = o
				run.same[c.new], run.changed[c.new] = same, changed
			}
		})
	}
	wg.Wait()
	return run
}

// test returns the odds of the candidates whose newer text is under test, own and
// those up to a rank, by a model of the candidates in use.
func (p *pairs) test(use, test func(i int) bool, ranks int) map[*candidate]judge.Odds {
	m := p.fit(func(c *candidate) bool { return use(c.old) && use(c.new) })
	found := map[*candidate]judge.Odds{}
	for _, c := range p.candidates {
		if test(c.new) && (c.rank < 0 || ranks > 0) {
			o := m.odds(c)
			o.Matter = p.matter.Probabilities(append(slices.Clone(c.row), c.rests))[1]
			found[c] = o
		}
	}
	return found
}

// thresholds returns from where on same and changed are right with the precision
// that is aimed at.
func (p *pairs) thresholds(odds map[*candidate]judge.Odds) (same, changed float64) {
	var s, c []float64
	var isSame, isChanged []bool
	for _, candidate := range p.candidates {
		o, ok := odds[candidate]
		if !ok || candidate.rank >= 0 {
			continue
		}
		elsewhere := o.Elsewhere(candidate.rules)
		o = o.Settle(candidate.rules, 0, 0)
		if !candidate.rules.Adds {
			s, isSame = append(s, o.Same), append(isSame, p.y[candidate.new] == 0)
		}
		if !elsewhere && !candidate.rules.Restates && !candidate.rules.Replaces {
			c, isChanged = append(c, o.Changed), append(isChanged, p.y[candidate.new] == 1)
		}
	}
	return threshold(s, isSame, sameTarget), threshold(c, isChanged, changeTarget)
}

// call is what the odds and the rules say at some thresholds: a relation.
func call(c *candidate, o judge.Odds, same, changed float64) int {
	return slices.Index([]judge.Code{judge.Same, judge.Changed, judge.New}, o.Settle(c.rules, same, changed).Call)
}

func trainPairs(s *set, c config, file linear.File) {
	var same, changed float64
	for _, view := range []struct {
		name    string
		all     bool
		repeats int
	}{{"LOO", false, c.repeats}, {"all cues", true, 1}} {
		p := newPairs(s, view.all)
		if s.shared > 0 {
			runs := make([]pairRun, view.repeats)
			for r := range runs {
				runs[r] = p.cross(r, true)
				if !view.all {
					a, b := p.thresholds(runs[r].odds)
					same, changed = same+a/float64(c.repeats), changed+b/float64(c.repeats)
				}
			}
			p.report(view.name, runs)
			if c.errors {
				p.errors(runs[0])
			}
		}
		if !view.all && c.write {
			m := p.fit(func(*candidate) bool { return true })
			file.PutModel("related", m.related)
			file.PutModel("relation", m.relation)
			file.PutProjection("difference", m.difference)
			file.PutProjection("lacking", m.lacking)
			file.PutModel("matter", p.matter)
			file["mean"] = linear.Matrix{p.mean}
		}
	}
	if s.shared == 0 {
		same, changed = .6, .6
	}
	fmt.Printf("pair thresholds: same %.3f changed %.3f\n", same, changed)
	file["pair thresholds"] = linear.Matrix{{same, changed}}
}

// own returns the candidates that are the shared cases' own, by case.
func (p *pairs) own() []*candidate {
	var all []*candidate
	for _, c := range p.candidates {
		if c.rank < 0 && c.new < p.shared {
			all = append(all, c)
		}
	}
	return all
}

func (p *pairs) report(name string, runs []pairRun) {
	n := float64(len(runs))
	var confusion [3][3]float64 // of all cases, the truth by row
	for _, g := range groups {
		var right, total float64
		var called, hits, is [3]float64
		var wrong float64 // distinct taken for another
		var named, wanted, others float64
		for _, run := range runs {
			for i, c := range p.own() {
				if !p.cases[i].in(g) {
					continue
				}
				o := run.odds[c].Settle(c.rules, run.same[i], run.changed[i])
				total++
				if argmax([]float64{o.Same, o.Changed, o.Distinct}) == p.y[i] {
					right++
				}
				k := call(c, run.odds[c], run.same[i], run.changed[i])
				is[p.y[i]]++
				called[k]++
				if k == p.y[i] {
					hits[k]++
				}
				if g == "all" {
					confusion[p.y[i]][k] += 1 / n
				}
				if p.y[i] == 2 && k != 2 {
					wrong++
				}
				if p.y[i] < 2 {
					wanted++
					found, more := p.named(run, c)
					named, others = named+found, others+more
				}
			}
		}
		fmt.Printf("pair %-8s %-3s accuracy %s  same P %s R %s  changed P %s R %s  distinct taken for another %s  named among three %s with %.2f others\n", name, g,
			wilson(right/n, total/n), wilson(hits[0]/n, called[0]/n), wilson(hits[0]/n, is[0]/n), wilson(hits[1]/n, called[1]/n), wilson(hits[1]/n, is[1]/n),
			wilson(wrong/n, is[2]/n), wilson(named/n, wanted/n), others/wanted)
	}
	for k, row := range confusion {
		fmt.Printf("    %-12s %5.1f\n", relations[k], row)
	}
	var distinct, total float64
	for _, run := range runs {
		for c, o := range run.odds {
			if c.rank == 0 {
				total++
				if call(c, o, run.same[c.new], run.changed[c.new]) == 2 {
					distinct++
				}
			}
		}
	}
	fmt.Printf("pair %-8s nearest other entry of the set left alone %s\n", name, wilson(distinct/n, total/n))
}

// named reports whether a case's own older text is among the three that are named
// as similar, and how many others are: of the ten nearest, and the three nearest
// in the other kind of script, those that seem related, the nearest first.
func (p *pairs) named(run pairRun, own *candidate) (found, others float64) {
	var near []*candidate
	for c := range run.odds {
		if c.new == own.new {
			near = append(near, c)
		}
	}
	slices.SortFunc(near, func(a, b *candidate) int {
		return cmp.Or(cmp.Compare(b.cosine, a.cosine), cmp.Compare(a.rank, b.rank))
	})
	foreign, kept := 0, near[:0]
	for i, c := range near {
		if p.cases[c.old].script(true) != p.cases[c.new].script(false) {
			foreign++
		} else if i >= 10 {
			continue
		}
		if (i < 10 || foreign <= 3) && run.odds[c].Related >= judge.Near {
			kept = append(kept, c)
		}
	}
	nearness := func(c *candidate) float64 {
		if p.cases[c.old].script(true) != p.cases[c.new].script(false) {
			return c.cosine + foreignNearer
		}
		return c.cosine
	}
	slices.SortStableFunc(kept, func(a, b *candidate) int { return cmp.Compare(nearness(b), nearness(a)) })
	for _, c := range kept[:min(3, len(kept))] {
		if c == own {
			found = 1
		} else {
			others++
		}
	}
	return found, others
}

// errors prints what the odds of one run get most wrong, and the older texts that
// are not named.
func (p *pairs) errors(run pairRun) {
	own := p.own()
	for k, of := range []func(judge.Odds) float64{func(o judge.Odds) float64 { return o.Same }, func(o judge.Odds) float64 { return o.Changed }} {
		slices.SortStableFunc(own, func(a, b *candidate) int { return cmp.Compare(of(run.odds[b]), of(run.odds[a])) })
		for n, c := range own[:min(80, len(own))] {
			if p.y[c.new] != k {
				o := run.odds[c]
				fmt.Printf("    %s %d: related %.2f same %.2f changed %.2f, is %s: %q | %q\n", relations[k], n, o.Related, o.Same, o.Changed, relations[p.y[c.new]], p.cases[c.new].Old, p.cases[c.new].New)
			}
		}
	}
	for _, c := range own {
		if found, _ := p.named(run, c); found == 0 && p.y[c.new] < 2 {
			fmt.Printf("    not named: related %.2f, %s: %q | %q\n", run.odds[c].Related, relations[p.y[c.new]], p.cases[c.new].Old, p.cases[c.new].New)
		}
	}
}
