package querylang

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memoir-ai/memoir/internal/lazyregexp"
)

// These are parts of the Korean forms.
const (
	koWhich   = `(지지난|저저번|지난|저번|이번|다음)`
	koWeekday = `(월|화|수|목|금|토|일)요일`
	koUnit    = `(일|주일|주|달|개월|년)`
	koCount   = `(\d{1,3}|하루|이틀|사흘|나흘|한|두|세|네|다섯|여섯|일곱|여덟|아홉|열)`
	koYear    = `(\d{4}년|재작년|작년|지난해|올해|내년)`
)

// korean are the Korean ways of writing one day, week, month or year.
var korean = []pattern{
	{form: lazyregexp.New(koYear + ` ?(\d{1,2})월 ?(\d{1,2})일`), needs: []string{"월"}, days: func(c calendar, m []string) (Range, bool) { return c.day(c.koYear(m[0]), m[1], m[2]) }},
	{form: lazyregexp.New(koYear + ` ?(\d{1,2})월`), needs: []string{"월"}, days: func(c calendar, m []string) (Range, bool) { return c.month(c.koYear(m[0]), m[1]) }},
	{yearless: true, form: lazyregexp.New(`(\d{1,2})월 ?(\d{1,2})일`), needs: []string{"월"}, days: func(c calendar, m []string) (Range, bool) { return c.day("", m[0], m[1]) }},
	{form: lazyregexp.New(koWhich + ` ?달 ?(\d{1,2})일`), needs: []string{"달"}, days: func(c calendar, m []string) (Range, bool) {
		month := c.unit("month", koAgo[m[0]]).From
		return c.day(month.Format("2006"), month.Format("1"), m[1])
	}},
	{form: lazyregexp.New(koWhich + ` ?주 ?` + koWeekday), needs: []string{"요일"}, days: func(c calendar, m []string) (Range, bool) {
		return weekdayIn(c.unit("week", koAgo[m[0]]), koMeans[m[1]]), true
	}},
	{form: lazyregexp.New(koWhich + ` ?` + koWeekday), needs: []string{"요일"}, days: func(c calendar, m []string) (Range, bool) {
		if ago := koAgo[m[0]]; ago > 0 {
			return c.lastNamed(koMeans[m[1]], ago), true
		}
		return weekdayIn(c.unit("week", koAgo[m[0]]), koMeans[m[1]]), true
	}},
	{form: lazyregexp.New(koWhich + ` ?(주말|주|달)`), needs: []string{"주", "달"}, days: func(c calendar, m []string) (Range, bool) {
		return c.unit(koMeans[m[1]], koAgo[m[0]]), true
	}},
	{form: lazyregexp.New(`(그저께|그제|어제|어저께|오늘)`), needs: []string{"어제", "어저께", "그저께", "그제", "오늘"}, days: func(c calendar, m []string) (Range, bool) { return c.ago(koAgo[m[0]]), true }},
	{form: lazyregexp.New(`(하루|이틀|사흘|나흘)() 전`), needs: []string{" 전"}, days: koBefore},
	{form: lazyregexp.New(koCount + ` ?` + koUnit + ` ?전`), needs: []string{"전"}, days: koBefore},
	{form: lazyregexp.New(`(재작년|작년|지난해|올해)`), needs: []string{"년", "해"}, days: func(c calendar, m []string) (Range, bool) { return c.year(c.koYear(m[0])) }},
}

// koAgo and koMeans say what the words mean.
var (
	koAgo = map[string]int{
		"지지난": 2, "저저번": 2, "지난": 1, "저번": 1, "이번": 0, "다음": -1, "그저께": 2, "그제": 2, "어제": 1, "어저께": 1, "오늘": 0,
		"재작년": 2, "작년": 1, "지난해": 1, "올해": 0, "내년": -1,
	}
	koMeans = map[string]string{
		"월": "monday", "화": "tuesday", "수": "wednesday", "목": "thursday", "금": "friday", "토": "saturday",
		"주말": "weekend", "주": "week", "주일": "week", "달": "month", "개월": "month", "년": "year",
		"하루": "1", "이틀": "2", "사흘": "3", "나흘": "4", "한": "1", "두": "2", "세": "3", "네": "4", "다섯": "5", "여섯": "6", "일곱": "7", "여덟": "8", "아홉": "9", "열": "10",
	}
)

// koYear returns the year that a Korean word means, in digits.
func (c calendar) koYear(word string) string {
	if ago, ok := koAgo[word]; ok {
		return c.back("year", ago).Format("2006")
	}
	return strings.TrimSuffix(word, "년")
}

// koBefore does what before does.
func koBefore(c calendar, m []string) (Range, bool) {
	count, unit := m[0], m[1]
	if means, ok := koMeans[count]; ok {
		count = means
	}
	if unit == "" || unit == "일" {
		return before(c, []string{count, "day"})
	}
	return before(c, []string{count, koMeans[unit]})
}

// insideKorean reports whether text[start:], which is Korean, goes on a Korean word.
func insideKorean(text string, start int) bool {
	first, _ := utf8.DecodeRuneInString(text[start:])
	before, _ := utf8.DecodeLastRuneInString(text[:start])
	return unicode.Is(unicode.Hangul, first) && unicode.Is(unicode.Hangul, before)
}

// allKorean is a part of the form everything. What remains of a date begins with its particle.
const allKorean = `(?:에는|에|엔|의|은|는|날에?|동안|중에)? ?(?:(?:그럼|혹시|우리가?|우린|내가|난|나는?|제가|저는?|나한테|너한테|너에게|당신에게|다) )*(?:` +
	`(?:뭐|뭘|무엇을|무얼|무슨 일을|무슨 일이|무슨 일|어떤 일이|어떤 일을|뭐가|무엇이)(?: 다)? ?(?:했|하고 있었|있었|일어났|생겼|한|말했|얘기했|이야기했|배웠|적었|기록했|논의했)[가-힣]*(?: (?:거야|거지|건가요?|알려 ?줘|말해 ?줘))?` +
	`|(?:있었던|했던|한|일어난) (?:일|것)(?:들)?(?:을|은)?(?: (?:알려|말해|정리해|요약해|보여) ?(?:줘|주세요))?` +
	`|(?:기록|메모|노트|일지|일기|요약|정리)(?:을|를|은)?(?: ?(?:보여|알려|정리해|요약해|해) ?(?:줘|주세요))?` +
	`)`
