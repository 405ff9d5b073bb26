package rowfile

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/memoir-ai/memoir/internal/vecmath"
)

// A Query is what the rows of a set are compared with.
type Query struct {
	kernels *vecmath.Kernels
	values  []int8
	scale   float32
	length  float64 // of what values stand for
	rounded float64 // how far that is from the vector at unit length
}

// NewQuery returns a Query for a vector of finite values, of the set's
// dimensions. It is not ok when the vector is zero.
func (s *Set) NewQuery(kernels *vecmath.Kernels, v []float32) (q Query, ok bool) {
	at, ok := unit(nil, v)
	if !ok {
		return Query{}, false
	}
	q = Query{kernels: kernels, values: make([]int8, s.key.stride())}
	q.scale = vecmath.QuantizeQuery(q.values, at)
	var length, rounded float64
	for i, x := range at {
		y := float64(q.scale) * float64(q.values[i])
		length += y * y
		rounded += (float64(x) - y) * (float64(x) - y)
	}
	q.length, q.rounded = math.Sqrt(length), math.Sqrt(rounded)
	return q, true
}

const (
	// deviations is how many standard deviations of the worst row a likely margin
	// has: rounding that has nothing to do with the query would miss by more once
	// in a billion such rows.
	deviations = 6
	// single covers what float32 adds.
	single = 1e-6
)

// Margin returns how far the score of a row can be from the cosine: sure, by
// the inequality of Cauchy and Schwarz, and likely, for errors of rounding that
// point in any direction whatever the query's is. The second is far smaller,
// and wrong for vectors with few values that matter.
func (s *Set) Margin(q Query) (sure, likely float64) {
	sure = q.rounded + q.length*s.worst + single
	random := math.Sqrt((q.rounded*q.rounded + s.worst*s.worst) / float64(s.key.Dimensions))
	return sure, min(sure, deviations*random+single)
}

// A Candidate is a row that may be near.
type Candidate struct {
	ID, Text int64
	Score    float32 // about the cosine
}

// before orders candidates: the highest score first, then the lowest id.
func (c Candidate) before(d Candidate) bool {
	return c.Score > d.Score || c.Score == d.Score && c.ID < d.ID
}

// scanRows is how many rows are multiplied at a time.
const scanRows = 512

// Best returns up to n rows, at least one, that pass keep, by their text, and
// have at least the score floor: the first in the order of scores, then ids.
func (s *Set) Best(q Query, n int, floor float32, keep func(text int64) bool) []Candidate {
	var h heap
	h.limit = n
	var dots [scanRows]int32
	stride := s.key.stride()
	for _, b := range s.blocks {
		for first := b.first; first < b.count; first += scanRows {
			batch := dots[:min(scanRows, b.count-first)]
			q.kernels.DotsInt8(batch, q.values, b.rows[first*stride:], stride)
			scales := b.scales[4*first:][:4*len(batch)]
			for i, dot := range batch {
				score := float32(dot) * q.scale * math.Float32frombits(binary.LittleEndian.Uint32(scales[4*i:]))
				if score < floor {
					continue
				}
				c := Candidate{ID: b.id(first + i), Text: b.text(first + i), Score: score}
				if h.takes(c) && keep(c.Text) {
					h.push(c)
					floor = max(floor, h.floor())
				}
			}
		}
	}
	slices.SortFunc(h.rows, func(a, b Candidate) int {
		if a.before(b) {
			return -1
		}
		return 1
	})
	return h.rows
}

// heap keeps the best candidates, the last of them first.
type heap struct {
	rows  []Candidate
	limit int
}

// floor is a score below which nothing is taken.
func (h *heap) floor() float32 {
	if len(h.rows) < h.limit {
		return float32(math.Inf(-1))
	}
	return h.rows[0].Score
}

func (h *heap) takes(c Candidate) bool { return len(h.rows) < h.limit || c.before(h.rows[0]) }

func (h *heap) push(c Candidate) {
	if len(h.rows) < h.limit {
		h.rows = append(h.rows, c)
		if len(h.rows) == h.limit {
			for i := h.limit/2 - 1; i >= 0; i-- {
				h.sink(i)
			}
		}
		return
	}
	h.rows[0] = c
	h.sink(0)
}

// sink moves a candidate down to where it belongs.
func (h *heap) sink(i int) {
	for {
		child := 2*i + 1
		if child >= len(h.rows) {
			return
		}
		if right := child + 1; right < len(h.rows) && h.rows[child].before(h.rows[right]) {
			child = right
		}
		if !h.rows[i].before(h.rows[child]) {
			return
		}
		h.rows[i], h.rows[child] = h.rows[child], h.rows[i]
		i = child
	}
}
