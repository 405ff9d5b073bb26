package cli

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/memoir-ai/memoir/internal/wire"
)

// evalTable is the table of eval: for each set a row with its intervals below
// and a row for each kind of question, and the same for the other settings of a
// comparison.
type evalTable struct {
	*tabwriter.Writer
	columns []string
}

func newEvalTable(out io.Writer, columns []string) evalTable {
	t := evalTable{tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight), columns}
	fmt.Fprintf(t, "set\tdocuments\tquestions\t%s\tp50 ms\tp95 ms\tindex s\t\n", strings.Join(columns, "\t"))
	return t
}

func (t evalTable) set(s wire.EvalAnswer) {
	t.measures(s.Set, fmt.Sprint(s.Documents), fmt.Sprint(s.Questions), s.EvalMeasures)
	if c := s.Compare; c != nil {
		t.measures(c.Settings, "", "", c.EvalMeasures)
		t.row("difference", "", "", t.cells(c.Difference, "%+.3f"), "\t\t")
		t.intervals(c.DifferenceIntervals, "%+.3f..%+.3f")
	}
}

func (t evalTable) measures(name, documents, questions string, m wire.EvalMeasures) {
	t.row(name, documents, questions, t.cells(m.Metrics, "%.3f"), fmt.Sprintf("%.1f\t%.1f\t%.1f", m.LatencyMs.P50, m.LatencyMs.P95, m.IndexSeconds))
	t.intervals(m.Intervals, "%.2f..%.2f")
	if len(m.Kinds) > 1 {
		for _, kind := range slices.Sorted(maps.Keys(m.Kinds)) {
			k := m.Kinds[kind]
			t.row(kind, "", fmt.Sprint(k.Questions), t.cells(k.Metrics, "%.3f"), "\t\t")
		}
	}
}

func (t evalTable) row(name, documents, questions, cells, times string) {
	fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t\n", printable(name), documents, questions, cells, times)
}

func (t evalTable) cells(metrics map[string]float64, format string) string {
	out := make([]string, len(t.columns))
	for i, name := range t.columns {
		if v, ok := metrics[name]; ok {
			out[i] = fmt.Sprintf(format, v)
		}
	}
	return strings.Join(out, "\t")
}

// intervals writes the row below another.
func (t evalTable) intervals(in wire.Intervals, format string) {
	out := make([]string, len(t.columns))
	for i, name := range t.columns {
		if v, ok := in[name]; ok {
			out[i] = fmt.Sprintf(format, v[0], v[1])
		}
	}
	t.row("95 %", "", "", strings.Join(out, "\t"), "\t\t")
}
