package feature

import (
	"strings"
	"unicode/utf8"

	"github.com/memoir-ai/memoir/internal/lazyregexp"
)

// ofOtherHead reports whether the newer text tells of something else than the older, as what
// each begins with shows, whatever has changed there:
//   - of what the older only names: "Our cat is called Pickle", "Pickle eats fish only";
//   - of what somebody has whom the older names, where that is unlike all that the older
//     says: "Our doctor is Dr Sorensen", "Dr Sorensen's practice has a new receptionist";
//   - of somebody by name, where the older is of oneself: "I wear size 43", "Milo wears 33 now";
//   - of a part: "The CI runs on Buildkite", "The mobile CI moved to Bitrise";
//   - of a new thing that is unlike all that the older says: "The Volvo got new brakes";
//   - of nothing that the older has a word of.
func (m *Meeting) ofOtherHead() bool {
	a, b := m.older.text, m.newer.text
	if m.likeness == nil {
		return false
	}
	return aboutNamed(a, b) || m.newThing() || naming.in(a.folded) && !renaming.in(b.folded) || toldMore(a, b) || m.ofPossession() || ofNamed(a, b) || ofPart(a.folded, b.folded) || m.ofNothing()
}

// aboutNamed reports whether one text says who somebody is ("My doctor is Dr Aydin"; 合伙人是胡哥)
// and the other begins with his name and says something else of him. So the newer does not
// say the same, and does not take the older back unless it says that he left.
func aboutNamed(a, b *Text) bool {
	return tellsOf(a, b) || tellsOf(b, a) || tellsOfThing(a, b) || tellsOfThing(b, a)
}

// tellsOf reports whether a text says who somebody is, and the other begins with his name and
// says neither who he is or what he does for one nor that he left.
func tellsOf(who, other *Text) bool {
	m := whoPattern().FindStringSubmatch(who.folded)
	if m == nil {
		return false
	}
	name := m[1] + m[2] + m[3] + m[4]
	rest, ok := strings.CutPrefix(withoutTitle(other.folded), name)
	if !ok || m[1]+m[4] != "" && !strings.HasPrefix(rest, " ") && !strings.HasPrefix(rest, "'") {
		return false
	}
	return !other.has("leaves") && !isSomebody.in(rest) && !oneself.in(rest) && !strings.Contains(rest, "我")
}

func withoutTitle(folded string) string {
	for _, title := range []string{"dr ", "dr. ", "mr ", "mr. ", "mrs ", "mrs. ", "ms ", "ms. ", "prof ", "prof. "} {
		if rest, ok := strings.CutPrefix(folded, title); ok {
			return rest
		}
	}
	return folded
}

// whoPattern matches a text that says who somebody is, with the name at its end; isSomebody
// what is said of a name then.
var (
	whoPattern = lazyregexp.New(`^(?:my|our|the|\p{Latin}+'s) [^,.;!?]{2,40}? (?:is|are)(?: called| named| \p{Latin}+ by)? (?:(?:dr|mr|mrs|ms|prof)\.? )?(\p{Latin}{2,})[.!]?$|^[^,。!?]{1,10}(?:是|叫|归|由)(\p{Han}{2,4}?|\p{Latin}{2,})(?:管|负责)?[。.]?$|^[^、。!?]{1,12}は([^、。!?\p{Hiragana}]{1,6}(?:さん|先生)?)(?:です|だ)?[。.]?$|^(?:(?:мой|моя|наш|наша) )?\p{Cyrillic}{3,20} [—–-] (\p{Cyrillic}{2,}(?: \p{Cyrillic}{2,})?)[.!]?$`)
	isSomebody = pattern{lazyregexp.New(`^ (?:is|was) (?:now |still )?(?:my|our|the|a|an)\b|^(?:现在)?(?:是|不是|当|做)|^[はが][^、。]*(?:です|だ)[。.]?$|^[はが]\p{Han}{1,6}[。.]?$|^ (?:теперь |больше )?(?:не )?(?:мо[йя]|наш|[—–-])`), anything}
)

// naming matches a text that says how somebody or something is called and nothing else;
// renaming what names it anew, or says that it is no more.
var (
	naming   = pattern{lazyregexp.New(`^[^,.;!?]{2,40} (?:is|are) (?:called|named) \p{L}+(?: \p{L}+){0,2}[.!]?$|^[^,。!?]{1,8}(?:姓|叫|名叫|名字是)\p{L}{1,8}[。.]?$|^[^、。!?]{1,10}[はの]名前は[^、。]{1,10}(?:です|だ)?。?$`), anything}
	renaming = pattern{lazyregexp.New(`\b(?:called|named|name|renamed|died|dead|gone|our|my)\b|叫|姓|名|改|死|走了|去世|我`), anything}
)

// possessed matches a beginning that names somebody and what is his.
var possessed = lazyregexp.New(`^(?:(?:dr|mr|mrs|ms|prof)\.? )?(\p{Latin}{2,})['’]s (?:(?:new|old|own|little|big) )*(\p{Latin}+)|^(\p{Han}{2,4}?)的新?(\p{Han}{2,4})`)

// ofPossession reports whether the newer text begins with what somebody has whom the older
// names, and that is unlike all words of the older.
func (m *Meeting) ofPossession() bool {
	of := possessed().FindStringSubmatch(m.newer.text.folded)
	if of == nil {
		return false
	}
	who, what := of[1]+of[3], of[2]+of[4]
	if stopWord(who) || !strings.Contains(m.older.text.folded, who) {
		return false
	}
	if of[3] != "" {
		return (strings.HasSuffix(strings.TrimRight(m.older.text.folded, "。."), who) || person.in(who)) && !strings.ContainsAny(m.older.text.folded, what)
	}
	u, alike := m.newWord(what)
	return u != nil && alike < possessedUnlike
}

// person matches a Chinese name or form of address of a person.
var person = pattern{lazyregexp.New(`^[小老阿]\p{Han}$|(?:哥|姐|叔|姨|爷|奶|妈|爸|弟|妹|总|工|老师|医生|师傅|先生|女士|经理)$`), beyondASCII}

// newThing reports whether the newer text says that somebody or something has a new thing that
// is unlike all words of the older, and not that one has taken the place of another.
func (m *Meeting) newThing() bool {
	of := newThingPattern().FindStringSubmatch(m.newer.text.folded)
	if of == nil || m.newer.text.has("replaced") || m.newer.text.begins("self") || len(m.newer.text.kinds("attribute ")) > 0 {
		return false
	}
	u, alike := m.newWord(of[1])
	return u != nil && !u.name && alike < newUnlike
}

// newThingPattern matches what somebody or something has anew.
var newThingPattern = lazyregexp.New(`\b(?:got|gets|has|have|bought|received) (?:an? |some )?(?:brand[ -])?new (\p{Latin}+)`)

// newUnlike is how alike the word of a new thing is at most to the older text's words that
// are of something else.
const newUnlike = .75

// possessedUnlike is how alike the word of a possession is at most to the older text's words
// that are of something else.
const possessedUnlike = .6

// ofNamed reports whether the older text is of oneself, and the newer begins with the name of
// somebody of whom the older does not speak, and does not come back to oneself.
func ofNamed(a, b *Text) bool {
	if !a.begins("self") || oneself.in(b.folded) || strings.ContainsAny(b.folded, "我咱私僕俺") {
		return false
	}
	if of := chineseName().FindStringSubmatch(b.folded); of != nil {
		who := of[1] + of[2]
		return !notWhole.in(who) && !strings.Contains(a.folded, who) && (of[3] == "" || strings.Contains(a.folded, of[3]))
	}
	x, y := ownVerb().FindStringSubmatch(a.folded), namedVerb().FindStringSubmatch(b.folded)
	return x != nil && y != nil && begun.in(b.raw) && len(b.roles()) == 0 && !strings.Contains(a.folded, y[1]) && strings.HasPrefix(y[2], strings.TrimRight(x[1], "y"))
}

// ownVerb matches what one does oneself, namedVerb what somebody does who is named.
var (
	ownVerb   = lazyregexp.New(`^(?:i|we) (?:now |always |usually |mostly )?(\p{Latin}{2,})`)
	namedVerb = lazyregexp.New(`^(\p{Latin}{2,}) (?:now |always |usually |mostly )?(\p{Latin}+s)\b`)
)

// chineseName matches a Chinese beginning that is somebody's name: 小米, 老周, or who has what
// both texts are about.
var chineseName = lazyregexp.New(`^([小老阿]\p{Han})[^\p{Han}]?|^(\p{Han}{2,4})的(\p{Han}{2})`)

// ofPart reports whether the newer text begins with a part of what the older begins with, or
// with one of several.
func ofPart(older, newer string) bool {
	if whole, part, ok := strings.Cut(newer, "的"); ok {
		part = strings.TrimSpace(part)
		return utf8.RuneCountInString(whole) <= 6 && !notWhole.in(whole) && commonPrefix(older, part) > 1 && !strings.Contains(older, whole) && !strings.HasPrefix(part, "新")
	}
	a, b := withoutArticle(older), withoutArticle(newer)
	first, _, _ := strings.Cut(newer, " ")
	return determiner(first) && len(a) > 1 && len(b) > 2 && b[1] == a[0] && b[0] != a[0] && !stopWord(a[0]) && !stopWord(b[0]) && !notPart(b[0])
}

// notPart are adjectives that leave a thing the whole that it was; notWhole matches what
// stands before 的 and does so, too.
var (
	notPart  = oneOfWords("new old current main whole entire only next latest present total full overall final official actual correct updated revised regular usual daily weekly monthly quarterly yearly annual")
	notWhole = pattern{lazyregexp.New(`^(?:我们?|咱们?|家里?|自己|现在|目前|如今|今年|这个月|本月|本周|最新|最近|以后|后来|正确|新|这里|这边)`), beyondASCII}
)

// withoutArticle returns the words of a text without the article that it begins with.
func withoutArticle(folded string) []string {
	words := strings.Fields(folded)
	if len(words) > 0 && determiner(words[0]) {
		return words[1:]
	}
	return words
}

// ofNothing reports whether the newer text has hardly a word that is like one of the older,
// and neither is of oneself. It looks at Chinese and Japanese.
func (m *Meeting) ofNothing() bool {
	return len(m.newer.text.claims()) == 0 && m.older.text.cjk > 0 && m.newer.text.cjk > 0 && !m.older.text.begins("self") && !m.newer.text.begins("self") && weighted(m.bestB, weights(m.newer.units)) < nothingAlike
}

// nothingAlike is how alike the words of a newer text are at most, weighed by what they say,
// to those of an older one of which it says nothing.
const nothingAlike = .22
