package feature

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memoir-ai/memoir/internal/lazyregexp"
)

// What follows tells apart what holds in a case and what holds in the opposite one: if and
// unless, before and after, late and early, all but one and that one.

// opposedCases reports whether the two texts hold in opposite cases, so that they are not
// the same.
func opposedCases(a, b *Text) bool {
	return a.has("except") != b.has("except") || sides(a, b)
}

// bothCases reports whether they hold in opposite cases and each says something of its own
// about its case, so that neither takes anything back. Who is left out is so whatever tells
// of a change.
func bothCases(a, b *Text) bool {
	older, newer := uncased(a), uncased(b)
	if !telling(newer, older) {
		return false
	}
	return leftOut(a, b) || leftOut(b, a) || !b.has("change") && telling(older, newer) && (sides(a, b) || opposite(a, b, "case "))
}

// leftOut reports whether a text leaves out what the other one is about: "except on Thursdays",
// "on Thursdays"; 除了周二, 周二; 水曜以外, 水曜.
func leftOut(excepting, other *Text) bool {
	if other.has("except") {
		return false
	}
	for _, h := range excepting.of("except") {
		for _, word := range []string{wordAfter(excepting.folded[h.end:]), hanAfter(excepting.folded[h.end:]), hanBefore(excepting.folded[:h.at])} {
			if latinOrTwo(word) && states(other, word) {
				return true
			}
		}
	}
	return false
}

// latinOrTwo reports whether a word is enough to know what is meant: a Latin one, two
// ideographs, or one that is a kind of weather.
func latinOrTwo(word string) bool {
	return word != "" && (latin(word[0]) || utf8.RuneCountInString(word) > 1 || strings.Contains("雨雪雷", word))
}

// hanAfter returns the first two ideographs of a text that begins with one.
func hanAfter(rest string) string {
	var word []rune
	for _, r := range strings.TrimPrefix(strings.TrimLeft(rest, " "), "在") {
		if len(word) == 2 || !unicode.Is(unicode.Han, r) {
			break
		}
		word = append(word, r)
	}
	return string(word)
}

// hanBefore returns the last ideographs or katakana of a text, two at most, without what
// follows a name in Japanese.
func hanBefore(text string) string {
	text = strings.TrimSuffix(strings.TrimSuffix(text, "さん"), "で")
	var word []rune
	for text != "" && len(word) < 2 {
		r, width := utf8.DecodeLastRuneInString(text)
		if !unicode.In(r, unicode.Han, unicode.Katakana) && r != 'ー' {
			break
		}
		word, text = append(word, r), text[:len(text)-width]
	}
	slices.Reverse(word)
	return string(word)
}

// side matches what stands before and after something, with what that is.
var side = pattern{lazyregexp.New(`\b(before|after) (?:(?:the|a|an|our|my|your|each|every|any) )?([a-z]+)|([\p{Han}\p{Katakana}ー])(?:的|之|の|する|した)?([前后])`), oneOf("before", "after", "前", "后")}

// sides reports whether one text tells what is so before something, and the other what is so
// after it.
func sides(a, b *Text) bool {
	if !side.in(a.folded) || !side.in(b.folded) {
		return false
	}
	ends := func(t *Text) map[string]string {
		found := map[string]string{}
		for _, m := range side.expr().FindAllStringSubmatch(t.folded, -1) {
			found[m[2]+m[3]] = m[1] + m[4]
		}
		return found
	}
	older := ends(a)
	for of, end := range ends(b) {
		if was, ok := older[of]; ok && was != end && !strings.Contains("我你他她以午目", of) {
			return true
		}
	}
	return false
}

// uncased returns the pieces of a text without the words that name the case.
func uncased(t *Text) []string {
	left := []byte(t.folded)
	for _, h := range t.hits {
		list := cues().lists[cues().cues[h.cue].list]
		if list == "except" || strings.HasPrefix(list, "pole + case ") || strings.HasPrefix(list, "pole - case ") {
			copy(left[h.at:h.end], strings.Repeat(" ", h.end-h.at))
		}
	}
	return slices.DeleteFunc(pieces(string(left)), func(p string) bool { return slices.Contains([]string{"before", "after", "前", "后"}, p) })
}
