package httpapi

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/layout"
	"github.com/memoir-ai/memoir/internal/order"
	"github.com/memoir-ai/memoir/internal/wire"
)

// Day is what happened on a day.
type Day struct {
	Day        string         `json:"day"`        // YYYY-MM-DD
	Logs       []string       `json:"logs"`       // paths of the notes that name the day
	Remembered []engine.Entry `json:"remembered"` // entries that were told then
	Corrected  []engine.Entry `json:"corrected"`  // entries that no longer hold since then
	Changes    []wire.Change  `json:"changes"`    // that memoir made in notes, in local time
	Left       int            `json:"left"`       // how many of all these are left out of a long day
}

// Days are days on which something happened.
type Days struct {
	Days []Day `json:"days"` // in order
}

// Picture is an overview of the whole memory.
type Picture struct {
	Months []PictureMonth `json:"months"` // in order
	Points []PicturePoint `json:"points"` // notes; those that lie near mean much the same
	Sample int            `json:"sample"` // how many passages the points were made of
}

// PictureMonth is what was told in a month.
type PictureMonth struct {
	Month string         `json:"month"` // YYYY-MM
	Types map[string]int `json:"types"` // entries by their type; "other" where none is known
}

// PicturePoint is a note in a plane.
type PicturePoint struct {
	Path string  `json:"path"` // below the workspace
	Type string  `json:"type"` // of its entries; empty where none is known
	X    float64 `json:"x"`    // -1 to 1
	Y    float64 `json:"y"`    // -1 to 1
}

// Bounds of the data for a picture of the memory.
const (
	mostDays    = 62
	mostOfDay   = 100  // of each kind
	mostSampled = 2000 // chunks
)

func lookRoutes() []route {
	return []route{
		{
			method: "GET", pattern: "/v1/days", summary: "What was logged, remembered and corrected on each of some days", permission: MayRead, private: true,
			params: []param{{name: "from", kind: "string", required: true, about: "the first day, YYYY-MM-DD"}, {name: "to", kind: "string", required: true, about: "the last day, inclusive, at most 61 days later"}},
			out:    Days{}, handle: days,
		},
		{method: "GET", pattern: "/v1/picture", summary: "The memory from far: entries by month and type, notes near in meaning", permission: MayRead, private: true, out: Picture{}, handle: picture},
		{method: "POST", pattern: "/v1/sync", summary: "Make the index agree with the notes now, and say what is left out", permission: MayRead, private: true, out: wire.Index{}, handle: syncNow},
		{method: "GET", pattern: "/v1/secrets", summary: "List secrets in the notes and their history, masked", permission: MayRead, private: true, out: wire.Findings{}, handle: secrets},
	}
}

func days(r *request) (any, error) {
	var bounds [2]time.Time
	for i, name := range []string{"from", "to"} {
		at, err := time.Parse(time.DateOnly, r.text(name))
		if err != nil {
			return nil, invalid("write it as 2026-03-02", "%s=%s is not a day", name, r.text(name))
		}
		bounds[i] = at
	}
	from, to := bounds[0], bounds[1]
	if to.Before(from) || to.Sub(from) >= mostDays*24*time.Hour {
		return nil, invalid("ask for a month at a time", "%s to %s is not between 1 and %d days", r.text("from"), r.text("to"), mostDays)
	}
	d := calendar{from: r.text("from"), to: r.text("to"), days: map[string]*Day{}}
	for meta, err := range r.api.opts.Memory.Documents(r.Context()) {
		if err != nil {
			return nil, err
		}
		if at, ok := layout.Date(string(meta.ID)); ok && !meta.Kind.ReadOnly() {
			if day := d.day(at.Format(time.DateOnly)); day != nil {
				put(day, &day.Logs, string(meta.ID))
			}
		}
	}
	all, err := r.api.opts.Memory.Entries(r.Context(), engine.EntryFilter{Status: "all"})
	if err != nil {
		return nil, err
	}
	for _, e := range all {
		if day := d.day(e.Observed); day != nil {
			put(day, &day.Remembered, e)
		}
		if day := d.day(e.Until); day != nil {
			put(day, &day.Corrected, e)
		}
	}
	changes, err := r.api.opts.Memory.History()
	if err != nil {
		return nil, err
	}
	for _, c := range changes {
		if day := d.day(c.Time.Local().Format(time.DateOnly)); day != nil {
			put(day, &day.Changes, wire.NewChange(c))
		}
	}
	return d.list(), nil
}

// calendar gathers what happened between two days.
type calendar struct {
	from, to string
	days     map[string]*Day
}

// day returns one of its days, nil for any other.
func (c *calendar) day(at string) *Day {
	if at < c.from || at > c.to {
		return nil
	}
	if c.days[at] == nil {
		c.days[at] = &Day{Day: at, Logs: []string{}, Remembered: []engine.Entry{}, Corrected: []engine.Entry{}, Changes: []wire.Change{}}
	}
	return c.days[at]
}

func put[T any](day *Day, list *[]T, x T) {
	if len(*list) == mostOfDay {
		day.Left++
		return
	}
	*list = append(*list, x)
}

func (c *calendar) list() Days {
	out := Days{Days: []Day{}}
	for _, d := range c.days {
		out.Days = append(out.Days, *d)
	}
	order.By(out.Days, func(a, b Day) int { return strings.Compare(a.Day, b.Day) })
	return out
}

func picture(r *request) (any, error) {
	all, err := r.api.opts.Memory.Entries(r.Context(), engine.EntryFilter{Status: "all"})
	if err != nil {
		return nil, err
	}
	out := Picture{Months: []PictureMonth{}, Points: []PicturePoint{}}
	months, types := map[string]int{}, map[string]string{}
	for _, e := range all {
		typ := e.Type
		if typ == "" {
			typ = "other"
		} else if name := e.Scope.Name(memoir.DocID(e.Path)); types[name] == "" {
			types[name] = typ
		}
		if len(e.Observed) < len("2026-03") {
			continue
		}
		month := e.Observed[:len("2026-03")]
		i, ok := months[month]
		if !ok {
			i = len(out.Months)
			months[month] = i
			out.Months = append(out.Months, PictureMonth{month, map[string]int{}})
		}
		out.Months[i].Types[typ]++
	}
	order.By(out.Months, func(a, b PictureMonth) int { return strings.Compare(a.Month, b.Month) })
	sample, err := r.api.opts.Memory.Sample(r.Context(), mostSampled)
	if err != nil {
		return nil, err
	}
	paths, vectors, err := r.api.means(r.Context(), sample)
	if err != nil {
		return nil, err
	}
	out.Sample = len(sample)
	for i, at := range plane(vectors) {
		out.Points = append(out.Points, PicturePoint{paths[i], types[paths[i]], at[0], at[1]})
	}
	return out, nil
}

// means returns the mean vectors of the sampled chunks of each note, ordered by
// path. It leaves out sessions and collections.
func (a *api) means(ctx context.Context, sample []memoir.SampledVector) (paths []string, vectors [][]float64, err error) {
	byPath := map[string][]float64{}
	for _, x := range sample {
		sum := byPath[string(x.Doc)]
		if sum == nil {
			sum = make([]float64, len(x.Vector))
		}
		for i, v := range x.Vector {
			sum[i] += float64(v)
		}
		byPath[string(x.Doc)] = sum
	}
	for meta, err := range a.opts.Memory.Documents(ctx) {
		if err != nil {
			return nil, nil, err
		}
		v := byPath[string(meta.ID)]
		if v == nil || meta.Kind.ReadOnly() {
			continue
		}
		paths, vectors = append(paths, string(meta.ID)), append(vectors, normal(v))
	}
	return paths, vectors, nil
}

func syncNow(r *request) (any, error) {
	start := time.Now()
	stats, err := r.api.opts.Memory.Sync(r.Context(), nil)
	if err != nil {
		return nil, err
	}
	now, err := r.api.opts.Memory.Status(r.Context())
	if err != nil {
		return nil, fmt.Errorf("count what is indexed: %w", err)
	}
	out := wire.NewIndex(now.Workspace, stats, time.Since(start))
	out.Documents, out.Chunks, out.PendingVectors, out.FailedVectors = now.Documents, now.Chunks, now.PendingVectors, now.FailedVectors
	return out, nil
}

func secrets(r *request) (any, error) {
	found, _, err := r.api.opts.Memory.Scan(r.Context())
	if err != nil {
		return nil, err
	}
	return wire.NewFindings(found), nil
}
