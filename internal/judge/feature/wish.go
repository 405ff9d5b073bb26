package feature

import (
	"strings"
	"unicode"

	"github.com/memoir-ai/memoir/internal/lazyregexp"
)

// The words in which a language commands that something be remembered. What joins the
// command to the fact is a part of it ("that", a colon), because "remember to call Anna" and
// "remember the milk" tell no fact of their own. Chinese and Japanese may join by nothing;
// there a group holds the character of the fact that tells where the command ends. Without a
// word that asks for it, 记住不 may also mean "memorizing is not".
const (
	wishEn = `(?:remember|memori[sz]e|(?:keep|bear) in mind|(?:don['’]t|do not) forget|note to self|please note)`
	polite = `(?:please,? |hey,? |i (?:want|need) you to |i['’]d like you to )*`
	asksZh = `(?:[请請][你您]?|麻烦|麻煩|帮我|幫我|给我|給我|你要|务必|務必)`
	wishZh = asksZh + `*` + tellZh
	tellZh = `(?:记住|記住|记一下|記一下|记下来?|記下來?|记着|記著|牢记|牢記|(?:别|別|不要)忘了)`
	wishJa = `(?:(?:覚えて|憶えて|メモして|記憶して)(?:おいて|いて)?|忘れないで)(?:ください|下さい|くれ|ね)*`
)

// wishesBefore match a command that begins a text, wishesBehind one that ends it. least is
// asked about the text in lower case.
var (
	wishesBefore = []pattern{
		{lazyregexp.New(`(?i)^` + polite + `(?:` + wishEn +
			`(?:,? please)?(?:(?: that| this)?[:,：，] *| that )|note that )`),
			oneOf("remember", "memori", "mind", "forget", "note")},
		{lazyregexp.New(`^` + wishZh + `(?:[：:，,、；;] *| +|([^了过過的得着著这這那不：:，,、；;\s]|不要))`), oneOf("记", "記", "忘")},
		{lazyregexp.New(`^` + asksZh + `+` + tellZh + `(不)`), oneOf("记", "記", "忘")},
		{lazyregexp.New(`^` + wishJa + `(?:[、，,：:。！!] *| +|([私僕俺我\p{Katakana}]))`), oneOf("て", "忘")},
		{lazyregexp.New(`(?i)^(?:bitte,? )?(?:(?:merke?|notiere?) dir|merken|notieren|vergiss nicht|denke? daran|behalte im kopf)` +
			`(?:,? bitte)?(?:,? da(?:ss|ß) |[:：] *|, )`), oneOf("merk", "notier", "vergiss", "denk", "behalt")},
		{lazyregexp.New(`(?i)^(?:s['’]il (?:te|vous) pla[iî]t,? )?(?:souviens-toi|souvenez-vous|rappel(?:le-toi|ez-vous)|` +
			`retiens|retenez|notez?|n['’]oublie(?:z)? pas)(?: bien)?(?: que | qu['’]| ?[:：] *|, )`),
			oneOf("souv", "rappel", "ret", "note", "oublie")},
		{lazyregexp.New(`(?i)^(?:por favor,? )?(?:recuerd[ae]|acu[eé]rdate(?: de)?|ten(?:ga)? en cuenta|anota|apunta|memoriza|` +
			`no olvides|no te olvides de)(?: que |[:：] *|, )`),
			oneOf("recuerd", "rdate", "cuenta", "anota", "apunta", "memoriza", "olvides")},
		{lazyregexp.New(`(?i)^(?:per favore,? )?(?:ricord(?:a|ati|i)|tieni (?:a mente|presente)|annota|segnati|memorizza|` +
			`non dimenticare)(?: che |[:：] *|, )`),
			oneOf("ricord", "tieni", "annota", "segnati", "memorizza", "dimentic")},
		{lazyregexp.New(`(?i)^(?:por favor,? )?(?:lembr[ae](?:-te|-se)?|anot[ae]|memoriz[ae]|n[aã]o (?:te )?esque[cç]as?)(?: de)?` +
			`(?: que |[:：] *|, )`), oneOf("lembr", "anot", "memoriz", "esque")},
		{lazyregexp.New(`(?i)^(?:пожалуйста,? )?(?:запомни(?:те)?|помни(?:те)?|учти(?:те)?|запиши(?:те)?|имей(?:те)? в виду|` +
			`не забудь|не забывай)(?:,? что |[:：] *|, )`),
			oneOf("помни", "учти", "запиши", "виду", "забы", "забудь")},
		{lazyregexp.New(`^(?:기억해|메모해|잊지 ?마)(?: ?(?:줘|주세요|둬))?(?:[:：,] *|[.!] +)`), oneOf("기억해", "메모해", "잊지")},
	}
	// wishBare matches a command that nothing joins to the text behind it, which may be no
	// statement.
	wishBare = pattern{lazyregexp.New(`(?i)^` + polite + wishEn + `(?:,? please)? +`),
		oneOf("remember", "memori", "mind", "forget", "note")}
	wishesBehind = []pattern{
		{lazyregexp.New(`(?i)[,;.] *(?:please,? ` + wishEn + `(?: (?:that|this|it))?|remember (?:that|this))(?:,? please)?[.! ]*$`),
			oneOf("remember", "mind", "forget", "note")},
		{lazyregexp.New(`[，,；;。] *` + wishZh + `[了哦啊吧]*[。！!.]*$`), oneOf("记", "記", "忘")},
		{lazyregexp.New(`(?:[、，,。！!] *|([だすいたる])(?:ということを|と|って))` + wishJa + `[。！!.]*$`), oneOf("て", "忘")},
		{lazyregexp.New(`(?i)[,;.] *(?:bitte )?(?:(?:merke?|notiere?) dir das|vergiss das nicht)(?: bitte)?[.! ]*$`),
			oneOf("merk", "notier", "vergiss")},
	}
)

// Fact returns a text without the command that it be remembered, with which it begins or
// ends. Where what is left might not be told by itself, it returns the text as it is.
func Fact(text string) string {
	fact := text
	if at := firstOf(wishesBefore, fact); at != nil {
		from := at[1]
		if len(at) > 2 && at[2] >= 0 {
			from = at[2]
		}
		fact = fact[from:]
	} else if at := firstOf([]pattern{wishBare}, fact); at != nil && opensStatement(fact[at[1]:]) {
		fact = fact[at[1]:]
	}
	if at := firstOf(wishesBehind, fact); at != nil {
		to := at[0]
		if len(at) > 2 && at[3] >= 0 {
			to = at[3]
		}
		fact = fact[:to]
	}
	if !tellable(fact) {
		return text
	}
	return fact
}

// pointers match the end of a heading that only points at the list below it, in the languages of
// the wishes.
var pointers = lazyregexp.New(`(?i)(?:^| )(?:` +
	`(?:the following|these|this|those)(?: (?:things|facts|points|items|notes|details))?|` +
	`(?:das )?folgende[ns]?|dies(?:es)?|ceci|ce qui suit|(?:lo siguiente|esto)|quanto segue|` +
	`(?:o seguinte|isto)|следующее|это|다음(?:을)?)$|` +
	`(?:以下|下面|下列|如下|[这這])的?(?:[几幾些两兩\d一二三四五六七八九十]*)[点點条條件项項个個]?(?:事情?|[内內]容|信息|[东東]西|要点|要點)?$|` +
	`(?:以下|次|下記)(?:の(?:こと|点|内容|もの))?(?:を(?:` + wishJa + `)?)?$`)

// Heading returns what the heading of a list says of its items, without a wish to have them
// remembered. It returns "" for a heading that only announces the list.
func Heading(head string) string {
	verb := strings.TrimSpace(pointers().ReplaceAllString(head, ""))
	if verb == "" {
		return ""
	}
	if at := firstOf(wishesBefore, verb+":"); at != nil && at[1] > len(verb) {
		return ""
	}
	if at := firstOf([]pattern{wishBare}, head); at != nil {
		first, _, _ := strings.Cut(head[at[1]:], " ")
		if !noSubject().MatchString(first) {
			return head[at[1]:]
		}
	}
	return Fact(head)
}

// firstOf returns where the first pattern that matches does so, with its group, or nil.
func firstOf(patterns []pattern, text string) []int {
	low := strings.ToLower(text)
	for _, p := range patterns {
		if p.least(low) {
			if at := p.expr().FindStringSubmatchIndex(text); at != nil {
				return at
			}
		}
	}
	return nil
}

// An English statement begins with a pronoun in the nominative, or with a few words and then a
// finite verb. A word that opens a clause, a preposition or a pronoun between them makes it
// something else: "the man who was here", "the day we were in Kiel".
var (
	nominative = lazyregexp.New(`(?i)^(?:i|we|he|she|they)(?:['’][a-z]+)? +[^ ]|` +
		`^(?:it|you|there|that|this|here)['’](?:s|re|ve|ll|d|m) +[^ ]`)
	finite = lazyregexp.New(`(?i)^(?:is|are|was|were|has|have|had|do|does|did|` +
		`can|cannot|could|will|would|shall|should|may|must|` +
		`(?:is|are|was|were|has|have|had|do|does|did|ca|could|wo|would|should|must)n['’]t)$`)
	noSubject = lazyregexp.New(`(?i)^(?:wh.*|how|that|if|as|and|or|but|to|of|in|on|at|for|from|with|by|about|` +
		`i|me|we|us|he|him|she|they|them)$`)
)

// mostSubject is the number of words before the verb that [opensStatement] looks at.
const mostSubject = 5

// opensStatement reports whether an English text begins as a statement does.
func opensStatement(text string) bool {
	if nominative().MatchString(text) {
		return true
	}
	for i, word := range strings.Fields(text) {
		switch {
		case i > 0 && finite().MatchString(word):
			return true
		case i >= mostSubject, noSubject().MatchString(word), strings.ContainsAny(word, ",.:;!?"):
			return false
		}
	}
	return false
}

// tellable reports whether a text may tell something: two words at least, or three
// characters of Chinese or Japanese, on the line of its beginning, and no question.
func tellable(text string) bool {
	first := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsSpace(r) })
	if first != 0 || strings.ContainsAny(text[len(text)-1:], "?") || strings.HasSuffix(text, "？") {
		return false
	}
	between := func(r rune) bool { return !letter(r) && r != '\'' && r != '’' }
	words, characters := len(strings.FieldsFunc(text, between)), 0
	for _, r := range text {
		if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) {
			characters++
		}
	}
	return words > 1 || characters > 2
}
