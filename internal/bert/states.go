package bert

import "context"

// A Reading is what the encoder makes of one text: its vector, as [Encoder.Embed]
// returns it, and below it the last layer's state of every token.
type Reading struct {
	Vector []float32
	States [][]float32 // one for each id, markers included
}

// Read returns a reading of each text, in order. All else is as [Encoder.Embed]
// says. The states of a text are one piece of memory, which belongs to the
// caller.
func (e *Encoder) Read(ctx context.Context, texts [][]int32) ([]Reading, error) {
	readings := make([]Reading, len(texts))
	err := e.run(ctx, sequences{texts, nil}, func(text int, states []float32) (err error) {
		h := e.model.hidden
		kept := append([]float32(nil), states...)
		for ; len(kept) > 0; kept = kept[h:] {
			readings[text].States = append(readings[text].States, kept[:h:h])
		}
		readings[text].Vector, err = e.pool(states)
		return err
	})
	if err != nil {
		return nil, err
	}
	return readings, nil
}
