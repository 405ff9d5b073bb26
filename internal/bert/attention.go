package bert

import (
	"math"

	"github.com/memoir-ai/memoir/internal/vecmath"
)

// queryRows is how many tokens are processed at a time as queries. Their scores
// against 512 others fit into the second-level cache of every processor. It is
// a multiple of the rows that the kernels process at once.
const queryRows = 96

// attend writes the output of all heads for one text: softmax(QKᵀ/√d)V, one
// head beside the other. qkv holds a row of queries, keys and values for each
// token.
func (e *Encoder) attend(s *scratch, out, qkv []float32, tokens int) {
	const width = vecmath.PanelWidth
	h := e.model.hidden
	dim := h / e.model.heads
	panels := (tokens + width - 1) / width
	padded := panels * width
	resize(&s.keys, padded*dim)
	resize(&s.values, tokens*dim)
	resize(&s.scores, min(tokens, queryRows)*padded)
	for head := range e.model.heads {
		s.pause()
		e.packHead(s, qkv[h+head*dim:], qkv[2*h+head*dim:], tokens)
		for first := 0; first < tokens; first += queryRows {
			rows := min(queryRows, tokens-first)
			queries := qkv[first*3*h+head*dim:]
			for p := range panels {
				e.kernels.MulPanel(s.scores[p*width:], padded, queries, 3*h, rows, s.keys[p*width*dim:(p+1)*width*dim])
			}
			e.mix(s, out[first*h+head*dim:], rows, tokens, padded)
		}
	}
}

// packHead packs the keys and values of one head into panels: the keys as
// columns, 32 tokens at a time, and the values 32 dimensions at a time.
func (e *Encoder) packHead(s *scratch, keys, values []float32, tokens int) {
	const width = vecmath.PanelWidth
	stride := 3 * e.model.hidden
	dim := e.model.hidden / e.model.heads
	for p := 0; p*width < tokens; p++ {
		e.kernels.TransposePanel(s.keys[p*width*dim:(p+1)*width*dim], keys[p*width*stride:], stride, min(width, tokens-p*width))
	}
	for p := range dim / width {
		panel := s.values[p*width*tokens : (p+1)*width*tokens]
		for i := range tokens {
			copy(panel[i*width:(i+1)*width], values[i*stride+p*width:])
		}
	}
}

// mix turns rows of scores into weights and writes the weighted sums of the
// values.
func (e *Encoder) mix(s *scratch, out []float32, rows, tokens, padded int) {
	const width = vecmath.PanelWidth
	h := e.model.hidden
	dim := h / e.model.heads
	scale := float32(1 / math.Sqrt(float64(dim)))
	var sums [queryRows]float32
	for i := range rows {
		row := s.scores[i*padded : (i+1)*padded]
		// Whole vectors are faster than a partial one at the end of a row, and
		// e^-Inf is 0.
		for j := tokens; j < padded; j++ {
			row[j] = float32(math.Inf(-1))
		}
		sums[i] = e.kernels.SoftmaxExp(row, scale)
	}
	for p := range dim / width {
		e.kernels.MulPanel(out[p*width:], h, s.scores, padded, rows, s.values[p*width*tokens:(p+1)*width*tokens])
	}
	for i := range rows {
		e.kernels.Scale(out[i*h:i*h+dim], 1/sums[i])
	}
}
