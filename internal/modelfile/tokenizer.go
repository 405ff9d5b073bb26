package modelfile

import (
	"fmt"

	"github.com/memoir-ai/memoir/internal/unigram"
)

// TokenizerUnigram is a SentencePiece unigram tokenizer; see package unigram.
const TokenizerUnigram = "unigram"

const unigramSection = "tokenizer.unigram"

// Tokenizer turns text into the ids that the model reads. It is safe for
// concurrent use.
type Tokenizer interface {
	// Encode appends the ids of text to dst, markers included; see
	// [unigram.Tokenizer.Encode].
	Encode(dst []int32, text string, limit int) []int32
}

// Tokenizer opens the model's tokenizer, in place. All its ids are rows of the
// token embeddings.
func (f *File) Tokenizer() (Tokenizer, error) {
	s, err := f.section(unigramSection, KindBytes)
	if err != nil {
		return nil, err
	}
	t, err := unigram.Parse(s.data)
	if err != nil {
		return nil, fmt.Errorf("%w: section %q: %w", ErrDamaged, unigramSection, err)
	}
	if t.Pieces() > f.info.Vocab {
		return nil, fmt.Errorf("%w: %d pieces but only %d token embeddings", ErrDamaged, t.Pieces(), f.info.Vocab)
	}
	return t, nil
}
