package cli

import (
	"fmt"
	"maps"
	"slices"

	"github.com/memoir-ai/memoir/internal/wire"
	"github.com/memoir-ai/memoir/internal/wording"
)

// evalTable is the table of eval: for each set a row with its intervals below
// and a row for each kind of question, and the same for the other settings of a
// comparison.
type evalTable struct {
	table
	columns  []string
	language wording.Language
}

func newEvalTable(language wording.Language, columns []string) *evalTable {
	t := &evalTable{table{right: true}, columns, language}
	say := language.Say
	t.line(say("set"), say("documents"), say("questions"), columns, say("p50 ms"), say("p95 ms"), say("index s"))
	return t
}

func (t *evalTable) set(s wire.EvalAnswer) {
	t.measures(s.Set, fmt.Sprint(s.Documents), fmt.Sprint(s.Questions), s.EvalMeasures)
	if c := s.Compare; c != nil {
		t.measures(c.Settings, "", "", c.EvalMeasures)
		t.line(t.language.Say("difference"), "", "", t.cells(c.Difference, "%+.3f"), "", "", "")
		t.intervals(c.DifferenceIntervals, "%+.3f..%+.3f")
	}
}

func (t *evalTable) measures(name, documents, questions string, m wire.EvalMeasures) {
	times := make([]string, 3)
	for i, v := range []float64{m.LatencyMs.P50, m.LatencyMs.P95, m.IndexSeconds} {
		times[i] = fmt.Sprintf("%.1f", v)
	}
	t.line(name, documents, questions, t.cells(m.Metrics, "%.3f"), times...)
	t.intervals(m.Intervals, "%.2f..%.2f")
	if len(m.Kinds) > 1 {
		for _, kind := range slices.Sorted(maps.Keys(m.Kinds)) {
			k := m.Kinds[kind]
			t.line(kind, "", fmt.Sprint(k.Questions), t.cells(k.Metrics, "%.3f"), "", "", "")
		}
	}
}

// line adds a row. An empty cell is its last one, so that all others have a column.
func (t *evalTable) line(name, documents, questions string, cells []string, times ...string) {
	t.row(slices.Concat([]string{printable(name), documents, questions}, cells, times, []string{""})...)
}

func (t *evalTable) cells(metrics map[string]float64, format string) []string {
	out := make([]string, len(t.columns))
	for i, name := range t.columns {
		if v, ok := metrics[name]; ok {
			out[i] = fmt.Sprintf(format, v)
		}
	}
	return out
}

// intervals writes the row below another.
func (t *evalTable) intervals(in wire.Intervals, format string) {
	out := make([]string, len(t.columns))
	for i, name := range t.columns {
		if v, ok := in[name]; ok {
			out[i] = fmt.Sprintf(format, v[0], v[1])
		}
	}
	t.line("95 %", "", "", out, "", "", "")
}
