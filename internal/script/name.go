package script

import (
	"maps"
	"slices"
	"unicode"
	"unicode/utf8"
)

// common are the scripts that are looked for first, the most common first.
var common = [...]string{"Latin", "Han", "Hiragana", "Katakana", "Cyrillic", "Hangul", "Arabic", "Devanagari", "Thai", "Hebrew", "Greek"}

// Names returns the scripts that each have at least a share of the letters of a text, in
// the order of their names. Letters are counted as for [Set.Reads]. Scripts are named as in
// package unicode, but kana count as Han, because a short text in Japanese may have none.
func Names(text string, share float64) []string {
	counts, all := map[string]int{}, 0
	for _, r := range text {
		if isLetter(r) {
			n := utf8.RuneLen(r)
			counts[nameOf(r)] += n
			all += n
		}
	}
	for _, kana := range []string{"Hiragana", "Katakana"} {
		if n := counts[kana]; n > 0 {
			counts["Han"] += n
			delete(counts, kana)
		}
	}
	maps.DeleteFunc(counts, func(_ string, n int) bool { return float64(n) < share*float64(all) })
	return slices.Sorted(maps.Keys(counts))
}

// Others returns the scripts other than Latin that a text has a letter of, as [Names] names
// them.
func Others(text string) (names []string) {
	for _, r := range text {
		if r <= unicode.MaxLatin1 || !isLetter(r) {
			continue
		}
		name := nameOf(r)
		if name == "Hiragana" || name == "Katakana" {
			name = "Han"
		}
		if name != "Latin" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// nameOf returns the script of a letter.
func nameOf(r rune) string {
	if r < utf8.RuneSelf {
		return "Latin"
	}
	for _, name := range common {
		if unicode.Is(unicode.Scripts[name], r) {
			return name
		}
	}
	for name, table := range unicode.Scripts {
		if unicode.Is(table, r) {
			return name
		}
	}
	return ""
}
