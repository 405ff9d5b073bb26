package querylang

import (
	"slices"

	"github.com/memoir-ai/memoir/internal/lazyregexp"
)

// whenTold matches a question for the day on which something was told to the memory itself:
// when did I tell you, 我什么时候跟你说过, いつ教えましたか. What was told to somebody else is
// what happened, so that nobody but "you" may stand there.
var whenTold = lazyregexp.New(`\b(?:when|what day|which day|what date|on what day|on which day)(?: exactly)? (?:did|have|was it that|was the (?:last|first) time(?: that)?) ?(?:i|we) (?:first |last |ever |originally )*(?:(?:tell|told|teach|taught|ask|asked|inform|informed|remind|reminded) you\b|let you know\b|(?:mention|mentioned|say|said|note|noted|state|stated|write down|wrote down|record|recorded)\b(?: to you)?)` +
	`|\bwhen (?:did|have) you (?:first |last |ever )*(?:learn|learned|learnt|hear|heard|find out|found out|note|noted|save|saved|store|stored|record|recorded|get told|remember)\b` +
	`|\bsince when (?:do|did|have) you (?:know|known|remember|remembered)\b` +
	`|(?:什么时候|什麼時候|啥时候|何时|何時|哪天|哪一天|几号|幾號|几月几号)(?:曾经?|就)?(?:告诉|告訴|跟|和|对|對|向|让|讓|教)(?:过|過|了)?(?:你|您)` +
	`|(?:什么时候|什麼時候|啥时候|何时|何時|哪天|哪一天|几号|幾號)(?:曾经?|就)?(?:说|說|提|讲|講|记|記)(?:过|過|到|起|的|下|住|了)` +
	`|いつ(?:頃|ごろ)?(?:あなたに|君に|きみに)?(?:、)?(?:言|教え|伝え|話し|メモし|記録し|覚え)[^。？?]{0,4}(?:た|まし)`)

// whenToldNeeds are words of which each match of whenTold holds one.
var whenToldNeeds = []string{"when", "what day", "which day", "what date", "什么时候", "什麼時候", "啥时候", "何时", "何時", "哪天", "哪一天", "几号", "幾號", "几月几号", "いつ"}

// toldTo matches whom something was told to, in the forms that do not say "you".
var toldTo = lazyregexp.New(`\b(?:say|said|mention|mentioned|state|stated)(?: \p{L}+)? to (\p{L}+)|(?:什么时候|什麼時候|啥时候|何时|何時|哪天|哪一天|几号|幾號)(?:曾经?|就)?(?:告诉|告訴|跟|和|对|對|向|让|讓|教)(?:过|過|了)?(\p{Han})`)

// AsksWhenTold reports whether a text asks on which day something was told to the memory.
func (q Query) AsksWhenTold() bool {
	if !asks(q.Text, whenToldNeeds, whenTold) {
		return false
	}
	to := toldTo().FindStringSubmatch(plain(q.Text))
	return to == nil || slices.Contains([]string{"you", "你", "您"}, to[1]+to[2])
}
