package bert

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/memoir-ai/memoir/internal/modelfile"
)

// tinyInfo describes a model that is small enough for plain Go in a test. Its
// texts may be longer than one block of queries.
func tinyInfo() modelfile.Info {
	return modelfile.Info{
		Architecture: modelfile.ArchitectureBERT,
		Name:         "tiny",
		Hidden:       64,
		Layers:       2,
		Heads:        2,
		FFN:          96,
		Vocab:        50,
		Positions:    150,
		Eps:          1e-12,
		Pooling:      modelfile.PoolMean,
		MaxTokens:    150,
		Tokenizer:    modelfile.TokenizerUnigram,
	}
}

// tinyModel returns a model file of that shape with random weights of 4 bits.
func tinyModel(t testing.TB, info modelfile.Info) *modelfile.File { return tinyModelOf(t, info, 0) }

// tinyModelOf returns one with weights of 8, 16 or 32 bits. With 0 the weights
// have 4 bits, and some are far larger than the others.
func tinyModelOf(t testing.TB, info modelfile.Info, bits int) *modelfile.File {
	t.Helper()
	r := rand.New(rand.NewPCG(uint64(info.Hidden), uint64(info.FFN)))
	var w modelfile.Writer
	w.Bytes("tokenizer.unigram", nil)
	w.EmbeddingQ4("embeddings.word", info.Vocab, info.Hidden, randomBlocks(r, info.Vocab, info.Hidden))
	w.Float32s("embeddings.position", info.Positions, info.Hidden, randomValues(r, info.Positions*info.Hidden, 0))
	vector := func(name string, n int, about float32) { w.Float32s(name, 1, n, randomValues(r, n, about)) }
	norm := func(name string) {
		vector(name+".weight", info.Hidden, 1)
		vector(name+".bias", info.Hidden, 0)
	}
	linear := func(name string, n, k int) {
		if bits > 0 {
			w.Weights(name+".weight", n, k, bits, randomValues(r, n*k, 0))
		} else {
			w.Linear(name+".weight", n, k, randomBlocks(r, n, k))
		}
		vector(name+".bias", n, 0)
	}
	vector("embeddings.type", info.Hidden, 0)
	norm("embeddings.norm")
	for i := range info.Layers {
		name := fmt.Sprintf("layer.%d.", i)
		linear(name+"qkv", 3*info.Hidden, info.Hidden)
		linear(name+"attention", info.Hidden, info.Hidden)
		norm(name + "attention.norm")
		linear(name+"up", info.FFN, info.Hidden)
		linear(name+"down", info.Hidden, info.FFN)
		norm(name + "norm")
	}
	if info.Reranks {
		vector(modelfile.SecondType, info.Hidden, 0)
		w.Float32s(modelfile.HeadDense+".weight", info.Hidden, info.Hidden, randomValues(r, info.Hidden*info.Hidden, 0))
		vector(modelfile.HeadDense+".bias", info.Hidden, 0)
		vector(modelfile.HeadOut+".weight", info.Hidden, 0)
		vector(modelfile.HeadOut+".bias", 1, 0)
	}
	data, err := w.File(info)
	if err != nil {
		t.Fatal(err)
	}
	f, err := modelfile.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// randomValues returns n values at most .5 away from about.
func randomValues(r *rand.Rand, n int, about float32) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = about + r.Float32() - 0.5
	}
	return v
}

// randomBlocks returns a matrix in blocks of 4 bits, with scales between 2^-5
// and 2^-3.
func randomBlocks(r *rand.Rand, rows, cols int) []byte {
	var out []byte
	for range rows * cols / 32 {
		out = binary.LittleEndian.AppendUint16(out, uint16(10<<10+r.IntN(2<<10)))
		for range 16 {
			out = append(out, byte(r.Uint32()))
		}
	}
	return out
}

// randomTexts returns a text of random ids for each length.
func randomTexts(r *rand.Rand, vocab int, lengths ...int) [][]int32 {
	var texts [][]int32
	for _, n := range lengths {
		ids := make([]int32, n)
		for i := range ids {
			ids[i] = int32(r.IntN(vocab))
		}
		texts = append(texts, ids)
	}
	return texts
}

// plain is an encoder in float64 that is easy to read. The fast one is compared
// with it.
type plain struct {
	t        testing.TB
	file     *modelfile.File
	info     modelfile.Info
	adapters *modelfile.File // of the layers from first on; nil: none
	first    int
}

func (p plain) embed(ids []int32) []float64 {
	states := make([][]float64, len(ids))
	kind := p.vector("embeddings.type")
	for i, id := range ids {
		word, place := p.row("embeddings.word", int(id)), p.row("embeddings.position", i)
		for j := range word {
			word[j] += place[j] + kind[j]
		}
		states[i] = p.norm("embeddings.norm", word)
	}
	for l := range p.info.Layers {
		states = p.layer(fmt.Sprintf("layer.%d.", l), states)
	}
	return p.pool(states)
}

// pool returns the vector of a text from its last states.
func (p plain) pool(states [][]float64) []float64 {
	sum := states[0]
	if p.info.Pooling == modelfile.PoolMean {
		for _, s := range states[1:] {
			for j, v := range s {
				sum[j] += v
			}
		}
	}
	var squares float64
	for _, v := range sum {
		squares += v * v
	}
	for j := range sum {
		sum[j] /= math.Sqrt(squares)
	}
	return sum
}

func (p plain) layer(name string, states [][]float64) [][]float64 {
	var qkv, out [][]float64
	for _, s := range states {
		qkv = append(qkv, p.linear(name+"qkv", s))
	}
	for i, s := range states {
		a := p.linear(name+"attention", p.attend(qkv, i))
		for j := range a {
			a[j] += s[j]
		}
		a = p.norm(name+"attention.norm", a)
		inside := p.linear(name+"up", a)
		for j, v := range inside {
			inside[j] = v / 2 * (1 + math.Erf(v/math.Sqrt2))
		}
		b := p.linear(name+"down", inside)
		for j := range b {
			b[j] += a[j]
		}
		out = append(out, p.norm(name+"norm", b))
	}
	return out
}

// attend returns the heads' output for token i.
func (p plain) attend(qkv [][]float64, i int) []float64 {
	h := p.info.Hidden
	dim := h / p.info.Heads
	out := make([]float64, h)
	for first := 0; first < h; first += dim {
		weights, sum := make([]float64, len(qkv)), 0.0
		for j := range qkv {
			var score float64
			for d := first; d < first+dim; d++ {
				score += qkv[i][d] * qkv[j][h+d]
			}
			weights[j] = math.Exp(score / math.Sqrt(float64(dim)))
			sum += weights[j]
		}
		for j, w := range weights {
			for d := first; d < first+dim; d++ {
				out[d] += w / sum * qkv[j][2*h+d]
			}
		}
	}
	return out
}

func (p plain) linear(name string, x []float64) []float64 {
	w, err := p.file.Linear(name + ".weight")
	if err != nil {
		p.t.Fatal(err)
	}
	y := p.vector(name + ".bias")
	panel := make([]float32, 32*w.K)
	for i := 0; i < w.N; i += 32 {
		panel = w.Panel(i/32, panel)
		for k, v := range x {
			for j := range 32 {
				y[i+j] += v * float64(panel[32*k+j])
			}
		}
	}
	p.adapt(name, y, x)
	return y
}

// adapt adds what the adapters make of x to y.
func (p plain) adapt(name string, y, x []float64) {
	var layer int
	if _, err := fmt.Sscanf(name, "layer.%d.", &layer); err != nil || p.adapters == nil || layer < p.first {
		return
	}
	adapters := plain{t: p.t, file: p.adapters}
	var low [Rank]float64
	for i := range low {
		for k, w := range adapters.row(name+".in", i) {
			low[i] += w * x[k]
		}
	}
	for i := range y {
		for k, w := range adapters.row(name+".out", i) {
			y[i] += w * low[k]
		}
	}
}

func (p plain) norm(name string, x []float64) []float64 {
	gamma, beta := p.vector(name+".weight"), p.vector(name+".bias")
	var mean, variance float64
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		variance += (v - mean) * (v - mean) / float64(len(x))
	}
	for j, v := range x {
		x[j] = (v-mean)/math.Sqrt(variance+p.info.Eps)*gamma[j] + beta[j]
	}
	return x
}

func (p plain) vector(name string) []float64 {
	v, err := p.file.Float32s(name)
	if err != nil {
		p.t.Fatal(err)
	}
	return widen(v)
}

func (p plain) row(name string, i int) []float64 {
	e, err := p.file.Embedding(name)
	if err != nil {
		p.t.Fatal(err)
	}
	v := make([]float32, e.Dim)
	e.Row(i, v)
	return widen(v)
}

func widen(v []float32) []float64 {
	w := make([]float64, len(v))
	for i, x := range v {
		w[i] = float64(x)
	}
	return w
}
