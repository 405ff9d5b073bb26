// Package plot draws lines over two logarithmic axes as SVG: what something
// costs against how much of it there is. The drawing has no background and
// follows the reader's light or dark scheme, its text is text, and lines are
// told apart by their marks and labels, not by colour alone.
package plot

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A Chart is lines over the same axes.
type Chart struct {
	Title  string
	X, Y   string // what the axes count, with the unit
	Series []Series
}

// A Series is a line. Points that are not above 0 on both axes are left out:
// a logarithmic axis has no place for them.
type Series struct {
	Name   string
	Points []Point // in any order
}

// A Point is one measurement.
type Point struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

// The drawing's measures, in SVG's units.
const (
	width, height = 720, 420
	left, right   = 64, 200 // the right margin has the labels of the lines
	top, bottom   = 40, 52
	lineHeight    = 15
)

// style has colours that keep a contrast of at least 3 with white and with
// GitHub's dark background; the scheme changes the rest.
const style = `text{font:12px system-ui,sans-serif;fill:#24292f}.title{font-weight:600;font-size:14px}` +
	`.grid{stroke:#8c959f;stroke-opacity:.35}.line{fill:none;stroke-width:2}` +
	`.s0{stroke:#0969da}.s1{stroke:#bc4c00}.s2{stroke:#1a7f37}.s3{stroke:#8250df}.s4{stroke:#bf3989}.s5{stroke:#6e7781}` +
	`.m{fill:none;stroke-width:2}` +
	`@media(prefers-color-scheme:dark){text{fill:#e6edf3}.s0{stroke:#58a6ff}.s1{stroke:#f0883e}.s2{stroke:#3fb950}` +
	`.s3{stroke:#bc8cff}.s4{stroke:#f778ba}.s5{stroke:#9aa4af}}`

// colours is how many of them there are.
const colours = 6

// WriteSVG writes the drawing, which is the same for the same chart. A chart
// without a point is an error.
func (c Chart) WriteSVG(w io.Writer) error {
	lines := make([]Series, 0, len(c.Series))
	var xs, ys []float64
	for _, s := range c.Series {
		kept := Series{Name: s.Name}
		for _, p := range s.Points {
			if drawable(p.X) && drawable(p.Y) {
				kept.Points = append(kept.Points, p)
				xs, ys = append(xs, p.X), append(ys, p.Y)
			}
		}
		slices.SortStableFunc(kept.Points, func(a, b Point) int { return cmp.Compare(a.X, b.X) })
		lines = append(lines, kept)
	}
	if len(xs) == 0 {
		return fmt.Errorf("chart %q has no point", c.Title)
	}
	d := &drawing{
		x: newAxis(xs, left, width-right),
		y: newAxis(ys, height-bottom, top),
	}
	d.printf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" aria-label="%s">`, width, height, escape(c.Title))
	d.printf("<title>%s</title><style>%s</style>", escape(c.Title), escape(style))
	d.text(left, top-16, "start", "title", c.Title)
	d.grid(c)
	for i, s := range lines {
		d.line(i, s)
	}
	d.labels(lines)
	d.printf("</svg>")
	_, err := io.WriteString(w, d.String())
	return err
}

func drawable(v float64) bool { return v > 0 && !math.IsInf(v, 0) }

func escape(s string) string {
	var b strings.Builder
	// A strings.Builder takes everything.
	_ = xml.EscapeText(&b, []byte(s))
	return b.String()
}

// An axis maps powers of ten to places.
type axis struct {
	low, high float64 // decades
	from, to  float64 // places
}

// newAxis spans the values, to the half decade below and above; a value that is
// a few in a hundred beyond one makes no axis longer.
func newAxis(values []float64, from, to float64) axis {
	const beyond = 0.05
	a := axis{math.Floor(2*math.Log10(slices.Min(values))+beyond) / 2, math.Ceil(2*math.Log10(slices.Max(values))-beyond) / 2, from, to}
	if a.high <= a.low {
		a.low, a.high = a.low-.5, a.high+.5
	}
	return a
}

func (a axis) at(v float64) float64 {
	return a.from + (math.Log10(v)-a.low)/(a.high-a.low)*(a.to-a.from)
}

// ticks returns the whole decades, and the halves of a short axis.
func (a axis) ticks() []float64 {
	var out []float64
	for e := math.Ceil(a.low); e <= a.high; e++ {
		out = append(out, math.Pow(10, e))
	}
	if len(out) < 3 {
		out = out[:0]
		for e := math.Floor(a.low); e <= a.high; e++ {
			for _, m := range []float64{1, 2, 5} {
				if l := e + math.Log10(m); l >= a.low-1e-9 && l <= a.high+1e-9 {
					out = append(out, m*math.Pow(10, e))
				}
			}
		}
	}
	return out
}

// drawing is an SVG under way.
type drawing struct {
	strings.Builder
	x, y axis
}

func (d *drawing) printf(format string, args ...any) {
	fmt.Fprintf(d, format, args...)
	d.WriteByte('\n')
}

func (d *drawing) text(x, y float64, anchor, class, s string) {
	d.printf(`<text x="%.1f" y="%.1f" text-anchor="%s" class="%s">%s</text>`, x, y, anchor, class, escape(s))
}

func (d *drawing) grid(c Chart) {
	for _, v := range d.x.ticks() {
		x := d.x.at(v)
		d.printf(`<path class="grid" d="M%.1f %dV%d"/>`, x, top, height-bottom)
		d.text(x, height-bottom+18, "middle", "tick", number(v))
	}
	for _, v := range d.y.ticks() {
		y := d.y.at(v)
		d.printf(`<path class="grid" d="M%d %.1fH%d"/>`, left, y, width-right)
		d.text(left-8, y+4, "end", "tick", number(v))
	}
	d.text((left+width-right)/2, height-12, "middle", "axis", c.X)
	d.printf(`<text transform="translate(16 %d) rotate(-90)" text-anchor="middle" class="axis">%s</text>`, (top+height-bottom)/2, escape(c.Y))
}

func (d *drawing) line(i int, s Series) {
	if len(s.Points) == 0 {
		return
	}
	var path strings.Builder
	for j, p := range s.Points {
		fmt.Fprintf(&path, "%c%.1f %.1f", "ML"[min(j, 1)], d.x.at(p.X), d.y.at(p.Y))
	}
	d.printf(`<path class="line s%d" d="%s"/>`, i%colours, path.String())
	for _, p := range s.Points {
		d.mark(i, d.x.at(p.X), d.y.at(p.Y))
	}
}

// mark draws a circle, a square, a triangle, a diamond, a cross or a bar.
func (d *drawing) mark(i int, x, y float64) {
	shapes := [...]string{
		"M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z", "M-3.5-3.5h7v7h-7z", "M0-4.5L4 3h-8z", "M0-5L4.5 0L0 5L-4.5 0z", "M-4-4L4 4M-4 4L4-4", "M-5 0h10",
	}
	d.printf(`<path class="m s%d" transform="translate(%.1f %.1f)" d="%s"/>`, i%colours, x, y, shapes[i%len(shapes)])
}

// labels writes the name of each line at the height of its end, moved down as
// far as others need.
func (d *drawing) labels(lines []Series) {
	type label struct {
		series int
		y      float64
	}
	var all []label
	for i, s := range lines {
		if n := len(s.Points); n > 0 {
			all = append(all, label{i, d.y.at(s.Points[n-1].Y)})
		}
	}
	slices.SortStableFunc(all, func(a, b label) int { return cmp.Compare(a.y, b.y) })
	floor := float64(height - bottom + lineHeight)
	for i := range all {
		if i > 0 {
			all[i].y = max(all[i].y, all[i-1].y+lineHeight)
		}
	}
	for i := len(all) - 1; i >= 0; i-- {
		all[i].y = min(all[i].y, floor)
		floor = all[i].y - lineHeight
	}
	for _, l := range all {
		d.mark(l.series, width-right+14, l.y)
		d.text(width-right+24, l.y+4, "start", "label", lines[l.series].Name)
	}
}

// number writes 1, 10, 100, 1k, 10k, 1M, and 0.1, 0.01 below.
func number(v float64) string {
	for _, unit := range []struct {
		size float64
		name string
	}{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if v >= unit.size*(1-1e-9) {
			return short(v/unit.size) + unit.name
		}
	}
	return short(v)
}

func short(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
