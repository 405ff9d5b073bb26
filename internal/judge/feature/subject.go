package feature

import (
	"slices"
	"strings"
	"unicode"

	"github.com/memoir-ai/memoir/internal/lazyregexp"
)

// What follows tells two subjects apart in German, French, Spanish, Italian, Portuguese, Korean
// and Russian, in which the models know words of change and little else.

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
	if inRussian(a.folded) && inRussian(b.folded) {
		return otherRussianNoun(a, b)
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

// inRussian reports whether the first letter of a text is Cyrillic.
func inRussian(folded string) bool {
	i := strings.IndexFunc(folded, letter)
	return i >= 0 && cyrillic(folded[i])
}

// russianSubject matches the beginning of a Russian text that names what it is about, and the
// word behind it.
var russianSubject = lazyregexp.New(`^(?:(?:мо[йяеи]|моего|моей|моих|наш[аеи]?|наше[йг]о?|нашу|мою) )?(?:(?:нов|стар|прежн)[а-я]{2,3} )?([\p{L}-]{3,})(?: (\p{Cyrillic}{3,}))?`)

// noRussianNoun matches a word that is no noun: a verb by its ending, and words of time and place.
var noRussianNoun = lazyregexp.New(`^(?:теперь|сейчас|сегодня|вчера|завтра|раньше|позже|потом|после|если|когда|пока|это|все|всё|уже|еще|снова|опять|только|больше|очень|надо|нужно|можно|есть|там|тут|здесь|мне|меня|они|она|оно|ему|ей|нам|вам|для|без|при|вместо|через|перед|кроме|каждый|каждую|каждое|обычно|всегда|никогда)$|(?:[аеиоуыя]л[аио]?|[аеиуюя]т|[еи]м|[аеуя]ю|[жчшщ]у|[лрбвп]ю|иву|пью)(?:с[яь])?$`)

// genitive matches the end of a word that says of what the noun before it is, and no verb.
var genitive = lazyregexp.New(`(?:[^л]а|[^л]и|ы|[^л]я|ов|ей)$`)

// otherRussianNoun reports whether two Russian texts begin with two nouns, neither of which the
// other text has; with one noun of two things ("порт приложения", "порт базы"); or the newer
// one with one of the family or another person, where the older has nobody.
func otherRussianNoun(a, b *Text) bool {
	x, y := russianSubject().FindStringSubmatch(a.folded), russianSubject().FindStringSubmatch(b.folded)
	if x == nil || y == nil || noRussianNoun().MatchString(y[1]) {
		return false
	}
	if len(a.roles()) == 0 && ofSomebody(Roles(y[1])) {
		return true
	}
	if noRussianNoun().MatchString(x[1]) {
		return false
	}
	if !hasStem(b.folded, x[1]) && !hasStem(a.folded, y[1]) {
		return true
	}
	return stem(x[1]) == stem(y[1]) && genitive().MatchString(x[2]) && genitive().MatchString(y[2]) && !hasStem(b.folded, x[2]) && !hasStem(a.folded, y[2])
}

// ofSomebody reports whether some roles are of the family or of who lives or works beside one.
func ofSomebody(roles map[string]bool) bool {
	return slices.ContainsFunc(slices.Concat(family, beside), func(r string) bool { return roles[r] })
}

// hasStem reports whether a word of a text begins as a word does without its ending.
func hasStem(folded, word string) bool {
	return slices.ContainsFunc(strings.FieldsFunc(folded, notInWord), func(w string) bool { return strings.HasPrefix(w, stem(word)) })
}

// stem returns a Russian word without its ending, or what may be one.
func stem(word string) string {
	letters := []rune(word)
	switch n := len(letters); {
	case n > 5:
		return string(letters[:n-2])
	case n > 2:
		return string(letters[:n-1])
	}
	return word
}
