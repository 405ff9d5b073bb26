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
	if !s.standsAlone(start, end) {
		return false
	}
	if last, _ := utf8.DecodeLastRuneInString(s.text[:end]); last < utf8.RuneSelf {
		return s.englishMeans(start, end)
	}
	return s.hanMeans(start, end)
}

// standsAlone reports whether text[start:end] stands by itself. It must not be a part of
// another word, or of a longer number, name or path (2026-03-02.md, v2023-05).
func (s sentence) standsAlone(start, end int) bool {
	before, _ := utf8.DecodeLastRuneInString(s.text[:start])
	first, _ := utf8.DecodeRuneInString(s.text[start:])
	last, _ := utf8.DecodeLastRuneInString(s.text[:end])
	next, w := utf8.DecodeRuneInString(s.text[end:])
	after, _ := utf8.DecodeRuneInString(s.text[end+w:])
	if first < utf8.RuneSelf && (latinWord(before) || strings.ContainsRune("-_/.", before)) {
		return false
	}
	return last >= utf8.RuneSelf || !latinWord(next) && !(strings.ContainsRune("-_/.", next) && latinWord(after))
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
	// ofTime matches what stands before a day: on 7 may.
	ofTime = lazyregexp.New(`(?:^|[ (])(?:on|by|since|until|till|before|after|from|around) $`)
	// dayIsOver matches what comes after a day: 7 may, or 7 may to 9 may.
	dayIsOver = lazyregexp.New(`^(?:$|[.,;:?!)]| ?[-–—~] ?\d| (?:to|till|until|through) \d)`)
	// measures matches what a number counts: march 5 miles, in 2000 lines.
	measures = lazyregexp.New(`^ (?:miles?|km|kilomet(?:er|re)s?|met(?:er|re)s?|steps?|times?|hours?|minutes?|seconds?|ms|days?|weeks?|months?|years?|lines?|tokens?|words?|characters?|chars?|rows?|bytes?|requests?|chunks?|dollars?|euros?|calories|kcal|kg|percent)\b`)
	// goesOn matches what comes after a month but not after the verb.
	goesOn = lazyregexp.New(`^ (?:in|on|at|for|with|about|when|while|we|i|he|she|they|you|the)\b`)
)

// englishMeans judges words and numbers in Latin letters.
func (s sentence) englishMeans(start, end int) bool {
	match, rest := s.text[start:end], s.text[end:]
	switch {
	case thisMonth().MatchString(match):
		over := rest == "" || strings.ContainsAny(rest[:1], ".?!)")
		return over || s.capital(start+strings.IndexByte(match, ' ')+1) && goesOn().MatchString(rest)
	case dayOfMonth().MatchString(match):
		return dayIsOver().MatchString(rest) || ofTime().MatchString(s.text[:start]) || s.capital(start+strings.IndexByte(match, ' ')+1)
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
		'前': "从從以之目眼生",        // 以前天天, 目前年龄
		'今': "如当當现現",          // 如今年轻人
		'去': "过過",             // 过去年代
		'明': "文清证証證光聪聰透",      // 文明年代
		'来': "后後年月天从從起未将將以出回", // 近年来年轻人
		'近': "附接靠临臨亲親邻鄰",      // 接近三年
	}
	hanAfter = map[rune]string{
		'月': "球亮光饼餅食季经經事", // 这月亮, 来月经
		'周': "期围圍边邊刊朝年",   // 本周期, 这周边
		'週': "期刊年",
		'拜': "堂",
		'前': "端半后後期缀綴", // 两周前端
		'日': "头頭方",     // 今日头条, 明日方舟
	}
	hanNotADay = map[rune]string{
		'一': "起些直定共般样樣边邊", // 上周一起
		'二': "手",          // 上周二手
		'日': "程常志记記报報期历曆", // 下周日程
	}
)

const (
	hanSmall  = "一二两兩三几幾数四五六七八九十"
	hanSingle = "个個次位件条條项項篇份" // counters after a number: 上周三个
)

// hanMeans judges what is written without spaces.
func (s sentence) hanMeans(start, end int) bool {
	before, w := utf8.DecodeLastRuneInString(s.text[:start])
	further, _ := utf8.DecodeLastRuneInString(s.text[:start-w])
	first, _ := utf8.DecodeRuneInString(s.text[start:])
	last, w := utf8.DecodeLastRuneInString(s.text[:end])
	penult, _ := utf8.DecodeLastRuneInString(s.text[:end-w])
	next, w := utf8.DecodeRuneInString(s.text[end:])
	after, _ := utf8.DecodeRuneInString(s.text[end+w:])
	switch {
	case before != utf8.RuneError && strings.ContainsRune(hanBefore[first], before):
		return false
	case first == '前' && strings.ContainsRune("天日周週月年", before) && (further >= '0' && further <= '9' || strings.ContainsRune(hanSmall+"个個か", further)):
		return false // 三天前天气
	case next == utf8.RuneError:
		return true
	case strings.ContainsRune("周週期拜", penult) && strings.ContainsRune("一二三四五六日天", last):
		return !strings.ContainsRune(hanSingle+hanNotADay[last], next) && !(last == '一' && next == '下' && after != '午')
	}
	return !strings.ContainsRune(hanAfter[last], next)
}
