package cli

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/memoir-ai/memoir/internal/eval"
	"github.com/memoir-ai/memoir/internal/order"
	"github.com/memoir-ai/memoir/internal/wire"
)

// evalReport writes the results. In JSON it writes a line when a set is done.
// For people it writes a table at the end.
type evalReport struct {
	session     *session
	json        bool
	out         io.Writer
	style       style
	perQuestion io.Writer // nil: not wanted
	compared    string    // the settings of the comparison
	sets        []wire.EvalAnswer
}

// add reports a subject: the run with the settings in effect and, unless after
// is nil, the run with other settings.
func (r *evalReport) add(subject *evalSubject, before, after *eval.Run) error {
	answer := wire.EvalAnswer{
		Set: subject.name, Documents: before.Documents, Questions: len(before.Scores),
		EvalMeasures: measures(before), PerQuestion: []wire.EvalQuestion{},
	}
	for i, score := range before.Scores {
		answer.PerQuestion = append(answer.PerQuestion, wire.EvalQuestion{ID: score.ID, Kind: score.Kind, Text: subject.Questions[i].Text,
			Rank: score.Rank, Metrics: rounded(score.Values), LatencyMs: milliseconds(score.Latency)})
	}
	if after != nil {
		answer.Compare = r.compare(subject, before, after)
	}
	if err := r.questions(answer, before); err != nil {
		return err
	}
	if r.json {
		return writeJSON(r.out, answer)
	}
	r.sets = append(r.sets, answer)
	return nil
}

func measures(run *eval.Run) wire.EvalMeasures {
	sum := eval.Summarize(run.Scores)
	kinds := map[string]wire.EvalKind{}
	for kind, k := range eval.ByKind(run.Scores) {
		kinds[kind] = wire.EvalKind{Questions: k.Questions, Metrics: rounded(k.Metrics)}
	}
	return wire.EvalMeasures{
		Metrics: rounded(sum.Metrics), Intervals: ends(eval.Intervals(run.Scores)),
		LatencyMs: wire.EvalLatency{P50: milliseconds(sum.P50), P95: milliseconds(sum.P95)}, IndexSeconds: round(run.Indexing.Seconds(), 3),
		Degraded: run.Degraded, Kinds: kinds,
	}
}

func (r *evalReport) compare(subject *evalSubject, before, after *eval.Run) *wire.EvalCompare {
	c := eval.Compare(before.Scores, after.Scores)
	texts := map[string]string{}
	for _, q := range subject.Questions {
		texts[q.ID] = q.Text
	}
	out := &wire.EvalCompare{Settings: r.compared, EvalMeasures: measures(after), Difference: rounded(c.Difference),
		DifferenceIntervals: ends(c.Intervals), Changed: []wire.EvalChange{}}
	for _, change := range c.Changed {
		out.Changed = append(out.Changed, wire.EvalChange{ID: change.ID, Text: texts[change.ID], Before: change.Before, After: change.After, Gain: round(change.Gain(), 6)})
	}
	return out
}

// questions writes the file of --per-question.
func (r *evalReport) questions(answer wire.EvalAnswer, run *eval.Run) error {
	if r.perQuestion == nil {
		return nil
	}
	for i, line := range answer.PerQuestion {
		line.Set = answer.Set
		for _, p := range run.Passages[i][:min(20, len(run.Passages[i]))] {
			line.Found = append(line.Found, wire.EvalFound{Document: p.Document, StartLine: p.StartLine, EndLine: p.EndLine})
		}
		if err := writeJSON(r.perQuestion, line); err != nil {
			return fmt.Errorf("write the scores of each question: %w", err)
		}
	}
	return nil
}

// flush writes the table, and below it the questions that changed.
func (r *evalReport) flush() error {
	if r.json {
		return nil
	}
	t := newEvalTable(r.session.language, r.columns())
	for _, s := range r.sets {
		t.set(s)
	}
	if err := t.write(r.out); err != nil {
		return err
	}
	for _, s := range r.sets {
		if s.Compare != nil {
			r.changes(s)
		}
	}
	return nil
}

// columns returns the metrics that any of the sets has, by name and depth.
func (r *evalReport) columns() []string {
	var names []string
	for _, want := range []string{"hit@1", "hit@5", fmt.Sprintf("shown@%d", eval.ShownLimit), "recall@10", "ndcg@10", "mrr@10", fmt.Sprintf("evidence@%d", eval.EvidenceBudget)} {
		if slices.ContainsFunc(r.sets, func(s wire.EvalAnswer) bool { _, ok := s.Metrics[want]; return ok }) {
			names = append(names, want)
		}
	}
	return names
}

// shownChanges is how many changed questions are shown to a person.
const shownChanges = 20

// changes lists the questions whose answer moved to another rank, those that
// moved most first.
func (r *evalReport) changes(s wire.EvalAnswer) {
	better := 0
	for _, c := range s.Compare.Changed {
		if c.Gain > 0 {
			better++
		}
	}
	st := r.style
	r.session.say(r.out, "\n%s: with %s %d of %s rank better, %d worse\n", st.text(s.Set), st.text(s.Compare.Settings),
		better, count(s.Questions, "question"), len(s.Compare.Changed)-better)
	most := slices.Clone(s.Compare.Changed)
	order.Stable(most, func(a, b wire.EvalChange) int {
		switch x, y := math.Abs(a.Gain), math.Abs(b.Gain); {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	for _, c := range most[:min(shownChanges, len(most))] {
		fmt.Fprintf(r.out, "  %4s -> %-4s  %s\n", r.session.rank(c.Before), r.session.rank(c.After), st.text(c.Text))
	}
	if more := len(most) - shownChanges; more > 0 {
		r.session.say(r.out, "  and %d more; --json lists all\n", more)
	}
}

// rank returns a rank for people.
func (s *session) rank(rank int) string {
	if rank == 0 {
		return s.language.Say("none")
	}
	return fmt.Sprint(rank)
}

func rounded(metrics map[string]float64) map[string]float64 {
	out := make(map[string]float64, len(metrics))
	for name, v := range metrics {
		out[name] = round(v, 6)
	}
	return out
}

func ends(in map[string]eval.Interval) wire.Intervals {
	out := wire.Intervals{}
	for _, name := range slices.Sorted(maps.Keys(in)) {
		out[name] = [2]float64{round(in[name].Low, 6), round(in[name].High, 6)}
	}
	return out
}

func milliseconds(d time.Duration) float64 { return round(float64(d)/float64(time.Millisecond), 3) }

func round(x float64, digits int) float64 {
	scale := math.Pow10(digits)
	return math.Round(x*scale) / scale
}
