package bert

import (
	"context"
	"errors"
	"fmt"
	"math"
)

// A Pair is two texts as a cross-encoder reads them: one sequence of token ids,
// markers included.
type Pair struct {
	IDs    []int32
	Second int // where the second text begins, behind the marker of the first's end
}

// Score returns a number for each pair, in order: the model's logit, higher for
// a second text that fits the first better. It fails for a model that does not
// rerank. All else is as [Encoder.Embed] says, for pairs instead of texts.
func (e *Encoder) Score(ctx context.Context, pairs []Pair) ([]float64, error) {
	if e.model.head == nil {
		return nil, errors.New("bert: the model does not rerank")
	}
	in, err := sequencesOf(pairs)
	if err != nil {
		return nil, err
	}
	scores := make([]float64, len(pairs))
	err = e.run(ctx, in, func(i int, states []float32) (err error) {
		scores[i], err = e.score(states[:e.model.hidden])
		return err
	})
	if err != nil {
		return nil, err
	}
	return scores, nil
}

// sequencesOf returns pairs as what the encoder reads.
func sequencesOf(pairs []Pair) (sequences, error) {
	in := sequences{ids: make([][]int32, len(pairs)), seconds: make([]int, len(pairs))}
	for i, p := range pairs {
		if p.Second < 0 || p.Second > len(p.IDs) {
			return in, fmt.Errorf("bert: pair %d: the second text begins at %d of %d tokens", i, p.Second, len(p.IDs))
		}
		in.ids[i], in.seconds[i] = p.IDs, p.Second
	}
	return in, nil
}

// score returns what the head makes of the first token's last state.
func (e *Encoder) score(state []float32) (float64, error) {
	h := e.model.head
	sum := float64(h.outBias)
	for i, w := range h.out {
		row := h.dense[i*len(state) : (i+1)*len(state)]
		sum += float64(w) * math.Tanh(float64(e.kernels.Dot(row, state)+h.denseBias[i]))
	}
	if math.IsNaN(sum) || math.IsInf(sum, 0) {
		return 0, fmt.Errorf("the score is %v: the model file is damaged", sum)
	}
	return sum, nil
}
