package feature

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/memoir-ai/memoir/internal/lazyregexp"
)

// What follows reads what is told with a verb of change: whom somebody joined, what was sold
// for another one, what may be done and is not, and what is only a part of the older text.

// turnsFile is made of the files in lists/turns as the other lexicons are.
//
//go:embed turns.txt
var turnsFile string

var turnCues = sync.OnceValue(func() *lexicon { return readLexicon(turnsFile) })

// turned returns the hits of a list of lists/turns. They are looked for apart, so that
// searches do not pay for them.
func (t *Text) turned(list string) (found []hit) {
	if t.turns == nil {
		hits := turnCues().find(t.folded)
		t.turns = &hits
	}
	want, ok := turnCues().index[list]
	for _, h := range *t.turns {
		if ok && turnCues().cues[h.cue].list == want {
			found = append(found, h)
		}
	}
	return found
}

// stagesTurned adds the stages of which lists/turns has words to those that a text tells of.
// What is denied is at no stage.
func (t *Text) stagesTurned(found map[string]string) {
	for _, list := range turnCues().lists {
		stage, ok := strings.CutPrefix(list, "stage ")
		if !ok || !slices.ContainsFunc(t.turned(list), func(h hit) bool { return !t.denied(h) }) {
			continue
		}
		of, number, _ := strings.Cut(stage, " ")
		found[of] = max(found[of], number)
	}
}

// turnsOther reports whether the newer text tells of a change of something else than the older,
// of a part of it, or of one that was not made or not now.
func turnsOther(a, b *Text) bool {
	return onlyMight(a, b) || ofKinAlone(a, b) || beginsPart(a, b) || oneOfThem(a, b) || englishPart(a, b) || otherPutOff(a, b) || gaveUpOther(a, b) || inSomeYear(a, b)
}

// ofKinAlone reports whether a Japanese text is about one of the family whom the older does not
// name. Who tells of himself leaves out the "I", so that nothing shows that there it is he.
func ofKinAlone(a, b *Text) bool {
	if !strings.ContainsFunc(b.folded, hiragana) || !strings.ContainsFunc(a.folded, hiragana) {
		return false
	}
	return slices.ContainsFunc(family, func(role string) bool {
		return !a.has("role "+role) && slices.ContainsFunc(b.of("role "+role), func(h hit) bool {
			next, _ := utf8.DecodeRuneInString(b.folded[h.end:])
			return h.at == 0 && strings.ContainsRune("がはも", next)
		})
	})
}

// onlyMight reports whether the newer text says that something may change, or that somebody
// would like it to, and not that it has: "We might move to York" after "I live in Leeds".
// Until then what the older text says holds, unless it tells of a plan itself.
func onlyMight(a, b *Text) bool {
	if len(a.turned("undone")) > 0 || a.has("plan") || a.has("ahead") {
		return false
	}
	chinese := b.cjk > b.latin && !strings.ContainsFunc(b.folded, hiragana)
	if chinese && ended().MatchString(b.folded) {
		return false // 计划改到周五了
	}
	const near = 24 // bytes
	for _, u := range b.turned("undone") {
		for _, v := range b.turned("turn") {
			from, to := u.end, v.at
			if b.cjk > b.latin && !chinese {
				from, to = v.end, u.at // in Japanese the verb comes first
			}
			if from <= to && to-from <= near && !strings.ContainsFunc(b.folded[from:to], clauseMark) {
				return true
			}
		}
	}
	return false
}

func hiragana(r rune) bool { return 'ぁ' <= r && r <= 'ん' }

// beginsPart reports whether what a newer text says to be so by now is a kind of what the older
// denies: "I can't drink milk", "I can drink oat milk now". One word or more stands between
// what was denied and the words before it, and none of them says how good or new it is.
func beginsPart(a, b *Text) bool {
	if !beginsNow(a, b) {
		return false
	}
	denied, said := timeless(a), timeless(b)
	if len(said) <= len(denied) {
		return false
	}
	n := 0
	for n < len(denied) && sameWord(denied[n], said[n]) {
		n++
	}
	more := len(said) - len(denied)
	if n == len(denied) || !slices.EqualFunc(denied[n:], said[n+more:], sameWord) {
		return false
	}
	d := a.denials()[0]
	verb := wordAfter(a.folded[d.end:])
	if of := hasNone.in(a.folded[d.at:d.end]) || hasNone.in(a.folded[d.at:]); !of && verb != "" && slices.ContainsFunc(said[n+more:], func(w string) bool { return sameWord(w, verb) }) {
		return false // 我不喝酒, 我现在每天喝酒了
	}
	between := strings.Join(said[n:n+more], "")
	if latin(between[0]) {
		between = strings.Join(said[n:n+more], " ")
	}
	return len((&Text{folded: between}).turned("grade")) == 0
}

// hasNone matches a denial of a thing and not of what is done.
var hasNone = pattern{lazyregexp.New(`^(?:no|without|lacks?|没有?|無い|ない)\b|^没有?`), anything}

// oneOfThem reports whether the newer text is about one of several of which the older tells:
// "One of the cats passed away" after "We have two cats".
func oneOfThem(a, b *Text) bool {
	if amongThem.in(b.folded) && !amongThem.in(a.folded) {
		return true
	}
	m := onlyOne().FindStringSubmatch(b.folded)
	if m == nil {
		return false
	}
	several := severalOf().FindAllStringSubmatch(a.folded, -1)
	return slices.ContainsFunc(several, func(s []string) bool { return s[1] == m[1] })
}

// amongThem matches the beginning of what is about one of several, onlyOne a Chinese or Japanese
// one by its counter, and severalOf how many there are by theirs.
var (
	amongThem = pattern{lazyregexp.New(`^(?:one|some|two|half|most) of (?:the|my|our|his|her|their)\b|^(?:我们?|他们?|她们?)?(?:其中|当中|里面)?(?:有)?其中|^(?:そのうち|うち)の?(?:一|1)`), anything}
	onlyOne   = lazyregexp.New(`^(?:有|另)?[一1]([只条辆台个部张匹头匹本套间家])`)
	severalOf = lazyregexp.New(`[两二三四五六七八九十几2-9]([只条辆台个部张匹头匹本套间家])`)
)

// englishPart reports whether the newer text says in English that a part was changed of which
// the older says nothing: "I replaced the battery of the ThinkPad".
func englishPart(a, b *Text) bool {
	return len(a.turned("part")) == 0 && slices.ContainsFunc(b.turned("part"), func(h hit) bool { return partBefore.in(b.folded[:h.at]) })
}

// partBefore matches what says that something was changed, before what it is.
var partBefore = pattern{lazyregexp.New(`\b(?:replaced|changed|swapped|fixed|repaired|upgraded|renewed) (?:out )?(?:(?:the|its|my|our|a|all|both|four|two) ){0,2}(?:[a-z]+ )?$`), anything}

// otherPutOff reports whether the newer text says that something was moved to another time, and
// the older when something else is: 周会在周一, 复盘会改到周四了.
func otherPutOff(a, b *Text) bool {
	x, y := whenIs().FindStringSubmatch(a.folded), putOff().FindStringSubmatch(b.folded)
	if x == nil || y == nil {
		return false
	}
	of, moved := x[1]+x[2], y[1]+y[2]
	if latin(of[0]) {
		of, moved = lastWord(of), lastWord(moved)
		return !oneStem(of, moved) && !strings.Contains(a.folded, moved) && !strings.Contains(b.folded, of) && !anyMeeting(moved) && !anyMeeting(of)
	}
	first, _ := utf8.DecodeRuneInString(moved)
	return !strings.Contains(of, moved) && !strings.Contains(moved, of) && !strings.ContainsRune(of, first)
}

func lastWord(s string) string { return s[strings.LastIndexByte(s, ' ')+1:] }

// anyMeeting are words for what has another name as well.
var anyMeeting = oneOfWords("meeting appointment deadline date time session event call slot class lesson it this that")

// whenIs matches what is at some time, putOff what was moved to another.
var (
	whenIs = lazyregexp.New(`^(?:the|our|my) ([a-z -]{2,30}?) (?:is|are|starts|begins|takes place) (?:on|at|in|due|scheduled|every)\b|^(\p{Han}{2,6}?)(?:时间|日期)?(?:定?在|是|于)(?:每?周|星期|\d|[一二三四五六七八九十]|[上下]午|早|晚)`)
	putOff = lazyregexp.New(`^(?:the|our|my) ([a-z -]{2,30}?) (?:was |is |has been |have been |got |were )?(?:moved|pushed back|pushed|postponed|rescheduled|put off|brought forward|delayed|shifted) (?:back |forward )?(?:to|until|till|by)\b|^(\p{Han}{2,6}?)(?:时间|日期)?(?:改|挪|推迟|延期|延后|提前|调整?|换)(?:到|至|成)`)
)

// gaveUpOther reports whether the newer text says in Chinese what somebody gave up, and the
// older says nothing of it: 我抽烟, 我把奶茶戒了.
func gaveUpOther(a, b *Text) bool {
	if !strings.Contains(b.folded, "戒") || strings.ContainsFunc(b.folded, hiragana) {
		return false
	}
	m := quitThing().FindStringSubmatch(b.folded)
	return m != nil && !strings.ContainsAny(a.folded, strings.Trim(m[1]+m[2], "了吃喝抽玩打"))
}

// quitThing matches what somebody gave up in Chinese.
var quitThing = lazyregexp.New(`^(?:我|[小老阿]?\p{Han}{0,3}?)(?:已经|终于|刚|最近)*把(\p{Han}{1,4})(?:给|都)?戒[掉了]|^(?:我|[小老阿]?\p{Han}{0,3}?)(?:已经|终于|刚|最近)*戒掉?了?(\p{Han}{1,4}?)了?[。.!]*$`)

// inSomeYear reports whether the newer text tells what changed in a year that it names, and
// the older what is so without one: nobody knows which of them was first.
func inSomeYear(a, b *Text) bool {
	return turnedInYear.in(b.folded) && !aYear.in(a.folded) && !nowOrSince.in(b.folded)
}

// turnedInYear matches what changed in some year, aYear any year, and nowOrSince what says
// that it is so still.
var (
	turnedInYear = pattern{lazyregexp.New(`\b(?:moved|joined|switched|changed|got (?:married|divorced|engaged)|relocated|migrated|quit|left|gave up|sold|bought|adopted|graduated)\b[^.;!?]*? (?:back )?in (?:19|20)\d\d\b|(?:19|20)\d\d年(?:就|的时候)?(?:加入|入职|搬|结婚|离婚|换|买|戒|跳槽)`), anything}
	aYear        = pattern{lazyregexp.New(`(?:19|20)\d\d`), anything}
	nowOrSince   = pattern{lazyregexp.New(`\b(?:now|since|still|instead)\b|现在|至今|到现在`), anything}
)

// otherHousehold reports whether who lives alone says that he lives with somebody by now, or
// the other way round.
func otherHousehold(a, b *Text) bool {
	was, is := map[string]string{}, map[string]string{}
	a.stagesTurned(was)
	b.stagesTurned(is)
	return was["household"] != "" && is["household"] != "" && was["household"] != is["household"] && a.ofTeller() && b.ofTeller() && !formerly.in(b.folded)
}

// ofTeller reports whether a text begins with who tells it, and not with what belongs to him;
// in Japanese that it names nobody of whom it speaks.
func (t *Text) ofTeller() bool {
	if t.cjk > t.latin && strings.ContainsFunc(t.folded, hiragana) {
		return !strings.ContainsAny(t.folded, "はが")
	}
	return teller.in(t.folded)
}

// teller matches who tells a text, formerly what was and is no more.
var (
	teller   = pattern{lazyregexp.New(`^(?:i|i['’](?:m|ve)|we|we['’](?:re|ve)|the user|user) |^(?:我们?|用户)(?:一|独|自|单|搬|和|跟|与|现|已|刚|同|不再)`), anything}
	formerly = pattern{lazyregexp.New(`\b(?:used to|before|once)\b|以前|之前|曾|小时候`), anything}
)

// otherInShort reports whether two short Chinese texts say two things of one, of which one is
// denied, in characters of which they share none: 猫吃鸡肉, 猫不挑食.
func otherInShort(a, b *Text) bool {
	x, y := inShort().FindStringSubmatch(a.folded), inShort().FindStringSubmatch(b.folded)
	if x == nil || y == nil || len(a.denials())+len(b.denials()) != 1 {
		return false
	}
	n := commonPrefix(x[1], y[1])
	return n > 0 && !strings.ContainsAny(strings.Trim(x[1][n:], ofAnything), strings.Trim(y[1][n:], ofAnything))
}

// ofAnything are Chinese characters that tell of nothing.
const ofAnything = "不没有是的了很都也会能"

// inShort matches a short Chinese text.
var inShort = lazyregexp.New(`^(\p{Han}{3,8})[。.!]?$`)

// tradesIn reports whether the newer text says by its name that what the older ends with has
// given way to something else: "I drive a Golf", "I sold my Golf and bought a Corolla";
// 車はプリウスです, プリウスを売ってフィットを買った.
func tradesIn(a, b *Text) bool {
	if joined.in(a.folded) || len(a.denials()) > 0 || len(a.clauses()) > 1 || !ofOneself(a) || !ofOneself(b) {
		return false
	}
	end := strings.TrimRight(a.folded, " .。!")
	for _, ending := range []string{"です", "だ", "を使っている", "を使っています", "に乗っている", "に乗っています", "的"} {
		end = strings.TrimSuffix(end, ending)
	}
	for _, m := range traded().FindAllStringSubmatch(b.folded, -1) {
		old := ""
		for _, g := range m[1:] {
			old += g
		}
		before, ok := strings.CutSuffix(end, old)
		if last, _ := utf8.DecodeLastRuneInString(before); ok && utf8.RuneCountInString(old) > 1 && (!latin(old[0]) || last == ' ' || !isLatin(last)) {
			return true
		}
	}
	return false
}

// ofOneself reports whether a text is about who tells it, or in Chinese and Japanese about
// nobody else.
func ofOneself(t *Text) bool {
	if t.cjk > t.latin {
		return len(t.kin()) == 0 && len(t.firstOf(beside, 16)) == 0 && !namedFirst.in(t.folded)
	}
	return t.begins("self") && !t.beginsWithKin()
}

// namedFirst matches a Chinese or Japanese text that begins with somebody's name.
var namedFirst = pattern{lazyregexp.New(`^[小老阿]\p{Han}|^\p{Han}{1,3}さん`), anything}

// traded matches what has given way to something else.
var traded = lazyregexp.New(`\bsold (?:the|my|our) ([a-z0-9 -]{2,24}?),? (?:and|to) (?:bought|buy|got|get|lease|leased)\b|\b(?:traded|swapped|exchanged) (?:in )?(?:the|my|our) ([a-z0-9 -]{2,24}?) (?:in )?for\b|\b(?:switched|moved|migrated|changed) from ([a-z0-9 .-]{2,24}?) to\b|([\p{Katakana}ー\p{Latin}\d]{2,12})を売って[^。]*[買买]|([\p{Katakana}ー\p{Latin}\d]{2,12})(?:から|を)[\p{Katakana}ー\p{Latin}\d ]{2,16}[にへ](?:乗り[換换]え|移行し|切り替え|买い替え|変え)`)

// petDied reports whether the newer text says that an animal is dead of which the older says
// that somebody has it and how it is called: "I have a dog named Bruno", "Bruno passed away".
func petDied(a, b *Text) bool {
	if !died.in(b.folded) || len(a.kin()) > 0 || joined.in(a.folded) || len(a.denials()) > 0 || len(b.denials()) > 0 {
		return false
	}
	m := keepsCalled().FindStringSubmatch(a.folded)
	if m == nil {
		return false
	}
	name := m[1] + m[2] + m[3]
	rest, ok := strings.CutPrefix(b.folded, name)
	return ok && isDead().MatchString(rest)
}

// keepsCalled matches that somebody has one animal, and how it is called, and isDead what says
// right behind its name that it is dead.
var (
	keepsCalled = lazyregexp.New(`\b(?:have|has|keep|keeps|got) an? [a-z ]{2,20}? (?:named|called) ([a-z]+)[.!]?$|(?:养|有)了?一?[只条匹头]?\p{Han}{0,6}叫(\p{Han}{1,4}?)[。.]?$|(?:犬|猫|[兎兔]|[鳥鸟]|うさぎ|ウサギ|インコ|ハムスター)の([\p{Han}\p{Katakana}ー]{1,6})を[飼饲]って`)
	isDead      = lazyregexp.New(`^(?: has| had| was| just| sadly)*(?: to be)? (?:died|passed away|put down|put to sleep)\b|^(?:昨天|上周|上个月|前几天|今天|已经|不幸)*(?:去世|死|过世|走丢)|^[がは](?:先週|昨日|先月)?(?:亡くな|死)`)
)

// joining matches that somebody joined something, leaving that he left or changed what he had.
var (
	joining = pattern{lazyregexp.New(`\bjoined\b|加入`), anything}
	leaving = pattern{lazyregexp.New(`\b(?:left|quit|changed|switched)\b`), anything}
)

// noEmployer reports whether one may join what a text names without working there: a club, a
// call, a service, a person by the given name. Several that are named for what they do (the
// Berlin Runners) are none either.
func noEmployer(value string) bool {
	folded := fold(value)
	t := &Text{folded: folded}
	if slices.ContainsFunc(t.turned("no employer"), func(h hit) bool {
		return h.end == len(folded) || h.at == 0 && latin(folded[0]) && strings.Contains(folded, " ")
	}) {
		return true
	}
	if slices.ContainsFunc(t.turned("given name"), func(h hit) bool { return h.at == 0 && h.end == len(folded) }) {
		return true
	}
	return strings.Contains(folded, " ") && strings.HasSuffix(folded, "ers") || len(Roles(value)) > 0
}
