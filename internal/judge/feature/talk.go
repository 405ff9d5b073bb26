package feature

import (
	"strings"

	"github.com/memoir-ai/memoir/internal/lazyregexp"
)

// How long what is asked for once and a message of progress are at most, in words and in
// characters of Chinese and Japanese: what is longer says more.
const (
	mostTalkWords = 14
	mostTalkWide  = 24
)

// ForOnce reports whether the text asks for something of the moment and for nothing that
// lasts: "zeig mir Zeile 40", 翻译成英文. English, in which most requests are told from orders
// by the models, has few such cues.
func (t *Text) ForOnce() bool {
	return t.brief() && t.cued("for once") && !t.Standing() && !t.Lasting() && !t.has("condition case")
}

// Progresses reports whether the text is what an agent says of its work while it goes on:
// "Running the test suite now.", まず設定ファイルを確認します. What tells how something was done
// is worth more.
func (t *Text) Progresses() bool {
	if !t.brief() || t.cued("how done") || t.ofDoing() {
		return false
	}
	for _, language := range spoken {
		if t.cued("progress "+language) && t.cued("work "+language) {
			return true
		}
	}
	return false
}

// ofDoing reports whether the text says of something that is done what it needs or does: "Uploading
// large files needs chunked mode", which begins as a message of progress does.
func (t *Text) ofDoing() bool {
	at := doing.expr().FindStringSubmatchIndex(t.folded)
	return at != nil && !asked.in(t.folded[:at[2]])
}

var (
	doing = pattern{lazyregexp.New(`^[a-z]+ing [^,;:.]*?\b(needs?|requires?|fails?|breaks?|takes|must|has to|only works|causes?|crashes|hangs|solve[sd]|fixe[sd]|wants)\b`), anything}
	asked = pattern{lazyregexp.New(`\b(?:why|whether|if|what|how|that|which|where|who|when)\b`), anything}
)

// brief reports whether the text is one line of a few words.
func (t *Text) brief() bool {
	return t.latin <= mostTalkWords && t.cjk <= mostTalkWide && !strings.Contains(t.raw, "\n")
}
