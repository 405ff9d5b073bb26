package plot_test

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir/bench/search/plot"
)

// texts draws a chart, checks that it is XML and returns its text elements and
// how many elements of each name there are.
func texts(t *testing.T, c plot.Chart) (map[string]bool, map[string]int) {
	t.Helper()
	var out strings.Builder
	if err := c.WriteSVG(&out); err != nil {
		t.Fatal(err)
	}
	found, count, name := map[string]bool{}, map[string]int{}, ""
	for d := xml.NewDecoder(strings.NewReader(out.String())); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return found, count
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, &out)
		}
		switch x := token.(type) {
		case xml.StartElement:
			name = x.Name.Local
			count[name]++
			for _, a := range x.Attr {
				if strings.Contains(a.Value, "NaN") || strings.Contains(a.Value, "Inf") {
					t.Errorf("%s has %s=%q", name, a.Name.Local, a.Value)
				}
			}
		case xml.CharData:
			if name == "text" {
				found[string(x)] = true
			}
		}
	}
}

func TestWriteSVG(t *testing.T) {
	got, count := texts(t, plot.Chart{
		Title: `Cost <of> "a & b"`, X: "chunks", Y: "ms, 中位数",
		Series: []plot.Series{
			{"memoir", []plot.Point{{100_000, 2}, {1000, .02}, {10_000, .2}}},
			{"<vec0>", []plot.Point{{1000, 1}, {100_000, 1.5}, {0, 5}, {5, -1}, {1, math.NaN()}, {math.Inf(1), 1}}},
			{"empty", nil},
		},
	})
	for _, want := range []string{`Cost <of> "a & b"`, "chunks", "ms, 中位数", "memoir", "<vec0>", "1k", "10k", "100k", "0.1", "1"} {
		if !got[want] {
			t.Errorf("no text %q among %v", want, got)
		}
	}
	if got["empty"] {
		t.Error("a line without points has a label")
	}
	// Two lines, five points, two marks of labels, and the grid.
	if count["path"] < 2+5+2+3 {
		t.Errorf("got %d paths", count["path"])
	}
}

func TestOnePoint(t *testing.T) {
	got, _ := texts(t, plot.Chart{Series: []plot.Series{{"only", []plot.Point{{6600, 3}}}}})
	if !got["only"] || !got["5k"] {
		t.Errorf("got %v, want the label and a tick at 5k", got)
	}
}

// A size that is not quite round does not add half a decade to the axis.
func TestNearlyRound(t *testing.T) {
	got, _ := texts(t, plot.Chart{Series: []plot.Series{{"s", []plot.Point{{993, 1}, {100_900, 1}}}}})
	if !got["1k"] || !got["100k"] || got["500"] || got["200k"] {
		t.Errorf("got %v, want ticks from 1k to 100k", got)
	}
}

func TestManyLabels(t *testing.T) {
	var c plot.Chart
	for range 12 {
		c.Series = append(c.Series, plot.Series{Name: "same end", Points: []plot.Point{{1, 1}, {10, 10}}})
	}
	texts(t, c)
}

func TestNothing(t *testing.T) {
	var out strings.Builder
	if err := (plot.Chart{Title: "t", Series: []plot.Series{{"a", []plot.Point{{0, 0}}}}}).WriteSVG(&out); err == nil || out.Len() > 0 {
		t.Errorf("got %v and %q, want an error and nothing written", err, &out)
	}
}
