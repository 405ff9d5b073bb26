package querylang

import (
	"regexp"
	"strings"
	"sync"

	"github.com/memoir-ai/memoir/internal/assistant"
)

// toAssistant matches a question for what the assistant itself said. Asking it to do
// something now (can you, would you) does not match. It is compiled when first needed:
// few searches need it, and compiling takes time.
var toAssistant = sync.OnceValue(func() *regexp.Regexp {
	names := strings.Join(assistant.Names, "|")
	return regexp.MustCompile(`\bassistant\b` +
		`|\b(?:` + names + `|the (?:ai|agent|bot|model))(?:'s)? (?:\w+ )?(?:said|told|answer|suggest|recommend|advi[sc]e|propos|repl|respon|explain|wrote|mention)` +
		`|\byou (?:\w+ )?(?:said|told|answered|suggested|recommended|advised|proposed|replied|responded|explained|wrote|written|mentioned|gave|given|listed|provided|described|showed|shared|named|offered|came up with)\b` +
		`|\b(?:did|have|had) you (?:\w+ )?(?:say|said|tell|told|answer|suggest|recommend|advise|propose|repl|respon|explain|write|written|mention|give|given|list|provide|describe|show|share|offer|come up with)` +
		// An agent may ask about itself: what did I recommend to the user.
		`|\bi (?:\w+ )?(?:suggest|recommend|advi[sc]e)(?:ed|d)?\b|我(?:之前|上次)?(?:推荐|推薦|建议|建議)(?:了|过|過|的|给|給)` +
		`|\byour (?:\w+ )?(?:answer|suggestion|recommendation|advice|proposal|reply|response|explanation|list)s?\b` +
		`|你(?:之前|以前|上次|当时|當時|刚才|剛才|曾经|曾經|昨天)?(?:都|还|還)?(?:跟我|对我|對我|给我|給我|向我)?(?:说|說|讲|講|建议|建議|推荐|推薦|提到|提过|提過|提议|提議|告诉|告訴|回答|解释|解釋|列出|写的|寫的|给出|給出|给的|給的)` +
		`|助手|助理|你的(?:回答|建议|建議|推荐|推薦|答复|答覆|解释|解釋)|(?:` + names + `|ai|机器人)(?:说|說|回答|建议|建議|推荐|推薦)` +
		`|アシスタント|(?:あなた|君)(?:が|の)(?:言|勧|おすすめ|提案|教え|答え|回答|説明)|(?:` + names + `|ai)(?:が|の)(?:言|勧|提案|教え|答え|回答|説明)`)
})

// AsksAssistant reports whether a text asks for what an assistant said: what you
// recommended, your answer, 你说过, アシスタント. It is false for a text of several lines.
func (q Query) AsksAssistant() bool {
	text := strings.TrimSpace(q.Text)
	return !strings.ContainsAny(text, "\r\n") && toAssistant().MatchString(plain(text))
}
