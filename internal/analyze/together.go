package analyze

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxTogether is how long a word made of two may be, in bytes.
const maxTogether = 24

// WrittenTogether returns each pair of neighbouring words of a query, written as one:
// sitemap for "site map", email for "e-mail", setup for "set up". White space or a hyphen
// stands between the two. Each pair comes once. Of two stretches of Chinese it returns
// the pair of characters where they meet: 入法 for "输入 法". It adds the stem of a word,
// which the index has for every form. Names in code, such as publishDate, have no stem in
// the index. Words that say nothing about a subject make no pair, except the second word
// of verbs such as log in and add on.
func WrittenTogether(query string) []Term {
	text := fold(query).text
	var out []Term
	var before string // the word before; "" when something else stands between
	add := func(w string, weight float64) {
		if !slices.ContainsFunc(out, func(t Term) bool { return t.Text == w }) && len(out) < MaxQueryTerms {
			out = append(out, Term{w, weight, Together})
		}
	}
	for i := 0; i < len(text); {
		word, gap := text[i:], 0
		if n := strings.IndexFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }); n >= 0 {
			word = word[:n]
		}
		i += len(word)
		gap = together(text[i:])
		if word != "" && before != "" {
			if w := pair(before, word, text, i); w != "" {
				st := mainForm(w) // a Chinese pair is its own stem
				add(st, weightStem)
				if st != w {
					add(w, weightBesideStem)
				}
			}
		}
		if before = word; gap == 0 {
			before = ""
			gap = 1
			for i+gap < len(text) && !utf8.RuneStart(text[i+gap]) {
				gap++
			}
		}
		i += gap
	}
	return out
}

// together returns the length of what may separate two words that make one, at the start
// of text: white space or a hyphen. It returns 0 for anything else.
func together(text string) int {
	n := len(text) - len(strings.TrimLeftFunc(text, unicode.IsSpace))
	if n == 0 && strings.HasPrefix(text, "-") {
		return 1
	}
	return n
}

// pair returns two neighbouring words as one, or "" if they do not make one.
func pair(a, b, text string, end int) string {
	last, _ := utf8.DecodeLastRuneInString(a)
	first, n := utf8.DecodeRuneInString(b)
	switch {
	case han(last) && han(first):
		if chineseParticles()[string(last)] || chineseParticles()[string(first)] {
			return ""
		}
		return string(last) + b[:n]
	case !letters(a) || !letters(b) || len(a)+len(b) > maxTogether || len(a)+len(b) < 4, stopWord(a), stopWord(b) && b != "in" && b != "on": // login, addon
		return ""
	case end < len(text) && strings.IndexByte("'_./@:", text[end]) >= 0:
		return "" // the word goes on
	}
	return a + b
}

func han(r rune) bool { return r >= firstHan && r <= lastHan || rareHan(r) }
