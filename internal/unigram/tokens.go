package unigram

import (
	"math"
	"unicode/utf8"
)

// A Token is one id of a text, with the part of the text that it stands for.
type Token struct {
	ID    int32
	Text  string  // as normalised; the first of a word begins with U+2581
	Score float64 // the logarithm of its probability in the vocabulary
}

// Tokens returns the tokens that [Tokenizer.Encode] makes of text, without the
// markers and at most limit of them. A limit below 1 gives none. The time grows
// linearly with the length of the words that these tokens cover.
func (t *Tokenizer) Tokens(text string, limit int) []Token {
	var tokens []Token
	var ids []int32
	s := t.scratch.Get().(*scratch)
	for words := t.words(text, s); len(tokens) < limit && words.next(); {
		ids = t.encodeWord(ids[:0], s, math.MaxInt)
		tokens = t.locate(tokens, s.word, ids)
	}
	s.release(&t.scratch)
	return tokens[:max(0, min(limit, len(tokens)))]
}

// locate appends a token for each id of the word.
func (t *Tokenizer) locate(tokens []Token, word []byte, ids []int32) []Token {
	at := 0
	for i, id := range ids {
		token := Token{ID: id, Score: t.unknown}
		end := at
		if id == t.unk {
			for end < len(word) && (end == at || i+1 == len(ids) || t.endOf(word, end, ids[i+1]) < 0) {
				_, width := utf8.DecodeRune(word[end:])
				end += width
			}
		} else {
			end = max(at, t.endOf(word, at, id))
			token.Score = t.score(id)
		}
		token.Text = string(word[at:end])
		tokens = append(tokens, token)
		at = end
	}
	return tokens
}

// endOf returns where a piece ends that starts at the given position of word.
// It returns -1 if the piece with that id does not stand there.
func (t *Tokenizer) endOf(word []byte, at int, id int32) int {
	n := t.trie.Root()
	for i, c := range word[at:min(len(word), at+t.longest)] {
		var ok bool
		if n, ok = t.trie.Child(n, c); !ok {
			return -1
		}
		if n.Ends() && t.trie.ID(n) == uint32(id) {
			return at + i + 1
		}
		if n.IsLeaf() {
			return -1
		}
	}
	return -1
}
