package feature

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memoir-ai/memoir/internal/lazyregexp"
)

// Cosines of the vectors of words; see docs/design/judging.md.
const (
	restUnlike = .45 // below it what each of two texts has alone is about two things
	restsApart = .3  // and so far apart that no text says what the other does
	lastUnlike = .6  // what the last word of a text has at most that is about something else
	sameWordAs = .8  // what two words have at least that are one
)

// otherPredicate reports whether the newer text tells something else of what the older
// speaks of, so that both hold: "Tom is my team lead", "Tom has a new office now"; 我在合唱团唱歌,
// 合唱团换指挥了. Its first words that say something are of the older text, no later one is, and
// the rest of one is not like the rest of the other.
func (m *Meeting) otherPredicate() bool {
	a, b := m.older, m.newer
	if m.likeness == nil || a.cjk() != b.cjk() || b.text.begins("self") && !b.text.possessive() || m.mayReplace() {
		return false
	}
	wa, wb := weights(a.units), weights(b.units)
	if !m.beginsAlike(wb) || m.bestB[len(wb)-1] > lastUnlike {
		return false
	}
	alike, known := m.rests(wa, wb)
	return known && alike < restUnlike
}

// tellsOfWho reports whether the older text says by name who somebody is, and the newer how he
// is or where: "My manager is Petra", "My manager is on holiday until Monday".
func tellsOfWho(a, b *Text) bool {
	who, how := isWho.expr().FindStringSubmatch(a.raw), isHow.expr().FindStringSubmatch(b.raw)
	if who == nil || how == nil || !strings.EqualFold(who[1], how[1]) || anybody.in(how[2]) || sameKind(a.values, b.values) {
		return false
	}
	// Both may name a place: "The venue is Graz", "The venue is in Vienna".
	where, _ := utf8.DecodeRuneInString(strings.TrimLeft(b.raw[len(how[0]):], " "))
	return strings.Contains(how[2], " ") || !unicode.IsUpper(where)
}

// isWho matches a statement of who somebody is, isHow one of how or where he is, by what such
// a place or state begins with or goes on with, and anybody one that says who after all.
var (
	isWho   = pattern{lazyregexp.New(`^((?:[Mm]y|[Oo]ur|[Tt]he|\p{L}+'s) (?:[\p{L}-]+ ){1,3}is )\p{Lu}`), anything}
	isHow   = pattern{lazyregexp.New(`^((?:[Mm]y|[Oo]ur|[Tt]he|\p{L}+'s) (?:[\p{L}-]+ ){1,3}?is )((?:\p{Ll}+ )?(?:on|at|in|out|away|back|off|with|without|by|until|since|for|about|over|under|near|here|there|home|abroad)\b)`), anything}
	anybody = pattern{lazyregexp.New(`^(?:now|no|not|still|again|also|called|named|a|an|the|my|our|his|her|their|someone|somebody|another|nobody)\b`), anything}
)

// mayReplace reports whether the newer text may take the place of the older, however unlike
// their words are: it has another name, number or value or is the same statement with
// another value, or says that something has taken the place of what was, that somebody left,
// or that it is no longer so.
func (m *Meeting) mayReplace() bool {
	a, b := m.older.text, m.newer.text
	if m.givesUpOther() {
		return false
	}
	if names(m.older, m.newer)[0] > 0 || newNumbers(a, b) || sameKind(a.values, b.values) || statement.in(a.folded[:commonPrefix(a.folded, b.folded)]) {
		return true
	}
	return sameFrame(a, b) || b.has("replaced") || b.has("back") || denies(b, a) || calledOff.in(b.folded) || otherStage(a, b)
}

// sameKind reports whether two texts have values of one kind.
func sameKind(a, b []Value) bool {
	return slices.ContainsFunc(a, func(x Value) bool { return slices.ContainsFunc(b, func(y Value) bool { return x.Kind == y.Kind }) })
}

// givesUpOther reports whether the newer text says of what somebody gave up that is unlike
// all that the older text says.
func (m *Meeting) givesUpOther() bool {
	of := givenUp().FindStringSubmatch(m.newer.text.folded)
	if of == nil {
		return false
	}
	u, alike := m.newWord(of[1])
	return u != nil && alike < possessedUnlike
}

// newWord returns a word of the newer text and how alike the older one's nearest is; nil if
// the newer has no such word.
func (m *Meeting) newWord(word string) (*unit, float64) {
	for i := range m.newer.units {
		if u := &m.newer.units[i]; u.text == word {
			return u, m.bestB[i]
		}
	}
	return nil, 0
}

// givenUp matches what somebody gave up that is no work.
var givenUp = lazyregexp.New(`\b(?:gave up|gives up|giving up|quit|quits|stopped|cancelled|sold) (?:(?:the|his|her|their|all|eating|drinking|taking|playing|learning|going to) ){0,2}(\p{Latin}+)`)

// beginsAlike reports whether the first words of the newer text that say something are of
// the older, and no later one is.
func (m *Meeting) beginsAlike(weight []float64) bool {
	at := firstSaid(weight)
	if m.bestB[at] < sameWordAs {
		return false
	}
	later := false
	for ; at < len(weight); at++ {
		switch {
		case weight[at] <= .5:
		case m.bestB[at] < sameWordAs:
			later = true
		case later:
			return false
		}
	}
	return true
}

// restsApart reports whether the words that each of two texts has alone are unlike.
func (m *Meeting) restsApart() bool {
	if m.likeness == nil || m.older.cjk() != m.newer.cjk() {
		return false
	}
	alike, known := m.rests(weights(m.older.units), weights(m.newer.units))
	return known && alike < restsApart
}

// Rests returns how alike the words are that each of two texts has alone, 0 where one has none.
func (m *Meeting) Rests() float64 {
	if m.likeness == nil {
		return 0
	}
	alike, _ := m.rests(weights(m.older.units), weights(m.newer.units))
	return alike
}

// possessive reports whether a text begins with something that belongs to who tells it, and
// not with himself.
func (t *Text) possessive() bool {
	return strings.HasPrefix(t.folded, "my ") || strings.HasPrefix(t.folded, "our ") || t.beginsWithKin()
}

// rests returns how alike the words are that each text has alone, each taken by how little
// it is matched; false where one has none.
func (m *Meeting) rests(wa, wb []float64) (float64, bool) {
	a, b := rest(m.older.units, m.bestA, wa), rest(m.newer.units, m.bestB, wb)
	var sum, la, lb float64
	for d := range a {
		sum += float64(a[d] * b[d])
		la += float64(a[d] * a[d])
		lb += float64(b[d] * b[d])
	}
	if la == 0 || lb == 0 {
		return 0, false
	}
	return sum / math.Sqrt(la*lb), true
}

// rest returns the sum of the vectors of words, each weighed by how little it is matched.
func rest(units []unit, best, weight []float64) []float64 {
	v := make([]float64, len(units[0].vector))
	for i, u := range units {
		lack := min(max(1-best[i], 0), 1) * weight[i]
		for d := range v {
			v[d] += float64(lack * float64(u.vector[d]))
		}
	}
	return v
}
