package feature

import (
	"strings"
	"unicode"

	"github.com/memoir-ai/memoir/internal/lazyregexp"
)

// What follows tells two subjects apart in German, French, Spanish, Italian and Portuguese,
// in which the models know words of change and little else.

// subject matches the beginning of a text that names what it is about: an article or a
// possessive, a word for new or old, and the noun.
var subject = pattern{lazyregexp.New(`^(?:(?:(?:mein|dein|sein|ihr|unser)(?:e[rmns]?)?|der|die|das|le|la|les|mon|ma|mes|notre|nos|el|los|las|mi[oa]?s?|nuestr[oa]s?|(?:il|lo|i|gli|o|a|os|as)(?: (?:mi[oa]|nostr[oa]|meu|minha|noss[oa]))?) |l['’])(?:(?:neue|alte|jetzige)[rsnm]? |(?:nouve(?:au|lle?)|nuev[oa]|nuov[oa]|nov[oa]) )?([\p{L}-]{3,})`), anything}

// being and having match the beginning of a text that says what somebody is, and what he has.
var (
	being  = pattern{lazyregexp.New(`^([\p{L}-]+) (?:ist|est|es|e) `), anything}
	having = pattern{lazyregexp.New(`^([\p{L}-]+) (?:(?:jetzt|ahora|adesso|ora|agora) )?(?:hat|a|tiene|ha|tem) `), anything}
)

// otherNoun reports whether two texts in one of these languages begin with two nouns, neither
// of which the other text holds; the newer one with one of the family or another person, where
// the older has none; or the older says what somebody is, and the newer what he has.
func otherNoun(a, b *Text) bool {
	if older, newer := koreanNoun(a.folded), koreanNoun(b.folded); older != "" && newer != "" {
		return !strings.Contains(a.folded, newer) && !strings.Contains(b.folded, older)
	}
	if b.cjk > 0 || a.cjk > 0 || language(a.raw) != "" || language(b.raw) != "" {
		return false
	}
	if is, has := being.expr().FindStringSubmatch(a.folded), having.expr().FindStringSubmatch(b.folded); is != nil && has != nil && is[1] == has[1] {
		return true
	}
	newer := subject.expr().FindStringSubmatch(b.folded)
	if newer == nil {
		return false
	}
	if len(a.roles()) == 0 && len(Roles(newer[0])) > 0 {
		return true
	}
	older := subject.expr().FindStringSubmatch(a.folded)
	return older != nil && !strings.Contains(a.folded, newer[1]) && !strings.Contains(b.folded, older[1])
}

// inKorean matches the beginning of a Korean text up to the first noun with the particle of a
// topic, a subject or an object, without who speaks and since when something is so.
var inKorean = pattern{lazyregexp.New(`^(?:(?:나는|난|내가|나도|저는|전|제가|저도|우리는|우린|우리가|우리|저희는|저희|내|제|이제|이젠|이제는|앞으로|지금은?|요즘|이번에|다음 달부터|사실|참),? )*(?:[^ ,.]*(?:에서|에|한테|에게|께서) )?((?:[^ ,.]*[^ ,.은는이가을를] )?[^ ,.]+?)(?:은|는|이|가|을|를) `), beyondASCII}

// koreanNoun returns the noun of which a Korean text tells first, "" for none.
func koreanNoun(folded string) string {
	if m := inKorean.expr().FindStringSubmatch(folded); inKorean.least(folded) && m != nil && strings.ContainsFunc(folded, func(r rune) bool { return unicode.Is(unicode.Hangul, r) }) {
		return m[1]
	}
	return ""
}
