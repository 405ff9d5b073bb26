package indexing

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/memoir-ai/memoir"
)

// counted is a store of which only the numbers are known.
type counted struct {
	memoir.Store
	stats  memoir.StoreStats
	sample []memoir.SampledVector
	puts   []memoir.SpaceFacts
}

func (c *counted) Stats(context.Context, memoir.Space) (memoir.StoreStats, error) {
	return c.stats, nil
}

func (c *counted) View(_ context.Context, f func(memoir.View) error) error { return f(sampled{c: c}) }

func (c *counted) PutSpace(_ context.Context, _ memoir.Space, facts memoir.SpaceFacts) error {
	c.puts = append(c.puts, facts)
	return nil
}

// sampledAt is a chunk of a document by itself.
func sampledAt(i int) memoir.ChunkMeta {
	return memoir.ChunkMeta{ChunkID: memoir.ChunkID{Doc: memoir.DocID(fmt.Sprint(i))}}
}

type sampled struct {
	memoir.View
	c *counted
}

func (s sampled) Sample(_ context.Context, _ memoir.Space, limit int) ([]memoir.SampledVector, error) {
	return s.c.sample[:min(limit, len(s.c.sample))], nil
}

// TestAdopt: a space takes over when it is complete, if it may; its calibration is
// measured when it is complete for the first time and when it has grown by half,
// if there are enough pairs; nothing is written for nothing.
func TestAdopt(t *testing.T) {
	own, other := memoir.Space{Model: "own", Dimensions: 2}, memoir.Space{Model: "other", Dimensions: 2}
	known := memoir.Calibration{Unrelated: .5}
	var many []memoir.SampledVector
	for i := range 30 {
		many = append(many, memoir.SampledVector{ChunkMeta: sampledAt(i / 2), Hash: memoir.Hash(fmt.Sprint(i)), Vector: []float32{1, 0}})
	}
	measured := memoir.SpaceFacts{Calibration: memoir.Calibration{Unrelated: 1}, Measured: 30}
	for name, tt := range map[string]struct {
		stats  memoir.StoreStats
		sample []memoir.SampledVector
		may    bool
		want   []memoir.SpaceFacts
	}{
		"nothing embedded":           {memoir.StoreStats{Texts: 30, Pending: 30, Serving: other}, nil, true, nil},
		"one is missing":             {memoir.StoreStats{Texts: 30, Pending: 1, Serving: other}, many, true, nil},
		"complete":                   {memoir.StoreStats{Texts: 30, Serving: other}, many, true, []memoir.SpaceFacts{{Calibration: measured.Calibration, Measured: 30, TakesOver: true}}},
		"may not take over":          {memoir.StoreStats{Texts: 30, Serving: other}, many, false, []memoir.SpaceFacts{measured}},
		"serves already":             {memoir.StoreStats{Texts: 30, Serving: own}, many, true, []memoir.SpaceFacts{measured}},
		"few pairs say nothing":      {memoir.StoreStats{Texts: 20, Serving: own}, many[:10], true, nil},
		"few pairs, another serves":  {memoir.StoreStats{Texts: 20, Serving: other}, many[:10], true, []memoir.SpaceFacts{{TakesOver: true}}},
		"measured, grown by a third": {memoir.StoreStats{Texts: 40, Serving: own, Calibration: known, Measured: 30}, many, true, nil},
		"measured, takes over":       {memoir.StoreStats{Texts: 40, Serving: other, Calibration: known, Measured: 30}, many, true, []memoir.SpaceFacts{{Calibration: known, Measured: 30, TakesOver: true}}},
		"grown by half":              {memoir.StoreStats{Texts: 46, Failed: 1, Serving: own, Calibration: known, Measured: 30}, many, true, []memoir.SpaceFacts{{Calibration: measured.Calibration, Measured: 45}}},
		"one of twenty failed":       {memoir.StoreStats{Texts: 20, Failed: 1, Serving: other}, nil, true, []memoir.SpaceFacts{{TakesOver: true}}},
		"all failed":                 {memoir.StoreStats{Texts: 2, Failed: 2, Serving: other}, nil, true, nil},
		"two of ten failed":          {memoir.StoreStats{Texts: 10, Failed: 2, Serving: other}, nil, true, nil},
	} {
		store := &counted{stats: tt.stats, sample: tt.sample}
		x, err := New(Config{Store: store})
		if err != nil {
			t.Fatal(err)
		}
		if err := x.adopt(t.Context(), own, tt.may); err != nil || !slices.Equal(store.puts, tt.want) {
			t.Errorf("%s: put %+v, %v; want %+v", name, store.puts, err, tt.want)
		}
	}
}

// TestUnrelated: pairs of one document, or of one text, say nothing of texts that
// are not related.
func TestUnrelated(t *testing.T) {
	var sample []memoir.SampledVector
	for i := range 16 {
		angle := float64(i%4) * math.Pi / 8 // of a document each; texts of one are alike
		sample = append(sample, memoir.SampledVector{ChunkMeta: sampledAt(i), Hash: memoir.Hash(fmt.Sprint(i)),
			Vector: []float32{float32(2 * math.Cos(angle)), float32(2 * math.Sin(angle))}})
	}
	if cosine, ok := unrelated(sample); !ok || math.Abs(cosine-math.Cos(3*math.Pi/8)) > 1e-6 {
		t.Errorf("of 16 documents: %v, %v; want the cosine of the farthest, %v", cosine, ok, math.Cos(3*math.Pi/8))
	}
	for i := range sample {
		sample[i].Doc = "one"
	}
	if cosine, ok := unrelated(sample); ok {
		t.Errorf("of one document: %v; want too few pairs", cosine)
	}
}
