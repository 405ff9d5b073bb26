package bert

import (
	"github.com/memoir-ai/memoir/internal/modelfile"
	"github.com/memoir-ai/memoir/internal/vecmath"
)

// int8Scratch is the work memory of products in 8 bits.
type int8Scratch struct {
	bytes  []byte              // an input: [tokens][inputs]
	rows   []vecmath.Int8Row   // what its bytes stand for
	panels []vecmath.Int8Panel // for each goroutine one of weights
}

// int8Panel rounds the weights of outputs 32p to 32p+31 into the panel of a
// goroutine. It costs about as much as multiplying ten rows. Kept for the next
// batch, the panels would take a byte for each weight of the layers, and a
// process that asks one question would pay more for the fresh memory than for
// the question.
func (e *Encoder) int8Panel(s *scratch, l *linear, p, part int) vecmath.Int8Panel {
	panel := s.int8.panels[part]
	resize(&panel.Weights, l.k*vecmath.PanelWidth)
	if l.weights.Kind == modelfile.KindQ4Panels {
		e.kernels.QuantizeTiles(panel, l.weights.Stored(p))
		return panel
	}
	buffer := s.panels[part][:l.k*vecmath.PanelWidth]
	e.kernels.QuantizePanel(panel, l.unpack(e.kernels, p, buffer))
	return panel
}

// multiplyInt8 is multiply in 8 bits: rows and weights are rounded, the sums
// are exact.
func (e *Encoder) multiplyInt8(s *scratch, l *linear, y, x []float32, rows, parts int) {
	resize(&s.int8.bytes, rows*l.k)
	resize(&s.int8.rows, rows)
	for i := range rows {
		s.int8.rows[i] = e.kernels.QuantizeRow(s.int8.bytes[i*l.k:(i+1)*l.k], x[i*l.k:(i+1)*l.k])
	}
	n := l.outputs()
	together(parts, func(part int) {
		for p := part * l.panels / parts; p < (part+1)*l.panels/parts; p++ {
			panel := e.int8Panel(s, l, p, part)
			e.kernels.MulPanelInt8(y[p*vecmath.PanelWidth:], n, s.int8.bytes, l.k, s.int8.rows, panel)
		}
	})
}

// reserve makes room for panels of k inputs for each of some goroutines.
func (s *int8Scratch) reserve(parts, k int) {
	for len(s.panels) < parts {
		s.panels = append(s.panels, vecmath.Int8Panel{Columns: make([]float32, vecmath.Int8Columns)})
	}
	for i := range s.panels {
		resize(&s.panels[i].Weights, k*vecmath.PanelWidth)
	}
}
