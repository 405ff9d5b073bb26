// Package embedtest has embedders for tests: one that is deterministic and
// needs no model, and wrappers that fail, count and block. Its vectors know
// spelling, and the synonyms that they are told, but not meaning. Never use it
// for real notes.
package embedtest

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memoir-ai/memoir"
)

// DefaultDimensions is the length of the vectors of an [Embedder]{}.
const DefaultDimensions = 64

// Embedder hashes the words of a text, and the pairs of characters of Chinese
// and Japanese, into a vector of length 1 (Weinberger et al., "Feature Hashing
// for Large Scale Multitask Learning", 2009). Texts that share words are near
// each other. A text without a letter or a digit gives a zero vector. The zero
// value is ready for use. An Embedder is safe for concurrent use while its
// fields do not change.
type Embedder struct {
	Dimensions int    // 0 is DefaultDimensions
	Model      string // tells spaces apart and changes the vectors; "" is "hashing"
	// Synonyms replaces words, in lower case, by others, so that a test can
	// find a note by a word that is not in it.
	Synonyms map[string]string
}

var _ memoir.Embedder = (*Embedder)(nil)

// Space implements [memoir.Embedder].
func (e *Embedder) Space() memoir.Space {
	s := memoir.Space{Provider: "test", Model: "hashing", Version: "1", Dimensions: DefaultDimensions}
	if e.Model != "" {
		s.Model = e.Model
	}
	if e.Dimensions > 0 {
		s.Dimensions = e.Dimensions
	}
	return s
}

// Embed implements [memoir.Embedder]; both tasks give the same vectors.
func (e *Embedder) Embed(ctx context.Context, _ memoir.Task, texts []string) ([][]float32, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	out := make([][]float32, len(texts))
	for i, t := range texts {
		out[i] = e.embed(t)
	}
	return out, nil
}

func (e *Embedder) embed(text string) []float32 {
	space := e.Space()
	sums := make([]float64, space.Dimensions)
	for _, f := range features(text) {
		if s, ok := e.Synonyms[f]; ok {
			f = s
		}
		h := fnv.New64a()
		fmt.Fprintf(h, "%s\x00%s", space.Model, f)
		sum := mix(h.Sum64())
		sign := 1.0
		if sum>>63 == 1 {
			sign = -1
		}
		sums[sum%uint64(len(sums))] += sign
	}
	var squares float64
	for _, x := range sums {
		squares += x * x
	}
	v := make([]float32, len(sums))
	if squares > 0 {
		for i, x := range sums {
			v[i] = float32(x / math.Sqrt(squares))
		}
	}
	return v
}

// mix spreads a hash over all bits (the finaliser of MurmurHash3). With FNV
// alone, short words have similar high bits.
func mix(h uint64) uint64 {
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

// features returns the words of a text in lower case. Text of scripts that are
// written without spaces gives its characters and pairs of characters.
func features(text string) []string {
	var out []string
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	})
	for _, w := range words {
		for len(w) > 0 {
			first, _ := utf8.DecodeRuneInString(w)
			end := strings.IndexFunc(w, func(r rune) bool { return dense(r) != dense(first) })
			if end < 0 {
				end = len(w)
			}
			out = append(out, pieces([]rune(w[:end]))...)
			w = w[end:]
		}
	}
	return out
}

func pieces(run []rune) []string {
	if !dense(run[0]) {
		return []string{string(run)}
	}
	var out []string
	for i := range run {
		out = append(out, string(run[i]))
		if i+1 < len(run) {
			out = append(out, string(run[i:i+2]))
		}
	}
	return out
}

func dense(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
}
