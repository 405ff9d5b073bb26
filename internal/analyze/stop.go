package analyze

import (
	"embed"
	"strings"
	"sync"
	"unicode/utf8"
)

// The lists of words are files, each with its origin: the words of a question that say
// nothing about its subject, and characters that mean little. They are taken out of
// queries only, or weigh less there: a document keeps every word, and a query that
// consists of nothing else keeps them too.
//
//go:embed data/*.txt
var data embed.FS

// Each list is read when it is first asked for: most commands need none of them.
var (
	// Of languages whose words are set apart; no two of them share a script.
	stopWords         = lists("stop.en", "stop.ar", "stop.hi", "stop.ru")
	chinesePhrases    = lists("stop.zh")
	japanesePhrases   = lists("stop.ja") // 誰 is folded as in Chinese
	chineseParticles  = lists("weak.zh")
	japaneseParticles = lists("weak.ja")
)

// lists returns a function that gives the folded words of some lists.
func lists(names ...string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		var all strings.Builder
		for _, name := range names {
			all.WriteString(list(name))
		}
		return set(fold(all.String()).text)
	})
}

// list returns a list of words without what is said of it.
func list(name string) string {
	text, err := data.ReadFile("data/" + name + ".txt")
	if err != nil {
		panic(err) // it is a part of the program
	}
	var b strings.Builder
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "#") {
			b.WriteString(line)
		}
	}
	return b.String()
}

func set(words string) map[string]bool {
	m := make(map[string]bool)
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// stopWord reports whether a folded word is a stop word.
func stopWord(w string) bool { return stopWords()[w] }

// japanese reports whether a query is written in Japanese: kana tell.
func japanese(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return r >= 0x3041 && r <= 0x30ff })
}

// maxStopRunes is the length of the longest stop phrase.
const maxStopRunes = 6

// untilStop returns where the first stop phrase in text[x:end] begins, and
// where it ends; both are end when there is none. Of phrases that begin at the
// same place the longest counts.
func (s *scanner) untilStop(x, end int) (stop, next int) {
	for x < end {
		longest, y := 0, x
		for range maxStopRunes {
			if y >= end {
				break
			}
			_, w := utf8.DecodeRuneInString(s.text[y:end])
			y += w
			if s.phrases()[s.text[x:y]] {
				longest = y
			}
		}
		if longest > 0 {
			return x, longest
		}
		_, w := utf8.DecodeRuneInString(s.text[x:end])
		x += w
	}
	return end, end
}
