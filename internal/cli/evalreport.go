package cli

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/memoir-ai/memoir/internal/evalset"
)

// evalAnswer is the JSON of one set.
type evalAnswer struct {
	Set          string              `json:"set"`
	Documents    int                 `json:"documents"`
	Questions    int                 `json:"questions"`
	Metrics      map[string]float64  `json:"metrics"`
	LatencyMs    evalLatency         `json:"latencyMs"`
	IndexSeconds float64             `json:"indexSeconds"`
	Degraded     int                 `json:"degraded"` // questions answered with a part missing
	Kinds        map[string]evalKind `json:"kinds"`
}

type evalKind struct {
	Questions int                `json:"questions"`
	Metrics   map[string]float64 `json:"metrics"`
}

type evalLatency struct {
	P50 float64 `json:"p50"`
	P95 float64 `json:"p95"`
}

// evalQuestion is one line of the file of --per-question.
type evalQuestion struct {
	Set       string             `json:"set"`
	ID        string             `json:"id"`
	Kind      string             `json:"kind"`
	Text      string             `json:"text"`
	Metrics   map[string]float64 `json:"metrics"`
	LatencyMs float64            `json:"latencyMs"`
	Found     []evalFound        `json:"found"` // the first passages
}

type evalFound struct {
	Document  string `json:"document"`
	StartLine int    `json:"startLine"`
	EndLine   int    `json:"endLine"`
}

// evalReport writes what was measured: in JSON a line as each set is done, for
// people a table at the end.
type evalReport struct {
	json        bool
	out         io.Writer
	perQuestion io.Writer // nil: not wanted
	sets        []evalAnswer
}

func (r *evalReport) add(set *evalset.Set, run evalRun) error {
	sum := evalset.Summarize(run.scores)
	answer := evalAnswer{
		Set: set.Name, Documents: len(set.Documents), Questions: sum.Questions, Metrics: rounded(sum.Metrics),
		LatencyMs: evalLatency{milliseconds(sum.P50), milliseconds(sum.P95)}, IndexSeconds: round(run.indexing.Seconds(), 3),
		Degraded: run.degraded, Kinds: map[string]evalKind{},
	}
	for kind, k := range evalset.ByKind(run.scores) {
		answer.Kinds[kind] = evalKind{k.Questions, rounded(k.Metrics)}
	}
	if err := r.questions(set, run); err != nil {
		return err
	}
	if r.json {
		return writeJSON(r.out, answer)
	}
	r.sets = append(r.sets, answer)
	return nil
}

func (r *evalReport) questions(set *evalset.Set, run evalRun) error {
	if r.perQuestion == nil {
		return nil
	}
	for i, score := range run.scores {
		line := evalQuestion{Set: set.Name, ID: score.ID, Kind: score.Kind, Text: set.Questions[i].Text,
			Metrics: rounded(score.Values), LatencyMs: milliseconds(score.Latency), Found: []evalFound{}}
		for _, p := range run.passages[i][:min(20, len(run.passages[i]))] {
			line.Found = append(line.Found, evalFound{p.Document, p.StartLine, p.EndLine})
		}
		if err := writeJSON(r.perQuestion, line); err != nil {
			return fmt.Errorf("write the scores of each question: %w", err)
		}
	}
	return nil
}

// flush writes the table.
func (r *evalReport) flush() error {
	if r.json {
		return nil
	}
	columns := r.columns()
	w := tabwriter.NewWriter(r.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "set\tdocuments\tquestions\t%s\tp50 ms\tp95 ms\tindex s\t\n", strings.Join(columns, "\t"))
	for _, s := range r.sets {
		fmt.Fprintf(w, "%s\t%d\t%d\t%s\t%.1f\t%.1f\t%.1f\t\n", s.Set, s.Documents, s.Questions,
			cells(columns, s.Metrics), s.LatencyMs.P50, s.LatencyMs.P95, s.IndexSeconds)
		if len(s.Kinds) < 2 {
			continue
		}
		for _, kind := range slices.Sorted(maps.Keys(s.Kinds)) {
			k := s.Kinds[kind]
			fmt.Fprintf(w, "%s\t\t%d\t%s\t\t\t\t\n", kind, k.Questions, cells(columns, k.Metrics))
		}
	}
	return w.Flush()
}

// columns are the metrics that any set has, by name and depth.
func (r *evalReport) columns() []string {
	var names []string
	for _, want := range []string{"hit@1", "hit@5", "recall@10", "ndcg@10", "mrr@10", fmt.Sprintf("evidence@%d", evalset.EvidenceBudget)} {
		if slices.ContainsFunc(r.sets, func(s evalAnswer) bool { _, ok := s.Metrics[want]; return ok }) {
			names = append(names, want)
		}
	}
	return names
}

func cells(columns []string, metrics map[string]float64) string {
	out := make([]string, len(columns))
	for i, name := range columns {
		if v, ok := metrics[name]; ok {
			out[i] = fmt.Sprintf("%.3f", v)
		}
	}
	return strings.Join(out, "\t")
}

func rounded(metrics map[string]float64) map[string]float64 {
	out := make(map[string]float64, len(metrics))
	for name, v := range metrics {
		out[name] = round(v, 6)
	}
	return out
}

func milliseconds(d time.Duration) float64 { return round(float64(d)/float64(time.Millisecond), 3) }

func round(x float64, digits int) float64 {
	scale := math.Pow10(digits)
	return math.Round(x*scale) / scale
}
