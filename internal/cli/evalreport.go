package cli

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/memoir-ai/memoir/internal/eval"
)

// evalAnswer is the JSON of one set.
type evalAnswer struct {
	Set       string `json:"set"`       // name of the folder, or of the file of --queries
	Documents int    `json:"documents"` // that were searched
	Questions int    `json:"questions"` // that were asked
	evalMeasures
	Kinds       map[string]evalKind `json:"kinds"`             // by the kind that the questions say
	PerQuestion []evalQuestion      `json:"perQuestion"`       // in the order in which they were asked
	Compare     *evalCompare        `json:"compare,omitempty"` // only with --compare
}

// evalMeasures is what one configuration gave.
type evalMeasures struct {
	Metrics      map[string]float64 `json:"metrics"`      // means over the questions, each 0 to 1
	Intervals    intervals          `json:"intervals"`    // lower and upper end of each mean, in 95 of 100 draws of the questions
	LatencyMs    evalLatency        `json:"latencyMs"`    // of a search
	IndexSeconds float64            `json:"indexSeconds"` // to read and embed what was missing
	Degraded     int                `json:"degraded"`     // questions that were answered with a part missing
}

// intervals are lower and upper ends by metric.
type intervals map[string][2]float64

// evalKind is how the questions of one kind were answered.
type evalKind struct {
	Questions int                `json:"questions"` // of the kind
	Metrics   map[string]float64 `json:"metrics"`   // means over them, each 0 to 1
}

// evalLatency is how long searches took, in milliseconds.
type evalLatency struct {
	P50 float64 `json:"p50"` // half of them were not slower
	P95 float64 `json:"p95"` // 95 of 100 were not slower
}

// evalCompare is what other settings gave, and the difference that they made.
type evalCompare struct {
	Settings string `json:"settings"` // as --compare has them
	evalMeasures
	Difference          map[string]float64 `json:"difference"`          // of the means, -1 to 1; above 0 the other settings are better
	DifferenceIntervals intervals          `json:"differenceIntervals"` // lower and upper end of each difference, in 95 of 100 draws of the questions
	Changed             []evalChange       `json:"changed"`             // questions whose answer has another rank
}

// evalChange is a question whose answer has another rank; 0 is not found.
type evalChange struct {
	ID     string  `json:"id"`     // of the question
	Text   string  `json:"text"`   // of the question
	Before int     `json:"before"` // rank with the settings in effect, from 1
	After  int     `json:"after"`  // rank with the others, from 1
	Gain   float64 `json:"gain"`   // of the reciprocal rank, -1 to 1
}

// evalQuestion is how one question was answered, and a line of the file of
// --per-question.
type evalQuestion struct {
	Set       string             `json:"set,omitempty"`   // only in the file of --per-question
	ID        string             `json:"id"`              // of the question
	Kind      string             `json:"kind"`            // of the question; empty when it says none
	Text      string             `json:"text"`            // of the question
	Rank      int                `json:"rank"`            // of the first right document, from 1; 0 is not found
	Metrics   map[string]float64 `json:"metrics"`         // each 0 to 1
	LatencyMs float64            `json:"latencyMs"`       // milliseconds that the search took
	Found     []evalFound        `json:"found,omitempty"` // the first 20 chunks; only in the file of --per-question
}

// evalFound is a chunk that was found.
type evalFound struct {
	Document  string `json:"document"`  // id in the set; of one's own notes the expected place, else the path
	StartLine int    `json:"startLine"` // first line, counted from 1
	EndLine   int    `json:"endLine"`   // last line, inclusive
}

// evalReport writes what was measured: in JSON a line as each set is done, for
// people a table at the end.
type evalReport struct {
	json        bool
	out         io.Writer
	style       style
	perQuestion io.Writer // nil: not wanted
	compared    string    // the settings that are compared with
	sets        []evalAnswer
}

// add reports a subject: as asked with the settings in effect, and with others
// unless after is nil.
func (r *evalReport) add(subject *evalSubject, before, after *eval.Run) error {
	answer := evalAnswer{
		Set: subject.name, Documents: before.Documents, Questions: len(before.Scores),
		evalMeasures: measures(before), Kinds: map[string]evalKind{}, PerQuestion: []evalQuestion{},
	}
	for kind, k := range eval.ByKind(before.Scores) {
		answer.Kinds[kind] = evalKind{k.Questions, rounded(k.Metrics)}
	}
	for i, score := range before.Scores {
		answer.PerQuestion = append(answer.PerQuestion, evalQuestion{ID: score.ID, Kind: score.Kind, Text: subject.Questions[i].Text,
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

func measures(run *eval.Run) evalMeasures {
	sum := eval.Summarize(run.Scores)
	return evalMeasures{
		Metrics: rounded(sum.Metrics), Intervals: ends(eval.Intervals(run.Scores)),
		LatencyMs: evalLatency{milliseconds(sum.P50), milliseconds(sum.P95)}, IndexSeconds: round(run.Indexing.Seconds(), 3),
		Degraded: run.Degraded,
	}
}

func (r *evalReport) compare(subject *evalSubject, before, after *eval.Run) *evalCompare {
	c := eval.Compare(before.Scores, after.Scores)
	texts := map[string]string{}
	for _, q := range subject.Questions {
		texts[q.ID] = q.Text
	}
	out := &evalCompare{Settings: r.compared, evalMeasures: measures(after), Difference: rounded(c.Difference),
		DifferenceIntervals: ends(c.Intervals), Changed: []evalChange{}}
	for _, change := range c.Changed {
		out.Changed = append(out.Changed, evalChange{change.ID, texts[change.ID], change.Before, change.After, round(change.Gain(), 6)})
	}
	return out
}

// questions writes the file of --per-question.
func (r *evalReport) questions(answer evalAnswer, run *eval.Run) error {
	if r.perQuestion == nil {
		return nil
	}
	for i, line := range answer.PerQuestion {
		line.Set = answer.Set
		for _, p := range run.Passages[i][:min(20, len(run.Passages[i]))] {
			line.Found = append(line.Found, evalFound{p.Document, p.StartLine, p.EndLine})
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
	t := newEvalTable(r.out, r.columns())
	for _, s := range r.sets {
		t.set(s)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, s := range r.sets {
		if s.Compare != nil {
			r.changes(s)
		}
	}
	return nil
}

// columns are the metrics that any set has, by name and depth.
func (r *evalReport) columns() []string {
	var names []string
	for _, want := range []string{"hit@1", "hit@5", fmt.Sprintf("shown@%d", eval.ShownLimit), "recall@10", "ndcg@10", "mrr@10", fmt.Sprintf("evidence@%d", eval.EvidenceBudget)} {
		if slices.ContainsFunc(r.sets, func(s evalAnswer) bool { _, ok := s.Metrics[want]; return ok }) {
			names = append(names, want)
		}
	}
	return names
}

// shownChanges is how many questions that changed a person is shown.
const shownChanges = 20

// changes lists the questions whose answer has another rank, those that moved
// most first.
func (r *evalReport) changes(s evalAnswer) {
	better := 0
	for _, c := range s.Compare.Changed {
		if c.Gain > 0 {
			better++
		}
	}
	st := r.style
	fmt.Fprintf(r.out, "\n%s: with %s %d of %s rank better, %d worse\n", st.text(s.Set), st.text(s.Compare.Settings),
		better, count(s.Questions, "question"), len(s.Compare.Changed)-better)
	most := slices.Clone(s.Compare.Changed)
	slices.SortStableFunc(most, func(a, b evalChange) int {
		switch x, y := math.Abs(a.Gain), math.Abs(b.Gain); {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	for _, c := range most[:min(shownChanges, len(most))] {
		fmt.Fprintf(r.out, "  %4s -> %-4s  %s\n", place(c.Before), place(c.After), unbroken(st.text(c.Text)))
	}
	if more := len(most) - shownChanges; more > 0 {
		fmt.Fprintf(r.out, "  and %d more; --json lists all\n", more)
	}
}

// place is a rank for people.
func place(rank int) string {
	if rank == 0 {
		return "none"
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

func ends(in map[string]eval.Interval) intervals {
	out := intervals{}
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
