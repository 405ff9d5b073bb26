package querylang

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memoir-ai/memoir/internal/lazyregexp"
)

// A sentence is a text that is searched for dates.
type sentence struct {
	text  string // in the form that plain returns
	typed string // as it was given
}

func newSentence(text string) sentence { return sentence{plain(text), text} }

// cased returns the text with its capitals; "" when its bytes stand elsewhere.
func (s sentence) cased() string {
	cased := spaced(s.typed, func(r rune) rune { return r })
	if len(cased) != len(s.text) {
		return ""
	}
	return cased
}

// means reports whether a match of a pattern is really a date. It may be a part of
// something longer, or other words that are spelled the same. A wrong date changes ranks,
// and a missed date leaves them as they are, so in doubt it is no date.
func (s sentence) means(start, end int) bool {
	if !s.standsAlone(start, end) || insideKorean(s.text, start) || s.germanHere(start, end) {
		return false
	}
	if last, _ := utf8.DecodeLastRuneInString(s.text[:end]); last < utf8.RuneSelf {
		return s.englishMeans(start, end)
	}
	return s.hanMeans(start, end)
}

var (
	// dayTo and toDay match a day before a hyphen, and one after it: Oct 28-Nov 3.
	dayTo = lazyregexp.New(`(?:\b` + monthForm + `\.? ` + dayForm + `|\d月 ?\d{1,2}[日号號])-$`)
	toDay = lazyregexp.New(`^-` + monthForm + `\.? ` + dayForm + `\b`)
)

// standsAlone reports whether text[start:end] stands by itself. It must not be a part of
// another word, or of a longer number, name or path (2026-03-02.md, v2023-05).
func (s sentence) standsAlone(start, end int) bool {
	before, _ := utf8.DecodeLastRuneInString(s.text[:start])
	first, _ := utf8.DecodeRuneInString(s.text[start:])
	last, _ := utf8.DecodeLastRuneInString(s.text[:end])
	next, w := utf8.DecodeRuneInString(s.text[end:])
	after, _ := utf8.DecodeRuneInString(s.text[end+w:])
	if first < utf8.RuneSelf && (latinWord(before) || strings.ContainsRune("-_/.", before)) && !dayTo().MatchString(s.text[:start]) {
		return false
	}
	return last >= utf8.RuneSelf || !latinWord(next) && !(strings.ContainsRune("-_/.", next) && latinWord(after)) || toDay().MatchString(s.text[end:])
}

// latinWord reports whether a character belongs to a word or number in Latin letters.
func latinWord(r rune) bool {
	return r == '_' || r >= '0' && r <= '9' || r != utf8.RuneError && unicode.Is(unicode.Latin, r)
}

// English months that are also other words: this may help, this march was long, this
// august body.
var (
	thisMonth  = lazyregexp.New(`^(?:this|last) (may|march|mar|august)$`)
	dayOfMonth = lazyregexp.New(`^\d{1,2} (may|march|mar)$`)
	monthFirst = lazyregexp.New(`^(?:may|march|mar)\.? \d`)
	inYear     = lazyregexp.New(`^[a-z ]+ \d{4}$`)
	ofYear     = lazyregexp.New(`^(?:may|march|mar)\.?,? [a-z ]+ year$`)
	// baseMonth matches months that are also number bases, beside which baseWords are no
	// months: convert from oct to dec.
	baseMonth  = lazyregexp.New(`\b(?:oct|dec)\b`)
	baseWords  = lazyregexp.New(`\b(?:hex|hexadecimal|octal|decimal|bin|binary|convert|converted|conversion)\b`)
	withYear   = lazyregexp.New(`(?:\d{4}|year)$`)
	beforeLast = lazyregexp.New(`^the [a-z]+ before last$`)
	// ofTime matches what stands before a day: on 7 may.
	ofTime = lazyregexp.New(`(?:^|[ (])(?:on|by|since|until|till|before|after|from|around) $`)
	// inTime matches what stands before a month: in may last year.
	inTime = lazyregexp.New(`(?:^|[ (])(?:in|of|during|by|since|until|till|before|after|from|around) $`)
	// dayIsOver matches what comes after a day: 7 may, or 7 may to 9 may.
	dayIsOver = lazyregexp.New(`^(?:$|[.,;:?!)]| ?[-–—~] ?\d| (?:to|till|until|through) \d)`)
	// measures matches what a number counts: march 5 miles, in 2000 lines.
	measures = lazyregexp.New(`^ (?:miles?|km|kilomet(?:er|re)s?|met(?:er|re)s?|steps?|times?|hours?|minutes?|seconds?|ms|days?|weeks?|months?|years?|lines?|tokens?|words?|characters?|chars?|rows?|bytes?|requests?|chunks?|dollars?|euros?|calories|kcal|kg|percent|inch(?:es)?|cups?)\b`)
	// goesOn matches what comes after a month but not after the verb.
	goesOn = lazyregexp.New(`^ (?:in|on|at|for|with|about|when|while|we|i|he|she|they|you|the)\b`)
)

// isOver reports whether a clause ends where a text begins.
func isOver(rest string) bool { return rest == "" || strings.IndexAny(rest, ",.;:?!)、。") == 0 }

// englishMeans judges words and numbers in Latin letters.
func (s sentence) englishMeans(start, end int) bool {
	match, rest := s.text[start:end], s.text[end:]
	switch {
	case baseMonth().MatchString(match) && !withYear().MatchString(match) && baseWords().MatchString(s.text):
		return false
	case thisMonth().MatchString(match):
		over := rest == "" || strings.ContainsAny(rest[:1], ".?!)")
		return over || s.capital(start+strings.IndexByte(match, ' ')+1) && goesOn().MatchString(rest)
	case dayOfMonth().MatchString(match):
		return dayIsOver().MatchString(rest) || ofTime().MatchString(s.text[:start]) || s.capital(start+strings.IndexByte(match, ' ')+1)
	case ofYear().MatchString(match):
		return inTime().MatchString(s.text[:start]) || s.capital(start)
	case beforeLast().MatchString(match): // not the week before last Christmas
		return isOver(rest) || goesOn().MatchString(rest)
	case monthFirst().MatchString(match), inYear().MatchString(match):
		return !measures().MatchString(rest)
	}
	return true
}

// capital reports whether a word begins with a capital in a text that is not all
// capitals.
func (s sentence) capital(at int) bool {
	cased := s.cased()
	return at < len(cased) && cased[at] >= 'A' && cased[at] <= 'Z' && strings.ToUpper(cased) != cased
}

// Words that contain what looks like a date. They are known by the characters before its
// first character and after its last one. Some words about a week do not mean its days.
var (
	upDown    = "晚早马馬路身网網线線楼樓桌海世天地手日基" // 晚上月亮, 基本月薪
	hanBefore = map[rune]string{
		'上': upDown, '下': upDown, '本': upDown,
		'前': "从從以之目眼生",               // 以前天天, 目前年龄
		'今': "如当當现現",                 // 如今年轻人
		'去': "过過",                    // 过去年代
		'明': "文清证証證光聪聰透",             // 文明年代
		'半': "上下前后後大小多一每各头頭年月个個周週天日", // 下半年前
		'来': "后後年月天从從起未将將以出回",        // 近年来年轻人
		'近': "附接靠临臨亲親邻鄰",             // 接近三年
	}
	hanAfter = map[rune]string{
		'月': "球亮光饼餅食季经經事", // 这月亮, 来月经
		'周': "期围圍边邊刊朝年",   // 本周期, 这周边
		'週': "期刊年",
		'拜': "堂",
		'前': "端半后後期缀綴",       // 两周前端
		'底': "薪线線片层層部稿价價特盘盤", // 去年底薪
		'末': "期班尾梢",
		'初': "次二三中一恋戀级級步期学學夏秋冬春雪衷心审審稿版选選到来來", // 去年初次, 今年初三
		'め': "て",                             // 去年初めて
		'日': "头頭方",                           // 今日头条, 明日方舟
	}
	hanNotADay = map[rune]string{
		'一': "起些直定共般样樣边邊", // 上周一起
		'二': "手",          // 上周二手
		'日': "程常志记記报報期历曆", // 下周日程
	}
)

const (
	hanDigits = "一二三四五六七八九十"
	hanSmall  = "一二两兩三几幾数四五六七八九十"
	hanSingle = "个個次位件条條项項篇份" // counters after a number: 上周三个
)

// A month without a year is often a name, or that of any year: 四月是你的谎言, 二月河, 3月のライオン,
// 7月に梅雨が明ける. It is a date only in the words of people who ask what was in it.
var (
	bareMonth = lazyregexp.New(`^` + aMonth + `份?$`)
	withMonth = lazyregexp.New(aMonth + `$`)
	// otherMonth matches what stands before the month of a year that is not read (1434年3月,
	// 翌年3月), before one of several, and before what is no month of this calendar.
	otherMonth = lazyregexp.New(`(?:[历曆暦]で?|[年闰閏第每个個头頭满滿]|[\d月` + hanDigits + `][,、和与與及跟と]) ?$`)
	// atMonth matches what stands only before a time.
	atMonth = lazyregexp.New(`(?:` + toMonth + `) ?$`)
	// startsAt matches what stands before a month that is no part of a name.
	startsAt = lazyregexp.New(`(?:^|[^\p{L}\p{N}]|[我你您他她它们們咱家はがも]|` + toMonth + `) ?$`)
	asksOf   = lazyregexp.New(`^ ?(?:(?:到|至|から|[-–—~〜] ?)` + aMonth + `|以[来來]|(?:[里裡裏间間初末底]|[上中下]旬)?(?:` +
		`我|你|您|他|她|咱|大家|谁|誰|都|一共|总共|總共|发生|發生|有(?:什|甚|啥|哪|些|过|過|没|沒)` +
		`|(?:做|干|幹|忙|弄|搞|去|写|寫|买|買|学|學|说|說|聊|谈|談|读|讀|看|见|見|吃|花|换|換|完成|讨论|討論|决定|決定|记录|記錄|参加|參加|发布|發布)(?:了|过|過)` +
		`|に[はも]?、?(?:私|僕|俺|何|なに|なん|どこ|どの|どんな|だれ|誰|いくら|会っ|行っ|買っ|読ん|書い|決め|話し|した|やっ|あっ)` +
		`|[的の](?:会议|會議|会議|笔记|筆記|日志|日誌|日记|日記|记录|記錄|記録|总结|總結|工作|事|进展|進展|情况|情況|计划|計劃|安排|予定|メモ|ノート|出来事|まとめ|旅行)))`)
	// notAMonth matches what makes another word of a month: 五月天, but not 五月天气.
	notAMonth = lazyregexp.New(`^(?:天(?:[^气氣]|$)|[花雪病蠅蝿])`)
)

const (
	aMonth  = `(?:\d{1,2}|[` + hanDigits + `]{1,3})月`
	toMonth = `[在于於从從自]|[年月日号號初末底旬份](?:到|至|から)`
)

// monthMeans judges a month without a year. One in digits is no part of a name.
func monthMeans(before, match, rest string) bool {
	switch {
	case otherMonth().MatchString(before):
		return false
	case strings.HasSuffix(match, "份"), atMonth().MatchString(before) && (isOver(rest) || strings.HasPrefix(rest, "まで")):
		return true
	}
	return (match[0] < utf8.RuneSelf || startsAt().MatchString(before)) && asksOf().MatchString(rest)
}

// hanMeans judges what is written without spaces.
func (s sentence) hanMeans(start, end int) bool {
	before, w := utf8.DecodeLastRuneInString(s.text[:start])
	further, _ := utf8.DecodeLastRuneInString(s.text[:start-w])
	first, _ := utf8.DecodeRuneInString(s.text[start:])
	last, w := utf8.DecodeLastRuneInString(s.text[:end])
	penult, _ := utf8.DecodeLastRuneInString(s.text[:end-w])
	next, w := utf8.DecodeRuneInString(s.text[end:])
	after, _ := utf8.DecodeRuneInString(s.text[end+w:])
	match, rest := s.text[start:end], s.text[end:]
	switch {
	case bareMonth().MatchString(match):
		return monthMeans(s.text[:start], match, rest)
	case withMonth().MatchString(match) && notAMonth().MatchString(rest):
		return false
	case before != utf8.RuneError && strings.ContainsRune(hanBefore[first], before):
		return false
	case first == '前' && strings.ContainsRune("天日周週月年", before) && (further >= '0' && further <= '9' || strings.ContainsRune(hanSmall+"半个個か", further)):
		return false // 三天前天气
	case next == utf8.RuneError:
		return true
	case strings.ContainsRune("周週期拜", penult) && strings.ContainsRune("一二三四五六日天", last):
		return !strings.ContainsRune(hanSingle+hanNotADay[last], next) && !(last == '一' && next == '下' && after != '午')
	}
	return !strings.ContainsRune(hanAfter[last], next)
}
