package feature

import (
	"slices"
	"strings"
	"unicode"

	"github.com/memoir-ai/memoir/internal/lazyregexp"
)

// Did reports whether the text tells a completed act with an object of its own: "Removed the
// feature flag new_checkout", 把支付模块拆成了三个包, CSVインポーターを Rust で書き直した. An agent
// that is told to remember what was done says no more. What tells how tools were used, what
// programs print, and acts on nothing in particular ("Updated the code and the tests") are none.
func (t *Text) Did() bool {
	l := t.shape()
	if t.latin > mostNoteWords || t.cjk > mostNoteWide || l.lines > 0 || l.you || l.asks || l.code || l.polite || strings.Contains(t.folded, "?") {
		return false
	}
	if t.has("speculation") || t.cued("guessed") || t.leads("narrated") || t.leads("no act") || printed.in(t.raw) || timed.in(t.folded) || accented.in(t.raw) || t.Progresses() || t.Announces() || t.has("fault") && t.has("fault talk") {
		return false
	}
	from, ok := t.act()
	least := fewestOwn
	if t.wide() {
		least = fewestOwnWide
	}
	return ok && t.own(from, "hollow", "small", "petty") >= least
}

// fewestOwn is how much is at least of its own in a text that tells an act: a word, an
// identifier or a number counts two, a character of Chinese one.
const (
	fewestOwn     = 4
	fewestOwnWide = 6
)

// act returns behind which place the object of a completed act stands, if the text tells one. It
// is an act of who tells it: who else did something long ago is told in the same way, so that
// nobody is named before the verb.
func (t *Text) act() (int, bool) {
	if t.wide() {
		return 0, t.actsInChinese() || broughtAbout.in(t.folded) && !byWhom.in(t.folded)
	}
	if h, ok := t.leading("did"); ok {
		return h.end, true
	}
	if at := actedInEnglish.expr().FindStringIndex(t.folded); at != nil {
		return at[1], true
	}
	return 0, false
}

// actsInChinese reports whether a Chinese text begins with what was acted on or with, or with a
// verb of a list, and says that it is done.
func (t *Text) actsInChinese() bool {
	if !completed.in(t.folded) {
		return false
	}
	return handledFirst.in(t.folded) || slices.ContainsFunc(t.cues("did"), func(h hit) bool { return speaker.in(t.folded[:h.at]) })
}

// wide reports whether the text is in Chinese or Japanese.
func (t *Text) wide() bool { return t.cjk > 2 }

// leading returns the cue of a list with which the text begins, but for who speaks; in Chinese
// and Japanese, where verbs stand anywhere, the first.
func (t *Text) leading(list string) (hit, bool) {
	for _, h := range t.cues(list) {
		if t.wide() || speaker.in(t.folded[:h.at]) {
			return h, true
		}
	}
	return hit{}, false
}

func (t *Text) leads(list string) bool { _, ok := t.leading(list); return ok }

var (
	// speaker matches what may stand before the verb of what was done.
	speaker = pattern{lazyregexp.New(`^(?:(?:i|we)(?: have|'ve)? )?(?:also |just |already )?$|^(?:我们?)?(?:已经?|刚刚?|昨天|今天|上周)?$`), anything}
	// actedInEnglish matches a regular verb of the past there.
	actedInEnglish = pattern{lazyregexp.New(`^(?:(?:i|we)(?: have|'ve)? )?(?:also |just |already )?[a-z]{2,}[^e\W]ed\b`), anything}
	// completed matches that something is done in Chinese, handledFirst what something was done to
	// or with at the beginning.
	completed    = pattern{lazyregexp.New(`\p{Han}了 ?[\p{Han}\p{Latin}\d《“"]|[把将].*了[。.]*$|^(?:我们?)?已经?[把将]`), beyondASCII}
	handledFirst = pattern{lazyregexp.New(`^(?:我们?)?(?:已经?|刚刚?|昨天|今天|上周)?[把将给在从用跟和带替]`), beyondASCII}
	// timed matches how long it took, as programs say it.
	timed = pattern{lazyregexp.New(`\bin \d+(?:\.\d+)? ?m?s\b`), anything}
	// broughtAbout matches a completed act in Japanese, byWhom who did something.
	broughtAbout = pattern{lazyregexp.New(`[をにへとで] ?[^、。をにへとで]{1,12}(?:た|だ|ました)[。.]*$`), beyondASCII}
	byWhom       = pattern{lazyregexp.New(`[\p{Han}\p{Katakana}\p{Latin}ー\d][はが]`), beyondASCII}
)

// Narrates reports whether the text says that somebody used a tool and next to nothing besides:
// "Viewed the diff once more", 查看了日志,没有异常. What was found by it, and why, is worth
// more.
func (t *Text) Narrates() bool {
	if toolSaid.in(t.folded) {
		return true
	}
	if !t.brief() || t.cued("how done") || t.cued("traced") || t.exact() || !slices.ContainsFunc(spoken[:3], func(language string) bool { return t.cued("work " + language) }) {
		return false
	}
	h, ok := t.leading("narrated")
	return ok && t.own(h.end, "hollow", "small", "petty", "work en", "work zh", "work ja") < fewestOwn
}

// toolSaid matches how a transcript gives what a tool said.
var toolSaid = pattern{lazyregexp.New(`^\[?tool[ _-](?:result|output|response)\]? ?:|^工具(?:返回|输出|结果) ?:`), anything}

// own returns how much a text says of its own from a place on, but for the cues of some lists.
// Identifiers, numbers and names of files count once, however many.
func (t *Text) own(from int, but ...string) (n int) {
	silent := make([]bool, len(t.folded))
	for _, list := range but {
		for _, h := range t.cues(list) {
			for i := h.at; i < h.end; i++ {
				silent[i] = true
			}
		}
	}
	coded := 0
	for _, w := range ownWord.expr().FindAllStringIndex(t.folded, -1) {
		said := t.folded[w[0]:w[1]]
		switch {
		case w[0] < from || cues().stops[said]:
		case codedWord.in(said):
			coded = 2
		case silent[w[0]] || particle.in(said):
		case unicode.Is(unicode.Han, []rune(said)[0]):
			n++
		default:
			n += 2
		}
	}
	return n + coded
}

var (
	// ownWord matches a word of Latin letters with what identifiers have besides, one of
	// Katakana, or a character of Chinese; particle characters that say nothing by themselves.
	ownWord  = pattern{lazyregexp.New("[#`]?[a-z0-9][\\w./@:=#&'-]*[\\w`]|[a-z]|[\\p{Katakana}ー]+|\\p{Han}"), anything}
	particle = pattern{lazyregexp.New(`^[了把将给在从用跟和的到成已也都里个是有]$`), beyondASCII}
)
