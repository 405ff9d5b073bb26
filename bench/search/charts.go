package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/memoir-ai/memoir/bench/search/plot"
)

// The charts, by the names of their files.
const (
	chartVectors = "vectors"
	chartWords   = "words"
	chartHybrid  = "hybrid"
	chartIndex   = "index"
	chartMemory  = "memory"
	chartDisk    = "disk"
)

// charts says what each chart shows.
func charts() []plotted {
	const chunks = "chunks in the index"
	return []plotted{
		{chartVectors, plot.Chart{Title: "The nearest 50 vectors of 384 dimensions", X: chunks, Y: "milliseconds, median"}},
		{chartWords, plot.Chart{Title: "A question of six words, the best 50 passages", X: chunks, Y: "milliseconds, median"}},
		{chartHybrid, plot.Chart{Title: "A search by words and meaning, without the query's embedding", X: chunks, Y: "milliseconds"}},
		{chartIndex, plot.Chart{Title: "Index and search as processes, words only", X: chunks, Y: "milliseconds, median"}},
		{chartMemory, plot.Chart{Title: "Index and search as processes, words only: resident memory", X: chunks, Y: "MB at the peak"}},
		{chartDisk, plot.Chart{Title: "The index on disk", X: chunks, Y: "MB"}},
	}
}

// plotted is a chart with the name of its file.
type plotted struct {
	name  string
	chart plot.Chart
}

// draw writes a drawing of each chart that has points into a folder.
func (r *report) draw(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for _, c := range charts() {
		series := map[string]int{}
		for _, p := range r.Points {
			if p.Chart != c.name {
				continue
			}
			i, ok := series[p.Series]
			if !ok {
				i = len(c.chart.Series)
				series[p.Series] = i
				c.chart.Series = append(c.chart.Series, plot.Series{Name: p.Series})
			}
			c.chart.Series[i].Points = append(c.chart.Series[i].Points, plot.Point{X: p.X, Y: p.Y})
		}
		if len(c.chart.Series) == 0 {
			continue
		}
		if err := writeChart(filepath.Join(dir, "search-"+c.name+".svg"), c.chart); err != nil {
			return err
		}
	}
	return nil
}

func writeChart(name string, c plot.Chart) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := errors.Join(c.WriteSVG(f), f.Close()); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
