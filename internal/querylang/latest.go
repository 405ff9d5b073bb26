package querylang

import (
	"regexp"
	"strings"

	"github.com/memoir-ai/memoir/internal/lazyregexp"
)

// latest matches a question for what holds now. Some words stand in many questions for
// other reasons (now, last, 今, 最近), so they count only inside a phrase.
var latest = lazyregexp.New(`\b(?:latest|newest|most recent(?:ly)?|current(?:ly)?|nowadays|these days|right now|as of now|at present|at the moment|up[ -]to[ -]date)\b` +
	`|\bnow(?:\?|$)|\b(?:is|are|do|does) [^?]{1,40} now\b` +
	`|最新|目前|当前|當前|如今|现今|現今|眼下|最近一次|最后一次|最後一次|现在|現在|直近|今の|今は`)

// latestNeeds are words of which each match of latest holds one.
var latestNeeds = []string{"latest", "newest", "recent", "current", "nowadays", "these days", "now", "present", "moment", "date",
	"最新", "目前", "当前", "當前", "如今", "现今", "現今", "眼下", "最近一次", "最后一次", "最後一次", "现在", "現在", "直近", "今の", "今は"}

// maxAsked is how long a question about the present may be, in bytes. Longer texts tell a
// story, and hold such words by chance.
const maxAsked = 200

// AsksForLatest reports whether a text asks for what holds now rather than for what was:
// the latest, the current, 最新, 目前, 現在. It is false for a text that names a day or has
// several lines.
func (q Query) AsksForLatest() bool {
	return len(q.When) == 0 && asks(q.Text, latestNeeds, latest)
}

// asks reports whether a text of one line, and not too long, matches a form. Every match
// holds one of the words in needs.
func asks(text string, needs []string, form func() *regexp.Regexp) bool {
	text = strings.TrimSpace(text)
	if len(text) > maxAsked || strings.ContainsAny(text, "\r\n") {
		return false
	}
	text = plain(text)
	return newQuickLook(text).sees(needs) && form().MatchString(text)
}
