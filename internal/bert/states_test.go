package bert

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The vector of a reading has the bits of Embed's, and is the mean of the states.
func TestRead(t *testing.T) {
	e := newTiny(t, Options{})
	texts := randomTexts(rand.New(rand.NewPCG(9, 10)), tinyInfo().Vocab, 1, 7, 97, 3)
	want, err := e.Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	got, err := e.Read(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range got {
		if !slices.Equal(r.Vector, want[i]) {
			t.Errorf("text %d: the vector has other bits than Embed's", i)
		}
		if len(r.States) != len(texts[i]) {
			t.Fatalf("text %d: got %d states, want %d", i, len(r.States), len(texts[i]))
		}
		mean := make([]float64, e.Dimensions())
		var length float64
		for d := range mean {
			for _, s := range r.States {
				mean[d] += float64(s[d])
			}
			length += mean[d] * mean[d]
		}
		for d := range mean {
			if far := math.Abs(mean[d]/math.Sqrt(length) - float64(r.Vector[d])); !(far < 1e-5) {
				t.Fatalf("text %d, value %d: the mean of the states is off by %v", i, d, far)
			}
		}
	}
	if _, err := e.Read(t.Context(), [][]int32{nil}); err == nil {
		t.Error("a text without tokens: got no error")
	}
	if got, err := e.Read(t.Context(), nil); len(got) != 0 || err != nil {
		t.Errorf("no texts: got %v, error %v", got, err)
	}
}
