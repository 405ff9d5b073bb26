package search

import (
	"context"
	"fmt"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/rank"
)

// highestCode returns the highest fused score of a chunk of source code that is in neither
// list, when it is above least. Vectors weigh much more for code, so that the end of the list
// of all chunks would leave room for code when nothing of the kind is near: the nearest chunks
// of code become candidates, and say how near another one can be.
func (p *pool) highestCode(ctx context.Context, filter memoir.Filter, depth int, least float64) (float64, error) {
	highest := rank.Convex.Score(p.code, p.frontier)
	if p.code == p.weights || highest <= least {
		return 0, nil
	}
	labels, err := p.index.Labels(ctx)
	if err != nil {
		return 0, fmt.Errorf("count the source code: %w", err)
	}
	code := 0
	for _, f := range p.byID {
		if f.Labels.Has(memoir.LabelCode) {
			code++
		}
	}
	if code >= labels[memoir.LabelCode].Chunks {
		return 0, nil
	}
	if p.vector == nil || p.frontier.Vector == 0 || p.filled < 1 {
		return highest, nil
	}
	ofCode := restrict(filter, []condition{{filter: memoir.Filter{Labels: []memoir.Label{memoir.LabelCode}}}})
	end := p.frontier
	if end.Vector, err = p.addNearest(ctx, ofCode, depth, 0); err != nil {
		return 0, err
	}
	if p.languages.lifts.answer > 0 {
		elsewhere, err := p.addNearest(ctx, p.inOtherScripts(ofCode), depth, p.languages.lifts.answer)
		if err != nil {
			return 0, err
		}
		end.Vector = max(end.Vector, elsewhere)
	}
	end.Vector = min(end.Vector, p.frontier.Vector)
	if end.Vector == 0 {
		return 0, nil
	}
	return rank.Convex.Score(p.code, end), nil
}

// addNearest makes candidates of the chunks that a filter lets through and that are nearest.
// It returns the highest place on the scale of scores of another one whose cosine is
// raised by lift; 0: there is no other.
func (p *pool) addNearest(ctx context.Context, filter memoir.Filter, depth int, lift float64) (end float64, err error) {
	nearest, err := p.searchVector(ctx, p.vector, filter, depth)
	if err != nil || p.vector == nil {
		return 0, err
	}
	var ids []memoir.ChunkID
	for _, m := range nearest {
		if p.byID[m.ChunkID] == nil {
			p.get(m)
			ids = append(ids, m.ChunkID)
		}
	}
	if err := p.measureText(ctx, ids); err != nil {
		return 0, err
	}
	if err := p.measure(ctx, ids); err != nil || len(nearest) < depth {
		return 0, err
	}
	return p.calibration.Score(nearest[depth-1].Score + lift), nil
}
