package bert

import (
	"context"
	"fmt"
	"math"

	"github.com/memoir-ai/memoir/internal/giveway"
	"github.com/memoir-ai/memoir/internal/vecmath"
)

// scratch is the work memory of one goroutine. Matrices are stored by rows, one
// row per token of the batch.
type scratch struct {
	states   []float32 // [tokens][hidden]: passed from layer to layer
	attended []float32 // [tokens][hidden]: the same after attention
	// wide holds queries, keys and values [tokens][3*hidden] and the heads'
	// output [tokens][hidden]; later the inside of the feed-forward network
	// [tokens][ffn].
	wide   []float32
	parts  int         // goroutines that share the products of a batch
	panels [][]float32 // for each goroutine an unpacked panel of weights: [inputs][32]
	keys   []float32   // keys of one head, as panels of 32 tokens
	values []float32   // values of one head, as panels of 32 dimensions
	scores []float32   // [rows of queries][tokens, rounded up]
	low    []float32   // what adapters make of their inputs: [tokens][Rank]
	change []float32   // what adapters add: [tokens][outputs]
	int8   int8Scratch
	pause  func() // gives way to what is more urgent, between two pieces of work
}

// mostParts is the highest number of goroutines that share the products of one
// batch. The narrowest layers have only few panels to share.
const mostParts = 4

// sharedRows is the number of rows from which on sharing products pays. With
// fewer rows, waking another goroutine for each product costs as much as it
// saves.
const sharedRows = 64

// split prepares for n goroutines that share the products of a batch, fewer if
// that is too many.
func (s *scratch) split(n int) {
	s.parts = min(n, mostParts)
	for len(s.panels) < s.parts {
		s.panels = append(s.panels, nil)
	}
}

// resize gives the slice a length of n, and reuses its memory if that is large
// enough. The content is arbitrary.
func resize[T any](s *[]T, n int) {
	if cap(*s) < n {
		*s = make([]T, n)
	}
	*s = (*s)[:n]
}

// runBatch computes the last states of the batch's texts and passes each to
// done.
func (e *Encoder) runBatch(ctx context.Context, s *scratch, in sequences, batch []int, done func(text int, states []float32) error) error {
	m, texts := e.model, in.ids
	rows := 0
	for _, text := range batch {
		rows += len(texts[text])
	}
	resize(&s.states, rows*m.hidden)
	resize(&s.attended, rows*m.hidden)
	resize(&s.wide, rows*max(4*m.hidden, m.ffn))
	for i := range s.parts {
		resize(&s.panels[i], max(m.hidden, m.ffn)*vecmath.PanelWidth)
	}
	s.int8.reserve(s.parts, max(m.hidden, m.ffn))
	s.pause = giveway.From(ctx)

	at := 0
	for _, text := range batch {
		second := len(texts[text])
		if in.seconds != nil {
			second = in.seconds[text]
		}
		e.embedTokens(s, texts[text], second, s.states[at*m.hidden:])
		at += len(texts[text])
	}
	for i := range m.layers {
		if err := ctx.Err(); err != nil {
			return err
		}
		if in.kinds != nil && i == m.adapted {
			e.addKinds(s.states, in, batch)
		}
		e.layer(s, &m.layers[i], texts, batch, rows)
	}
	at = 0
	for _, text := range batch {
		n := len(texts[text])
		if err := done(text, s.states[at*m.hidden:(at+n)*m.hidden]); err != nil {
			return fmt.Errorf("bert: text %d: %w", text, err)
		}
		at += n
	}
	return nil
}

// embedTokens writes the input of the first layer: the normalised sum of word,
// position and type. Tokens from second on belong to the second text.
func (e *Encoder) embedTokens(s *scratch, ids []int32, second int, states []float32) {
	m := e.model
	kind := m.kind
	place := s.attended[:m.hidden]
	for i, id := range ids {
		if i == second {
			kind = m.secondKind
		}
		row := states[i*m.hidden : (i+1)*m.hidden]
		m.words.Row(int(id), row)
		m.places.Row(i, place)
		e.kernels.AddLayerNorm(row, place, kind, m.norm.gamma, m.norm.beta, m.eps)
	}
}

// layer runs one layer over the states of all rows.
func (e *Encoder) layer(s *scratch, l *layer, texts [][]int32, batch []int, rows int) {
	m := e.model
	qkv := s.wide[:rows*3*m.hidden]
	heads := s.wide[rows*3*m.hidden : rows*4*m.hidden]
	e.multiply(s, &l.qkv, qkv, s.states, rows)
	for i := range rows {
		e.kernels.Add(qkv[i*3*m.hidden:(i+1)*3*m.hidden], l.qkv.bias)
	}
	at := 0
	for _, text := range batch {
		n := len(texts[text])
		e.attend(s, heads[at*m.hidden:], qkv[at*3*m.hidden:], n)
		at += n
	}
	e.multiply(s, &l.attention, s.attended, heads, rows)
	e.addNorm(s.attended, s.states, &l.attention, &l.attentionNorm, rows)

	inside := s.wide[:rows*m.ffn]
	e.multiply(s, &l.up, inside, s.attended, rows)
	for i := range rows {
		e.kernels.BiasGELU(inside[i*m.ffn:(i+1)*m.ffn], l.up.bias)
	}
	e.multiply(s, &l.down, s.states, inside, rows)
	e.addNorm(s.states, s.attended, &l.down, &l.norm, rows)
}

// multiply writes y = xWᵀ for all rows, without the bias.
func (e *Encoder) multiply(s *scratch, l *linear, y, x []float32, rows int) {
	e.multiplyWeights(s, l, y, x, rows)
	if l.change != nil {
		e.adapt(s, l.change, y, x, rows)
	}
}

func (e *Encoder) multiplyWeights(s *scratch, l *linear, y, x []float32, rows int) {
	parts := min(s.parts, l.panels)
	if rows < sharedRows {
		parts = 1
	}
	if e.kernels.HasInt8(l.k) {
		e.multiplyInt8(s, l, y, x, rows, parts)
		return
	}
	n := l.outputs()
	together(parts, func(part int) {
		buffer := s.panels[part][:l.k*vecmath.PanelWidth]
		for p := part * l.panels / parts; p < (part+1)*l.panels/parts; p++ {
			s.pause()
			panel := l.unpack(e.kernels, p, buffer)
			e.kernels.MulPanel(y[p*vecmath.PanelWidth:], n, x, l.k, rows, panel)
		}
	})
}

// addNorm adds residual and bias to each row of y and normalises it.
func (e *Encoder) addNorm(y, residual []float32, l *linear, n *norm, rows int) {
	h := e.model.hidden
	for i := range rows {
		e.kernels.AddLayerNorm(y[i*h:(i+1)*h], residual[i*h:(i+1)*h], l.bias, n.gamma, n.beta, e.model.eps)
	}
}

// pool returns the vector of a text from its last states: the mean of its
// tokens or the first of them, scaled to length 1.
func (e *Encoder) pool(states []float32) ([]float32, error) {
	h := e.model.hidden
	v := make([]float32, h)
	copy(v, states)
	if e.model.meanPooling {
		for i := 1; i < len(states)/h; i++ {
			e.kernels.Add(v, states[i*h:(i+1)*h])
		}
	}
	var squares float64
	for _, x := range v {
		squares += float64(x) * float64(x)
	}
	length := math.Sqrt(squares)
	if length == 0 || math.IsNaN(length) || math.IsInf(length, 0) {
		return nil, fmt.Errorf("the vector has length %v: the model file is damaged", length)
	}
	e.kernels.Scale(v, float32(1/length))
	return v, nil
}
