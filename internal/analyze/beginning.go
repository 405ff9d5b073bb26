package analyze

import (
	"strings"
	"unicode/utf8"
)

// beginningRunes is how many characters the beginning of a word has.
const beginningRunes = 5

// beginning returns what the forms of a word have in common, in scripts other than Latin
// that put spaces between words. It is the first characters of the word, so that договор
// and договоры share догов. An Arabic word loses its article first.
func beginning(word string) string {
	word = withoutArticle(word)
	n := 0
	for i := range word {
		if n == beginningRunes {
			return word[:i]
		}
		n++
	}
	return word
}

// articles are the forms of the Arabic article, alone and with the one-letter words that
// are written before it.
var articles = [...]string{"ال", "لل", "وال", "فال", "بال", "كال", "ولل"}

// fewestRoot is how many letters most Arabic roots have. An article is not cut off if
// fewer would remain.
const fewestRoot = 3

// withoutArticle returns an Arabic word without its article.
func withoutArticle(word string) string {
	for _, a := range articles {
		if rest, ok := strings.CutPrefix(word, a); ok && utf8.RuneCountInString(rest) >= fewestRoot {
			return rest
		}
	}
	return word
}
