package feature

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memoir-ai/memoir/internal/lazyregexp"
)

// What follows looks at which word a number or a name belongs to, where the models see
// which numbers and words there are.

// numbersElsewhere reports whether two texts say the same numbers of other things: channel 4
// of mixer 1, channel 1 of mixer 4; 2 楼 5 号, 5 楼 2 号. A number belongs to the Latin word
// before it, or else to what follows it.
func numbersElsewhere(a, b *Text) bool {
	if !slices.Equal(a.values, b.values) {
		return false
	}
	older, newer := numbered(a.folded), numbered(b.folded)
	for thing, numbers := range newer {
		if before, ok := older[thing]; ok && !slices.Equal(before, numbers) {
			return true
		}
	}
	return false
}

// numbered returns the numbers of a text by what they belong to, in their order; those of a
// word that says nothing in the order of size.
func numbered(folded string) map[string][]string {
	found := map[string][]string{}
	for i := 0; i < len(folded); {
		end := numberEnd(folded, i)
		if end == i {
			_, width := utf8.DecodeRuneInString(folded[i:])
			i += width
			continue
		}
		if thing, number := numberedThing(folded, i, end), plainNumber(folded[i:end]); thing != "" && number != "" {
			found[thing] = append(found[thing], number)
		}
		i = end
	}
	for thing, numbers := range found {
		if stopWord(thing) {
			slices.Sort(numbers)
		}
	}
	return found
}

// ideographs are the signs of numbers.
const ideographs = "一二两三四五六七八九十百千万"

// numberEnd returns where a number in digits or ideographs that begins at i ends, i if none
// does.
func numberEnd(folded string, i int) int {
	end := i
	for end < len(folded) && digit(folded[end]) {
		end++
	}
	if end > i {
		return end
	}
	rest := strings.TrimLeft(folded[i:], ideographs)
	return len(folded) - len(rest)
}

// plainNumber returns a number in digits, "" for one of several ideographs.
func plainNumber(number string) string {
	if digit(number[0]) {
		return number
	}
	if n, ok := map[string]string{"一": "1", "二": "2", "两": "2", "三": "3", "四": "4", "五": "5", "六": "6", "七": "7", "八": "8", "九": "9", "十": "10"}[number]; ok {
		return n
	}
	return ""
}

// numberedThing returns what the number in text[i:end] belongs to, or "".
func numberedThing(text string, i, end int) string {
	before := strings.TrimRight(text[:i], " #-")
	start := len(before)
	for start > 0 && latin(before[start-1]) {
		start--
	}
	if start < len(before) {
		return before[start:]
	}
	thing, n := "", 0
	for _, r := range strings.TrimLeft(text[end:], " ") {
		if n++; n > 2 || !unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || strings.ContainsRune(ideographs, r) {
			break
		}
		thing += string(r)
	}
	return thing
}

// half matches a time that says which half of the day it is in.
var half = pattern{lazyregexp.New(`\d ?([ap])\.?m\b`), hasDigit}

func hasDigit(s string) bool { return strings.ContainsAny(s, "0123456789") }

// otherHalf reports whether two texts name a time in the other half of the day.
func otherHalf(a, b *Text) bool {
	if !half.in(a.folded) || !half.in(b.folded) {
		return false
	}
	older, newer := half.expr().FindAllStringSubmatch(a.folded, -1), half.expr().FindAllStringSubmatch(b.folded, -1)
	return len(older) == len(newer) && !slices.EqualFunc(older, newer, func(m, n []string) bool { return m[1] == n[1] })
}

// measured matches a number with its unit.
var measured = pattern{lazyregexp.New(`(\d+(?:[.,]\d+)*|[一二两三四五六七八九十百千万半]+) ?((?:kg|lbs?|g|grams?|tons?|km|miles?|m|ft|feet|cm|inch(?:es)?|euros?|dollars?|usd|eur|yen|minutes?|hours?|days?|weeks?|months?|years?)\b|公斤|千克|斤|克|吨|公里|里|米|厘米|美元|欧元|日元|元|块|分钟|小时|天|周|个月|月|年|キロ|グラム|円|ドル|ユーロ|分|時間|日|週間|か月)`), anything}

// otherUnit reports whether a number of the older text has another unit in the newer one: 5 kg,
// 5 lb. One unit in two words ("euros", "eur") counts as another, which costs a line at most.
func otherUnit(a, b *Text) bool {
	units := func(t *Text) map[string]string {
		found := map[string]string{}
		for _, m := range measured.expr().FindAllStringSubmatch(t.folded, -1) {
			found[m[1]] = strings.TrimSuffix(m[2], "s")
		}
		return found
	}
	if len(a.values) == 0 || !slices.Equal(a.values, b.values) {
		return false
	}
	older, newer := units(a), units(b)
	for number, unit := range newer {
		if was, ok := older[number]; ok && was != unit && latin(was[0]) == latin(unit[0]) {
			return true
		}
	}
	return false
}

// exchanged reports whether two texts differ in that two words have changed places: Tom pays
// Anna, Anna pays Tom; tabs, not spaces. Where both are joined, the order says nothing.
func exchanged(a, b *Text) bool {
	const longest, widest = 64, 4 // pieces of a text, and of what changes places
	if len(a.folded) != len(b.folded) || a.folded == b.folded || len(a.folded) > 8*longest {
		return false
	}
	older, newer := pieces(a.folded), pieces(b.folded)
	if len(older) != len(newer) || len(older) > longest {
		return false
	}
	for len(older) > 0 && older[0] == newer[0] {
		older, newer = older[1:], newer[1:]
	}
	for n := len(older); n > 0 && older[n-1] == newer[n-1]; n = len(older) {
		older, newer = older[:n-1], newer[:n-1]
	}
	n := len(older)
	for x := 1; x <= min(widest, n-2); x++ {
		for y := 1; y <= min(widest, n-1-x); y++ {
			first, middle, last := older[:x], older[x:n-y], older[n-y:]
			if slices.Equal(newer[:y], last) && slices.Equal(newer[y:n-x], middle) && slices.Equal(newer[n-x:], first) &&
				!slices.ContainsFunc(slices.Concat(first, last), silent) && slices.ContainsFunc(middle, ordering) {
				return true
			}
		}
	}
	return false
}

// silent reports whether a piece does not say what is meant; "am" and "pm" do.
func silent(piece string) bool {
	return piece == "," || latin(piece[0]) && stopWord(piece) && piece != "am" && piece != "pm"
}

// ordering reports whether a piece between two others makes their order matter.
func ordering(piece string) bool {
	return !slices.Contains([]string{",", "and", "or", "with", "married", "和", "跟", "与", "及", "或", "と"}, piece)
}

// otherSubject reports whether two texts say the same of two things, each with a value of
// its own: "My phone number is 1", "My work phone number is 2"; 航班是 A1, 返程航班是 B2.
// They have the first predicate in common; before it the newer one has a word that the older
// one lacks, and behind it the numbers differ. Where the newer text tells of a change, that
// word may have changed.
func otherSubject(a, b *Text) bool {
	if b.has("change") {
		return false
	}
	older, newer := pieces(a.folded), pieces(b.folded)
	i := slices.IndexFunc(older, isPredicate)
	if i < 1 {
		return false
	}
	j := slices.IndexFunc(newer, func(p string) bool { return sameWord(older[i], p) }) // 备用钥匙在, where 用 is none
	const longest = 14                                                                 // pieces before a predicate
	if j < 1 || max(i, j) > longest {
		return false
	}
	subject := newer[:j]
	if comma := lastIndex(newer[:j], ","); comma >= 0 {
		subject = subject[comma+1:] // what stands before it tells of something that happened
	}
	return telling(subject, older) && otherNumber(older[i:], newer[j:]) && otherNumber(newer[j:], older[i:])
}

// pieces returns the words, names with digits, and single ideographs of a text, and "," for
// the end of a clause.
func pieces(folded string) (all []string) {
	folded = besidePoint.expr().ReplaceAllString(folded, " ")
	word := ""
	for _, r := range folded + " " {
		if r < utf8.RuneSelf && (latin(byte(r)) || digit(byte(r)) || word != "" && strings.ContainsRune("-_'.@", r)) || unicode.In(r, unicode.Katakana, unicode.Hangul, unicode.Cyrillic) || r == 'ー' {
			word += string(r)
			continue
		}
		if word = strings.TrimRight(word, "-_'.@"); word != "" {
			all = append(all, word)
		}
		if word = ""; unicode.In(r, unicode.Han, unicode.Hiragana) {
			all = append(all, string(r))
		} else if strings.ContainsRune(",，;；。!", r) {
			all = append(all, ",")
		}
	}
	return all
}

// besidePoint matches words that say nothing about which thing is meant.
var besidePoint = pattern{lazyregexp.New(`\b(?:current(?:ly)?|usual(?:ly)?|normal(?:ly)?|default|really|still|also|just|already|always|own)\b|目前|当前|最近|已经|今天|暂时|一般|通常|应该|默认|大概|的新的?|新しい`), anything}

// predicates are words with which it begins what is said of a thing.
var predicates = strings.Fields("is are was were has have runs listens fires serves accepts covers returns gets costs starts begins ends leaves departs arrives opens closes pays makes takes lives works needs uses goes lasts holds stands stops sits expires weighs seats" +
	" 是 在 有 用 叫 跑 住 坐 要 为 每 付 交 开 装 放 归 由 花 停 は が")

func isPredicate(piece string) bool { return slices.Contains(predicates, piece) }

func lastIndex(pieces []string, piece string) int {
	for i := len(pieces) - 1; i >= 0; i-- {
		if pieces[i] == piece {
			return i
		}
	}
	return -1
}

// telling reports whether one of some pieces is none of the others and tells things apart.
func telling(pieces, others []string) bool {
	return slices.ContainsFunc(pieces, func(p string) bool {
		direction := p == "to" || p == "from" || p == "back"
		means := !silent(p) && !strings.Contains("的了我们你您他她它这那个呢吗のはが私", p)
		return (direction || means) && !slices.ContainsFunc(others, func(o string) bool { return sameWord(o, p) && !digit(p[len(p)-1]) || o == p })
	})
}

// otherNumber reports whether one of some pieces has a number or is an address, and is none of
// the others.
func otherNumber(pieces, others []string) bool {
	return slices.ContainsFunc(pieces, func(p string) bool {
		return (numeral(p) || strings.Contains(p, "@")) && !slices.Contains(others, p)
	})
}
