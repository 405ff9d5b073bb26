package sqlite

import (
	"strings"

	"github.com/memoir-ai/memoir"
)

// maxTerm is where FTS5 cuts tokens (FTS5_MAX_TOKEN_SIZE), in bytes.
const maxTerm = 32768

// escape is the distance between a character that the tokenizer would split at
// or fold, and the character in Unicode's private use area that stands for it.
const escape = 0xE000

// encodeTerm writes a term so that the tokenizer of chunks_fts makes exactly
// one token of it, and no other term gives the same token.
func encodeTerm(t string) string {
	if anySplits(t) {
		t = strings.Map(func(r rune) rune {
			if splits(r) {
				return r + escape
			}
			return r
		}, t)
	}
	if len(t) > maxTerm {
		t = t[:maxTerm]
	}
	return t
}

func splits(r rune) bool {
	return r <= ' ' || r == 0x7f || 'A' <= r && r <= 'Z'
}

// anySplits reports whether a character of a term splits it.
func anySplits(t string) bool {
	for i := range len(t) {
		if splits(rune(t[i])) { // all of them are ASCII
			return true
		}
	}
	return false
}

// joinTerms returns the text of a field of chunks_fts.
func joinTerms(terms []string) string {
	n := 0
	for _, t := range terms {
		n += len(t) + 1
	}
	var b strings.Builder
	b.Grow(n)
	for _, t := range terms {
		if t != "" {
			b.WriteString(encodeTerm(t))
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// queryTerms returns the terms that count, encoded: first those that find
// something, then those that support them. When no term finds anything it
// returns none.
func queryTerms(terms []memoir.Term) []memoir.Term {
	out := make([]memoir.Term, 0, len(terms))
	for _, supports := range []bool{false, true} {
		for _, t := range terms {
			if t.Text != "" && t.Weight > 0 && t.Supports == supports {
				t.Text = encodeTerm(t.Text)
				out = append(out, t)
			}
		}
		if len(out) == 0 {
			return nil
		}
	}
	return out
}
