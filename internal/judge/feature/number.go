package feature

import (
	"strings"

	"github.com/memoir-ai/memoir/internal/lazyregexp"
)

// What follows tells a number that is said of something, whose place another one takes, from
// one that names something or is of what happened once.

// A figure is a number or a time of day that stands in a text.
type figure struct {
	Value
	at, end int
}

// figures returns the numbers and times of day in a folded text, in order.
func figures(text string) (all []figure) {
	for at, v := range valuesIn(text) {
		if v.Kind == Number || v.Kind == Clock {
			all = append(all, figure{v.Value, at, at + v.width})
		}
		if len(all) == maxValues {
			break
		}
	}
	return all
}

// otherFigure compares two texts that are one statement but for a number or a time of day in
// one place. It reports whether that says how much, how many or when something is, so that
// the newer one takes the place of the older: "The timeout is 30 seconds", "The timeout is 60
// seconds"; 例会在9点半, 例会在10点; 朝会は9時からです, 朝会は10時からです. And it reports whether
// it does not, for it names something ("Bus 42", "Bus 43") or is of what happened. Where it
// cannot tell, and for other texts, both are false.
func otherFigure(a, b *Text) (replaces, apart bool) {
	if len(a.values) == 0 || len(b.values) == 0 {
		return false, false
	}
	older, newer := Normal(atPresent.expr().ReplaceAllString(a.folded, "")), Normal(atPresent.expr().ReplaceAllString(b.folded, ""))
	was, is := figures(older), figures(newer)
	if len(was) != len(is) {
		return false, false
	}
	at, i, j := -1, 0, 0
	for n, f := range was {
		g := is[n]
		if older[i:f.at] != newer[j:g.at] || f.Value != g.Value && at >= 0 {
			return false, false
		}
		if f.Value != g.Value {
			at = n
		}
		i, j = f.end, g.end
	}
	if at < 0 || older[i:] != newer[j:] || behindDigits(older, was[at]) != behindDigits(newer, is[at]) {
		return false, false
	}
	measures := measuresInLatin
	if b.cjk > b.latin {
		measures = measuresInCJK
	}
	measured, aside := measures(older, was[at])
	again, asideAgain := measures(newer, is[at])
	past := a.past || b.past || a.has("once") || b.has("once")
	return measured && again && !past, past || aside && asideAgain
}

// atPresent matches what says that something is so now.
var atPresent = pattern{lazyregexp.New(` (?:now|currently)\b|现在是?|目前是?|(?:今|现在)は,?`), anything}

// behindDigits returns the letters that stand right behind the digits of a number, "" for a
// time of day.
func behindDigits(text string, f figure) string {
	if f.Kind == Clock {
		return ""
	}
	text = text[f.at:f.end]
	return text[strings.LastIndexAny(text, "0123456789")+1:]
}

// here stands for a number in what the patterns below match.
const here = "\x00"

// measuresInLatin reports whether a number in a folded text says how much, how many or when
// something is that the text names before it, or whether it certainly does not. It is for
// English, German, French, Spanish, Italian and Portuguese.
func measuresInLatin(text string, f figure) (measured, aside bool) {
	before, after := text[:f.at], text[f.end:]
	switch {
	case strings.Contains(text, here), pronoun.in(before):
		return false, false
	case pastTense.in(passive.expr().ReplaceAllString(text, "")), oneOfMany.in(before) && !oneOfItsKind.in(before):
		return false, true
	case !amountOf.in(before):
		return false, amountVerb.in(after)
	}
	return !dated.in(before+here+after) && !ordinal.in(behindDigits(text, f)) && !(f.Kind == Clock && rides.in(before)), false
}

// measuresInCJK does so for Chinese and Japanese.
func measuresInCJK(text string, f figure) (measured, aside bool) {
	before, marked := text[:f.at], text[:f.at]+here+text[f.end:]
	again := recurring.in(text)
	switch {
	case strings.Contains(text, here), f.Kind == Clock && rides.in(before), datedCJK.in(marked):
		return false, false
	case happened.in(harmless.expr().ReplaceAllString(text, "")), partOfName.in(marked):
		return false, true
	case kana.in(text):
		return topic.in(before) || again && telling(pieces(before), nil), false
	}
	return telling(pieces(before), nil) && (again || !deed.in(marked)), false
}

const (
	amountVerbs = `is|are|am|has|have|accepts?|allows?|begins?|changes?|charges?|closes?|contains?|costs?|covers?|drinks?|earns?|eats?|ends?|expires?|finish(?:es)?|fits?|gets? up|goe?s?(?: to bed)?|holds?|keeps?|lasts?|listens?|lives?|makes?|measures?|needs?|opens?|pays?|requires?|retries|retry|returns?|rotates?|runs?|seats?|serves?|sits?|sleeps?|starts?|stops?|supports?|takes?|uses?|wakes? up|wears?|weighs?|works?`
	// otherVerbs are a few of German, French, Spanish, Italian and Portuguese, folded.
	otherVerbs = `ist|sind|betragt|kostet|dauert|wiegt|schliesst|offnet|beginnt|endet|est|sont|coute|dure|pese|ferme|ouvre|commence|finit|es|son|cuesta|dura|pesa|cierra|abre|empieza|termina|sono|costa|chiude|apre|inizia|finisce|sao|custa|fecha|comeca`
	monthNames = `jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?`
)

var (
	// amountOf matches what stands before a number that is said of something: what is named, and
	// a verb that tells how it is. What a pronoun means is not known.
	amountOf   = pattern{lazyregexp.New(`^[^,;!?]*[\p{L}\d][^,;!?]*(?:[\p{L}\d] ?:[^,;!?:]*|(?: (?:` + amountVerbs + `|` + otherVerbs + `)|'m|'re)\b[^,;!?:]*|'s(?: (?:about|around|at|in|on|only))? )$`), anything}
	amountVerb = pattern{lazyregexp.New(` (?:` + amountVerbs + `|` + otherVerbs + `)\b`), anything}
	pronoun    = pattern{lazyregexp.New(`^(?:there|here|it|this|that|these|those|he|she|they|you)\b`), anything}
	pastTense  = pattern{lazyregexp.New(`\b(?:[a-z]{3,}[^e\W]ed|was|were|had|did|ate|began|bought|came|drank|fell|flew|found|gave|got|grew|held|kept|lost|made|met|paid|ran|rode|said|sat|saw|sent|slept|sold|spent|stood|swam|took|taught|told|thought|went|woke|won|wrote|waren|wurden?|hatten?|gestern|etait|etaient|ayer|fue|fueron|ieri|ontem|foi|foram)\b`), anything}
	passive    = pattern{lazyregexp.New(`\b(?:is|are|am|be)(?: (?:not|[a-z]+ly))? [a-z]+`), anything}
	// oneOfMany matches what makes a number that of one thing among several, oneOfItsKind what
	// there is one of.
	oneOfMany    = pattern{lazyregexp.New(`(?: (?:` + amountVerbs + `)|'m|'re)\b[^,;!?]* (?:an?|another|some|one of)\b`), anything}
	oneOfItsKind = pattern{lazyregexp.New(`\b(?:an?|an? [a-z-]+) (?:age|allowance|average|balance|budget|capacity|cap|crew|deposit|goal|height|length|limit|maximum|minimum|quota|rent|salary|staff|target|team|timeout|total|weight|width) of $`), anything}
	// dated matches a number that is of a date or of a name, ordinal what stands behind one that
	// counts.
	dated   = pattern{lazyregexp.New(`\b(?:` + monthNames + `)\.? (?:the )?\x00|\x00(?: of)? (?:` + monthNames + `)\b|\b(?:version|v|no\.?|number|ticket|issue|chapter|step|phase) ?#?\x00|#\x00`), anything}
	ordinal = pattern{lazyregexp.New(`^(?:st|nd|rd|th)$`), anything}
	// rides matches what comes and goes several times a day.
	rides = pattern{lazyregexp.New(`\b(?:bus|coach|train|tram|metro|subway|ferry|boat|ship|shuttle|plane|flight|zug|vol|tren|vuelo|treno|volo|comboio|trem)(?:es|s)?\b|[车船]|航班|高铁|地铁|公交|飞机|バス|便|フェリー|フライト|新干线`), anything}

	// happened matches what tells of what was, or of certain days, in Chinese and Japanese,
	// harmless words that only look so.
	happened = pattern{lazyregexp.New(`[了过]|昨|[前后]天|上(?:个?[周月]|次)|[去今明来]年|刚|[今明][天早晚日夜]|[这本下](?:次|个?[周月])|[先今来][周月]|今朝|さっき|[\p{Hiragana}]た(?:$|[。.!、よねのけがし]|から|んだ)|ました`), beyondASCII}
	harmless = pattern{lazyregexp.New(`[超通]过|过[期敏滤程夜年]|除了|为了|不了|了解`), beyondASCII}
	// datedCJK matches a number that is of a date in Chinese and Japanese, partOfName one that
	// names something or stands before what is said.
	datedCJK   = pattern{lazyregexp.New(`[\d一二三四五六七八九十]月 ?\x00|\x00月|\x00[号日](?:$|[^楼室柜门线桌机])|\x00年\p{Han}`), beyondASCII}
	partOfName = pattern{lazyregexp.New(`第\x00|[版本号] ?\x00|\x00[^,。、]*[的是有はがの]|\x00[^,。点时]*在`), beyondASCII}
	kana       = pattern{lazyregexp.New(`[\p{Hiragana}\p{Katakana}]`), beyondASCII}
	topic      = pattern{lazyregexp.New(`[はがも]`), beyondASCII}
	// deed matches what is done so many times, or what is paid once, in Chinese.
	deed = pattern{lazyregexp.New(`[跑走游骑吃喝买卖花付收交借还看读写做打学拍飞修换加减送寄捐赚赔输赢请]\x00|[^月年周天是为要共计满]\x00[万千百]?(?:块|元|欧|美元|日元|刀|毛)(?:$|[^\p{Han}])`), beyondASCII}
)
