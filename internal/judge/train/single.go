package main

import (
	"fmt"
	"slices"
	"sync"

	"github.com/memoir-ai/memoir/internal/judge"
	"github.com/memoir-ai/memoir/internal/judge/feature"
	"github.com/memoir-ai/memoir/internal/judge/linear"
)

// A table is what a model of single texts is fitted to and tested with.
type table struct {
	cases  []*Case
	shared int
	labels []string
	y      []int
	weight []float64
	loo    [][]float64 // cues counted only where another case holds them
	full   [][]float64
	vector int    // how many numbers at the end of a row are a vector
	strong []bool // a rule says the second class, whatever the model says
	c      float64
}

// newTable computes the rows of cases for a feature function.
func newTable(s *set, labels []string, row func(*feature.Text) feature.Row, c float64, weight func(*Case) float64) (vector, words *table) {
	words = &table{cases: s.cases, shared: s.shared, labels: labels, c: c}
	for _, c := range s.cases {
		words.y = append(words.y, slices.Index(labels, c.Label))
		words.weight = append(words.weight, weight(c))
		t := s.texts[c.Text]
		words.full = append(words.full, row(t).Values)
		words.loo = append(words.loo, row(t.Only(s.census.others(c.key()))).Values)
	}
	with := *words
	with.vector = s.lib.embedder.Space().Dimensions
	with.loo, with.full = nil, nil
	for i, c := range s.cases {
		v := make([]float64, len(s.lib.readings[c.Text].Vector))
		for d, x := range s.lib.readings[c.Text].Vector {
			v[d] = float64(x)
		}
		with.loo = append(with.loo, append(slices.Clone(words.loo[i]), v...))
		with.full = append(with.full, append(slices.Clone(words.full[i]), v...))
	}
	return &with, words
}

// How much a vector counts beside cues; see docs/design/judging.md.
const (
	vectorScale = 18
	cueScale    = .5
)

// fit fits a model to the cases for which use is true, with cues counted as in
// tests: what a list says of its own texts flatters it.
func (t *table) fit(use func(i int) bool) *linear.Model {
	var x [][]float64
	var y []int
	var w []float64
	for i := range t.cases {
		if use(i) && t.weight[i] > 0 {
			x, y, w = append(x, t.loo[i]), append(y, t.y[i]), append(w, t.weight[i])
		}
	}
	o := linear.Options{C: t.c, Weights: w}
	if t.vector > 0 {
		o.Fixed, o.Scale, o.Free = t.vector, vectorScale, cueScale
	}
	return linear.Fit(x, y, len(t.labels), o)
}

// scores returns the probabilities of the cases in test, by a model of the others
// among those in use.
func (t *table) scores(rows [][]float64, use, test func(i int) bool) map[int][]float64 {
	m := t.fit(func(i int) bool { return use(i) && !test(i) })
	p := map[int][]float64{}
	for i := range t.shared {
		if test(i) {
			p[i] = m.Probabilities(rows[i])
			if t.strong != nil && t.strong[i] {
				p[i] = []float64{0, 1}
			}
		}
	}
	return p
}

// A foldRun is the out-of-fold probabilities of the shared cases.
type foldRun struct {
	p        [][]float64
	nestedAt map[float64][]float64 // by target, the threshold of each case's fold
}

// cross returns out-of-fold probabilities. For each target of precision of the
// second class it also returns, for each case, the threshold that folds inside
// its training folds choose.
func (t *table) cross(rows [][]float64, seed int, targets ...float64) foldRun {
	of := folds(t.cases[:t.shared], seed, foldCount)
	r := foldRun{p: make([][]float64, t.shared), nestedAt: map[float64][]float64{}}
	for _, target := range targets {
		r.nestedAt[target] = make([]float64, t.shared)
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	for k := range foldCount {
		wg.Go(func() {
			test := func(i int) bool { return i < t.shared && of[i] == k }
			p := t.scores(rows, func(int) bool { return true }, test)
			var inner []float64
			var right []bool
			if len(targets) > 0 {
				inner, right = t.inner(rows, seed, test)
			}
			mu.Lock()
			defer mu.Unlock()
			for i, x := range p {
				r.p[i] = x
				for _, target := range targets {
					r.nestedAt[target][i] = threshold(inner, right, target)
				}
			}
		})
	}
	wg.Wait()
	return r
}

// inner returns scores of the second class within the training cases.
func (t *table) inner(rows [][]float64, seed int, test func(i int) bool) (scores []float64, right []bool) {
	const k = 5
	of := folds(t.cases[:t.shared], seed+100, k)
	train := func(i int) bool { return !test(i) }
	for f := range k {
		for i, p := range t.scores(rows, train, func(i int) bool { return i < t.shared && of[i] == f && train(i) }) {
			scores, right = append(scores, p[1]), append(right, t.y[i] == 1)
		}
	}
	return scores, right
}

var groups = []string{"en", "zh", "all"}

func (c *Case) in(g string) bool { return g == "all" || c.group() == g }

const (
	gateC = .1
	typeC = .06
	// How much a note counts as an example of what is kept.
	noteWeight = .15
	// The precision of "refused" that the thresholds are chosen for.
	refuseTarget  = .96
	journalTarget = .9
)

// gateTables returns the tables of a gate.
func gateTables(s *set) (vector, words *table) {
	return newTable(s, []string{"keep", "refuse"}, feature.Junk, gateC, func(c *Case) float64 {
		if c.Note {
			return noteWeight
		}
		return 1
	})
}

// trainWork fits the gate that also knows notes of work, which is heard where the other one
// would refuse such a note.
func trainWork(s *set, c config, file linear.File) {
	t, _ := gateTables(s)
	for _, c := range s.cases {
		t.strong = append(t.strong, s.texts[c.Text].Strong())
	}
	if s.shared > 0 {
		measureGate(t, "work", c.repeats, c.errors)
	}
	if c.write {
		file.PutModel("work", t.fit(func(int) bool { return true }))
	}
}

func trainGate(s *set, c config, file linear.File) {
	vector, words := gateTables(s)
	var all []float64
	for _, t := range []*table{vector, words} {
		for _, c := range s.cases {
			t.strong = append(t.strong, s.texts[c.Text].Strong())
		}
		name := "gate"
		if t == words {
			name = "gate.words"
		}
		if s.shared > 0 {
			refuse, journal := measureGate(t, name, c.repeats, c.errors)
			all = append(all, refuse, min(journal, refuse))
			if t == vector {
				rulesOfGate(s, refuse)
			}
		}
		if c.write {
			file.PutModel(name, t.fit(func(int) bool { return true }))
		}
	}
	if len(all) == 0 {
		all = []float64{.8, .5, .8, .5}
	}
	fmt.Printf("gate thresholds: refuse %.3f journal %.3f; without vectors %.3f %.3f\n", all[0], all[1], all[2], all[3])
	file["gate thresholds"] = linear.Matrix{{all[0], all[2], all[1], all[3]}}
}

// rulesOfGate prints how many shared texts the rules of the judge inside keep that its
// model, which was fitted to them, would refuse: orders, what is asked for to be
// remembered, and what only the vector speaks against.
func rulesOfGate(s *set, refuse float64) {
	j, rescued, all := judge.For(judge.Model), map[string]int{}, map[string]int{}
	for _, c := range s.cases[:s.shared] {
		v := j.Gate(c.Text, judge.User, s.lib.readings[c.Text].Vector)
		all[c.Label]++
		if v.P >= refuse && !v.Refuse {
			rescued[c.Label]++
		}
	}
	fmt.Printf("gate rules: kept though the model refuses: %d of %d to be refused, %d of %d to be kept\n", rescued["refuse"], all["refuse"], rescued["keep"], all["keep"])
}

func second(p [][]float64) []float64 {
	var s []float64
	for _, x := range p {
		s = append(s, x[1])
	}
	return s
}

// measureGate prints how right "refused" is at thresholds chosen within folds, and
// returns those of all folds: for refusing, and for the day log alone.
func measureGate(t *table, name string, repeats int, errors bool) (refuse, journal float64) {
	right := make([]bool, t.shared)
	for i := range right {
		right[i] = t.y[i] == 1
	}
	runs := make([]foldRun, repeats)
	for r := range runs {
		runs[r] = t.cross(t.loo, r, .95, refuseTarget)
		refuse += threshold(second(runs[r].p), right, refuseTarget) / float64(repeats)
		journal += threshold(second(runs[r].p), right, journalTarget) / float64(repeats)
	}
	for _, target := range []float64{.95, refuseTarget} {
		t.reportGate(fmt.Sprintf("%-11s LOO      nested for %.2f:", name, target), target, runs)
	}
	if errors {
		t.gateErrors(runs[0])
	}
	t.reportGate(fmt.Sprintf("%-11s all cues nested for %.2f:", name, refuseTarget), refuseTarget, []foldRun{t.cross(t.full, 0, refuseTarget)})
	return refuse, journal
}

func (t *table) reportGate(title string, target float64, runs []foldRun) {
	fmt.Print(title)
	n := float64(len(runs))
	for _, g := range groups {
		var hit, said, junk float64
		for _, run := range runs {
			for i := range t.shared {
				if !t.cases[i].in(g) {
					continue
				}
				junk += float64(t.y[i])
				if run.p[i][1] >= run.nestedAt[target][i] {
					said++
					hit += float64(t.y[i])
				}
			}
		}
		fmt.Printf("  %s P %s R %s", g, wilson(hit/n, said/n), wilson(hit/n, junk/n))
	}
	fmt.Println()
}

// gateErrors prints what is refused wrongly, or kept.
func (t *table) gateErrors(run foldRun) {
	for i, p := range run.p {
		if (p[1] >= run.nestedAt[refuseTarget][i]) != (t.y[i] == 1) {
			fmt.Printf("    %.2f %s: %.120q\n", p[1], t.labels[t.y[i]], t.cases[i].Text)
		}
	}
}

// trainReason fits why a text is refused, from the repository's cases.
func trainReason(s *set, c config, file linear.File) {
	labels := []string{"too-short", "filler", "no-statement", "speculation", "injection"}
	refused := *s
	refused.cases, refused.shared = nil, 0
	for _, c := range s.cases {
		if c.Label == "refuse" && len(c.Also) == 1 {
			reason := *c
			reason.Label, reason.Also = c.Also[0], nil
			refused.cases = append(refused.cases, &reason)
			if !c.Own {
				refused.shared++
			}
		}
	}
	vector, words := newTable(&refused, labels, feature.Junk, gateC, func(*Case) float64 { return 1 })
	for _, t := range []*table{vector, words} {
		name := "reason"
		if t == words {
			name = "reason.words"
		}
		report(t, name, c.repeats)
		if c.write {
			file.PutModel(name, t.fit(func(int) bool { return true }))
		}
	}
}

func trainType(s *set, c config, file linear.File) {
	var labels []string
	for _, t := range []judge.Type{judge.Preference, judge.Instruction, judge.Contact, judge.Project, judge.Decision, judge.Learning, judge.Day} {
		labels = append(labels, string(t))
	}
	vector, words := newTable(s, labels, feature.Topic, typeC, func(*Case) float64 { return 1 })
	for _, t := range []*table{vector, words} {
		name := "type"
		if t == words {
			name = "type.words"
		}
		report(t, name, c.repeats)
		if c.write {
			file.PutModel(name, t.fit(func(int) bool { return true }))
		}
	}
}

// report prints how often the likeliest class is right.
func report(t *table, name string, repeats int) {
	if t.shared == 0 {
		return
	}
	for _, view := range []struct {
		name    string
		rows    [][]float64
		repeats int
	}{{"LOO", t.loo, repeats}, {"all cues", t.full, 1}} {
		fmt.Printf("%-11s %-9s", name, view.name)
		confusion := make([][]float64, len(t.labels))
		for k := range confusion {
			confusion[k] = make([]float64, len(t.labels))
		}
		runs := make([]foldRun, view.repeats)
		for r := range runs {
			runs[r] = t.cross(view.rows, r)
		}
		n := float64(view.repeats)
		for _, g := range groups {
			var total, strict, lenient, sure, sureRight float64
			for _, run := range runs {
				for i := range t.shared {
					c := t.cases[i]
					if !c.in(g) {
						continue
					}
					k := argmax(run.p[i])
					total++
					if k == t.y[i] {
						strict++
					}
					if c.right(t.labels[k]) {
						lenient++
					}
					if run.p[i][k] >= judge.Sure {
						sure++
						if c.right(t.labels[k]) {
							sureRight++
						}
					}
					if g == "all" {
						confusion[t.y[i]][k] += 1 / n
					}
				}
			}
			fmt.Printf("  %s strict %s lenient %s p>=%.1f %.2f (%.2f)", g, wilson(strict/n, total/n), wilson(lenient/n, total/n), judge.Sure, sure/total, sureRight/max(sure, 1))
		}
		fmt.Println()
		if view.name == "LOO" {
			for k, row := range confusion {
				fmt.Printf("    %-12s", t.labels[k])
				for _, x := range row {
					fmt.Printf(" %5.1f", x)
				}
				fmt.Println()
			}
		}
	}
}

func argmax(p []float64) int {
	best := 0
	for i := range p {
		if p[i] > p[best] {
			best = i
		}
	}
	return best
}
