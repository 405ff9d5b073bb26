package bert

import (
	"github.com/memoir-ai/memoir/internal/modelfile"
	"github.com/memoir-ai/memoir/internal/vecmath"
)

// int8Scratch is the work memory of products in 8 bits.
type int8Scratch struct {
	bytes  []byte              // an input: [tokens][inputs]
	rows   []vecmath.Int8Row   // what its bytes stand for: [parts of the inputs][tokens]
	panels []vecmath.Int8Panel // for each goroutine one of weights
}

// reserve makes room for panels of k inputs for each of some goroutines.
func (s *int8Scratch) reserve(goroutines, k int) {
	for len(s.panels) < goroutines {
		s.panels = append(s.panels, vecmath.Int8Panel{Columns: make([]float32, vecmath.Int8Columns)})
	}
	for i := range s.panels {
		resize(&s.panels[i].Weights, k*vecmath.PanelWidth)
	}
}

// int8Part is how many inputs of a layer are rounded together, unless its
// weights are published in 4 bits. Those are rounded already, and the rows of
// e5 are even. In other models, single inputs are forty times as large as the
// rest (Dettmers et al., arXiv 2208.07339).
const int8Part = 64

// int8Inputs returns how many inputs of a layer are rounded together.
func (l *linear) int8Inputs() int {
	if l.weights.Kind == modelfile.KindQ4Panels || l.k%int8Part != 0 {
		return l.k
	}
	return int8Part
}

// multiplyInt8 does what multiply does, in 8 bits: it rounds rows and weights,
// and computes exact sums.
func (e *Encoder) multiplyInt8(s *scratch, l *linear, y, x []float32, rows, goroutines int) {
	inputs := l.int8Inputs()
	resize(&s.int8.bytes, rows*l.k)
	resize(&s.int8.rows, rows*l.k/inputs)
	for i := range rows {
		for part := range l.k / inputs {
			from := i*l.k + part*inputs
			s.int8.rows[part*rows+i] = e.kernels.QuantizeRow(s.int8.bytes[from:from+inputs], x[from:from+inputs])
		}
	}
	together(goroutines, func(g int) {
		for p := g * l.panels / goroutines; p < (g+1)*l.panels/goroutines; p++ {
			s.pause()
			e.mulPanelInt8(s, l, y, rows, p, g)
		}
	})
}

// mulPanelInt8 computes outputs 32p to 32p+31. Rounding the weights costs about
// as much as multiplying ten rows. To keep them for the next batch would take a
// byte for each weight. A process that asks one question would then spend more
// on the fresh memory than on the question.
func (e *Encoder) mulPanelInt8(s *scratch, l *linear, y []float32, rows, p, goroutine int) {
	const width = vecmath.PanelWidth
	inputs, n := l.int8Inputs(), l.outputs()
	y = y[p*width:]
	panel := s.int8.panels[goroutine]
	resize(&panel.Weights, inputs*width)
	if l.weights.Kind == modelfile.KindQ4Panels {
		e.kernels.QuantizeTiles(panel, l.weights.Stored(p))
		e.kernels.MulPanelInt8(y, n, s.int8.bytes, l.k, s.int8.rows, panel)
		return
	}
	values := l.unpack(e.kernels, p, s.panels[goroutine][:l.k*width])
	multiply := e.kernels.MulPanelInt8
	for part := range l.k / inputs {
		e.kernels.QuantizePanel(panel, values[part*inputs*width:][:inputs*width])
		multiply(y, n, s.int8.bytes[part*inputs:], l.k, s.int8.rows[part*rows:][:rows], panel)
		multiply = e.kernels.AddMulPanelInt8
	}
}
