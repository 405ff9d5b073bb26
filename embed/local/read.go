package local

import (
	"context"
	"fmt"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/unigram"
)

// A Token is a piece of a text as the model reads it.
type Token struct {
	Text   string  // the first piece of a word begins with U+2581
	Score  float64 // the logarithm of how likely the piece is in any text
	Vector []float32
}

// A Reading is a text's vector, as [Embedder.Embed] returns it, with its tokens
// and what the model's last layer makes of each.
type Reading struct {
	Vector []float32
	Tokens []Token
}

// Read returns a reading of each text. Tokens behind the model's limit are left
// out. The tokens of a model that does not cut text as SentencePiece does are
// not known; its readings hold vectors alone.
func (e *Embedder) Read(ctx context.Context, task memoir.Task, texts []string) ([]Reading, error) {
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
	readings := make([]Reading, len(texts))
	for i, r := range read {
		readings[i].Vector = r.Vector
		if cutter == nil {
			continue
		}
		states := r.States[1 : len(r.States)-1]
		states = states[min(len(states), len(cutter.Tokens(e.prefix[task], e.maxTokens))):]
		for j, token := range cutter.Tokens(texts[i], len(states)) {
			readings[i].Tokens = append(readings[i].Tokens, Token{Text: token.Text, Score: token.Score, Vector: states[j]})
		}
	}
	return readings, nil
}
