package search

import (
	"regexp"
	"sync"

	"github.com/memoir-ai/memoir/internal/lazyregexp"
)

// patterns are the expressions that tell what is whose.
type patterns struct {
	ofName      func() *regexp.Regexp // Karen's birthday
	ofThing     func() *regexp.Regexp // the birthday of Karen
	ofSelf      func() *regexp.Regexp // my birthday
	ofSelfToo   func() *regexp.Regexp // I'm allergic
	ofEast      func() *regexp.Regexp // 老周的电话
	ofKana      func() *regexp.Regexp // さくらの誕生日
	pronoun     func() *regexp.Regexp // no name though written in kana
	asksWhom    func() *regexp.Regexp // is Ben allergic?
	saysWhom    func() *regexp.Regexp // Ben is allergic
	whomEast    func() *regexp.Regexp // 老周对花生过敏
	ofSpeaker   func() *regexp.Regexp // words for the one who tells and asks
	isTeller    func() *regexp.Regexp // the word for the one who tells
	besideRole  func() *regexp.Regexp // between what somebody is to another and the name
	isOfSelf    func() *regexp.Regexp // what says after a name what somebody is to the one who tells
	opening     func() *regexp.Regexp // before a name with which a note begins, perhaps that of the one who tells
	beforeOwner func() *regexp.Regexp // what may stand before an owner in a query that says no more than what is asked for of whom
	afterThing  func() *regexp.Regexp // and behind the thing
	aDay        func() *regexp.Regexp // asks for a day by its name
	aNumber     func() *regexp.Regexp // asks for a number to call
	aDate       func() *regexp.Regexp // days of a year
	mark        func() *regexp.Regexp // until when an entry held
	inverted    func() *regexp.Regexp // the pronoun behind a French verb
	genitive    func() *regexp.Regexp // of the letters of a grammar: the end of a thing, and its owner
	ending      func() *regexp.Regexp // an owner with an s, and the thing
	ofNoun      func() *regexp.Regexp // begins with an owner and a thing, in Korean
	subject     func() *regexp.Regexp // what a statement begins with
	own         func() *regexp.Regexp // what is one's own
	aName       func() *regexp.Regexp // names, side by side
}

// expressions returns the patterns. Few queries ask of whom, so that not even the functions
// that compile them are made at the start.
var expressions = sync.OnceValue(func() *patterns {
	return &patterns{
		ofName:      lazyregexp.New(`([\p{L}\d-]+)(?:['’]s|s['’])((?: [\p{L}\d-]+){1,3})`),
		ofThing:     lazyregexp.New(`((?:[\p{L}-]+ ){0,2}[\p{L}-]+) of (?:the |our |my |an? )?([\p{L}\d-]+)`),
		ofSelf:      lazyregexp.New(`(?i)\b(?:my|our)((?: [\p{L}-]+){1,3})`),
		ofSelfToo:   lazyregexp.New(`(?i)\bi(?:['’]m| am| have)((?: [\p{L}-]+){1,2})`),
		ofEast:      lazyregexp.New(`([\p{Han}\p{Katakana}ー]{1,12}(?:さん|ちゃん|くん)?)[的の]([\p{Han}\p{Katakana}ー]{1,8})`),
		ofKana:      lazyregexp.New(`^(\p{Hiragana}{2,6}?(?:さん|ちゃん|くん)?|\p{Latin}{2,})[的の]([\p{Han}\p{Katakana}ー]{1,8})`),
		pronoun:     lazyregexp.New(`^(?:うち|どこ|だれ|いつ|どれ|なに|ここ|そこ|あそこ|これ|それ|あれ|わたし|ぼく|おれ|みんな)`),
		asksWhom:    lazyregexp.New(`\b(?:is|was|has|does|did|can|will) (\p{Lu}\p{L}+) ((?:[\p{L}-]+ ?){1,3})`),
		saysWhom:    lazyregexp.New(`(?:^|[.:] )(\p{Lu}\p{L}+) (\p{Ll}[\p{L}-]*(?: [\p{L}-]+){0,3})`),
		whomEast:    lazyregexp.New(`^([\p{Han}\p{Katakana}ー]{1,8}(?:さん|ちゃん|くん)?)[对は]([^,，。?？]{1,12})`),
		ofSpeaker:   lazyregexp.New(`(?i)\b(?:my|our|i|me|user)\b|[我私僕俺]|用户|ユーザー`),
		isTeller:    lazyregexp.New(`^(?:my|[我私僕俺])$`),
		besideRole:  lazyregexp.New(`(?i)(?:[\s,，:：、(（]|\b(?:is|was|called|named|name)\b|叫做?|是|の|は|姓)*$`),
		isOfSelf:    lazyregexp.New(`(?i)^(?:,? ?(?:is |was |es |est |é |è |ist )?(?:my|our|mi|mon|ma|meu|(?:a )?minha|mio|mia|meine?) |[是，,]?我的?|は?[私僕俺]の)`),
		opening:     lazyregexp.New(`(?i)^[-*\s]*(?:我叫|我是|名前は|私は|i am |i['’]m |my name is |name: )?$`),
		beforeOwner: lazyregexp.New(`^(?i:what(?:['’]s| is) )?(?:(?:my|our|the|\p{Lu}\p{L}*\.?) ){0,2}[我お]?$`),
		afterThing:  lazyregexp.New(`^(?:是(?:多少|什么|几号|哪天)|は|を教えて)?[?？.。\s]*$`),
		aDay:        lazyregexp.New(`(?i)(?:[命忌]日|纪念日|記念日|日取り|日にち|日期|\b(?:anniversary|date))[はを?？.。\s]*$`),
		aNumber:     lazyregexp.New(`(?:电话|電話|手机号)$`),
		aDate:       lazyregexp.New(`(?i)[\d一二三四五六七八九十]\s*[月日号號歳岁월일]|\d[./-]\d|\d(?:st|nd|rd|th)\b|\d\.? (?:d[eo] )?\p{L}{3}|\p{L}{3} \d|\bturn`),
		mark:        lazyregexp.New(`\(until [^)]*\)`),
		inverted:    lazyregexp.New(`(?i)-(?:t-)?(?:ils?|elles?|on|ce|je|tu|nous|vous)$`),
		genitive:    lazyregexp.New(`[nNAS][ow][wtm]*([nNASv][NS]*)`),
		ending:      lazyregexp.New(`S[nNAS]`),
		ofNoun:      lazyregexp.New(`^[msq]*(?:u|[nj].{0,2}[kj])`),
		subject:     lazyregexp.New(`^[sq]*([wtm]*)([nNAS][NS]*)(?:[^ow]|$)`),
		own:         lazyregexp.New(`m[tm]*([nNAS][NS]*)`),
		aName:       lazyregexp.New(`[NS]+`),
	}
})
