package querylang

import "github.com/memoir-ai/memoir/internal/lazyregexp"

// whens matches a question for a time. The word "when" alone is not enough.
var whens = lazyregexp.New(`\b(?:when|since when|until when)(?: exactly)? (?:did|was|were|is|are|do|does|will|has|have|had|can|should)\b|\b(?:what|which) (?:day|date|week|month|year)\b` +
	`|哪天|哪一天|哪日|哪年|哪一年|哪个月|哪個月|什么时候|什麼時候|何时|何時|几号|幾號|几月|幾月|いつ|何日|何月|何曜日`)

// whenNeeds are words of which each match of whens holds one.
var whenNeeds = []string{"when ", "what day", "what date", "what week", "what month", "what year", "which day", "which date", "which week", "which month", "which year",
	"哪", "什么时候", "什麼時候", "何", "几号", "幾號", "几月", "幾月", "いつ"}

// AsksWhen reports whether a text asks at what time something happened or holds.
func (q Query) AsksWhen() bool { return asks(q.Text, whenNeeds, whens) }
