package feature

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memoir-ai/memoir/internal/lazyregexp"
)

// What follows tells whom or what a text is of by what it begins with, or by what it says that
// something is of. Long names and equal forms make texts alike to the models that are about two
// persons or two things, or about one and say two things of it.

// ofTwo reports whether two texts begin with two persons who are told by what they are to one
// ("my boss", "my assistant"; 我上司, 我的下属), or say of which thing something is, and mean two:
// 读书会的时间是周五, 摄影课的时间是周五.
func ofTwo(a, b *Text) bool {
	x, _, endA := a.headRole()
	y, _, endB := b.headRole()
	if x != "" && y != "" {
		if x == y {
			return ofBrotherOrSister(a.folded[:endA]) != ofBrotherOrSister(b.folded[:endB])
		}
		return !(oneOfTwo(x) && oneOfTwo(y))
	}
	return twoOwners(a.ownerOf(), b.ownerOf())
}

// oneOfTwo are roles of which one person may have the one and then the other.
var oneOfTwo = oneOfWords("wife husband partner friend")

// ofBrotherOrSister returns by which of four characters Chinese tells apart brothers, sisters
// and cousins, 0 where a text ends with none of them.
func ofBrotherOrSister(folded string) rune {
	if last, _ := utf8.DecodeLastRuneInString(folded); strings.ContainsRune("哥姐弟妹", last) {
		return last
	}
	return 0
}

// sayAnother reports whether two texts say two matters of one thing in so many words: when and
// where it is, 读书会的时间是周五, 读书会的地点是图书馆.
func sayAnother(a, b *Text) bool {
	x, y := a.ownerOf(), b.ownerOf()
	if x[1] == "" || y[1] == "" || !strings.Contains(x[0], y[0]) && !strings.Contains(y[0], x[0]) {
		return false
	}
	in := commonLanguages(a, b)
	return disjointBy(touchingTimes, (&Text{folded: x[1]}).aspects(in, 0, ""), (&Text{folded: y[1]}).aspects(in, 0, ""))
}

// possessiveHead matches what stands before a person who is told by what he is to one.
var possessiveHead = lazyregexp.New(`^(?:我们?的?|咱们?的?|(?:私|仆|俺|うち)の|(?:my|our|mein|meine|unser|unsere|mon|ma|notre|mi|nuestro|nuestra|il mio|la mia|o meu|a minha|мой|моя|наш|наша) )(?:那[个位]|有?一?[个位]|new |old |former |current )*`)

// headRole returns what the person is to one whom a text begins with, "boss" for 我的上司…, and
// where in the text that stands. It is "" where the text begins otherwise.
func (t *Text) headRole() (role string, from, to int) {
	at := possessiveHead().FindStringIndex(t.folded)
	if at == nil {
		return "", 0, 0
	}
	for _, h := range t.hits {
		if role, ok := strings.CutPrefix(cues().lists[cues().cues[h.cue].list], "role "); ok && h.at == at[1] {
			return role, h.at, h.end
		}
	}
	for _, h := range t.thingHits() {
		if role, ok := strings.CutPrefix(thingCues().lists[thingCues().cues[h.cue].list], "person "); ok && h.at == at[1] {
			role, _ = lastCut(role)
			return role, h.at, h.end
		}
	}
	return "", 0, 0
}

// ownerOf returns of what a text says something in so many words, and what: 读书会 and 时间 of
// 读书会的时间是周五, "reading circle" and "venue" of "The venue of the reading circle is …".
func (t *Text) ownerOf() [2]string {
	if !strings.Contains(t.folded, " of ") && !strings.ContainsAny(t.folded, "的の其它他她") {
		return [2]string{}
	}
	m := statedOf().FindStringSubmatch(t.folded)
	if m == nil {
		return [2]string{}
	}
	return [2]string{strings.TrimPrefix(m[1]+m[3]+m[5]+m[8], "the "), m[2] + m[4] + m[6] + m[7]}
}

// statedOf matches a text that says something of something: in Chinese and Japanese behind 的
// and の, in English before "of".
var statedOf = lazyregexp.New(`^([^,。!?;:]{2,24}?)的([^\P{Han}的]{1,8})(?:是|为|叫|在|有|共|达)|^([^,。!?;:]{2,24}),(?:[它他她]的?|其)([^\P{Han}的]{1,8})(?:是|为|叫|在|有|共|达)|^([^、。!?;:]{2,24})の([\p{Han}\p{Katakana}ー]{1,8})は|^the ([a-z]+(?: [a-z]+)?) of ([^,.;!?]{4,40}?) (?:is|are|was|were) `)

// fewestOfName is how many characters at least the names have of two things that are told apart
// by them: shorter ones often mean the same, as 周会 and 例会 do.
const fewestOfName = 4

// twoOwners reports whether one thing is said of two, neither of which names the other.
func twoOwners(a, b [2]string) bool {
	if a[1] == "" || !strings.HasSuffix(a[1], b[1]) && !strings.HasSuffix(b[1], a[1]) {
		return false
	}
	for _, x := range []string{a[0], b[0]} {
		if utf8.RuneCountInString(x) < fewestOfName || notWhole.in(x) {
			return false
		}
	}
	return !strings.Contains(a[0], b[0]) && !strings.Contains(b[0], a[0]) && !slices.Equal(sortedRunes(a[0]), sortedRunes(b[0]))
}

func sortedRunes(s string) []rune {
	r := []rune(s)
	slices.Sort(r)
	return r
}

// touchingTimes are the matters of a thing that may be one, though two words name them.
var touchingTimes = map[string][]string{"time": {"day", "date"}, "day": {"date"}}

// longName returns a long name that two texts have in common, which makes up most of what they
// have in common: 5 characters of Chinese or Japanese, or three words with capitals. It is ""
// where there is none.
func longName(a, b *Text) string {
	for _, m := range capitals().FindAllString(a.raw, -1) {
		if m = strings.TrimPrefix(m, "The "); strings.Count(m, " ") > 1 && strings.Contains(b.raw, m) {
			return fold(m)
		}
	}
	if a.cjk < longWide || b.cjk < longWide {
		return ""
	}
	from, run, longest := 0, 0, ""
	for at, r := range a.folded {
		end := at + utf8.RuneLen(r)
		if !unicode.In(r, unicode.Han, unicode.Katakana) && r != 'ー' || strings.ContainsRune(noName, r) {
			from, run = end, 0
			continue
		}
		run++
		for run > 0 && !strings.Contains(b.folded, a.folded[from:end]) {
			_, width := utf8.DecodeRuneInString(a.folded[from:])
			from, run = from+width, run-1
		}
		if run >= longWide && end-from > len(longest) {
			longest = a.folded[from:end]
		}
	}
	return longest
}

const (
	longWide = 5
	noName   = "的是在了有我你他她和与不"
)

// capitals matches a name of several words.
var capitals = lazyregexp.New(`(?:\p{Lu}[\p{L}\d'’-]+ ){2,}\p{Lu}[\p{L}\d'’-]+`)

// leastFresh is how well words of a newer text are matched at least that the older one does not
// have, where both have a long name in common.
const leastFresh = .5

// addsToName reports whether both texts have a long name in common, or begin with the same
// person, and the newer is about another matter or has words beside that are unlike those of the
// older.
func (m *Meeting) addsToName() bool {
	if m.likeness == nil || m.older.cjk() != m.newer.cjk() {
		return false
	}
	x, _, _ := m.older.text.headRole()
	y, _, _ := m.newer.text.headRole()
	name := longName(m.older.text, m.newer.text) != ""
	if (x == "" || x != y) && !name {
		return false
	}
	if name && otherAspect(m.older.text, m.newer.text) {
		return true
	}
	var sum, all float64
	for i, u := range m.newer.units {
		if u.weight >= 1 && !strings.Contains(m.older.text.folded, u.text) {
			sum, all = sum+float64(m.bestB[i]*u.weight), all+u.weight
		}
	}
	return all > 0 && sum/all < leastFresh
}

// moreOfOccasion reports whether the older text says only that somebody goes to something, and
// the newer says what that is about, or when, where or how large it is, and not that it is off.
func moreOfOccasion(a, b *Text) bool {
	if !a.mayAttend() || calledOff.in(b.folded) {
		return false
	}
	older, newer := aspects(a, b, commonLanguages(a, b))
	return len(older) == 1 && older["attend"] && len(newer) > 0 && !newer["attend"]
}

// mayAttend reports whether a text has a word for going to something, in any language.
func (t *Text) mayAttend() bool {
	return slices.ContainsFunc(t.thingHits(), func(h hit) bool {
		list, _ := lastCut(thingCues().lists[thingCues().cues[h.cue].list])
		return list == "attend" || list == "weak attend"
	})
}

// onlyReviews reports whether the newer text says how a thing or a place is and not that it is
// gone, and the older does not: 我的鞋是斯凯奇, 斯凯奇穿着很舒服，就是有点闷。
func onlyReviews(a, b *Text) bool {
	return b.Reviews() && !a.Reviews() && !gone.in(b.folded) && !b.has("replaced")
}

// tellsOfThing reports whether a text says which thing somebody has or lives in by its name, and
// the other begins with that name and says something else of it: 我用的手机是荣耀50,
// 荣耀50拍照很清楚. What tells that it is no longer there is about the same matter.
func tellsOfThing(which, other *Text) bool {
	m := whichThing().FindStringSubmatch(which.raw)
	if m == nil || len(which.roles()) > 0 || gone.in(other.folded) || other.has("replaced") || other.has("ended") || other.has("leaves") || other.cjk > other.latin != (which.cjk > which.latin) {
		return false
	}
	name := strings.ReplaceAll(fold(m[1]+m[2]), " ", "")
	rest := strings.ReplaceAll(beforeThing.expr().ReplaceAllString(other.folded, ""), " ", "")
	for utf8.RuneCountInString(name) > 2 {
		if behind, ok := strings.CutPrefix(rest, name); ok {
			return behind != "" && !isSomething.in(behind)
		}
		if m[2] != "" {
			return false
		}
		_, width := utf8.DecodeRuneInString(name)
		name = name[width:]
	}
	return false
}

var (
	// whichThing matches what says which thing somebody has, with its name at the end.
	whichThing = lazyregexp.New(`^[^,，。!?！？;；:：]{2,16}?(?:是|叫)([^,，。!?！？;；:：的]{3,20})[。.!]*$|^(?:[Mm]y|[Oo]ur) [^,.;!?]{2,30}? (?:is|are) (?:an? |the )?(\p{Lu}[^,.;!?]{3,40})[.!]*$`)
	// beforeThing matches what may stand before the name of what somebody tells about.
	beforeThing = pattern{lazyregexp.New(`^(?:i (?:think|find|like|love) (?:that )?)?(?:the|this|my|our) |^(?:我(?:真?的?觉得|认为|感觉)|感觉|觉得)?,?(?:我[住用穿买]的)?(?:这[款个双台部]|那[款个双台部])?`), anything}
	// isSomething matches what says of a name again which thing it is.
	isSomething = pattern{lazyregexp.New(`^(?:就?是|is(?:my|our|the)|now)`), anything}
	gone        = pattern{lazyregexp.New(`换|卖|送|丢|扔|退|坏了|没了|不再|搬|\b(?:sold|lost|broke|broken|gave|given|replaced|returned|switched|gone|moved|no longer)\b`), anything}
)
