package bert

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/memoir-ai/memoir/internal/modelfile"
	"github.com/memoir-ai/memoir/internal/vecmath"
)

func newTiny(t testing.TB, opts Options) *Encoder {
	t.Helper()
	e, err := New(tinyModel(t, tinyInfo()), opts)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestEmbedAgainstPlain compares every implementation of the kernels, in
// several shapes, with a plain encoder in float64.
func TestEmbedAgainstPlain(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long")
	}
	shapes := map[string]func(*modelfile.Info){
		"mean":         func(*modelfile.Info) {},
		"cls":          func(i *modelfile.Info) { i.Pooling = modelfile.PoolCLS },
		"wide heads":   func(i *modelfile.Info) { i.Heads = 1 },
		"wide inside":  func(i *modelfile.Info) { i.FFN = 512 },
		"three panels": func(i *modelfile.Info) { i.Hidden, i.Heads = 96, 3 },
		"large eps":    func(i *modelfile.Info) { i.Eps = 0.1 },
		"64 a head":    func(i *modelfile.Info) { i.Hidden, i.FFN = 128, 256 },
	}
	bits := map[string]int{"64 a head": 8, "cls": 16, "large eps": 32} // else 4
	for name, change := range shapes {
		info := tinyInfo()
		change(&info)
		file := tinyModelOf(t, info, bits[name])
		texts := randomTexts(rand.New(rand.NewPCG(1, 2)), info.Vocab, 1, 2, 7, 32, 33, 97, 150)
		var want [][]float64
		for _, ids := range texts {
			want = append(want, plain{t: t, file: file, info: info}.embed(ids))
		}
		for _, kernels := range vecmath.Available() {
			t.Run(name+"/cpu="+kernels.String(), func(t *testing.T) {
				e, err := New(file, Options{Kernels: kernels})
				if err != nil {
					t.Fatal(err)
				}
				got, err := e.Embed(t.Context(), texts)
				if err != nil {
					t.Fatal(err)
				}
				most := 1e-5
				if kernels.HasInt8(info.Hidden) {
					most = 0.04 // vectors of 64 to 96 values and length 1
				}
				for i := range got {
					if far := farthest(got[i], want[i]); !(far < most) {
						t.Errorf("text of %d tokens: the farthest value is off by %v", len(texts[i]), far)
					}
				}
			})
		}
	}
}

// farthest returns the largest difference between two vectors.
func farthest(got []float32, want []float64) float64 {
	if len(got) != len(want) {
		return math.Inf(1)
	}
	far := 0.0
	for i := range got {
		far = max(far, math.Abs(float64(got[i])-want[i]))
	}
	return far
}

// TestEmbedIsIndependentOfBatch: a text has the same bits alone, among others,
// in another order, and with any number of workers.
func TestEmbedIsIndependentOfBatch(t *testing.T) {
	lengths := []int{1, 3, 150, 4, 12, 13, 96, 97, 5, 64, 31, 150, 2}
	for range 24 {
		lengths = append(lengths, 20)
	}
	texts := randomTexts(rand.New(rand.NewPCG(3, 4)), tinyInfo().Vocab, lengths...)
	for _, kernels := range vecmath.Available() {
		t.Run(kernels.String(), func(t *testing.T) {
			one := newTiny(t, Options{Kernels: kernels, Workers: 1})
			var want [][]float32
			for _, ids := range texts {
				v, err := one.Embed(t.Context(), [][]int32{ids})
				if err != nil {
					t.Fatal(err)
				}
				want = append(want, v...)
			}
			many := newTiny(t, Options{Kernels: kernels})
			many.workers = 3 // also on a machine with fewer processors
			for name, e := range map[string]*Encoder{"one worker": one, "three workers": many} {
				for turn := range 3 {
					n := len(texts) - 7*turn
					got, err := e.Embed(t.Context(), texts[:n])
					if err != nil {
						t.Fatal(err)
					}
					if !slices.EqualFunc(got, want[:n], slices.Equal) {
						t.Errorf("%s, %d texts: got other bits than one by one", name, n)
					}
				}
			}
			got, err := many.Embed(t.Context(), texts[2:3])
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got[0], want[2]) {
				t.Error("one text by three workers: got other bits than by one")
			}
		})
	}
}

func TestEmbedConcurrently(t *testing.T) {
	e := newTiny(t, Options{})
	texts := randomTexts(rand.New(rand.NewPCG(5, 6)), tinyInfo().Vocab, 30, 1, 150, 8)
	want, err := e.Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			texts := texts[i%len(texts):]
			got, err := e.Embed(t.Context(), texts)
			if err != nil {
				t.Error(err)
			} else if !slices.EqualFunc(got, want[i%len(want):], slices.Equal) {
				t.Errorf("call %d: got other bits than alone", i)
			}
		})
	}
	wg.Wait()
}

func TestEmbedLength(t *testing.T) {
	e := newTiny(t, Options{})
	got, err := e.Embed(t.Context(), [][]int32{{7}, {1, 2, 3}})
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range got {
		if len(v) != e.Dimensions() {
			t.Errorf("text %d: got %d values, want %d", i, len(v), e.Dimensions())
		}
		if length := e.Kernels().Dot(v, v); math.Abs(float64(length)-1) > 1e-5 {
			t.Errorf("text %d: got length %v, want 1", i, length)
		}
	}
	if got, err := e.Embed(t.Context(), nil); len(got) != 0 || err != nil {
		t.Errorf("no texts: got %d vectors, error %v", len(got), err)
	}
}

func TestEmbedRefuses(t *testing.T) {
	e := newTiny(t, Options{})
	long := make([]int32, e.MaxTokens()+1)
	for _, test := range []struct {
		name string
		ids  []int32
		want string
	}{
		{"no tokens", nil, "text 1 has no tokens"},
		{"too many tokens", long, "text 1 has 151 tokens, the model reads 150"},
		{"negative id", []int32{0, -1}, "text 1: token 1 has id -1, the model knows 0 to 49"},
		{"unknown id", []int32{50}, "text 1: token 0 has id 50, the model knows 0 to 49"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := e.Embed(t.Context(), [][]int32{{1}, test.ids})
			if err == nil || !strings.Contains(err.Error(), test.want) || got != nil {
				t.Errorf("got %v, error %v; want the error %q", got, err, test.want)
			}
		})
	}
}

func TestEmbedStopsWhenCancelled(t *testing.T) {
	e := newTiny(t, Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got, err := e.Embed(ctx, [][]int32{{1, 2}}); !errors.Is(err, context.Canceled) || got != nil {
		t.Errorf("got %v, error %v; want %v", got, err, context.Canceled)
	}
}

// TestEmbedDamagedWeights: a scale that is not a number is an error for the
// texts it reaches, never a vector.
func TestEmbedDamagedWeights(t *testing.T) {
	file := tinyModel(t, tinyInfo())
	w, err := file.Linear("layer.1.up.weight")
	if err != nil {
		t.Fatal(err)
	}
	binary.LittleEndian.PutUint16(w.Data, 0x7e00)
	for _, kernels := range vecmath.Available() {
		e, err := New(file, Options{Kernels: kernels})
		if err != nil {
			t.Fatal(err)
		}
		got, err := e.Embed(t.Context(), [][]int32{{1, 2}})
		if err == nil || !strings.Contains(err.Error(), "damaged") {
			t.Errorf("%s: got %v, error %v; want an error", kernels, got, err)
		}
	}
}

func TestNewRefusesNarrowHeads(t *testing.T) {
	info := tinyInfo()
	info.Heads = 4
	if _, err := New(tinyModel(t, info), Options{}); err == nil || !strings.Contains(err.Error(), "4 heads") {
		t.Errorf("got error %v, want one about heads", err)
	}
}

func TestWorkers(t *testing.T) {
	most := runtime.GOMAXPROCS(0)
	for _, test := range []struct{ workers, want int }{{0, most}, {-1, most}, {1, 1}, {most + 1, most}} {
		if got := newTiny(t, Options{Workers: test.workers}).workers; got != test.want {
			t.Errorf("Workers %d: got %d, want %d", test.workers, got, test.want)
		}
	}
}

// BenchmarkEmbedTiny needs no real model.
func BenchmarkEmbedTiny(b *testing.B) {
	e := newTiny(b, Options{})
	texts := randomTexts(rand.New(rand.NewPCG(7, 8)), tinyInfo().Vocab, 20, 100, 150)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := e.Embed(b.Context(), texts); err != nil {
			b.Fatal(err)
		}
	}
}
