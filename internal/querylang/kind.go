package querylang

import (
	"iter"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/memoir-ai/memoir/internal/lazyregexp"
)

// A Kind is what a question asks for, as far as a text can be seen to lack it.
type Kind string

// The kinds. The zero value is anything else.
const (
	Time   Kind = "time"
	Amount Kind = "amount"
	Phone  Kind = "phone"
)

// answerWords holds what data/answers.txt says.
type answerWords struct {
	asks   map[Kind]func() *regexp.Regexp
	needs  map[Kind][]string
	words  map[string]Kind // words, and characters of scripts without words, that tell an amount or a time
	parts  map[rune][]part // what tells one wherever it stands, by its first character
	digits map[string]bool // digits that are written as words or as characters

	howMany func() *regexp.Regexp // asks for a number of things, such as of telephone numbers
	moment  func() *regexp.Regexp // days and times of day in digits
}

type part struct {
	text string
	of   Kind
}

var readKinds = sync.OnceValue(func() answerWords {
	text, err := data.ReadFile("data/answers.txt")
	if err != nil {
		panic(err) // the file is a part of the program
	}
	k := answerWords{map[Kind]func() *regexp.Regexp{}, map[Kind][]string{}, map[string]Kind{}, map[rune][]part{}, map[string]bool{},
		lazyregexp.New(`(?i)\bhow many\b|[几幾]|何[個人枚本]`), lazyregexp.New(`\b(?:19|20)\d\d-\d\d-\d\d\b|\b\d{1,2}:\d\d`)}
	forms := map[Kind][]string{}
	section := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		form, of, _ := strings.Cut(section, " ")
		switch kind := Kind(of); {
		case line == "" || line[0] == '#':
		case line[0] == '[':
			section = strings.Trim(line, "[]")
		case form == "asks":
			before, _, _ := strings.Cut(line, " *")
			k.needs[kind] = append(k.needs[kind], before)
			forms[kind] = append(forms[kind], strings.ReplaceAll(bounded(regexp.QuoteMeta(line)), `\*`, `[^.?!]{1,60}`))
		case form == "words":
			for _, word := range strings.Fields(line) {
				k.words[word] = kind
			}
		case form == "characters":
			for _, r := range line {
				k.words[string(r)] = kind
			}
		case form == "parts":
			for _, text := range strings.Fields(line) {
				first, _ := utf8.DecodeRuneInString(text)
				k.parts[first] = append(k.parts[first], part{text, kind})
			}
		case form == "digits":
			for _, word := range strings.Fields(line) {
				k.digits[word] = true
			}
		}
	}
	for of, all := range forms {
		k.asks[of] = lazyregexp.New(strings.Join(all, "|"))
	}
	return k
})

// AsksKind returns what kind of answer a text asks for, "" when a text that answers it
// need not hold anything by which that could be seen.
func (q Query) AsksKind() Kind {
	k := readKinds()
	for _, of := range []Kind{Phone, Time, Amount} {
		if of == Phone && k.howMany().MatchString(q.Text) {
			continue
		}
		if asks(q.Text, k.needs[of], k.asks[of]) || of == Time && q.AsksWhen() {
			return of
		}
	}
	return ""
}

// MayTell reports whether a text holds what an answer of a kind to a question holds. The
// numbers of the question itself do not count. A text in a script whose words are not
// known may tell a time or an amount. For the kind "" it is true.
func (k Kind) MayTell(question, text string) bool {
	switch k {
	case "":
		return true
	case Phone:
		return tellsPhone(question, text)
	}
	known := readKinds()
	question, text = plain(question), plain(text)
	for at, r := range text {
		for _, p := range known.parts[r] {
			if (p.of == Amount || p.of == k) && strings.HasPrefix(text[at:], p.text) && strings.Count(text, p.text) > strings.Count(question, p.text) {
				return true
			}
		}
	}
	said := sayings{}
	for w := range wordsOf(question) {
		said.add(w)
	}
	again, other := map[string]int{}, map[string]bool{}
	for w := range wordsOf(text) {
		of := known.words[w.text]
		switch counts := w.number || of == Amount; {
		case w.strange:
			return true
		case counts && len(said[w.text]) == 0, !counts && of == k:
			return true
		case counts:
			again[w.text]++
			other[w.text] = other[w.text] || !said.beside(w)
			if other[w.text] && again[w.text] > len(said[w.text]) {
				return true
			}
		}
	}
	return false
}

// tellsPhone reports whether a text holds three digits or more that the question does not,
// with nothing but marks between them, or three that are written as words or characters and
// follow each other. Those of a day or a time of day do not count.
func tellsPhone(question, text string) bool {
	known, digits, run := readKinds().digits, 0, 0
	said := sayings{}
	for w := range wordsOf(plain(question)) {
		said.add(w)
	}
	for w := range wordsOf(readKinds().moment().ReplaceAllString(plain(text), " a ")) {
		if run++; !known[w.text] {
			run = 0
		}
		switch {
		case !w.number:
			digits = 0
		case len(said[w.text]) == 0:
			digits += utf8.RuneCountInString(w.text)
		}
		if digits > 2 || run > 2 {
			return true
		}
	}
	return false
}

// A word is a word or a number of a text, or a single character of a script without
// words, between its neighbours of these kinds.
type word struct {
	text, before, after string
	number              bool // it begins with a digit, or is a character like ½
	strange             bool // it is of a script of which no words are known
}

// sayings holds the words of a question, each as often as it is said.
type sayings map[string][]word

func (s sayings) add(w word) { s[w.text] = append(s[w.text], w) }

// beside reports whether the question says a word with one of the neighbours that it has.
func (s sayings) beside(w word) bool {
	return slices.ContainsFunc(s[w.text], func(q word) bool {
		return q.before != "" && q.before == w.before || q.after != "" && q.after == w.after
	})
}

// wordsOf yields the words of a text in the form that plain returns.
func wordsOf(text string) iter.Seq[word] {
	return func(yield func(word) bool) {
		var last word
		for start := 0; start < len(text); {
			w, end := nextWord(text[start:])
			start += end
			if w.text == "" {
				continue
			}
			w.before = last.text
			if last.after = w.text; last.text != "" && !yield(last) {
				return
			}
			last = w
		}
		if last.after = ""; last.text != "" {
			yield(last)
		}
	}
}

// nextWord returns the word that a text begins with, and where it ends. It has no text for what
// is neither a letter nor a number.
func nextWord(text string) (word, int) {
	r, end := utf8.DecodeRuneInString(text)
	is := kindOf(r)
	for is.many && end < len(text) {
		next, size := utf8.DecodeRuneInString(text[end:])
		if kindOf(next) != is {
			break
		}
		end += size
	}
	if !is.counts {
		return word{}, end
	}
	return word{text: text[:end], number: is.number, strange: is.strange}, end
}

// letter is what kind of character one is: whether it counts, whether several make one word,
// and what such a word tells of itself.
type letter struct{ counts, many, number, strange bool }

func kindOf(r rune) letter {
	switch {
	case r >= 'a' && r <= 'z':
		return letter{counts: true, many: true}
	case r >= '0' && r <= '9':
		return letter{counts: true, many: true, number: true}
	case r < utf8.RuneSelf:
		return letter{}
	case r >= '一' && r <= '\u9fff' || unicode.In(r, unicode.Hiragana, unicode.Katakana, unicode.Han): // most are in the first range
		return letter{counts: true}
	case unicode.IsDigit(r):
		return letter{counts: true, many: true, number: true}
	case unicode.IsNumber(r):
		return letter{counts: true, number: true}
	case unicode.Is(unicode.Latin, r):
		return letter{counts: true, many: true}
	case unicode.IsLetter(r) && !unicode.Is(unicode.Common, r):
		return letter{counts: true, many: true, strange: true}
	}
	return letter{}
}
