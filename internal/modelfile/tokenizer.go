package modelfile

import (
	"fmt"

	"github.com/memoir-ai/memoir/internal/unigram"
	"github.com/memoir-ai/memoir/internal/wordpiece"
)

// The tokenizers that a model may have.
const (
	TokenizerUnigram   = "unigram"   // SentencePiece's; see package unigram
	TokenizerWordPiece = "wordpiece" // BERT's; see package wordpiece
)

const (
	unigramSection   = "tokenizer.unigram"
	wordPieceSection = "tokenizer.wordpiece"
)

// tokenizerSections is where the vocabulary of each tokenizer lies.
var tokenizerSections = map[string]string{TokenizerUnigram: unigramSection, TokenizerWordPiece: wordPieceSection}

// Tokenizer turns text into the ids that the model reads. It is safe for
// concurrent use.
type Tokenizer interface {
	// Encode appends the ids of text to dst, markers included; see
	// [unigram.Tokenizer.Encode] and [wordpiece.Tokenizer.Encode].
	Encode(dst []int32, text string, limit int) []int32
	// Pieces returns the size of the vocabulary; ids are below it.
	Pieces() int
}

// Tokenizer opens the model's tokenizer, in place. All its ids are rows of the
// token embeddings.
func (f *File) Tokenizer() (Tokenizer, error) {
	name := tokenizerSections[f.info.Tokenizer]
	s, err := f.section(name, KindBytes)
	if err != nil {
		return nil, err
	}
	var t Tokenizer
	if name == wordPieceSection {
		t, err = wordpiece.Parse(s.data)
	} else {
		t, err = unigram.Parse(s.data)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: section %q: %w", ErrDamaged, name, err)
	}
	if t.Pieces() > f.info.Vocab {
		return nil, fmt.Errorf("%w: %d pieces but only %d token embeddings", ErrDamaged, t.Pieces(), f.info.Vocab)
	}
	return t, nil
}
