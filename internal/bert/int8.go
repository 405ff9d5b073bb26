package bert

import (
	"sync"
	"sync/atomic"

	"github.com/memoir-ai/memoir/internal/vecmath"
)

// A rounded is the weights of a linear layer in 8 bits, each output with a
// scale of its own. A panel is rounded when it is first used: nobody waits for
// all of them, and later uses find it ready. It needs a byte for each weight.
type rounded struct {
	start   sync.Once
	panels  []vecmath.Int8Panel
	made    []sync.Once
	missing atomic.Int32 // panels that are not made yet
}

// round has the linear layers computed in 8 bits where the kernels can.
func (m *model) round(kernels *vecmath.Kernels) {
	for i := range m.layers {
		l := &m.layers[i]
		for _, linear := range []*linear{&l.qkv, &l.attention, &l.up, &l.down} {
			if kernels.HasInt8(linear.k) {
				linear.rounded = new(rounded)
				linear.rounded.missing.Store(int32(linear.panels))
			}
		}
	}
}

// int8Panel returns panel p of l; buffer has room for it in float32.
func (l *linear) int8Panel(kernels *vecmath.Kernels, p int, buffer []float32) vecmath.Int8Panel {
	r := l.rounded
	r.start.Do(func() {
		size := l.k * vecmath.PanelWidth
		weights := make([]int8, l.panels*size)
		columns := make([]float32, l.panels*vecmath.Int8Columns)
		r.panels, r.made = make([]vecmath.Int8Panel, l.panels), make([]sync.Once, l.panels)
		for i := range r.panels {
			r.panels[i] = vecmath.Int8Panel{
				Weights: weights[i*size:][:size],
				Columns: columns[i*vecmath.Int8Columns:][:vecmath.Int8Columns],
			}
		}
	})
	r.made[p].Do(func() {
		kernels.QuantizePanel(r.panels[p], l.unpack(kernels, p, buffer))
		r.missing.Add(-1)
	})
	return r.panels[p]
}

// multiplyInt8 is multiply in 8 bits: the rows are rounded, the sums exact.
func (e *Encoder) multiplyInt8(s *scratch, l *linear, y, x []float32, rows int) {
	resize(&s.bytes, rows*l.k)
	resize(&s.rows, rows)
	for i := range rows {
		s.rows[i] = e.kernels.QuantizeRow(s.bytes[i*l.k:(i+1)*l.k], x[i*l.k:(i+1)*l.k])
	}
	parts := min(s.parts, l.panels)
	if rows < sharedRows && l.rounded.missing.Load() == 0 {
		parts = 1
	}
	n := l.outputs()
	together(parts, func(part int) {
		buffer := s.panels[part][:l.k*vecmath.PanelWidth]
		for p := part * l.panels / parts; p < (part+1)*l.panels/parts; p++ {
			e.kernels.MulPanelInt8(y[p*vecmath.PanelWidth:], n, s.bytes, l.k, s.rows, l.int8Panel(e.kernels, p, buffer))
		}
	})
}
