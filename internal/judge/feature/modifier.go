package feature

import (
	"slices"
	"strings"
	"unicode"

	"github.com/memoir-ai/memoir/internal/lazyregexp"
)

// What follows tells two things of one kind apart, of which each text tells something, though
// the newer one tells of a change: the work laptop and the private laptop, 家里宽带 and
// 公司宽带, a dentist and an eye doctor.

// ofAnotherKind reports whether the newer text is about another one of a kind than the older,
// or about somebody of another trade.
func ofAnotherKind(a, b *Text) bool {
	if older, newer := a.kinds("trade "), b.kinds("trade "); len(older) > 0 && len(newer) > 0 && shared(older, newer) == 0 {
		return true
	}
	if a.cjk > a.latin != (b.cjk > b.latin) {
		return false
	}
	if b.cjk > b.latin {
		return shared(a.kin(), b.kin()) == 0 && otherPrefix(subjectOf(a.folded), subjectOf(b.folded))
	}
	return otherModifier(things(a.folded), things(b.folded))
}

// A thing is what a text calls something after "my", "our" or "the": the kind that the last
// word says, and which of that kind.
type thing struct {
	kind  string
	which []string
}

// determined matches such names, with what leads to them.
var determined = pattern{lazyregexp.New(`(\b(?:to|into|from) )?(?:\b(?:my|our|the)|['’]s) ((?:[a-z][a-z-]+ ?){1,4})`), anything}

// things returns the things that a text in English names, without words that say which is
// meant by age alone. What somebody comes to or from is none: "I switched to the backend team"
// is about him.
func things(folded string) (all []thing) {
	for _, m := range determined.expr().FindAllStringSubmatch(folded, -1) {
		var words []string
		if m[1] != "" {
			continue
		}
		for _, w := range strings.Fields(m[2]) {
			if stopWord(w) || isPredicate(w) || goes.in(w) {
				break
			}
			words = append(words, w)
		}
		if len(words) == 0 {
			continue
		}
		last := len(words) - 1
		which := slices.DeleteFunc(words[:last], func(w string) bool { return byAge.in(w) })
		all = append(all, thing{words[last], which})
	}
	return all
}

var (
	// byAge matches words that tell the one from the one before it.
	byAge = pattern{lazyregexp.New(`^(?:new|old|current|former|previous|next|last|latest|main|own|whole|usual|regular|correct|corrected)$`), anything}
	// goes matches verbs behind a name.
	goes = pattern{lazyregexp.New(`^(?:moved|changed|switched|went|got|became|comes|came|hurts?|wants?|likes?|lives?|says?|said|died|left|joined|started|stopped|broke|owns?|handles?|wrote|calls?|called|[a-z]{3,}ed)$`), anything}
)

// otherModifier reports whether two texts name two things of one kind, and none that is the
// same.
func otherModifier(older, newer []thing) bool {
	apart := false
	for _, x := range newer {
		for _, y := range older {
			if !sameWord(x.kind, y.kind) {
				continue
			}
			if len(x.which) == 0 || len(y.which) == 0 || slices.ContainsFunc(x.which, func(w string) bool {
				return slices.ContainsFunc(y.which, func(v string) bool { return sameWord(v, w) })
			}) {
				return false
			}
			apart = true
		}
	}
	return apart
}

// subjectEnd matches what begins what is said in Chinese and Japanese, ofAge what tells the one
// from the one before it.
var (
	subjectEnd = pattern{lazyregexp.New(`[是在用叫为每周由归管订有要了只最能换改挪搬迁转变坏修好疼痛来去给交到从已也都很太不没,，、:：0-9一二三四五六七八九十はがをにで ]`), beyondASCII}
	ofAge      = pattern{lazyregexp.New(`原来的?|以前的?|之前的?|现在的?|目前的?|新しい|古い|前の|今の|正しい|正确的?|[新旧]的?|老的|我们的?|我家的?|我的?|私の|うちの`), beyondASCII}
)

// subjectOf returns what stands before what a text in Chinese or Japanese says, nil where that
// is not known.
func subjectOf(folded string) []rune {
	folded = ofAge.expr().ReplaceAllString(folded, "")
	at := subjectEnd.expr().FindStringIndex(folded)
	if at == nil {
		return nil
	}
	return []rune(folded[:at[0]])
}

// otherPrefix reports whether two subjects are of one kind, which the same characters at their
// end say, and each has something else before it.
func otherPrefix(older, newer []rune) bool {
	const longest, least = 12, 2 // characters of a subject, and of a kind
	n := 0
	for n < min(len(older), len(newer)) && older[len(older)-1-n] == newer[len(newer)-1-n] {
		n++
	}
	before, after := string(older[:len(older)-n]), string(newer[:len(newer)-n])
	return n >= least && max(len(older), len(newer)) <= longest && before != "" && after != "" && !strings.Contains(before, after) && !strings.Contains(after, before) &&
		strings.ContainsFunc(string(newer[len(newer)-n:]), func(r rune) bool { return unicode.In(r, unicode.Han, unicode.Katakana) })
}
