// Package crossencoder is a [memoir.Reranker] that runs a model on this machine.
// The model is of the BERT family and has a head that turns two texts into one
// number (Nogueira and Cho, "Passage Re-ranking with BERT", arXiv 1901.04085). It
// needs no network, no key and no library. It computes nothing before the first
// question.
package crossencoder

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/ability"
	"github.com/memoir-ai/memoir/internal/bert"
	"github.com/memoir-ai/memoir/internal/modelfile"
)

// A Reranker runs a model on this machine. It is safe for concurrent use.
type Reranker struct {
	file      *modelfile.File
	tokenizer modelfile.Tokenizer
	encoder   func() (*bert.Encoder, error)
}

var (
	_ memoir.Reranker      = (*Reranker)(nil)
	_ ability.ScriptReader = (*Reranker)(nil)
)

// New returns the reranker of a model file, as memoir model convert writes it of
// a cross-encoder; of another model it gives [memoir.ErrInvalid] with a hint. The
// file is read in place: its bytes must not change while the reranker is in use.
func New(file []byte) (*Reranker, error) {
	f, err := modelfile.Parse(file)
	if err != nil {
		return nil, memoir.WithHint(fmt.Errorf("open the model: %w", err), "install the model again: memoir model pull --force")
	}
	if !f.Info().Reranks {
		return nil, memoir.WithHint(fmt.Errorf("the model %s gives vectors and does not rerank: %w", f.Info().Name, memoir.ErrInvalid),
			"memoir model list names models that rerank")
	}
	tokenizer, err := f.Tokenizer()
	if err != nil {
		return nil, fmt.Errorf("open the model's tokenizer: %w", err)
	}
	return &Reranker{f, tokenizer, sync.OnceValues(func() (*bert.Encoder, error) {
		return bert.New(f, bert.Options{})
	})}, nil
}

// Model returns the model's name.
func (r *Reranker) Model() string { return r.file.Info().Name }

// Checksum returns the SHA-256 that the file states, in hexadecimal.
func (r *Reranker) Checksum() string { return r.file.Checksum() }

// Scripts implements [ability.ScriptReader].
func (r *Reranker) Scripts() []string { return r.file.Info().Scripts }

// Rerank implements [memoir.Reranker]. The scores are the model's logits. If query
// and passage exceed the model's limit, the longer of the two is cut.
func (r *Reranker) Rerank(ctx context.Context, query string, passages []string) ([]float64, error) {
	encoder, err := r.encoder()
	if err != nil {
		return nil, fmt.Errorf("open the model: %w", err)
	}
	first := r.tokenizer.Encode(nil, query, r.file.Info().MaxTokens)
	pairs := make([]bert.Pair, len(passages))
	for i, p := range passages {
		pairs[i] = r.pair(first, r.tokenizer.Encode(nil, p, r.file.Info().MaxTokens))
	}
	scores, err := encoder.Score(ctx, pairs)
	if err != nil {
		return nil, fmt.Errorf("rerank with %s: %w", r.Model(), err)
	}
	return scores, nil
}

// pair joins two texts, each between its markers, to one sequence: <s> A </s> B
// </s>, or with two markers between them. It cuts as the library tokenizers
// does with the strategy longest_first.
func (r *Reranker) pair(a, b []int32) bert.Pair {
	const ends = 2 // markers of one text
	between := r.file.Info().PairMarkers
	n, m := len(a)-ends, len(b)-ends // without their markers
	if room := max(0, r.file.Info().MaxTokens-ends-between); n+m > room {
		shorter := min(n, m, room/2)
		if n <= m {
			n, m = shorter, room-shorter
		} else {
			n, m = room-shorter, shorter
		}
	}
	end := b[len(b)-1]
	ids := slices.Concat(a[:1+n], slices.Repeat([]int32{end}, between))
	second := len(ids)
	return bert.Pair{IDs: append(append(ids, b[1:1+m]...), end), Second: second}
}
