package querylang

import (
	"strings"

	"github.com/memoir-ai/memoir/internal/lazyregexp"
)

// asking matches a text that asks something: one with a question mark at the end of a
// sentence, one that begins with a question word, one that ends as Chinese and Japanese
// questions do without a mark.
var asking = lazyregexp.New(`[?？](?:\s|["'”’」』)）]|$)|？` +
	`|^(?:(?:and|so|ok|okay|hey|well),? )?(?:what|which|who|whose|whom|why|how)(?:'s|'re| )` +
	`|^(?:(?:and|so|ok|okay|hey|well),? )?(?:when|where)(?:'s| (?:is|are|was|were|do|does|did|will|has|have|had|can|should)\b)` +
	`|(?:吗|嗎|呢|什么|什麼|多少|多少钱|哪里|哪裡|哪儿|哪个|哪個|是谁|是誰|几点|几号|什么时候|ですか|ますか|でしょうか|でしたか|ましたか|だっけ|でしたっけ)[\s。.!！]*$`)

// Asks reports whether a message asks something. An order in the form of a question ("can
// you fix this?") counts, too.
func Asks(message string) bool {
	return asking().MatchString(strings.ToLower(strings.TrimSpace(message)))
}
