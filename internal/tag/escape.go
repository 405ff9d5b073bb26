package tag

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// opening are the characters that a model may read as the < of a tag: all those whose
// compatibility form (NFKC) is <.
const opening = "<﹤＜"

// Escape puts a blank behind each < that could begin a tag, of whatever name, case or
// width, so that a text cannot end the frame that it stands in or open another one. A
// number, a blank, another < or a sign of arithmetic begins no tag, and stays as it is.
func Escape(text string) string {
	if !strings.ContainsAny(text, opening) {
		return text
	}
	var b strings.Builder
	opened := false
	for _, r := range text {
		if opened && !harmless(r) {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
		opened = strings.ContainsRune(opening, r)
	}
	return b.String()
}

// harmless reports whether a character behind a < says that it begins no tag. What cannot
// be seen says nothing.
func harmless(r rune) bool {
	return unicode.IsSpace(r) || '0' <= r && r <= '9' ||
		strings.ContainsRune(opening+`=-+*.,;:()[]{}"'>|&^%$#@~`+"`\\", r)
}

// Plain returns a text in small letters of ordinary width without what cannot be seen, for
// comparing tags. Places in it are not those of the text.
func Plain(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) {
			return -1
		}
		return r
	}, strings.ToLower(norm.NFKC.String(text)))
}

// Names reports whether a text holds a tag that begins so, in whatever case or width:
// "/memory", for example. start is in small letters.
func Names(text, start string) bool {
	return strings.ContainsAny(text, opening) && strings.Contains(Plain(text), "<"+start)
}
