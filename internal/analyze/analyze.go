// Package analyze turns text into the terms that are indexed and searched.
//
// Documents and queries go through the same folding and the same scanner, so that a term
// of one is found in the other, whatever the store. Folding is Unicode NFKC, lower case,
// and no difference of accent or width. English words come with their stem. Words of
// Cyrillic, Arabic, Devanagari and other scripts come with their beginning. Runs of
// Chinese, Japanese, Korean, Thai and similar scripts become overlapping pairs of
// characters. Identifiers (DB_PASSWORD, src/a/b.go, --flag, #123, v1.2.3) come whole and
// in parts. Only queries lose the words that make a question but do not name its subject,
// and only queries are weighted.
//
// Terms never hold white space or NUL, so blanks can join them.
package analyze

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// These bound the terms, whatever the text is.
const (
	// MaxTermRunes is how many runes a term may have. Longer ones are cut.
	MaxTermRunes = 64
	// MaxQueryTerms is how many distinct terms a query keeps, heaviest first.
	MaxQueryTerms = 256
)

// Kind says how a term was made from a query.
type Kind int

// The kinds of terms.
const (
	Word       Kind = iota // a word as written, folded
	Stem                   // the stem of an English word, or the beginning of a word in a script other than Latin
	Bigram                 // one or two characters of a run that is written without spaces
	Character              // an ideograph of such a run, beside its pairs
	Identifier             // a whole identifier, or another way of writing it
	Compound               // several words, or a word and a number, written as one (real-time, python3, GitHub), whole
	Part                   // a word from inside an identifier or a compound
	Together               // words that stand apart in the query, written as one: [WrittenTogether]
	Variant                // another way of writing what the query names: [VariantsOf]
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
	case Variant:
		return "variant"
	}
	return "unknown"
}

// A Term is one term of a query.
type Term struct {
	Text   string
	Weight float64 // > 0; 1 is an ordinary word
	Kind   Kind
}

// Document appends the terms of text to dst, in order and with repetitions, and returns
// the result. Terms follow each other as the words of the text do. The single characters
// of runs without spaces are terms, too, once each and after all others. Terms may share
// memory with each other; a caller that keeps a few of them for long clones them. Bytes
// that are not UTF-8 separate words.
func Document(dst []string, text string) []string {
	s := newScanner(text, false)
	s.terms = dst
	s.scan()
	return append(s.terms, s.singles...)
}

// Phrase returns terms that stand one after another in every document that holds the
// text. Marks between words do not count.
func Phrase(text string) []string {
	s := scanPhrase(text)
	return s.terms[:min(len(s.terms), MaxQueryTerms)]
}

// AnyForm returns terms that stand one after another in every document that holds some
// form of a word. For an English word it is the stem. For a word of another script it is
// the word as written, because many words share its beginning. For an identifier or
// compound it is the whole, and for a run without spaces its pairs.
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

// Fold returns text in the form in which terms are compared: NFKC, lower case, no accents
// or widths, one blank between words.
func Fold(text string) string {
	if out, ok := foldASCII(text); ok {
		return out
	}
	return strings.Join(strings.Fields(fold(text).text), " ")
}

// foldASCII folds ASCII text in one pass. It returns false for any other text, and for
// text with a control character or a backslash.
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

// Query returns the distinct terms of a query, in the order in which they first appear. A
// term has the weight of its heaviest appearance. Question words are left out, unless the
// query has nothing else. If there are more than [MaxQueryTerms] terms, the heaviest
// remain, and of equal ones the first. Text without a letter, a digit or an emoji has no
// terms.
func Query(text string) []Term {
	s := newScanner(text, true)
	s.scan()
	if len(s.terms) == 0 {
		s.stopWordsCount = true
		s.scan()
	}
	return heaviest(distinct(s))
}

// Says reports whether a text holds a word that says something: one that is no stop
// word, no particle and no pair with one.
func Says(text string) bool {
	s := newScanner(text, true)
	s.scan()
	for i, term := range s.terms {
		_, w := utf8.DecodeRuneInString(term)
		alone := w == len(term) && !s.particles()[term]
		if s.marks[i].weight > weightParticle || alone {
			return true
		}
	}
	return false
}

// OneWord reports whether a text is a question of three words or more of which only one
// says something, and that is no identifier: "where do I live". A word by itself, or with
// an article, is none.
func OneWord(text string) bool {
	words := func(s *scanner) (n int) {
		s.scan()
		for _, t := range distinct(s) {
			switch {
			case t.Kind == Identifier:
				return 0
			case t.Weight >= weightWord:
				n++
			}
		}
		return n
	}
	all := newScanner(text, true)
	all.stopWordsCount = true
	return words(newScanner(text, true)) == 1 && words(all) > 2
}

// Noise reports whether a text has no letter and no digit, or nothing but one letter
// three times or more, as held keys and cries give ("zzzz", "哈哈哈").
func Noise(text string) bool {
	first, count := rune(0), 0
	for _, r := range text {
		switch {
		case unicode.IsNumber(r):
			return false
		case !unicode.IsLetter(r):
			continue
		}
		if r = unicode.ToLower(r); count > 0 && r != first {
			return false
		}
		first, count = r, count+1
	}
	return count == 0 || count > 2
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

// heaviest keeps the MaxQueryTerms heaviest terms, in their order.
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
