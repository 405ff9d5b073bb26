package bert

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/memoir-ai/memoir/internal/modelfile"
)

// The tests of rerank/crossencoder compare scores with those of an independent
// implementation. This one tries what is not a pair.
func TestScoreMistakes(t *testing.T) {
	e, err := New(tinyModel(t, tinyInfo()), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Score(t.Context(), []Pair{{[]int32{1, 2}, 1}}); err == nil {
		t.Error("a model without a head gives a score")
	}
	info := tinyInfo()
	info.Reranks, info.PairMarkers, info.Pooling = true, 1, modelfile.PoolCLS
	if e, err = New(tinyModel(t, info), Options{}); err != nil {
		t.Fatal(err)
	}
	for name, p := range map[string]Pair{"no tokens": {}, "behind the end": {[]int32{1}, 2}, "before the beginning": {[]int32{1}, -1}, "unknown token": {[]int32{50}, 1}, "too long": {make([]int32, 151), 1}} {
		if _, err := e.Score(t.Context(), []Pair{p}); err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
	var pairs []Pair
	for _, ids := range randomTexts(rand.New(rand.NewPCG(1, 2)), info.Vocab, 150, 3, 70, 1, 33) {
		pairs = append(pairs, Pair{ids, len(ids) / 2})
	}
	all, err := e.Score(t.Context(), pairs)
	if err != nil {
		t.Fatal(err)
	}
	for i := range pairs {
		if alone, err := e.Score(t.Context(), pairs[i:i+1]); err != nil || alone[0] != all[i] {
			t.Errorf("pair %d: alone %v, %v; with others %v", i, alone, err, all[i])
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.Score(ctx, pairs); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v", err)
	}
}
