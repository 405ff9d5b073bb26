package querylang

import (
	"strings"
	"unicode"

	"github.com/memoir-ai/memoir/internal/lazyregexp"
)

// maxAllDays is how many days a question for all of them may name. Of a longer time a
// list of the newest notes tells little.
const maxAllDays = 31

// everything matches a question for all of some days whose dates are taken out: what
// happened, what did I do, show me my notes, 发生了什么, 何をした. Nothing else may be left: "what
// did I do about the roof" asks for the roof. A text in Chinese or Japanese is matched
// without blanks.
var everything = lazyregexp.New(`^[ ,.:;!¿¡、，。：；！]*(?:` + allEnglish + `|` + allChinese + `|` + allJapanese + `|` + allGerman + `|` + allRomance + `|` + allKorean + `)?[ ,.:;!?、，。：；！？…]*$`)

// These are parts of the form.
const (
	allEnglish = `(?:(?:so|and|please|(?:can|could|would|will) you|tell me|remind me|do you (?:know|remember)|i want to know|let me know)[, ]+)*` +
		`(?:what(?: all| else| exactly)? (?:happened|went on|occurred|got done|was (?:done|going on|happening|discussed|noted|new)|is (?:new|happening|going on)|has (?:happened|changed|been (?:happening|going on|done)))` +
		`|what's (?:new|happening|happened|going on|been (?:happening|going on))` +
		`|(?:(?:give me|show me|get me|show|list|read me) )?(?:what|which)(?: all| else| exactly| things| facts| notes| entries)?(?:'s| is| has| have| had| was| were| got)?(?: been)? (?:changed|corrected|updated|added|edited|replaced|removed|saved|stored|remembered)` +
		`|what do you (?:know|remember|have)` +
		`|what(?: all| else| exactly)? (?:did|have|had|was|were|am|are) (?:i|we|you) (?:do|done|doing|up to|been (?:doing|up to|working on)|get (?:done|up to)|work on|worked on|working on|accomplish(?:ed)?|achieved?|noted?(?: down)?|(?:write|wrote|written) down|record(?:ed)?|talk(?:ed)? about|discuss(?:ed)?|learn(?:ed|t)?|(?:tell|told|teach|taught) (?:you|me|us)|(?:say|said|mention(?:ed)?)(?: to (?:you|me|us))?|(?:ask(?:ed)?|want(?:ed)?) (?:you|me|us) to (?:remember|keep|note|save)|(?:remember|save|store|add|change|update|forget|correct|edit|replace|remove)(?:d|ed)?)` +
		`|what were you told` +
		`|(?:(?:give me|show me|get me|show|list|read me) )?(?:what|everything|all|(?:all )?(?:the )?things)(?: that)? (?:i|we|you) (?:(?:told|taught) (?:you|me|us)|(?:said|mentioned)(?: to (?:you|me|us))?|(?:asked|wanted) (?:you|me|us) to (?:remember|keep|note|save))` +
		`|(?:did|has) anything (?:happen|happened|change|changed)(?: new| important| interesting)?` +
		`|(?:(?:is|was|are|were) there )?(?:anything (?:new|different|important|interesting)|any (?:changes|corrections|updates|news))` +
		`|(?:(?:give me|show me|get me|show|list|read me|write|make) )?(?:(?:an?|the|my|our|all|all of|all the|all my) )*(?:(?:quick|short|brief) )?(?:summary|recap|overview|review|notes?|logs?|day logs?|daily notes?|journal|entries|events|everything)(?: (?:i|we) (?:did|noted|wrote|recorded)| that happened| and events)?` +
		`|(?:summari[sz]e|recap|review)(?: (?:my|our|the|all|everything|notes?|logs?|day|week|month|events))*)` +
		`(?:[ ,]+(?:in|on|over|during|for|at|of|from|within|through|throughout|across|between|the|this|that|my|our|day|again|so far|all|overall|to me|to us|here|then|and|or|'s|please))*`

	allChinese = `(?:请|請|帮我|幫我|告诉我|告訴我|说说|說說|讲讲|看看|查一下|查查|列出|给我|給我|还记得|還記得)*[，、]*(?:总结|總結|回顾|回顧|概括|汇总|彙總|整理)?(?:一下)?(?:在|从)?[的里裡内內间間]*(?:我们|我們|咱们|咱們|我|你|大家)?(?:都|还|還|又|一共)*(?:(?:跟|和|对|對|向|给|給|让|讓|叫|请|請|教)(?:你|您|我))?(?:都|还|還|又)*(?:` +
		`(?:发生|發生|出)(?:了|过|過)?(?:些|一些)?(?:什么|什麼|啥|哪些)(?:事|事情|新鲜事)?` +
		`|(?:做|干|幹|忙|弄|搞|完成|记|記|聊|谈|談|讨论|討論|说|說|讲|講|提|提到|提起|(?:告诉|告訴|教)(?:了|过|過)?(?:你|您|我)|记住|記住|记下|記下|保存|学到|學到|学|學|改|更新|更正|纠正|糾正|修改|改动|改動|新增|添加)(?:了|过|過)?(?:些|一些)?(?:什么|什麼|啥|哪些)(?:事|事情|工作|内容|內容)?` +
		`|(?:说|說|讲|講)(?:过|過)?的(?:都)?(?:是|有)(?:些)?(?:什么|什麼|啥|哪些)(?:事|事情|内容|內容)?` +
		`|有(?:些|过|過)?(?:什么|什麼|啥|哪些)(?:事|事情|新鲜事|进展|進展|动静|变化|變化|变动|變動|改动|改動|更新|更正|记录|記錄|笔记|筆記|安排)?` +
		`|(?:所有|全部)?的?(?:事|事情|工作|笔记|筆記|日志|日誌|日记|日記|记录|記錄|情况|情況|总结|總結|回顾|回顧|小结))?(?:了|来着|來著|呢|吗|嗎|啊|呀|一下|的)*`

	allJapanese = `(?:に|は|の|で|が|、|私|僕|俺|わたし|ぼく|たち|我々|あなた|君|きみ)*(?:(?:何|なに|なん|どんな事|どんなこと|どのようなこと)(?:を|が|か|も)?(?:した|しました|していた|していました|してた|してました|やった|やりました|やっていた|やってた|あった|ありました|起きた|起きました|起こった|起こりました|話した|話しました|言った|言いました|教えた|教えました|伝えた|伝えました|覚えた|覚えました|頼んだ|頼みました|書いた|書きました|変わった|変わりました|変えた|変えました|変更した|変更しました|直した|直しました|修正した|修正しました|追加した|追加しました|更新した|更新しました)(?:の|か|かな|っけ|んだっけ|でしょうか|んですか|ですか|か?教えて|ください)*` +
		`|(?:言った|言いました|話した|教えた|伝えた|頼んだ)(?:こと|事|内容)(?:は(?:何|なに|なん)(?:ですか|でしたか|だっけ|でしたっけ|か)?|を(?:教えて|見せて|まとめて)(?:ください)?)?` +
		`|(?:について)?(?:出来事|できごと|記録|メモ|ノート|日誌|日記|作業|変更|修正|更新|変化|まとめ|要約|振り返り|ふりかえり)(?:を|は|の)*(?:まとめ|要約|教え|見せ|振り返っ|リストし)?(?:て|してください|ください|して)*)`
)

// asksForAll reports whether a text asks for all of the days that it names, and for
// nothing else. rest is the text, in the form that plain returns, without its dates.
func (q Query) asksForAll(rest string) bool {
	if len(q.When) == 0 || len(q.Text) > maxAsked || strings.ContainsAny(q.Text, "\r\n") || len(q.Phrases)+len(q.Must)+len(q.Hashtags) > 0 {
		return false
	}
	for _, r := range q.When {
		if r.To.Sub(r.From).Hours() >= 24*maxAllDays {
			return false
		}
	}
	if strings.ContainsFunc(rest, func(r rune) bool { return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) }) {
		rest = strings.ReplaceAll(rest, " ", "")
	}
	return everything().MatchString(rest)
}

// A date after one of these words is only where a time begins or ends.
var (
	openBefore = []string{"since", "until", "till", "before", "after", "by"}
	openAfter  = []string{"以来", "以來", "以后", "以後", "之后", "之後", "后", "以前", "之前", "まで", "から", "以降", "より"}
)

// opens reports whether text[start:end], a date, only begins or ends the time that is
// meant: since yesterday, 昨天以来.
func opens(text string, start, end int) bool {
	before := strings.TrimSuffix(text[:start], "the ")
	for _, w := range openBefore {
		if strings.HasPrefix(text[start:], w+" ") || strings.HasSuffix(before, w+" ") {
			return true
		}
	}
	for _, w := range openAfter {
		if strings.HasPrefix(strings.TrimLeft(text[end:], " "), w) {
			return true
		}
	}
	return false
}
