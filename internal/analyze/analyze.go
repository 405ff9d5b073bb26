// Package analyze turns text into the terms that are indexed and searched.
//
// Documents and queries go through the same folding and the same scanner, so
// that a term found in one is found in the other, whatever the store: Unicode
// NFKC, lower case, accents and widths folded; English words with their stem
// beside them, words of Cyrillic, Arabic, Devanagari and other scripts with how
// they begin; runs of Chinese, Japanese, Korean, Thai and their neighbours as
// overlapping pairs of characters; identifiers (DB_PASSWORD, src/a/b.go,
// --flag, #123, v1.2.3) whole and in parts. Only queries are freed of the words
// that carry the question and not its subject, and only queries are weighted.
//
// Terms never hold white space or NUL, so that they can be joined by blanks.
package analyze

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Bounds of what comes out, whatever goes in.
const (
	// MaxTermRunes is the longest term; longer ones are cut at this length.
	MaxTermRunes = 64
	// MaxQueryTerms is how many distinct terms a query keeps, heaviest first.
	MaxQueryTerms = 256
)

// Kind says how a term came out of a query.
type Kind int

// The kinds of terms.
const (
	Word       Kind = iota // a word as written, folded
	Stem                   // the stem of an English word; how a word of a script other than Latin begins
	Bigram                 // a character or two of a run written without spaces
	Character              // an ideograph of such a run, beside its pairs
	Identifier             // an identifier whole, or another way of writing it
	Compound               // several words or a word and a number in one (real-time, python3, GitHub), whole
	Part                   // a word out of an identifier or a compound
	Together               // words that stand apart, written as one: [WrittenTogether]
)

// String returns the kind's name in lower case, for explanations.
func (k Kind) String() string {
	switch k {
	case Word:
		return "word"
	case Stem:
		return "stem"
	case Bigram:
		return "bigram"
	case Character:
		return "character"
	case Identifier:
		return "identifier"
	case Compound:
		return "compound"
	case Part:
		return "part"
	case Together:
		return "together"
	}
	return "unknown"
}

// A Term is one searchable token of a query.
type Term struct {
	Text   string
	Weight float64 // > 0; 1 is an ordinary word
	Kind   Kind
}

// Document appends the terms of text to dst, in order and with repetitions,
// and returns the result. Characters that stand in a run without spaces are
// terms by themselves too, once each, after all others: what follows on one
// another in the text does so in the terms. Terms may share memory with one another: who keeps
// a few for long clones them. Bytes that are not UTF-8 separate words.
func Document(dst []string, text string) []string {
	s := newScanner(text, false)
	s.terms = dst
	s.scan()
	return append(s.terms, s.singles...)
}

// Phrase returns the terms that stand one after the other in those of a
// document that holds the text as it is. Marks between words do not count.
func Phrase(text string) []string {
	s := scanPhrase(text)
	return s.terms[:min(len(s.terms), MaxQueryTerms)]
}

// AnyForm returns the terms that stand one after the other in those of a
// document that holds a word in any form: the stem of an English word, a word of
// another script as written, for many words begin as it does, an identifier or
// compound whole, the pairs of a run without spaces.
func AnyForm(word string) []string {
	s := scanPhrase(word)
	switch {
	case len(s.terms) == 2 && s.marks[1].kind == Stem && s.terms[0][0] < utf8.RuneSelf:
		return s.terms[1:]
	case len(s.terms) == 2 && s.marks[1].kind == Stem:
		return s.terms[:1]
	case len(s.terms) > 0 && (s.marks[0].kind == Identifier || s.marks[0].kind == Compound):
		return s.terms[:1]
	}
	return s.terms[:min(len(s.terms), MaxQueryTerms)]
}

func scanPhrase(text string) *scanner {
	s := newScanner(text, true)
	s.stopWordsCount = true
	s.scan()
	return s
}

// Fold returns text in the form in which terms are compared: NFKC, lower case,
// without accents and widths, one blank between words.
func Fold(text string) string {
	if out, ok := foldASCII(text); ok {
		return out
	}
	return strings.Join(strings.Fields(fold(text).text), " ")
}

// foldASCII folds a text of letters and marks that everybody has, in one pass.
func foldASCII(text string) (string, bool) {
	out := make([]byte, 0, len(text))
	for i := range len(text) {
		switch c := text[i]; {
		case c >= utf8.RuneSelf || c < ' ' && c != '\t' && c != '\n' && c != '\r' || c == 0x7f || c == '\\':
			return "", false
		case c <= ' ':
			if n := len(out); n > 0 && out[n-1] != ' ' {
				out = append(out, ' ')
			}
		case 'A' <= c && c <= 'Z':
			out = append(out, c+'a'-'A')
		default:
			out = append(out, c)
		}
	}
	return string(bytes.TrimRight(out, " ")), true
}

// Query returns the distinct terms of a query, in the order of their first
// appearance, each with the weight of its heaviest appearance. Question words
// are left out, unless nothing else is there. Of a query with more than
// [MaxQueryTerms] terms the heaviest remain, the earlier first among equals.
// Text without a letter, a digit or an emoji has no terms.
func Query(text string) []Term {
	s := newScanner(text, true)
	s.scan()
	if len(s.terms) == 0 {
		s.stopWordsCount = true
		s.scan()
	}
	return heaviest(distinct(s))
}

func distinct(s *scanner) []Term {
	terms := make([]Term, 0, len(s.terms))
	at := make(map[string]int, len(s.terms))
	for i, text := range s.terms {
		k, seen := at[text]
		if !seen {
			at[text] = len(terms)
			terms = append(terms, Term{Text: text, Weight: s.marks[i].weight, Kind: s.marks[i].kind})
			continue
		}
		if s.marks[i].weight > terms[k].Weight {
			terms[k].Weight, terms[k].Kind = s.marks[i].weight, s.marks[i].kind
		}
	}
	return terms
}

// heaviest cuts terms to MaxQueryTerms and keeps their order.
func heaviest(terms []Term) []Term {
	if len(terms) <= MaxQueryTerms {
		return terms
	}
	order := make([]int, len(terms))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(terms[b].Weight, terms[a].Weight) })
	order = order[:MaxQueryTerms]
	slices.Sort(order)
	kept := make([]Term, len(order))
	for i, k := range order {
		kept[i] = terms[k]
	}
	return kept
}
