package judge

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

// wishesBefore match a command that begins a text, wishesBehind one that ends it. A text that
// one matches has one of its words.
var (
	wishesBefore = []pattern{
		{lazyregexp.New(`(?i)^` + polite + `(?:` + wishEn +
			`(?:,? please)?(?:(?: that| this)?[:,：，] *| that )|note that )`),
			[]string{"remember", "memori", "mind", "forget", "note"}},
		{lazyregexp.New(`^` + wishZh + `(?:[：:，,、；;] *| +|([^了过過的得着著这這那不：:，,、；;\s]|不要))`), []string{"记", "記", "忘"}},
		{lazyregexp.New(`^` + asksZh + `+` + tellZh + `(不)`), []string{"记", "記", "忘"}},
		{lazyregexp.New(`^` + wishJa + `(?:[、，,：:。！!] *| +|([私僕俺我\p{Katakana}]))`), []string{"て", "忘"}},
		{lazyregexp.New(`(?i)^(?:bitte,? )?(?:(?:merke?|notiere?) dir|merken|notieren|vergiss nicht|denke? daran|behalte im kopf)` +
			`(?:,? bitte)?(?:,? da(?:ss|ß) |[:：] *|, )`), []string{"merk", "notier", "vergiss", "denk", "behalt"}},
		{lazyregexp.New(`(?i)^(?:s['’]il (?:te|vous) pla[iî]t,? )?(?:souviens-toi|souvenez-vous|rappel(?:le-toi|ez-vous)|` +
			`retiens|retenez|notez?|n['’]oublie(?:z)? pas)(?: bien)?(?: que | qu['’]| ?[:：] *|, )`),
			[]string{"souv", "rappel", "ret", "note", "oublie"}},
		{lazyregexp.New(`(?i)^(?:por favor,? )?(?:recuerd[ae]|acu[eé]rdate(?: de)?|ten(?:ga)? en cuenta|anota|apunta|memoriza|` +
			`no olvides|no te olvides de)(?: que |[:：] *|, )`),
			[]string{"recuerd", "rdate", "cuenta", "anota", "apunta", "memoriza", "olvides"}},
		{lazyregexp.New(`(?i)^(?:per favore,? )?(?:ricord(?:a|ati|i)|tieni (?:a mente|presente)|annota|segnati|memorizza|` +
			`non dimenticare)(?: che |[:：] *|, )`),
			[]string{"ricord", "tieni", "annota", "segnati", "memorizza", "dimentic"}},
		{lazyregexp.New(`(?i)^(?:por favor,? )?(?:lembr[ae](?:-te|-se)?|anot[ae]|memoriz[ae]|n[aã]o (?:te )?esque[cç]as?)(?: de)?` +
			`(?: que |[:：] *|, )`), []string{"lembr", "anot", "memoriz", "esque"}},
		{lazyregexp.New(`(?i)^(?:пожалуйста,? )?(?:запомни(?:те)?|помни(?:те)?|учти(?:те)?|запиши(?:те)?|имей(?:те)? в виду|` +
			`не забудь|не забывай)(?:,? что |[:：] *|, )`),
			[]string{"помни", "учти", "запиши", "виду", "забы", "забудь"}},
		{lazyregexp.New(`^(?:기억해|메모해|잊지 ?마)(?: ?(?:줘|주세요|둬))?(?:[:：,] *|[.!] +)`), []string{"기억해", "메모해", "잊지"}},
	}
	// wishBare matches a command that nothing joins to the text behind it, which may be no
	// statement.
	wishBare = pattern{lazyregexp.New(`(?i)^` + polite + wishEn + `(?:,? please)? +`),
		[]string{"remember", "memori", "mind", "forget", "note"}}
	wishesBehind = []pattern{
		{lazyregexp.New(`(?i)[,;.] *(?:please,? ` + wishEn + `(?: (?:that|this|it))?|remember (?:that|this))(?:,? please)?[.! ]*$`),
			[]string{"remember", "mind", "forget", "note"}},
		{lazyregexp.New(`[，,；;。] *` + wishZh + `[了哦啊吧]*[。！!.]*$`), []string{"记", "記", "忘"}},
		{lazyregexp.New(`(?:[、，,。！!] *|([だすいたる])(?:ということを|と|って))` + wishJa + `[。！!.]*$`), []string{"て", "忘"}},
		{lazyregexp.New(`(?i)[,;.] *(?:bitte )?(?:(?:merke?|notiere?) dir das|vergiss das nicht)(?: bitte)?[.! ]*$`),
			[]string{"merk", "notier", "vergiss"}},
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
	between := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) && r != '\'' && r != '’' }
	words, characters := len(strings.FieldsFunc(text, between)), 0
	for _, r := range text {
		if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) {
			characters++
		}
	}
	return words > 1 || characters > 2
}

// forgets matches a text that asks to have something forgotten.
var forgets = []pattern{
	{lazyregexp.New(`(?i)^(?:please,? |hey,? |(?:can|could|would|will) you (?:please )?|i (?:want|need) you to |you can |you should )*` +
		`(?:forget (?:that|about|what|my|our|everything|all|it|this|who|where|when|how|i|we)\b|(?:delete|remove|erase) (?:what|everything|all|that) (?:you|i|we)\b)`),
		[]string{"forget", "delete", "remove", "erase"}},
	{lazyregexp.New(`^(?:` + asksZh + `|你)*(?:忘掉|忘記|忘记|忘了)(?:我|关于|關於|刚|剛|之前|上面|[这這]|所有|一切)|^(?:` + asksZh + `)+忘|` +
		`^(?:` + asksZh + `)*把.+忘(?:掉|了吧|记|記)|^(?:别|別|不要|不用)再?[记記](?:了|[这這])|^[删刪](?:掉|除|了)(?:关于|關於|我说|我說|我之前|.+有[关關])`),
		[]string{"忘", "记", "記", "删", "刪"}},
	{lazyregexp.New(`忘れて(?:ください|下さい|ほしい|くれ|ね|よ)?[。！!]*$|覚えなくていい(?:です)?[。！!]*$|(?:記憶|メモリ)(?:から|を)(?:消し|削除し)て`),
		[]string{"忘れて", "覚えなくて", "記憶", "メモリ"}},
	{lazyregexp.New(`(?i)^(?:bitte,? )?(?:vergiss|lösche?) (?:das|dass|was|mein|alles|bitte)|^(?:oublie|efface)z? (?:que|ce que|mon|ma|tout|ça)|` +
		`^(?:olvida|borra) (?:que|lo que|mi|todo|eso)|^(?:dimentica|cancella) (?:che|quello che|il mio|la mia|tutto)|` +
		`^(?:esquece|esqueça|apaga) (?:que|o que|meu|minha|tudo|isso)|^(?:забудь|удали)(?:те)? (?:что|мо|вс|это|про|о )`),
		[]string{"vergiss", "lösch", "oublie", "efface", "olvida", "borra", "dimentica", "cancella", "esque", "apaga", "забудь", "удали"}},
}

// asksToForget reports whether a text asks to have something forgotten.
func asksToForget(text string) bool { return firstOf(forgets, strings.TrimSpace(text)) != nil }

// commands matches an order to whatever assistant reads the text: to leave aside what it was
// told before. An order about rules of a program ("ignore all rules in vendor") is none.
var commands = []pattern{
	{lazyregexp.New(`(?i)\b(?:ignore|disregard|forget|override|bypass)\b.{0,20}` +
		`\b(?:previous|prior|above|earlier|preceding|your)\b.{0,20}\b(?:instructions?|prompts?|rules|guidelines)\b|` +
		`\b(?:ignore|disregard|forget) (?:everything|all|what) you (?:were|have been) told\b|` +
		`\b(?:reveal|print|show|output) your system prompt\b|\byou are now in \w+ mode\b`),
		[]string{"ignore", "disregard", "forget", "override", "bypass", "prompt", "you are now"}},
	{lazyregexp.New(`(?:忽略|无视|無視|忘掉|忘记|不要理会).{0,6}(?:之前|以上|上面|前面|先前).{0,6}(?:指令|指示|提示词|设定)`),
		[]string{"忽略", "无视", "無視", "忘掉", "忘记", "不要理会"}},
	{lazyregexp.New(`(?:以前|これまで|上記|今まで)の(?:全ての|すべての)?(?:指示|命令|プロンプト)(?:を|は)?(?:すべて|全て)?(?:無視|忘れ)`),
		[]string{"無視", "忘れ"}},
	{lazyregexp.New(`(?i)\b(?:ignorier\w*|vergiss) .{0,20}(?:vorherig|bisherig|obig)\w* anweisung|` +
		`\b(?:ignore[zr]?|oublie[zr]?) .{0,20}(?:instructions|consignes) précédentes|` +
		`\b(?:ignora|olvida) .{0,20}instrucciones anteriores|\bignora .{0,20}istruzioni precedenti|` +
		`\b(?:ignora|ignore|esque[cç]a) .{0,20}instruções anteriores|` +
		`игнорируй\S* .{0,20}предыдущ\S* (?:инструкц|указан)|이전.{0,6}(?:지시|명령).{0,4}무시`),
		[]string{"ignor", "vergiss", "oubli", "olvida", "esque", "игнорируй", "무시"}},
}

// commandsReader reports whether a text gives orders to whatever assistant reads it.
func commandsReader(text string) bool { return firstOf(commands, text) != nil }
