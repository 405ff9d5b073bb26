package feature

import (
	"slices"
	"strings"
	"unicode"

	"github.com/memoir-ai/memoir/internal/lazyregexp"
)

// corrected matches a text that ends in a denial: "the code is 4412, not 4411";
// 生日是十三号，不是十二号.
var corrected = pattern{lazyregexp.New(`^(.+)[,，;；、] *(?:(?:and )?not |(?:而|并)?不是)(.+)$`), oneOf("not ", "不是")}

// corrects reports whether the newer text repeats the older one with other words in one place,
// no more than stood there, and then denies the words that stood there. The denial may repeat
// words beside them.
func corrects(older, newer *Text) bool {
	m := corrected.expr().FindStringSubmatch(newer.folded)
	if m == nil || strings.ContainsAny(newer.folded, "?？") {
		return false
	}
	old, now, denied := atoms(older.folded), atoms(m[1]), atoms(m[2])
	from := 0
	for from < min(len(old), len(now)) && old[from] == now[from] {
		from++
	}
	to, end := len(old), len(now)
	for to > from && end > from && old[to-1] == now[end-1] {
		to, end = to-1, end-1
	}
	if from == to || from == end || end-from > to-from || len(denied) >= len(old) {
		return false
	}
	for begin := range from + 1 {
		if last := begin + len(denied); last >= to && last <= len(old) && slices.Equal(old[begin:last], denied) {
			return true
		}
	}
	return false
}

// atoms returns the words of a folded text, and its single characters in Chinese and Japanese.
// Words such as "now" ([ofTime]) are left out.
func atoms(folded string) []string {
	var apart strings.Builder
	for _, r := range ofTime.expr().ReplaceAllString(folded, " ") {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
			apart.WriteString(" " + string(r) + " ")
		case letter(r) || unicode.IsMark(r) || unicode.IsNumber(r):
			apart.WriteRune(r)
		default:
			apart.WriteByte(' ')
		}
	}
	return strings.Fields(apart.String())
}
