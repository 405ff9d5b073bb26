package querylang

import (
	"iter"
	"regexp"
	"strings"
	"sync"

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
	asks  map[Kind]func() *regexp.Regexp
	needs map[Kind][]string
	words map[string]Kind // words, and characters of scripts without words, that tell an amount or a time
}

var readKinds = sync.OnceValue(func() answerWords {
	text, err := data.ReadFile("data/answers.txt")
	if err != nil {
		panic(err) // the file is a part of the program
	}
	k := answerWords{map[Kind]func() *regexp.Regexp{}, map[Kind][]string{}, map[string]Kind{}}
	forms := map[Kind][]string{}
	section := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		of, asked := strings.CutPrefix(section, "asks ")
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '[':
			section = strings.Trim(line, "[]")
		case asked:
			before, _, _ := strings.Cut(line, " *")
			k.needs[Kind(of)] = append(k.needs[Kind(of)], before)
			forms[Kind(of)] = append(forms[Kind(of)], strings.ReplaceAll(bounded(regexp.QuoteMeta(line)), `\*`, `[^.?!]{1,60}`))
		case line[0] < 0x80:
			for _, word := range strings.Fields(line) {
				k.words[word] = Kind(section)
			}
		default:
			for _, r := range line {
				k.words[string(r)] = Kind(section)
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
		if asks(q.Text, k.needs[of], k.asks[of]) || of == Time && q.AsksWhen() {
			return of
		}
	}
	return ""
}

// MayTell reports whether a text holds what an answer of a kind to a question holds. The
// numbers of the question itself do not count. For the kind "" it is true.
func (k Kind) MayTell(question, text string) bool {
	if k == "" {
		return true
	}
	known, digits := readKinds().words, 0
	said := map[string]bool{}
	for word := range wordsOf(question) {
		said[word] = true
	}
	for word := range wordsOf(text) {
		number := word[0] >= '0' && word[0] <= '9'
		switch of := known[word]; {
		case said[word] && (number || of == Amount):
		case number:
			if digits += len(word); k != Phone || digits > 2 {
				return true
			}
		case k != Phone && (of == Amount || of == Time && k == Time):
			return true
		}
	}
	return false
}

// wordsOf yields the words and the numbers of Latin letters and digits, and each other
// character by itself.
func wordsOf(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		text, start := plain(text), 0
		kindOf := func(r rune) int {
			switch {
			case r >= '0' && r <= '9':
				return 1
			case r >= 'a' && r <= 'z':
				return 2
			}
			return 0
		}
		last := 0
		for i, r := range text {
			if is := kindOf(r); is == 0 || is != last {
				if start < i && !yield(text[start:i]) {
					return
				}
				start, last = i, is
			}
		}
		if start < len(text) {
			yield(text[start:])
		}
	}
}
