package secret

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A change is a character of a text that its plain form has otherwise or not at all.
type change struct {
	start, end           int // in the text
	plainStart, plainEnd int // in its plain form; equal when nothing is left
}

// plainly returns a text in the form in which it is looked through: letters and digits of
// other widths and fonts as the usual ones (NFKC), each blank as ' ', and nothing of what
// is not seen, such as soft hyphens and zero-width spaces. Signs stay, because a
// full-width comma ends a value. A text that is plain already is returned as it is.
func plainly(text string) (string, []change) {
	var b strings.Builder
	var changes []change
	copied := 0
	last := rune(0)
	for at := 0; at < len(text); {
		switch c := text[at]; {
		case c < utf8.RuneSelf:
			last = 0
			at++
			continue
		case 0xe4 <= c && c <= 0xe9 && at+2 < len(text) && text[at+1] >= utf8.RuneSelf && text[at+2] >= utf8.RuneSelf:
			last = 0 // most Chinese characters
			at += 3
			continue
		}
		r, size := utf8.DecodeRuneInString(text[at:])
		if usual(r) {
			last = 0
			at += size
			continue
		}
		plain := plainRune(text[at:at+size], r)
		if wide(last) && strings.ContainsRune(wideSigns, r) && wide(firstRune(text[at+size:])) {
			plain = string(r - 0xfee0)
		}
		last = r
		if plain != text[at:at+size] {
			b.WriteString(text[copied:at])
			start := b.Len()
			b.WriteString(plain)
			copied = at + size
			changes = append(changes, change{at, copied, start, b.Len()})
		}
		at += size
	}
	if len(changes) == 0 {
		return text, nil
	}
	b.WriteString(text[copied:])
	return b.String(), changes
}

// usual reports whether a character beyond ASCII is plain. It is a quick check for the
// most frequent ones, and may say no for a plain one.
func usual(r rune) bool {
	return 0x3400 <= r && r <= 0x9fff || 0x3041 <= r && r <= 0x30fe && r != 0x309f || 0xac00 <= r && r <= 0xd7a3 ||
		0x400 <= r && r <= 0x52f || 0xc0 <= r && r <= 0x131 || 0x3001 <= r && r <= 0x303f || r == 0xff0c || r == 0xff1a || r == utf8.RuneError
}

// plainRune returns the plain form of one character.
func plainRune(text string, r rune) string {
	switch {
	case unicode.In(r, unicode.Prepended_Concatenation_Mark):
		return text // a format character that is seen
	case unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point):
		return ""
	case unicode.In(r, unicode.Zs):
		return " "
	case unicode.IsLetter(r) || unicode.IsDigit(r):
		return norm.NFKC.String(text)
	}
	return text
}

// wideSigns are full-width signs that belong to a value between full-width letters. The
// others end a clause.
const wideSigns = "！＃＄％＆＊＋－＠＿"

func wide(r rune) bool {
	return '０' <= r && r <= '９' || 'Ａ' <= r && r <= 'Ｚ' || 'ａ' <= r && r <= 'ｚ'
}

// original moves spans of the plain form to where they stand in the text. A span has whole
// characters of the text, and begins and ends with one that is seen.
func original(changes []change, spans []Span) []Span {
	if len(changes) == 0 {
		return spans
	}
	for i := range spans {
		s := &spans[i]
		if c := lastChange(changes, s.Start); s.Start < c.plainEnd {
			s.Start = c.start
		} else {
			s.Start += c.end - c.plainEnd
		}
		if c := lastChange(changes, s.End-1); s.End-1 < c.plainEnd {
			s.End = c.end
		} else {
			s.End += c.end - c.plainEnd
		}
	}
	return merge(spans)
}

// lastChange returns the last change that begins at or before a position of the plain form.
func lastChange(changes []change, at int) change {
	i := sort.Search(len(changes), func(i int) bool { return changes[i].plainStart > at })
	if i == 0 {
		return change{}
	}
	return changes[i-1]
}
