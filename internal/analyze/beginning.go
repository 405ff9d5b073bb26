package analyze

import (
	"strings"
	"unicode/utf8"
)

// beginningRunes is how many characters of a word stand for its forms.
const beginningRunes = 5

// beginning returns what the forms of a word have in common in scripts other than
// Latin whose words are set apart, or the word: its first characters (договор and
// договоры share догов), in Arabic without the article.
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

// articles are the forms of the Arabic article, with the words of one letter that
// are written before it.
var articles = [...]string{"ال", "لل", "وال", "فال", "بال", "كال", "ولل"}

// fewestRoot is how many letters most roots of Arabic have: an article is not
// cut from what would leave fewer.
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
