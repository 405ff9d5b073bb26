package analyze

import (
	"embed"
	"strings"
	"sync"
	"unicode/utf8"
)

// The lists of words are files, and each names its origin. They hold the words of a
// question that say nothing about its subject, characters that mean little, and the forms
// of words that no ending gives. Queries lose the first, and give the characters less
// weight. Documents keep every word, and so does a query that has no others.
//
//go:embed data/*.txt
var data embed.FS

// Each list is read when it is first needed, because most commands need none.
var (
	// For languages that put spaces between words. No two of them share a script.
	stopWords         = lists("stop.en", "stop.ar", "stop.hi", "stop.ru")
	chinesePhrases    = lists("stop.zh")
	japanesePhrases   = lists("stop.ja") // 誰 is folded as in Chinese
	chineseParticles  = lists("weak.zh")
	japaneseParticles = lists("weak.ja")
)

// lists returns a function that returns the folded words of some lists.
func lists(names ...string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		var all strings.Builder
		for _, name := range names {
			all.WriteString(list(name))
		}
		return set(fold(all.String()).text)
	})
}

// list returns the words of a list without its comments.
func list(name string) string {
	text, err := data.ReadFile("data/" + name + ".txt")
	if err != nil {
		panic(err) // the file is a part of the program
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

// japanese reports whether a query is written in Japanese, which kana show.
func japanese(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return r >= 0x3041 && r <= 0x30ff })
}

// maxStopRunes is the length of the longest stop phrase.
const maxStopRunes = 6

// untilStop returns where the first stop phrase in text[x:end] begins and where it ends.
// Both are end if there is none. If several begin at the same place, the longest counts.
// What a question only says to say it again is one, too.
func (s *scanner) untilStop(x, end int) (stop, next int) {
	for x < end {
		longest, y := 0, x
		if again := s.asksTwice(x, end); again > x {
			longest = again
		}
		for range maxStopRunes {
			if y >= end {
				break
			}
			_, w := utf8.DecodeRuneInString(s.text[y:end])
			y += w
			if s.phrases()[s.text[x:y]] {
				longest = max(longest, y)
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

// asksTwice returns where the word at x stands again in text[x:end], behind 不 or 没, as
// the verb of a Chinese question does: 包不包, 喜不喜欢, 喜欢不喜欢. It returns x if it does
// not. Notes say the verb once.
func (s *scanner) asksTwice(x, end int) int {
	for y := x; y < end; {
		_, w := utf8.DecodeRuneInString(s.text[y:end])
		if y += w; utf8.RuneCountInString(s.text[x:y]) > maxVerbRunes {
			break
		}
		for _, not := range []string{"不", "没"} {
			if again, ok := strings.CutPrefix(s.text[y:end], not); ok && strings.HasPrefix(again, s.text[x:y]) {
				return y + len(not)
			}
		}
	}
	return x
}

// maxVerbRunes is how many characters the verb of such a question has at most.
const maxVerbRunes = 2
