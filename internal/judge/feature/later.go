package feature

import (
	"slices"

	"github.com/memoir-ai/memoir/internal/lazyregexp"
)

// endsLater reports whether the newer text says that something will end, and not what comes
// then: until that day what the older says holds. "Dr Patel retires in July" does not take
// back that she is the dentist.
func (m *Meeting) endsLater() bool {
	a, b := m.older.text, m.newer.text
	return b.has("ending") && b.has("ahead") && !b.has("done") && !a.has("ending") && !a.has("ahead") && !otherValue(a, b)
}

// otherValue reports whether the newer text has a value in the place of one of the older: of
// its kind, and another.
func otherValue(a, b *Text) bool {
	return slices.ContainsFunc(b.values, func(y Value) bool { return !slices.Contains(a.values, y) && sameKind(a.values, []Value{y}) })
}

// changesPart reports whether the newer text says that a part was changed of which the older
// says nothing: 手机换了电池 after 手机是华为.
func changesPart(a, b *Text) bool {
	return b.has("part") && !a.has("part") && changedPart.in(b.folded)
}

// changedPart matches that something has, or gets, another one of what stands behind.
var changedPart = pattern{lazyregexp.New(`换(?:了|过|掉|上|新|个|块|只|副|套|一|条|次|把|成新)+\p{Han}`), beyondASCII}

// died matches that somebody is dead, or an animal: who is told so has not been told before.
var died = pattern{lazyregexp.New(`\b(?:died|dies|dead|deceased|passed away|put down|put to sleep)\b|去世|过世|逝世|死了|病故|走丢|死ん|死に|亡くな|亡くし|逝き`), anything}
