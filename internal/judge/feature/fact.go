package feature

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memoir-ai/memoir/internal/lazyregexp"
)

// shorts returns the cues of the lists in lists/few that the text holds. They are looked for
// apart, so that neither searches nor pairs of texts pay for them.
func (t *Text) shorts() []hit {
	if t.short == nil {
		hits := fewCues().find(t.folded)
		t.short = &hits
	}
	return *t.short
}

// cues returns the cues of one of those lists in the text, and cued whether there are any.
func (t *Text) cues(list string) (found []hit) {
	want, ok := fewCues().index[list]
	if !ok {
		panic("feature: no list " + list)
	}
	for _, h := range t.shorts() {
		if fewCues().cues[h.cue].list == want {
			found = append(found, h)
		}
	}
	return found
}

func (t *Text) cued(list string) bool { return len(t.cues(list)) > 0 }

// How long a fact in a few words is at most: in words, and in characters of Chinese and
// Japanese.
const (
	mostFactWords = 12
	mostFactWide  = 24
)

// spoken are the languages of the lists of facts, which are marked by them: a copula of one
// language is a thing in another.
var spoken = []string{"en", "zh", "ja", "de", "fr", "es", "it", "pt", "ko", "ru"}

// Facts reports whether the text is a fact in a few words, by its form: something that one has
// or that a project has, and what is said of it ("My phone is a Pixel", "Schlüssel liegt unter
// der Matte", 端口8081), what somebody has or lacks, what is so of somebody ("lactose
// intolerant", 夜型), or who looks after what. What everybody knows and what programs write has
// that form, too, but is seldom about such things.
func (t *Text) Facts() bool {
	if t.latin > mostFactWords || t.cjk > mostFactWide || strings.Contains(t.folded, "?") || t.shape().lines > 0 || t.cued("momentary") || byDefault.in(t.folded) {
		return false
	}
	return t.Terse() || t.shape().words > 1.3 && (t.cued("trait") || t.cued("settled") || t.signed() || t.lists() || owned.in(t.folded) || technical.in(t.folded) && !handled.in(t.folded) || notBut.in(t.folded) || t.holdsAny())
}

// Terse reports whether a text that may be one word only is a fact: a number of something
// (鞋码42), or what somebody is (素食).
func (t *Text) Terse() bool {
	said := strings.TrimFunc(t.folded, func(r rune) bool { return !letter(r) })
	for _, h := range t.cues("trait alone") {
		if t.folded[h.at:h.end] == said {
			return true
		}
	}
	for _, language := range spoken {
		for _, thing := range t.cues("owned " + language) {
			if few(t.folded[:thing.at]) && t.saysOf(thing, language) {
				return true
			}
		}
	}
	return false
}

// saysOf reports whether something is said of a thing right behind it.
func (t *Text) saysOf(thing hit, language string) bool {
	behind := strings.TrimLeft(t.folded[thing.end:], " ")
	if r, _ := utf8.DecodeRuneInString(strings.TrimLeft(behind, ":=#№ ")); behind != "" && !strings.HasPrefix(t.folded[thing.end:], "=") &&
		(unicode.IsDigit(r) || strings.ContainsRune(":=", rune(behind[0])) && letter(r) || counted.in(behind)) {
		return true
	}
	for _, copula := range t.cues("copula " + language) {
		if copula.end <= thing.at {
			return false // a question begins so
		}
		if copula.at >= thing.end && few(t.folded[thing.end:copula.at]) && t.isValue(copula.end, language) {
			return true
		}
	}
	return false
}

// isValue reports whether what stands from a place on is what may be said of a thing for
// good. In languages of words it is a name, has a number, or says where; how a thing is just
// now is said with other words.
func (t *Text) isValue(from int, language string) bool {
	value := t.folded[from:]
	if !strings.ContainsFunc(value, letter) {
		return false
	}
	switch language {
	case "zh", "ja", "ko":
		return true
	}
	if t.isNamed(from) {
		return true
	}
	first := from + len(value) - len(strings.TrimLeft(value, " "))
	for _, h := range t.cues("where " + language) {
		if h.at == first {
			return true
		}
	}
	return false
}

// isNamed reports whether what stands from a place on has a number or a name, which is
// written with a capital.
func (t *Text) isNamed(from int) bool {
	value := t.folded[from:]
	if strings.ContainsFunc(value, unicode.IsDigit) {
		return true
	}
	words := strings.Fields(t.raw)
	for _, w := range words[max(0, len(words)-len(strings.Fields(value))):] {
		if r, _ := utf8.DecodeRuneInString(strings.TrimLeft(w, `"'“«(`)); unicode.IsUpper(r) {
			return true
		}
	}
	return false
}

// namedIn reports whether in a language what somebody has may be told by its name alone: in
// others "have" also begins what somebody did.
func namedIn(language string) bool {
	return language == "en" || language == "es" || language == "pt" || language == "ru"
}

// hasDone matches what somebody has done, behind "I have".
var hasDone = pattern{lazyregexp.New(`^ (?:just |now |already )?(?:[a-z]+ed|been|made|done|found|run|read|written|seen|put|set|taken|to)\b`), anything}

// holdsAny reports whether the text says that somebody has something or lacks it.
func (t *Text) holdsAny() bool {
	for _, language := range spoken {
		for _, has := range t.cues("having " + language) {
			if few(t.folded[:has.at]) && namedIn(language) && !hasDone.in(t.folded[has.end:]) && t.isNamed(has.end) {
				return true
			}
			for _, thing := range t.cues("owned " + language) {
				if language == "ja" || language == "ko" {
					if thing.end <= has.at && few(t.folded[:thing.at]) {
						return true
					}
				} else if thing.at >= has.end && few(t.folded[:has.at]) && few(t.folded[has.end:thing.at]) {
					return true
				}
			}
		}
	}
	return false
}

// signed reports whether the text begins with the picture of a thing and goes on, or ends with
// one behind a number: "🐕 Rufus, 3 years old".
func (t *Text) signed() bool {
	for _, h := range t.cues("sign") {
		before, behind := t.folded[:h.at], t.folded[h.end:]
		if !strings.ContainsFunc(before, letter) && strings.ContainsFunc(behind, letter) || strings.ContainsFunc(before, unicode.IsDigit) {
			return true
		}
	}
	return false
}

// owned matches who looks after what.
var owned = pattern{lazyregexp.New(`^[^我你他她它,。:]{2,8}?(?:负责|分管|主管|对接)[^,。:的]{2,10}$|^[^我你他她它,。:]{2,8}归[^,。:]{2,4}(?:管|负责)?$|^(?:[小老阿]\p{Han}|\p{Han}(?:工|总|姐|哥|叔|姨|师傅|老师|经理|主任))管[^,。:]{2,8}$`), beyondASCII}

// lists reports whether the text is the name of a list with two things or more, and not of what
// a program prints.
func (t *Text) lists() bool {
	label, items, found := strings.Cut(t.folded, ":")
	if !found || !few(label) || !strings.ContainsFunc(label, letter) || t.cued("output label") {
		return false
	}
	parts := strings.FieldsFunc(items, func(r rune) bool { return strings.ContainsRune(",、;，", r) })
	for _, part := range parts {
		if !strings.ContainsFunc(part, letter) || !few(part) {
			return false
		}
	}
	return len(parts) > 1
}

var (
	// counted matches a number in Chinese characters with what is counted.
	counted = pattern{lazyregexp.New(`^[一二两三四五六七八九十百]+(?:[点个号度口天周月层楼块万千百岁人米斤]|$)`), beyondASCII}
	// technical matches what in Chinese and Japanese has one name, number or path said of it
	// and nothing else: 包管理用pnpm, 証明書は/etc/sslにある.
	technical = pattern{lazyregexp.New(`^[\p{Han}\p{Hiragana}\p{Katakana}ー][^,。:;!~我你您这那它把将帮给请让]{0,9}?(?:是|用|用的是|走|在|放在?|存在?|传到|写在|叫|は|に) ?[a-z0-9/~@._#-]*[a-z/][a-z0-9/~@:._#-]*(?:上|里|下|です|だ|にある|に置く|に保存|を使う)?$`), beyondASCII}
	// handled matches the beginnings of what is to be done to something.
	handled = pattern{lazyregexp.New(`^[把将帮给请让在用]`), beyondASCII}
	// notBut matches a correction that names what is wrong beside what is right.
	notBut = pattern{lazyregexp.New(`^不是[^,。]{1,8}[,;]?是[^,。]{1,10}$|^[应]?是[^,。]{1,10}[,;](?:而)?不是[^,。]{1,10}$|^[^,。]{1,8}(?:じゃなくて|ではなく|でなく)[^,。]{1,10}$|^[\p{Hangul}0-9 ]{1,8}(?:이|가)? 아니(?:고|라) [\p{Hangul}0-9 ]{1,10}$`), beyondASCII}
)

// few reports whether a part of a text is a few words at most, within a clause.
func few(part string) bool {
	if strings.ContainsFunc(part, clauseMark) {
		return false
	}
	wide := 0
	for _, r := range part {
		if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) {
			wide++
		}
	}
	return wide <= 4 && len(strings.Fields(part)) <= 3
}

// Forbids reports whether the text begins, or in Japanese and Korean ends, as what is not to be
// done, which is seldom meant for once: "Never push to main", 别动迁移脚本.
func (t *Text) Forbids() bool { return t.cued("forbids") && !t.cued("momentary") }

// Lasting reports whether an order says that it holds for more than what is at hand: that it is
// for good, how answers or texts are to be, or what is never to be done. An agent passes on
// requests, too.
func (t *Text) Lasting() bool {
	return (t.Standing() || t.Answering() || t.cued("manner") || t.Forbids()) && !userAsks.in(t.folded)
}
