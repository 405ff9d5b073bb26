package local

import (
	"context"
	"fmt"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/ability"
	"github.com/memoir-ai/memoir/internal/unigram"
)

// Read implements [ability.TokenReader]. Tokens beyond the model's limit are
// left out. For a model whose tokenizer is not SentencePiece the tokens are not
// known, and its readings hold only vectors.
func (e *Embedder) Read(ctx context.Context, task memoir.Task, texts []string) ([]ability.Reading, error) {
	encoder, err := e.encoder()
	if err != nil {
		return nil, fmt.Errorf("open the model: %w", err)
	}
	cutter, _ := e.tokenizer.(*unigram.Tokenizer)
	ids := make([][]int32, len(texts))
	for i, text := range texts {
		ids[i] = e.tokenizer.Encode(nil, e.prefix[task]+text, e.maxTokens)
	}
	read, err := encoder.Read(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("read with %s: %w", e.space.Model, err)
	}
	readings := make([]ability.Reading, len(texts))
	for i, r := range read {
		readings[i].Vector = r.Vector
		if cutter == nil {
			continue
		}
		states := r.States[1 : len(r.States)-1]
		states = states[min(len(states), len(cutter.Tokens(e.prefix[task], e.maxTokens))):]
		for j, token := range cutter.Tokens(texts[i], len(states)) {
			readings[i].Tokens = append(readings[i].Tokens, ability.Token{Text: token.Text, Score: token.Score, Vector: states[j]})
		}
	}
	return readings, nil
}
