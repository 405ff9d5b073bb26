package bert

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/memoir-ai/memoir/internal/modelfile"
)

// tinyAdapters returns adapters of the layers from first on of a tiny model.
func tinyAdapters(t testing.TB, info modelfile.Info, first int) *modelfile.File {
	t.Helper()
	r := rand.New(rand.NewPCG(3, 4))
	var w modelfile.Writer
	for i := first; i < info.Layers; i++ {
		for _, part := range []struct {
			name string
			n, k int
		}{{"qkv", 3 * info.Hidden, info.Hidden}, {"attention", info.Hidden, info.Hidden}, {"up", info.FFN, info.Hidden}, {"down", info.Hidden, info.FFN}} {
			name := fmt.Sprintf("layer.%d.%s", i, part.name)
			w.Table(name+".in", Rank, part.k, 8, randomValues(r, Rank*part.k, 0))
			w.Table(name+".out", part.n, Rank, 8, randomValues(r, part.n*Rank, 0))
		}
	}
	data, err := w.File(modelfile.Info{Architecture: modelfile.ArchitectureAdapters, Name: "tiny"})
	if err != nil {
		t.Fatal(err)
	}
	f, err := modelfile.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// An adapted encoder gives the states that plain arithmetic gives, alone and in a batch,
// and leaves the encoder that it was made of as it is.
func TestAdapted(t *testing.T) {
	info := tinyInfo()
	file := tinyModel(t, info)
	const first = 1
	adapters := tinyAdapters(t, info, first)
	whole, err := New(file, Options{})
	if err != nil {
		t.Fatal(err)
	}
	e, err := whole.Adapted(adapters, first)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(5, 6))
	kinds := [2][]float32{randomValues(r, info.Hidden, 0), randomValues(r, info.Hidden, 0)}
	var questions []Question
	for _, ids := range randomTexts(r, info.Vocab, 3, 70, 1, 33) {
		questions = append(questions, Question{Pair{ids, len(ids) / 2}, kinds})
	}
	p := plain{t, file, info, adapters, first}
	states := make([][]float32, len(questions))
	if err := e.Ask(t.Context(), questions, func(i int, s []float32) error {
		states[i] = append([]float32(nil), s...)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for i, q := range questions {
		want := p.ask(q)
		for at, state := range want {
			if c := cosineOf(state, states[i][at*info.Hidden:][:info.Hidden]); !(c > .95) {
				t.Fatalf("question %d, token %d: a cosine of %v with what plain arithmetic gives", i, at, c)
			}
		}
		if err := e.Ask(t.Context(), questions[i:i+1], func(_ int, s []float32) error {
			for at, v := range s {
				if v != states[i][at] {
					return fmt.Errorf("number %d alone is %v, with others %v", at, v, states[i][at])
				}
			}
			return nil
		}); err != nil {
			t.Errorf("question %d: %v", i, err)
		}
	}
	before := plain{t: t, file: file, info: info}
	got, err := whole.Embed(t.Context(), [][]int32{questions[1].IDs})
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range before.embed(questions[1].IDs) {
		if !(math.Abs(w-float64(got[0][i])) < .05) {
			t.Fatalf("the encoder itself: number %d is %v, want %v", i, got[0][i], w)
		}
	}
}

func cosineOf(a []float64, b []float32) float64 {
	var ab, aa, bb float64
	for i, v := range a {
		w := float64(b[i])
		ab, aa, bb = ab+v*w, aa+v*v, bb+w*w
	}
	return ab / math.Sqrt(aa*bb)
}

// ask returns the last states of a question.
func (p plain) ask(q Question) [][]float64 {
	states := make([][]float64, len(q.IDs))
	kind := p.vector("embeddings.type")
	for i, id := range q.IDs {
		word, place := p.row("embeddings.word", int(id)), p.row("embeddings.position", i)
		for j := range word {
			word[j] += place[j] + kind[j]
		}
		states[i] = p.norm("embeddings.norm", word)
	}
	for l := range p.info.Layers {
		if l == p.first {
			for i := range states {
				of := 0
				if i >= q.Second {
					of = 1
				}
				for j, v := range q.Kinds[of] {
					states[i][j] += float64(v)
				}
			}
		}
		states = p.layer(fmt.Sprintf("layer.%d.", l), states)
	}
	return states
}

// Adapters that do not fit, and questions that are none, are refused.
func TestAdaptedMistakes(t *testing.T) {
	info := tinyInfo()
	e, err := New(tinyModel(t, info), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, first := range []int{-1, 0, 3} { // 0: those of the first layer are missing
		if _, err := e.Adapted(tinyAdapters(t, info, 1), first); err == nil {
			t.Errorf("from layer %d: got no error", first)
		}
	}
	other := info
	other.FFN = 64
	if _, err := e.Adapted(tinyAdapters(t, other, 1), 1); err == nil {
		t.Error("adapters of another shape: got no error")
	}
	a, err := e.Adapted(tinyAdapters(t, info, 1), 1)
	if err != nil {
		t.Fatal(err)
	}
	for name, q := range map[string]Question{"no tokens": {}, "behind the end": {Pair: Pair{[]int32{1}, 2}}, "unknown token": {Pair: Pair{[]int32{50}, 1}}} {
		if err := a.Ask(t.Context(), []Question{q}, func(int, []float32) error { return nil }); err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
}
