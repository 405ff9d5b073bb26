package feature

import "github.com/memoir-ai/memoir/internal/lazyregexp"

// Remedies reports whether the text says what to do when something fails: "If the terminal
// freezes, unplug the USB reader"; 构建卡住就删掉 .cache 目录. A request has that shape, too ("If
// it fails again, show me the log"): it points at what is at hand, asks for something to be
// told, or says what somebody will do.
func (t *Text) Remedies() bool {
	clause := remedyPattern().FindStringSubmatchIndex(t.folded)
	if clause == nil || t.has("fault talk") {
		return false
	}
	for _, h := range t.of("fault") {
		if h.at >= clause[0] && h.end <= clause[1] {
			return true
		}
	}
	return false
}

// remedyPattern matches what says in which case to do something: in English and German a
// clause before a comma, or what "bei" says; in Chinese and Japanese what stands before 就,
// 的话, 时, たら, 時は, and what 如果 begins.
var remedyPattern = lazyregexp.New(`^(?:if|when|whenever|in case|should|wenn|falls|sobald) [^.!?]+?, |^(?:bei|im falle?) [^.!?]+ \p{L}+en$|^[^,。!?]*?(?:就|的话|的时候|[^超小准及实临定平]时[^间钟区]|则)|^(?:如果|要是|一旦|万一|若|[碰遇]到)[^,。!?]*,|^[^。!?]*?(?:たら|れば|なら|時は|ときは|時に|ときに|場合)`)
