package remember

import (
	"cmp"
	_ "embed"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/memoir-ai/memoir/internal/analyze"
)

//go:embed nolonger.txt
var noLongerFile string

// noLongers is what the file says.
type noLongers struct {
	phrases [][]string
	unsure  [][]string
	beside  map[string]bool
	short   map[string]string
}

var noLonger = sync.OnceValue(func() noLongers {
	l := noLongers{beside: map[string]bool{}, short: map[string]string{}}
	list := ""
	for line := range strings.Lines(noLongerFile) {
		line = strings.TrimSpace(line)
		words := strings.Fields(analyze.Fold(line))
		switch {
		case len(words) == 0 || line[0] == '#':
		case line[0] == '[':
			list = line
		case list == "[no longer]":
			l.phrases = append(l.phrases, words)
		case list == "[unsure]":
			l.unsure = append(l.unsure, words)
		case list == "[beside]":
			l.beside[words[0]] = true
		case list == "[short]":
			l.short[words[0]] = words[1]
		}
	}
	return l
})

// noLongerHolds reports whether a newer text says in so many words that what an older one
// states is so no more, and whether it seems to say so of anything at all. Either one of
// its clauses says "no longer" of all that the older text says, and what follows begins
// like a correction. Or it is the older text with other words in one place, no more of
// them, and a clause says "no longer" of the words that stood there. Words are compared as
// they are written and in their order, so that "no longer only", who else, who says so,
// when and on which condition are not taken for it. Texts longer than maxCompared are not
// compared.
func noLongerHolds(older, newer string) (is, says bool) {
	if max(len(older), len(newer)) > maxCompared {
		return false, false
	}
	l := noLonger()
	old := l.plain(l.words(older))
	var before, denied, after []string
	found, corrects := false, true
	for clause := range strings.FieldsFuncSeq(newer, func(r rune) bool { return strings.ContainsRune(",;:.!()、，；。–—\n", r) }) {
		words := l.words(clause)
		said, ok := without(words, l.phrases)
		if _, seems := without(words, l.unsure); ok || seems {
			says = true
		}
		said = l.plain(said)
		switch {
		case len(words) == 0:
		case ok && !found:
			found, denied = true, said
		case !found:
			before = append(before, said...)
		default:
			corrects = corrects && (l.beside[words[0]] || slices.Contains(old, words[0]))
			after = append(after, said...)
		}
	}
	switch {
	case len(denied) == 0, strings.ContainsAny(newer, "?？"):
		return false, says
	case len(before) == 0:
		return slices.Equal(denied, old) && corrects, says
	}
	return len(after) == 0 && len(denied) < len(old) && replaced(old, before, denied), says // else who says so may stand before
}

// replaced reports whether words are older ones with others in one place, no more of them
// than stood there, and whether denied words are those that stood there, with as many of
// the words around them as they may have.
func replaced(old, now, denied []string) bool {
	from := 0
	for from < min(len(old), len(now)) && old[from] == now[from] {
		from++
	}
	to := len(old)
	for left := len(now); to > from && left > from && old[to-1] == now[left-1]; to, left = to-1, left-1 {
	}
	added := len(now) - (len(old) - (to - from))
	if from == to || added <= 0 || added > to-from {
		return false
	}
	for begin := range from + 1 {
		if end := begin + len(denied); end >= to && end <= len(old) && slices.Equal(old[begin:end], denied) {
			return true
		}
	}
	return false
}

// words returns the words of a text, folded and in full.
func (l noLongers) words(text string) (words []string) {
	for w := range strings.FieldsFuncSeq(analyze.Fold(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsNumber(r) }) {
		words = append(words, cmp.Or(l.short[w], w))
	}
	return words
}

// plain returns words without those that add nothing.
func (l noLongers) plain(words []string) (plain []string) {
	for _, w := range words {
		if !l.beside[w] {
			plain = append(plain, w)
		}
	}
	return plain
}

// without returns the words of a clause without the first phrase that is in it, or false
// when none is.
func without(clause []string, phrases [][]string) (rest []string, ok bool) {
	for _, phrase := range phrases {
		for from := range clause {
			if rest, ok := cut(clause, from, phrase); ok {
				return rest, true
			}
		}
	}
	return clause, false
}

// cut returns the words of a clause without a phrase that begins there.
func cut(clause []string, from int, phrase []string) (rest []string, ok bool) {
	if phrase[0] == "^" {
		if phrase = phrase[1:]; from > 0 {
			return nil, false
		}
	}
	if !matches(clause[from], phrase[0]) {
		return nil, false
	}
	rest = slices.Clone(clause[:from])
	gap := false
	for _, w := range clause[from:] {
		if len(phrase) > 0 && phrase[0] == "~" {
			phrase, gap = phrase[1:], true
		}
		switch {
		case len(phrase) > 0 && matches(w, phrase[0]):
			phrase, gap = phrase[1:], false
		case len(phrase) == 0 || gap:
			rest = append(rest, w)
		default:
			return nil, false
		}
	}
	return rest, len(phrase) == 0
}

// matches reports whether a word is one of a phrase.
func matches(w, of string) bool {
	begins, some := strings.CutSuffix(of, "*")
	return w == of || some && strings.HasPrefix(w, begins)
}
