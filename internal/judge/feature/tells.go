package feature

import (
	"strings"
	"unicode/utf8"

	"github.com/memoir-ai/memoir/internal/lazyregexp"
)

// Tells reports whether the text is a fact by its form, of any length: when, where, how large or
// about what an occasion is (读书会的地点是图书馆), that somebody goes to one, where somebody went
// (我去的公园是白塔公园), or with what a part of a project is made ("Search is powered by Elasticsearch 7").
func (t *Text) Tells() bool {
	if strings.Contains(t.folded, "?") || byDefault.in(t.folded) {
		return false
	}
	if (ownPlace.in(t.folded) || goesTo.in(t.folded)) && !talkedAbout.in(t.folded) {
		return true
	}
	return !t.AtHand() && (t.ofOccasion() || madeWith.in(t.folded) && t.isNamed(madeWith.expr().FindStringIndex(t.folded)[1]))
}

// ofOccasion reports whether the text says of something with a long name when, where, how large
// or about what it is. Of short names everybody knows such things.
func (t *Text) ofOccasion() bool {
	of := t.ownerOf()
	if utf8.RuneCountInString(of[0]) < fewestOfName || pointed.in(of[0]) {
		return false
	}
	for what := range (&Text{folded: of[1]}).aspects(languages(t), 0, "") {
		if occasional(what) {
			return true
		}
	}
	return false
}

// occasional are the matters that an occasion has.
var occasional = oneOfWords("place time day date length people topic cost")

var (
	pointed = pattern{lazyregexp.New(`^[这那本此该]|^(?:this|that|the above)\b|^(?:この|その|あの)`), anything}
	// ownPlace matches a thing or place that one tells by what one does there or with it, and its
	// name; talkedAbout what is told by what one says, writes or wants.
	ownPlace    = pattern{lazyregexp.New(`^我们?[^,。的是]{1,6}的(?:那[个家座]|这[个家座])?[^,。的]{1,8}?(?:是|叫)[^,。的吗呢]{2,16}[。.!]*$`), beyondASCII}
	talkedAbout = pattern{lazyregexp.New(`^我们?[^,。的]*[说问讲指发传贴写改要想给看提建]|什么|哪|这个|那样|(?:是|叫)(?:错|对|真|假|好|坏)`), beyondASCII}
	// goesTo matches that one goes to something that has a name.
	goesTo = pattern{lazyregexp.New(`^我们?[^,。]{0,8}(?:参加|出席)了?[^,。这那的吗]{5,20}[。.!]*$`), beyondASCII}
	// madeWith matches what a part of a project is made with, before its name.
	madeWith = pattern{lazyregexp.New(`^(?:(?:our|the) [a-z -]{3,40}|[a-z-]+ [a-z -]{3,40}) (?:(?:is|are) )?(?:powered by|written in|built (?:with|on)|backed by|hosted (?:on|at|by)|deployed (?:on|with)|managed (?:by|with|through)|served (?:by|from)|handled by) `), anything}
)

// NounForm reports whether a Korean text ends in the form that notes end in, as a noun or with
// what somebody is about to do or doing: 손녀가 있음, 혼자 거주 중. So do a few words of talk.
func (t *Text) NounForm() bool {
	text := strings.TrimRight(t.folded, " .。!~")
	if otherWords(text) < fewestNounForm || nounTalk.in(text) {
		return false
	}
	last, _ := utf8.DecodeLastRuneInString(text)
	if last >= '가' && last <= '힣' && (last-'가')%28 == mieum {
		return true
	}
	return nounEnd.in(text)
}

const (
	mieum          = 16  // number of the final consonant of 음 within a Hangul syllable
	fewestNounForm = 1.5 // words, of which two syllables make one
)

var (
	nounEnd  = pattern{lazyregexp.New(`\p{Hangul}.* (?:중|예정|상태)$`), beyondASCII}
	nounTalk = pattern{lazyregexp.New(`알겠|모르겠|이해|확인|감사|고마|죄송|미안|괜찮|완료|성공|통과|실패|수정|시도|테스트|빌드|배포|설치|실행|진행|작업|검토|대기|(?:아침|점심|사람|이름|마음|시험|게임|프로그램|시스템|여름|봄|꿈|힘|몸|보험|모임|처음|다음|요즘|지금|그림|님|팀|폼)$`), beyondASCII}
)

// Reviews reports whether a person says at some length how a thing or a place is, in Chinese:
// two clauses at least praise or blame, and none points at what is at hand.
func (t *Text) Reviews() bool {
	if t.cjk < fewestReview || t.cjk < t.latin || pointed.in(t.folded) || t.has("second person") || handedIn.in(t.folded) {
		return false
	}
	n := 0
	for _, clause := range t.clauses() {
		if praise.in(clause) {
			n++
		}
	}
	return n > 1
}

// fewestReview is how many characters a text has at least that says how something is.
const fewestReview = 24

var (
	praise   = pattern{lazyregexp.New(`真心|真的|真是|真不错|挺好|挺不错|特别|超级|非常|不错|好用|舒服|给力|满意|喜欢|方便|漂亮|推荐|印象深刻|值得|惬意|放松|可惜|遗憾|(?:有点|有些|稍微|不够|不太|太)\p{Han}|差点|差了点|就更好|就完美|更完美|更理想`), beyondASCII}
	handedIn = pattern{lazyregexp.New(`代码|方案|这版|回答|报告|文档|提交吧|就这么办|就用|改一?下`), beyondASCII}
)
