package feature

import (
	"slices"
	"strings"
	"unicode"
)

// OneLanguage reports whether two texts are in one language of those whose cues the
// package has: English, Chinese or Japanese. Of others it knows nothing, so that for two
// German texts it is false. Chinese is told by its characters, Japanese by its kana, and
// English by its words.
func OneLanguage(a, b string) bool {
	l := language(a)
	return l != "" && l == language(b)
}

// language returns "en", "zh", "ja", or "" for any other language.
func language(text string) string {
	characters, kana := 0, false
	for _, r := range text {
		if unicode.In(r, unicode.Hiragana, unicode.Katakana) {
			kana = true
			characters++
		} else if unicode.Is(unicode.Han, r) {
			characters++
		}
	}
	switch {
	case characters > len(strings.Fields(text)) && kana:
		return "ja"
	case characters > len(strings.Fields(text)):
		return "zh"
	case english(text):
		return "en"
	}
	return ""
}

// A text is in English when so many of its words are in the lists of English cues: two
// at least, and this share of all. Names and most nouns are in no list. Other languages
// share short words with English, and borrow some.
const (
	leastEnglish = 2
	shareEnglish = .4
)

// english reports whether a text is in English.
func english(text string) bool {
	known, all := 0, 0
	for _, w := range plainWords(text) {
		all++
		if _, ok := slices.BinarySearch(cues().english, w); ok {
			known++
		}
	}
	return known >= leastEnglish && float64(known) >= shareEnglish*float64(all)
}

// plainWords returns the words of a text in lower case, without their apostrophes.
// Accents stay: they tell languages apart.
func plainWords(text string) []string { return strings.FieldsFunc(plain(text), notInWord) }

func plain(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(strings.ToLower(text), "'", ""), "’", "")
}

func notInWord(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }
