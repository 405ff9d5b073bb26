package search

import (
	"strings"
	"sync"
	"unicode"

	"github.com/memoir-ai/memoir/internal/script"
)

// leastTelling is how many words that tell a language a text in Latin letters has of it at
// least.
const leastTelling = 2

// leastIdeographs is how many Chinese characters without any kana a text has at least when
// it is taken for Chinese: a few of them may be Japanese.
const leastIdeographs = 8

// tongues returns the languages that each word tells.
var tongues = sync.OnceValue(func() map[string][]string {
	m := map[string][]string{}
	for language, line := range dataLines("tongues.txt") {
		for w := range strings.FieldsSeq(line) {
			m[w] = append(m[w], language)
		}
	}
	return m
})

// otherTongue reports whether two texts are in different languages, as far as that is clear.
func otherTongue(a, b string) bool {
	tongue := tongueOf(a)
	if tongue == "" {
		return false
	}
	other := tongueOf(b)
	return other != "" && other != tongue
}

// tongueOf returns a name for the language that most of a text is in, "" where it is not
// clear. Languages in one script other than Latin and Chinese characters have one name.
func tongueOf(text string) string {
	names := script.Names(text, .5)
	switch {
	case len(names) != 1:
		return ""
	case names[0] == "Latin":
		return tongueOfWords(text)
	case names[0] != "Han":
		return names[0]
	}
	ideographs := 0
	for _, r := range text {
		switch {
		case unicode.In(r, unicode.Hiragana, unicode.Katakana):
			return "ja"
		case unicode.Is(unicode.Han, r):
			ideographs++
		}
	}
	if ideographs < leastIdeographs {
		return ""
	}
	return "zh"
}

// tongueOfWords returns the language of which a text has the most words that tell it.
func tongueOfWords(text string) string {
	counts, known := map[string]int{}, tongues()
	for w := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }) {
		for _, language := range known[w] {
			counts[language]++
		}
	}
	best, next := "", 0
	for language, n := range counts {
		if n > counts[best] {
			best, next = language, counts[best]
		} else {
			next = max(next, n)
		}
	}
	if counts[best] < leastTelling || counts[best] == next {
		return ""
	}
	return best
}
