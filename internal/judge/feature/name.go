package feature

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/memoir-ai/memoir/internal/lazyregexp"
)

// otherPerson reports whether two texts are the same words but for the name of a person, so that
// they are not the same: "Anna owes me 40 euros", "Hanna owes me 40 euros"; 孙强不吃辣, 孙刚不吃辣;
// 田中さん, 中田さん. The models see how alike the names are.
func otherPerson(a, b *Text) bool {
	if a.cjk > a.latin != (b.cjk > b.latin) {
		return false
	}
	if b.cjk > b.latin {
		return otherWideName(a, b) || otherTitled(a, b)
	}
	older, newer := strings.Fields(a.raw), strings.Fields(b.raw)
	if len(older) != len(newer) {
		return false
	}
	differ := -1
	for i := range older {
		if older[i] == newer[i] {
			continue
		}
		if differ >= 0 {
			return false
		}
		differ = i
	}
	return differ >= 0 && nameOf(older[differ]) != nameOf(newer[differ]) && nameOf(older[differ]) != "" && nameOf(newer[differ]) != ""
}

// nameOf returns a word that is written as a name, without what stands behind it, or "".
func nameOf(word string) string {
	word = strings.TrimRight(word, ".,;:!?")
	word = strings.TrimSuffix(strings.TrimSuffix(word, "'s"), "’s")
	for i, r := range word {
		if i == 0 && !unicode.IsUpper(r) || !unicode.IsLetter(r) && r != '-' {
			return ""
		}
	}
	if stopWord(word) {
		return ""
	}
	return fold(word)
}

// otherWideName does what [otherPerson] says where two Chinese or Japanese texts differ in one
// place: behind what stands before a name or in the place of a family name, in the given name
// behind one, or before a title.
func otherWideName(a, b *Text) bool {
	const longest = 3 // characters of what differs
	older, newer := []rune(a.folded), []rune(b.folded)
	n := 0
	for n < min(len(older), len(newer)) && older[n] == newer[n] {
		n++
	}
	end := 0
	for end < min(len(older), len(newer))-n && older[len(older)-1-end] == newer[len(newer)-1-end] {
		end++
	}
	before, after := older[:n], string(older[len(older)-end:])
	x, y := older[n:len(older)-end], newer[n:len(newer)-end]
	if len(x) == 0 || len(y) == 0 || len(x) > longest || len(y) > longest || !wide(x) || !wide(y) {
		return false
	}
	if len(before) > 0 {
		last := before[len(before)-1]
		if strings.ContainsRune("小老阿", last) && len(x) == 1 && len(y) == 1 || surname(last) && len(x) < longest && len(y) < longest {
			return true
		}
	}
	return surname(x[0]) && surname(y[0]) && (len(x) > 1 && len(y) > 1 || startsWide(after)) || titleBehind.in(after)
}

// otherTitled reports whether each of two Japanese texts names somebody with a title whom the other
// does not name.
func otherTitled(a, b *Text) bool {
	return namesOther(a, b) && namesOther(b, a)
}

func namesOther(a, b *Text) bool {
	all := titled().FindAllStringSubmatch(b.folded, -1)
	return len(all) > 0 && !slices.ContainsFunc(all, func(m []string) bool { return strings.Contains(a.folded, m[1]) })
}

// titleBehind matches a title behind a name, and titled a name with one.
var (
	titleBehind = pattern{lazyregexp.New(`^(?:さん|くん|ちゃん|様|氏|先生|君|总|老师|医生|大夫|律师|经理|主任|师傅|女士|太太|阿姨|叔叔|教授)`), beyondASCII}
	titled      = lazyregexp.New(`([\p{Han}\p{Katakana}]{1,4})(?:さん|くん|ちゃん)`)
)

// surname reports whether a character is one of the commonest Chinese family names.
func surname(r rune) bool { return surnames()[r] }

var surnames = sync.OnceValue(func() map[rune]bool {
	all := map[rune]bool{}
	for _, c := range thingCues().cues {
		if thingCues().lists[c.list] == "surname zh" {
			r, _ := utf8.DecodeRuneInString(c.text)
			all[r] = true
		}
	}
	return all
})

func wide(all []rune) bool {
	return !slices.ContainsFunc(all, func(r rune) bool { return !unicode.In(r, unicode.Han, unicode.Katakana) })
}

func startsWide(text string) bool {
	for _, r := range text {
		return unicode.Is(unicode.Han, r)
	}
	return false
}
