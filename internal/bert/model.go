package bert

import (
	"fmt"

	"github.com/memoir-ai/memoir/internal/modelfile"
	"github.com/memoir-ai/memoir/internal/vecmath"
)

// A model is the weights of an encoder, by reference.
type model struct {
	hidden, heads, ffn, positions int
	eps                           float32
	meanPooling                   bool // else the first token's state is the vector

	words, places embedding
	kind          []float32 // of the first token type, added to every token
	secondKind    []float32 // the same for the tokens of a second text
	norm          norm
	layers        []layer
	adapted       int   // the first layer with adapters, if there is one
	head          *head // nil unless the model reranks
}

// A head makes a number of the first token's state x: out·tanh(dense·x + bias) + bias.
type head struct {
	dense, denseBias []float32 // [hidden][hidden], [hidden]
	out              []float32
	outBias          float32
}

// An embedding is a table of rows.
type embedding = modelfile.Embedding

// A layer is attention and feed-forward network, each followed by a residual
// connection and LayerNorm.
type layer struct {
	qkv, attention, up, down linear
	attentionNorm, norm      norm
}

// A linear is the layer y = Wx + b with 32*panels outputs and k inputs.
type linear struct {
	panels, k int
	weights   modelfile.Linear
	bias      []float32
	change    *adapter // nil unless the layer is adapted
}

type norm struct{ gamma, beta []float32 }

// unpack returns the weights of outputs 32p to 32p+31, [k][32]: in place where
// they are stored like that, or else in buffer.
func (l *linear) unpack(kernels *vecmath.Kernels, p int, buffer []float32) []float32 {
	if l.weights.Kind == modelfile.KindQ4Panels {
		kernels.DequantPanel(buffer, l.weights.Stored(p))
		return buffer
	}
	return l.weights.Panel(p, buffer)
}

func (l *linear) outputs() int { return l.panels * vecmath.PanelWidth }

// load refers to the weights in f and checks that their shapes fit together
// and suit the kernels.
func load(f *modelfile.File) (*model, error) {
	info := f.Info()
	m := &model{
		hidden:      info.Hidden,
		heads:       info.Heads,
		ffn:         info.FFN,
		positions:   info.Positions,
		eps:         float32(info.Eps),
		meanPooling: info.Pooling == modelfile.PoolMean,
	}
	if m.heads <= 0 || m.hidden%m.heads != 0 || m.hidden/m.heads%vecmath.PanelWidth != 0 {
		return nil, fmt.Errorf("%d dimensions in %d heads: a head must have a multiple of %d", m.hidden, m.heads, vecmath.PanelWidth)
	}
	r := reader{file: f}
	m.words = r.embedding("embeddings.word", info.Vocab, m.hidden)
	m.places = r.embedding("embeddings.position", m.positions, m.hidden)
	m.kind = r.vector("embeddings.type", m.hidden)
	m.norm = r.norm("embeddings.norm", m.hidden)
	for i := 0; i < info.Layers && r.err == nil; i++ {
		name := fmt.Sprintf("layer.%d.", i)
		m.layers = append(m.layers, layer{
			qkv:           r.linear(name+"qkv", 3*m.hidden, m.hidden),
			attention:     r.linear(name+"attention", m.hidden, m.hidden),
			attentionNorm: r.norm(name+"attention.norm", m.hidden),
			up:            r.linear(name+"up", m.ffn, m.hidden),
			down:          r.linear(name+"down", m.hidden, m.ffn),
			norm:          r.norm(name+"norm", m.hidden),
		})
	}
	m.secondKind = m.kind
	if info.Reranks {
		if f.Has(modelfile.SecondType) {
			m.secondKind = r.vector(modelfile.SecondType, m.hidden)
		}
		m.head = r.head(m.hidden)
	}
	return m, r.err
}

// A reader keeps the first error, so that load reads like a list.
type reader struct {
	file *modelfile.File
	err  error
}

func (r *reader) fail(name, format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("tensor %s: %w", name, fmt.Errorf(format, args...))
	}
}

func (r *reader) embedding(name string, rows, dim int) embedding {
	e, err := r.file.Embedding(name)
	if err != nil {
		r.fail(name, "%w", err)
	} else if e.Rows != rows || e.Dim != dim {
		r.fail(name, "%d rows of %d, want %d of %d", e.Rows, e.Dim, rows, dim)
	}
	return e
}

func (r *reader) vector(name string, n int) []float32 {
	v, err := r.file.Float32s(name)
	if err != nil {
		r.fail(name, "%w", err)
	} else if len(v) != n {
		r.fail(name, "%d values, want %d", len(v), n)
	}
	return v
}

func (r *reader) head(hidden int) *head {
	h := &head{
		dense: r.vector(modelfile.HeadDense+".weight", hidden*hidden), denseBias: r.vector(modelfile.HeadDense+".bias", hidden),
		out: r.vector(modelfile.HeadOut+".weight", hidden),
	}
	if bias := r.vector(modelfile.HeadOut+".bias", 1); len(bias) == 1 {
		h.outBias = bias[0]
	}
	return h
}

func (r *reader) norm(name string, n int) norm {
	return norm{r.vector(name+".weight", n), r.vector(name+".bias", n)}
}

func (r *reader) linear(name string, outputs, inputs int) linear {
	l := linear{panels: outputs / vecmath.PanelWidth, k: inputs, bias: r.vector(name+".bias", outputs)}
	w, err := r.file.Linear(name + ".weight")
	if err != nil {
		r.fail(name, "%w", err)
		return l
	}
	switch {
	case w.N != outputs || w.K != inputs:
		r.fail(name, "%d outputs of %d inputs, want %d of %d", w.N, w.K, outputs, inputs)
	case outputs%vecmath.PanelWidth != 0 || inputs%vecmath.TileInputs != 0:
		r.fail(name, "%d outputs of %d inputs are not whole tiles", outputs, inputs)
	}
	l.weights = w
	return l
}
