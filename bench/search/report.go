package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"strconv"
	"strings"

	"github.com/memoir-ai/memoir/bench/internal/measure"
)

// A report is what was found.
type report struct {
	Machine string  `json:"machine"` // processor, system and versions, in one sentence
	Command string  `json:"command"`
	Tables  []table `json:"tables"`
	Points  []point `json:"points"`
}

// A table has one row for each thing that was measured.
type table struct {
	Title   string     `json:"title"`
	About   string     `json:"about"`   // what was done, in whole sentences
	Columns []string   `json:"columns"` // the first names the row, the others are numbers
	Rows    [][]string `json:"rows"`
}

// A point is one place on a line of a chart.
type point struct {
	Chart  string  `json:"chart"`
	Series string  `json:"series"`
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
}

// machineLine says where a run was made.
func machineLine(sqlite, vec string) string {
	return fmt.Sprintf("%s, %d processors, %s/%s, %s at the start; %s, SQLite %s, sqlite-vec %s",
		measure.Processor(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, measure.Load(), runtime.Version(), sqlite, vec)
}

// add takes a table and prints it at once. So a run that is cut short has said
// what it found.
func (r *report) add(w io.Writer, t table) {
	r.Tables = append(r.Tables, t)
	t.write(w)
}

// point takes a place on a line of a chart.
func (r *report) point(chart, series string, x, y float64) {
	r.Points = append(r.Points, point{chart, series, x, y})
}

// write prints the table in Markdown.
func (t table) write(w io.Writer) {
	fmt.Fprintf(w, "\n## %s\n\n%s\n\n", t.Title, t.About)
	writeRow(w, t.Columns)
	rule := make([]string, len(t.Columns))
	for i := range rule {
		rule[i] = "---:"
	}
	rule[0] = "---"
	fmt.Fprintf(w, "|%s|\n", strings.Join(rule, "|"))
	for _, row := range t.Rows {
		writeRow(w, row)
	}
}

func writeRow(w io.Writer, cells []string) {
	escaped := make([]string, len(cells))
	for i, c := range cells {
		escaped[i] = strings.NewReplacer("|", `\|`, "\n", " ", "\r", "").Replace(c)
	}
	fmt.Fprintf(w, "| %s |\n", strings.Join(escaped, " | "))
}

// digits writes a number with three digits that count, and a dash for what is
// not known.
func digits(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "–"
	}
	places := 0
	if v != 0 {
		places = min(max(2-int(math.Floor(math.Log10(math.Abs(v)))), 0), 5)
	}
	return strconv.FormatFloat(v, 'f', places, 64)
}

// times writes a ratio: "31.4x".
func times(v float64) string {
	if s := digits(v); s != "–" {
		return s + "x"
	}
	return "–"
}

// megabytes writes bytes, and a dash for none.
func megabytes(bytes int64) string {
	if bytes == 0 {
		return "–"
	}
	return digits(float64(bytes) / 1e6)
}

func (r *report) save(name string) error {
	data, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(name, append(data, '\n'), 0o666)
}

func loadReport(name string) (*report, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var r report
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &r, nil
}
