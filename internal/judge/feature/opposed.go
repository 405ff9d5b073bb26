package feature

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Adds reports whether the newer text certainly states something that the older does not:
// a number, a time, a day, another name in the place of one, or what the older text
// denies, or the other way round. The models do not see what is denied well enough: of 84
// pairs that a "not" parts they take 25 for the same.
func (m *Meeting) Adds() bool {
	a, b := m.older, m.newer
	exchanged := names(a, b)[3] > 0
	return exchanged || newNumbers(a.text, b.text) || denies(a.text, b.text) || denies(b.text, a.text)
}

// Opposed reports whether the two texts say the same but for a negation, so that both
// cannot hold: "The lift doesn't work", "The lift works"; 我不抽烟, 我抽烟.
func (m *Meeting) Opposed() bool {
	a, b := m.older.text, m.newer.text
	if !denies(a, b) && !denies(b, a) {
		return false
	}
	said, again := a.contents(), b.contents()
	holds := func(words []string, w string) bool {
		return slices.ContainsFunc(words, func(v string) bool { return v == w || latin(v[0]) && latin(w[0]) && oneStem(v, w) })
	}
	for _, w := range said {
		if !holds(again, w) {
			return false
		}
	}
	for _, w := range again {
		if !holds(said, w) {
			return false
		}
	}
	return slices.Equal(a.values, b.values)
}

// Apart reports whether the newer text certainly speaks of something else than the older:
// of one of the family whom the older does not name, or of another attribute (a birthday, a
// phone), and says nothing of a change. It takes nothing back then.
func (m *Meeting) Apart() bool {
	a, b := m.older.text, m.newer.text
	return !b.has("change") && (adds(a.kin(), b.kin()) || adds(a.texts("attribute"), b.texts("attribute")))
}

// family are the roles of a family. Others, such as a doctor, often tell of a change.
var family = []string{"wife", "husband", "partner", "father", "mother", "parents", "brother", "sister", "son", "daughter", "kid", "grandma", "grandpa", "uncle", "aunt", "cousin", "nephew", "in-law"}

// kin returns which of the family a text names.
func (t *Text) kin() map[string]bool {
	found := map[string]bool{}
	for _, role := range family {
		if t.has("role " + role) {
			found[role] = true
		}
	}
	return found
}

// adds reports whether b holds something that a does not.
func adds(a, b map[string]bool) bool { return len(b) > shared(a, b) }

// contents returns what a text says besides negations: Latin words that say something,
// ideographs, and runs of katakana.
func (t *Text) contents() (all []string) {
	left := []byte(t.folded)
	for _, h := range t.denials() {
		copy(left[h.at:h.end], strings.Repeat(" ", h.end-h.at))
	}
	for _, w := range latinWords(string(left)) {
		if !stopWord(w) {
			all = append(all, w)
		}
	}
	katakana := ""
	for _, r := range string(left) + " " {
		if unicode.Is(unicode.Katakana, r) || r == 'ー' {
			katakana += string(r)
			continue
		}
		if katakana != "" {
			all, katakana = append(all, katakana), ""
		}
		if unicode.Is(unicode.Han, r) && !strings.ContainsRune("了的"+besides, r) {
			all = append(all, string(r))
		}
	}
	return all
}

// denies reports whether a text denies a word that the other one states. The other one has
// no word of negation or of change, so that "the course stopped" and "no course any more"
// are not taken for opposites.
func denies(denying, other *Text) bool {
	denials := denying.denials()
	if len(denials) != 1 || len(other.denials()) > 0 || other.has("change") {
		return false
	}
	for _, h := range denials {
		if states(other, wordAfter(denying.folded[h.end:])) || states(other, wordBefore(denying.folded[:h.at], denying.folded[h.at:h.end])) {
			return true
		}
	}
	return false
}

// denials returns where a text denies something. The end of 必ず, which means always, is in
// the list of negations that the models were fitted to.
func (t *Text) denials() (found []hit) {
	list := cues().index["negation"]
	for _, h := range t.hits {
		if cues().cues[h.cue].list == list && !strings.HasSuffix(t.folded[:h.at], "必") {
			found = append(found, h)
		}
	}
	return found
}

// states reports whether a text holds a word in some form; "" is none.
func states(t *Text, word string) bool {
	if word == "" {
		return false
	}
	if !latin(word[0]) {
		return strings.Contains(t.folded, word)
	}
	return slices.ContainsFunc(latinWords(t.folded), func(w string) bool { return oneStem(w, word) })
}

// oneStem reports whether two Latin words begin alike and differ in an ending at most.
func oneStem(a, b string) bool {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n >= 3 && max(len(a), len(b))-n <= 3 && min(len(a), len(b))-n <= 1
}

// besides are characters of Chinese that may stand between a negation and its verb.
const besides = "有再会會能想太怎么麼要是去可以敢肯愿願得很大"

// wordAfter returns what a negation before it denies: the next word that says something,
// or in Chinese the next character.
func wordAfter(rest string) string {
	rest = strings.TrimLeft(rest, " ")
	r, _ := utf8.DecodeRuneInString(rest)
	if unicode.Is(unicode.Han, r) {
		for _, r := range rest {
			if !unicode.Is(unicode.Han, r) {
				return ""
			}
			if !strings.ContainsRune(besides, r) {
				return string(r)
			}
		}
		return ""
	}
	if rest != "" && !latin(rest[0]) {
		return ""
	}
	for _, w := range latinWords(rest[:sentenceEnd(rest)]) {
		if !stopWord(w) {
			return w
		}
	}
	return ""
}

// sentenceEnd returns where a clause ends.
func sentenceEnd(text string) int {
	if end := strings.IndexAny(text, ".,;:!?"); end >= 0 {
		return end
	}
	return len(text)
}

// wordBefore returns what a Japanese negation at the end of a verb denies: the character
// of the verb, or its word in katakana.
func wordBefore(text, negation string) string {
	if r, _ := utf8.DecodeRuneInString(negation); !unicode.Is(unicode.Hiragana, r) {
		return ""
	}
	kana := 0
	for text != "" && kana < 4 {
		r, w := utf8.DecodeLastRuneInString(text)
		switch {
		case unicode.Is(unicode.Han, r):
			return string(r)
		case unicode.Is(unicode.Katakana, r) || r == 'ー':
			at := strings.LastIndexFunc(text, func(r rune) bool { return !unicode.Is(unicode.Katakana, r) && r != 'ー' })
			_, width := utf8.DecodeRuneInString(text[max(at, 0):])
			if at < 0 {
				return text
			}
			return text[at+width:]
		case !unicode.Is(unicode.Hiragana, r):
			return ""
		}
		kana++
		text = text[:len(text)-w]
	}
	return ""
}
