package bert

import (
	"context"
	"fmt"
	"slices"

	"github.com/memoir-ai/memoir/internal/modelfile"
	"github.com/memoir-ai/memoir/internal/vecmath"
)

// An adapter is B(Ax), in panels as [vecmath.Kernels.MulPanel] has them.
type adapter struct {
	in  []float32   // A: one panel, [inputs][32]
	out [][]float32 // B: 32 outputs a panel, [32][32]
}

// Rank is the rank of all adapters: the outputs of one panel.
const Rank = vecmath.PanelWidth

// Adapted returns an encoder whose layers from first on also add a product of low
// rank beside each matrix: y = Wx + B(Ax) (LoRA, Hu et al., arXiv 2106.09685). It
// shares the weights of e. The file f holds for each matrix, for example
// layer.4.qkv, its A as "layer.4.qkv.in" ([Rank][inputs]) and its B as
// "layer.4.qkv.out" ([outputs][Rank]).
func (e *Encoder) Adapted(f *modelfile.File, first int) (*Encoder, error) {
	m := *e.model
	if first < 0 || first > len(m.layers) {
		return nil, fmt.Errorf("bert: adapters from layer %d of %d", first, len(m.layers))
	}
	m.layers, m.adapted = slices.Clone(m.layers), first
	r := reader{file: f}
	for i := range m.layers[first:] {
		l, name := &m.layers[first+i], fmt.Sprintf("layer.%d.", first+i)
		l.qkv.change = r.adapter(name+"qkv", &l.qkv)
		l.attention.change = r.adapter(name+"attention", &l.attention)
		l.up.change = r.adapter(name+"up", &l.up)
		l.down.change = r.adapter(name+"down", &l.down)
	}
	if r.err != nil {
		return nil, fmt.Errorf("bert: %w", r.err)
	}
	return newEncoder(&m, e.kernels, e.workers), nil
}

func (r *reader) adapter(name string, l *linear) *adapter {
	in, out := r.embedding(name+".in", Rank, l.k), r.embedding(name+".out", l.outputs(), Rank)
	if r.err != nil {
		return nil
	}
	a := &adapter{in: make([]float32, l.k*Rank)}
	row := make([]float32, max(l.k, Rank))
	for i := range Rank {
		in.Row(i, row[:l.k])
		for k, v := range row[:l.k] {
			a.in[k*Rank+i] = v
		}
	}
	for p := range l.panels {
		panel := make([]float32, Rank*vecmath.PanelWidth)
		for i := range vecmath.PanelWidth {
			out.Row(p*vecmath.PanelWidth+i, row[:Rank])
			for k, v := range row[:Rank] {
				panel[k*vecmath.PanelWidth+i] = v
			}
		}
		a.out = append(a.out, panel)
	}
	return a
}

// A Question is what an adapted encoder reads: one text or two, as token ids,
// markers included.
type Question struct {
	Pair // Second is the number of ids where there is one text only
	// Kinds are added to the states of the first and of the second text before
	// the first adapted layer; nil adds nothing.
	Kinds [2][]float32
}

// Ask passes the last states of each question to done, [len(IDs)][hidden], from
// several goroutines and in no order. The states belong to the encoder and hold
// only during the call. All else is as [Encoder.Embed] says.
func (e *Encoder) Ask(ctx context.Context, questions []Question, done func(i int, states []float32) error) error {
	pairs := make([]Pair, len(questions))
	kinds := make([][2][]float32, len(questions))
	for i, q := range questions {
		pairs[i], kinds[i] = q.Pair, q.Kinds
	}
	in, err := sequencesOf(pairs)
	if err != nil {
		return err
	}
	in.kinds = kinds
	return e.run(ctx, in, done)
}

// addKinds adds to the states of each text of the batch what says which text they
// belong to.
func (e *Encoder) addKinds(states []float32, in sequences, batch []int) {
	h := e.model.hidden
	for _, text := range batch {
		for i := range in.ids[text] {
			kind := in.kinds[text][0]
			if i >= in.seconds[text] {
				kind = in.kinds[text][1]
			}
			if kind != nil {
				e.kernels.Add(states[:h], kind)
			}
			states = states[h:]
		}
	}
}

// adapt adds B(Ax) to y for all rows.
func (e *Encoder) adapt(s *scratch, a *adapter, y, x []float32, rows int) {
	const width = vecmath.PanelWidth
	n, k := len(a.out)*width, len(a.in)/Rank
	resize(&s.low, rows*Rank)
	resize(&s.change, rows*n)
	e.kernels.MulPanel(s.low, Rank, x, k, rows, a.in)
	parts := min(s.parts, len(a.out))
	if rows < sharedRows {
		parts = 1
	}
	together(parts, func(part int) {
		for p := part * len(a.out) / parts; p < (part+1)*len(a.out)/parts; p++ {
			s.pause()
			e.kernels.MulPanel(s.change[p*width:], n, s.low, Rank, rows, a.out[p])
		}
	})
	e.kernels.Add(y[:rows*n], s.change)
}
