package search

import (
	"context"
	"path"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/analyze"
	"github.com/memoir-ai/memoir/internal/chunk"
	"github.com/memoir-ai/memoir/internal/trace"
)

// A naming is what stands beside the name of the one who tells, in small letters.
type naming struct{ text, list string }

// namings are what stands beside such a name in a sentence, fields are what USER.md calls it,
// and families are how Chinese names begin.
type namings struct {
	all              []naming
	fields, families []string
}

var namingWords = sync.OnceValue(func() *namings {
	n := new(namings)
	for list, line := range dataLines("named.txt") {
		switch list {
		case "family":
			n.families = strings.Fields(line)
		case "field":
			n.fields = append(n.fields, line)
		default:
			n.all = append(n.all, naming{line, list})
		}
	}
	return n
})

// namingPassages is how many of the first passages may tell the name of the one who tells. A
// name stands in few passages, so that the one that tells it comes first when a question has it.
const namingPassages = 3

// byName searches again when the query calls the one who tells by name ("which phone does
// Sarah use?") while the notes are in the words of that one ("I use a Pixel"). Such a name
// stands where it was told and almost nowhere else. Counted as a rare word it brings that
// passage first, whatever is asked. So the query is asked as that one would, with "I" and "my".
func (e *Searcher) byName(ctx context.Context, asked memoir.Query, s search, found []*candidate) (memoir.Query, search, []*candidate) {
	name := s.tellerIn(found)
	if name == "" {
		return asked, s, found
	}
	q := asked
	q.Text, q.NoSync = inFirstPerson(q.Text, name), true
	if !analyze.Says(q.Text) { // who is Sarah?
		return asked, s, found
	}
	stage := trace.Begin(ctx, "named")
	again := e.ask(q)
	now, err := again.run(ctx)
	stage.End(len(now), "passages")
	if err != nil || len(now) == 0 {
		return asked, s, found
	}
	again.degraded = s.degraded
	return q, again, now
}

// tellerIn returns a name that the query has and by which one of the first passages calls
// the one who tells; "" where none does, or where the other passages speak of somebody of that
// name.
func (s *search) tellerIn(found []*candidate) string {
	if s.query.Literal || s.asked.text == "" || len(s.asked.phrases) > 0 {
		return ""
	}
	first := found[:min(len(found), namingPassages)]
	for _, f := range first {
		name := s.toldIn(&f.chunk)
		if name == "" {
			continue
		}
		if slices.ContainsFunc(first, func(other *candidate) bool {
			own, _ := ownWords(other.chunk.Text)
			return other.Doc != f.Doc && strings.Contains(own, name)
		}) {
			return ""
		}
		return name
	}
	return ""
}

// ownWords returns a text without what an assistant says in it, and whether it says anything.
func ownWords(text string) (own string, talk bool) {
	turns := strings.TrimSpace(text)
	for strings.HasPrefix(turns, "#") { // headings
		_, turns, _ = strings.Cut(turns, "\n")
		turns = strings.TrimSpace(turns)
	}
	if own := chunk.WithoutAssistant(turns); own != "" {
		return own, true
	}
	return text, false
}

// toldIn returns the name that the query has and by which a passage calls the one who tells:
// the user of a talk, or whoever begins a line with it, or whose name USER.md has.
func (s *search) toldIn(c *memoir.Chunk) string {
	small, user := strings.ToLower(c.Text), path.Base(string(c.Doc)) == "USER.md"
	var held []naming
	for _, n := range namingWords().all {
		if strings.Contains(small, n.text) {
			held = append(held, n)
		}
	}
	if len(held) == 0 && !user {
		return ""
	}
	own, talk := ownWords(c.Text)
	for line := range strings.Lines(own) {
		name := s.toldBy(line, held, talk)
		if name == "" && user {
			name = s.field(line)
		}
		if name != "" {
			return name
		}
	}
	return ""
}

// toldBy does what toldIn does for a line, and some of what may stand beside a name. In a talk
// that may stand anywhere.
func (s *search) toldBy(line string, held []naming, talk bool) string {
	small := strings.ToLower(line)
	if len(small) != len(line) { // of letters whose small ones have another length, such as İ
		return ""
	}
	for _, n := range held {
		at := strings.Index(small, n.text)
		switch {
		case at < 0:
		case n.list == "behind":
			from := strings.LastIndexFunc(line[:at], func(r rune) bool { return !unicode.IsLetter(r) || r == 'は' })
			_, width := utf8.DecodeRuneInString(line[max(from, 0):])
			if name := s.nameAt(line[max(from, 0)+width*min(from+1, 1) : at]); name != "" {
				return name
			}
		case talk || strings.IndexFunc(line[:at], unicode.IsLetter) < 0:
			if name := s.nameAt(line[at+len(n.text):]); name != "" && (n.list == "before" || s.isPerson(name)) {
				return name
			}
		}
	}
	return ""
}

// field returns the name that the query has of those that a line of USER.md tells.
func (s *search) field(line string) string {
	line = strings.Replace(line, "：", ":", 1)
	key, value, _ := strings.Cut(line, ":")
	if slices.Contains(namingWords().fields, strings.ToLower(strings.Trim(key, " -*\t_"))) {
		return s.nameAt(value)
	}
	return ""
}

// nameAt returns the part of the name with which a text begins that the query has; "" when
// it has none.
func (s *search) nameAt(text string) string {
	text = strings.TrimLeft(text, " \t*_:：\"'“「『")
	if first, _ := utf8.DecodeRuneInString(text); caseless(first) {
		runes := []rune(text)
		for n := min(len(runes), longestName); n >= 2; n-- {
			if name := string(runes[:n]); strings.Contains(s.asked.text, name) && !strings.ContainsFunc(name, func(r rune) bool { return !caseless(r) }) {
				return name
			}
		}
		return ""
	}
	var words []string
	for _, word := range strings.Fields(text) {
		name := strings.TrimRightFunc(word, func(r rune) bool { return !unicode.IsLetter(r) })
		first, _ := utf8.DecodeRuneInString(name)
		if len(words) >= longestName || !unicode.IsUpper(first) || strings.ContainsAny(name, "'’") {
			break
		}
		words = append(words, name)
		if name != word { // a mark ends the name
			break
		}
	}
	for n := len(words); n > 0; n-- {
		if name := strings.Join(words[:n], " "); utf8.RuneCountInString(name) > 1 && wordAt(s.asked.text, name) >= 0 {
			return name
		}
	}
	return ""
}

// longestName is the number of words of the longest name, of characters in scripts without
// spaces.
const longestName = 4

// caseless reports whether a letter is of a script without capital letters.
func caseless(r rune) bool { return unicode.IsLetter(r) && !unicode.IsUpper(r) && !unicode.IsLower(r) }

// wordAt returns where a text has a word between other characters than letters, in small or
// capital ones; -1 where it has none.
func wordAt(text, word string) int {
	small := strings.ToLower(text)
	if len(small) != len(text) { // of letters whose small ones have another length, such as İ
		return -1
	}
	text, word = small, strings.ToLower(word)
	for at := 0; ; {
		i := strings.Index(text[at:], word)
		if i < 0 {
			return -1
		}
		at += i
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		after, _ := utf8.DecodeRuneInString(text[at+len(word):])
		if !unicode.IsLetter(before) && !unicode.IsLetter(after) {
			return at
		}
		at += len(word)
	}
}

// isPerson reports whether what follows "I am" is a name, for it may say what somebody is: it
// begins as Chinese names do, or the query asks for something of it, which "German grammar"
// does not of a German.
func (s *search) isPerson(name string) bool {
	if first, _ := utf8.DecodeRuneInString(name); caseless(first) {
		return slices.ContainsFunc(namingWords().families, func(n string) bool { return strings.HasPrefix(name, n) })
	}
	p, ok := s.asked.owner()
	return ok && slices.ContainsFunc(strings.Fields(name), func(part string) bool { return wordAt(p.owner, part) >= 0 })
}

// inFirstPerson returns a query as it is asked by the one whom it calls by a name.
func inFirstPerson(query, name string) string {
	first, _ := utf8.DecodeRuneInString(name)
	if caseless(first) {
		self := "我"
		switch {
		case unicode.Is(unicode.Hangul, first):
			self = ""
		case strings.ContainsFunc(query, func(r rune) bool { return unicode.In(r, unicode.Hiragana, unicode.Katakana) }):
			self = "私"
		}
		for _, polite := range []string{"さん", "くん", "ちゃん", "様", " 씨", "씨"} {
			query = strings.ReplaceAll(query, name+polite, name)
		}
		return strings.ReplaceAll(query, name, self)
	}
	var out strings.Builder
	for {
		at := wordAt(query, name)
		if at < 0 {
			break
		}
		out.WriteString(query[:at])
		query = query[at+len(name):]
		if rest, ok := strings.CutPrefix(strings.Replace(query, "’", "'", 1), "'s"); ok {
			out.WriteString("my")
			query = rest
			continue
		}
		out.WriteString("I")
	}
	return out.String() + query
}
