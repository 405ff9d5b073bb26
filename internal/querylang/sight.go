package querylang

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// surely are the classes of numbers by which a text tells a thing, and perhaps those by which
// it may.
var surely, perhaps = map[Thing]class{
	thingCode: codeClass, thingNumber: codeClass | shortClass | bareClass, thingModel: codeClass | shortClass, thingVersion: versionClass, thingIP: ipClass,
	thingPlate: shortClass, thingPhone: codeClass, thingPrice: moneyClass, thingSize: sizeClass, thingDay: dayClass, thingClock: clockClass, thingWhen: clockClass | dayClass | yearClass,
}, map[Thing]class{
	thingCode: anyCode, thingNumber: anyCode, thingIP: anyCode, thingVersion: anyCode, thingPlate: anyCode,
	thingPrice: moneyClass | bareClass | wordClass, thingSize: sizeClass | bareClass | wordClass, thingClock: clockClass | bareClass | wordClass,
}

const anyCode = codeClass | shortClass | bareClass | versionClass | ipClass | wordClass

// In reports whether a text has such a thing, surely or perhaps, that the question does not
// have.
func (of Thing) In(question, text string) (sure, may bool) {
	s := newSighting(question, text)
	sure = s.classes&surely[of] != 0
	switch of {
	case thingPhone:
		may = tellsPhone(question, text)
		return sure && may, may
	case thingEmail:
		return s.email, s.email
	case thingWeb:
		sure = s.web || strings.Contains(text, "://")
		return sure, sure || s.email
	case thingColour:
		sure = s.tells("colour")
		return sure, sure
	case thingAddress:
		place, number := s.tells("place"), s.classes&(bareClass|shortClass) != 0
		return place && number, place || number || s.name || strings.ContainsAny(text, "在住にで")
	case thingName, thingModel:
		return sure || s.name || s.tells("person") || s.tells("called") || s.namedAfterColon(), true
	case thingDay, thingWhen: // what may tell a time is told by its kind
		return sure, true
	case thingPrice:
		sure = sure || s.tells("free")
	case thingSize:
		sure = sure || s.tells("garment")
	case thingClock:
		sure = sure || s.atHour()
		return sure, sure || s.classes&perhaps[of] != 0 || s.saysNumber() || s.tells("daytime")
	}
	return sure, sure || s.classes&perhaps[of] != 0 || s.saysNumber()
}

// A sighting is what a text has of the things that questions name.
type sighting struct {
	*thingWords
	question, text   string
	tokens           []token
	classes          class
	email, web, name bool
}

func newSighting(question, text string) *sighting {
	s := &sighting{thingWords: readThings(), question: narrow(question), text: narrow(text)}
	asked, nouns := map[string]bool{}, false // nouns have a capital letter
	for _, t := range tokensOf(s.question) {
		asked[t.small] = true
		nouns = nouns || s.words["noun"][t.small]
	}
	s.tokens = tokensOf(s.text)
	for i := range s.tokens {
		t := &s.tokens[i]
		t.asked = asked[t.small]
		switch {
		case strings.HasPrefix(s.text[t.to:], "@"):
			s.email = true
		case strings.HasSuffix(s.text[:t.from], "@"):
		case t.asked:
		case t.digits > 0:
			f := figureAt(s.text, s.tokens, i)
			s.classes |= f.class(s.thingWords)
		default:
			s.web = s.web || isDomain(t.small)
			s.name = s.name || t.capital && s.isName(i, nouns)
		}
	}
	s.classes |= s.eastClasses(s.question, s.text)
	return s
}

// narrow returns a text with plain characters in place of full-width ones.
func narrow(text string) string {
	if strings.IndexFunc(text, func(r rune) bool { return r >= '！' && r <= '～' }) < 0 {
		return text
	}
	return strings.Map(func(r rune) rune {
		if r >= '！' && r <= '～' {
			return r - '！' + '!'
		}
		return r
	}, text)
}

// isDomain reports whether a token may be the name of a machine: www.harbour.example.
func isDomain(text string) bool {
	dot := strings.LastIndexByte(text, '.')
	return dot > 0 && len(text)-dot > 2 && !strings.ContainsAny(text, "'’,:")
}

// isName reports whether a token with a capital letter may be a name: a sentence does not
// begin with it. Where nouns have a capital letter, too, a name has two words.
func (s *sighting) isName(i int, nouns bool) bool {
	all := s.tokens
	t := &all[i]
	if readKinds().words[t.small] != "" || s.words["money"][t.small] { // Friday
		return false
	}
	if nouns {
		return i+1 < len(all) && all[i+1].capital && all[i+1].digits == 0 && all[i+1].from == t.to+1
	}
	before := strings.TrimRight(s.text[:t.from], " \t-*#\"'“«„¿¡(")
	last, _ := utf8.DecodeLastRuneInString(before)
	return before != "" && !strings.ContainsRune(".!?\n", last)
}

// tells reports whether the text has a word of a list that the question does not have.
func (s *sighting) tells(list string) bool {
	for i := range s.tokens {
		t := &s.tokens[i]
		if t.digits == 0 && !t.asked && (s.words[list][t.small] || endsWith(s.parts[list], t.small)) {
			return true
		}
	}
	return holdsPart(s.parts[list], s.question, s.text)
}

// endsWith reports whether a word ends with one of some parts and is longer.
func endsWith(parts []string, word string) bool {
	for _, p := range parts {
		if len(word) > len(p) && strings.HasSuffix(word, p) {
			return true
		}
	}
	return false
}

// holdsPart reports whether a text holds one of some parts in another script than Latin, more
// often than the question does.
func holdsPart(parts []string, question, text string) bool {
	for _, p := range parts {
		if p[0] >= utf8.RuneSelf && strings.Contains(text, p) && strings.Count(text, p) > strings.Count(question, p) {
			return true
		}
	}
	return false
}

// longestEastName is the number of characters of the longest name that stands by itself.
const longestEastName = 5

// namedAfterColon reports whether a few characters stand by themselves behind a colon, as a
// name does: 牙医：方晓梅，….
func (s *sighting) namedAfterColon() bool {
	for text := s.text; ; {
		_, after, found := strings.Cut(text, ":")
		if !found {
			return false
		}
		text = after
		name := strings.TrimSpace(after)
		if end := strings.IndexFunc(name, func(r rune) bool { return unicode.IsPunct(r) || r == '\n' }); end >= 0 {
			name = name[:end]
		}
		n := utf8.RuneCountInString(name)
		if n > 1 && n <= longestEastName && !strings.ContainsFunc(name, func(r rune) bool { return !unicode.In(r, unicode.Han, unicode.Katakana, unicode.Hiragana) }) && !strings.Contains(s.question, name) {
			return true
		}
	}
}

// saysNumber reports whether the text has a number in words, but for the hour of a day.
func (s *sighting) saysNumber() bool {
	known, question := readKinds(), plain(s.question)
	for w := range wordsOf(plain(s.text)) {
		first, _ := utf8.DecodeRuneInString(w.text)
		if !w.number && latinLetter(first) && known.words[w.text] == Amount && !strings.Contains(question, w.text) && !s.words["at"][w.before] {
			return true
		}
	}
	return false
}

// atHour reports whether the text says in words at which hour something is: at five, um acht.
func (s *sighting) atHour() bool {
	known := readKinds()
	for w := range wordsOf(plain(s.text)) {
		if s.words["at"][w.before] && (w.number && len(w.text) <= 2 || known.words[w.text] == Amount) {
			return true
		}
	}
	return false
}
