package feature

import (
	"slices"

	"github.com/memoir-ai/memoir/internal/lazyregexp"
)

// beginsNow reports whether an older text denies something and a newer one says what is so
// by now.
func beginsNow(older, newer *Text) bool {
	return len(older.denials()) == 1 && len(newer.denials()) == 0 && byNow.in(newer.folded)
}

// takesUp reports whether what a newer text says to be so by now is what the older denies:
// 我不吃辣, 我现在能吃辣了; "the lift doesn't work", "the lift works again".
func takesUp(older, newer *Text) bool {
	if !beginsNow(older, newer) {
		return false
	}
	denied, said := timeless(older), timeless(newer)
	return len(denied) > 0 && slices.EqualFunc(denied, said, sameWord) && slices.Equal(older.values, newer.values)
}

// takesUpOther reports whether a newer text says something else to be so by now than what the
// older denies: 我不能喝牛奶, 我现在可以喝咖啡了.
func takesUpOther(older, newer *Text) bool {
	if !beginsNow(older, newer) {
		return false
	}
	said := timeless(newer)
	return slices.ContainsFunc(timeless(older), func(w string) bool {
		return !slices.ContainsFunc(said, func(v string) bool { return sameWord(v, w) })
	})
}

// timeless returns the contents of a text without what says since when it is so.
func timeless(t *Text) []string {
	return Read(ofTime.expr().ReplaceAllString(t.folded, " ")).contents(false)
}

// byNow matches what says that something is so by now and was not before, ofTime also
// what says that it is still as it was.
var (
	byNow  = pattern{lazyregexp.New(`(?:现在|如今|已经|终于|重新|开始|又).*了[。！!. ]*$|\b(?:now|again|finally)\b`), anything}
	ofTime = pattern{lazyregexp.New(`现在|如今|已经|终于|重新|又?开始|又|还|尚|一直|从来|\b(?:now|again|finally|still|yet)\b`), anything}
)
