package querylang

import (
	"cmp"
	"embed"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/memoir-ai/memoir/internal/lazyregexp"
)

// An Occasion says which of many times a text asks for.
type Occasion string

// The occasions. The zero value asks for none of them.
const (
	Last  Occasion = "last"  // when did I last pay, 上一次, 前回
	First Occasion = "first" // the first time, 第一次, 初めて
)

//go:embed data/*.txt
var data embed.FS

// A cue is a form of words that ask for an occasion.
type cue struct {
	of    Occasion
	how   []string              // what data/occasions.txt says of its section
	needs string                // every match holds it
	event bool                  // it names what happened: a line of [not] counts only where it begins with the group
	form  func() *regexp.Regexp // the group is the words that say which time is meant; without one, it means something else
}

// occasions holds what the file says: the cues, and the words that are none.
type occasions struct {
	cues  []cue
	needs []string // every match of a cue holds one of these
	not   func() *regexp.Regexp
}

var readOccasions = sync.OnceValue(func() (o occasions) {
	words, err := data.ReadFile("data/occasions.txt")
	if err != nil {
		panic(err) // the file is a part of the program
	}
	section := ""
	var not, events []string
	for line := range strings.Lines(string(words)) {
		switch line = strings.TrimSpace(line); {
		case line == "" || line[0] == '#':
		case line[0] == '[':
			section = strings.Trim(line, "[]")
		case section == "not":
			not = append(not, bounded(regexp.QuoteMeta(line)))
		case section == "last, event":
			events = append(events, regexp.QuoteMeta(line))
		default:
			c := newCue(line)
			how := strings.Split(section, ", ")
			c.of, c.how = Occasion(how[0]), how[1:]
			o.cues, o.needs = append(o.cues, c), append(o.needs, c.needs)
		}
	}
	o.not = lazyregexp.New(strings.Join(not, "|"))
	o.cues = append(o.cues, eventCue(events))
	o.needs = append(o.needs, "last")
	return o
})

// eventCue returns the cue of what happens again and again. A match of what only looks
// like it has no group.
func eventCue(nouns []string) cue {
	const (
		before = `(?:\b(?:my|our|your|his|her|their|(?:was|were) the|\p{L}+['’]s?) |^)`
		within = `(?:day|week|month|year|term|semester|season|night|evening|morning|afternoon|decade|century)\b`
	)
	event := `(?: [\p{L}\p{N}'’-]{3,}){0,2}? (?:` + strings.Join(nouns, "|") + `)\b`
	form := lazyregexp.New(`\b(?:is|are|be) \p{L}+(?:['’]s?)? last\b|\b(?:today|tonight|` + within + `)['’]s last\b|` +
		before + "last" + event + ` of (?:the|this|that) ` + within + "|" + before + "(last)" + event)
	return cue{of: Last, event: true, needs: "last ", form: form}
}

// newCue reads a line of the file.
func newCue(line string) cue {
	before, after, open := strings.Cut(line, "~")
	if !open {
		return cue{needs: line, form: lazyregexp.New(bounded("(" + regexp.QuoteMeta(line) + ")"))}
	}
	before, after = strings.TrimSpace(before), strings.TrimSpace(after)
	if before[0] >= 0x80 { // what is before it says which time, too
		return cue{needs: before, form: lazyregexp.New("(" + before + ")" + `[^、。，,?？!！]{1,20}?` + after)}
	}
	word, _, _ := strings.Cut(after, " ~")
	return cue{needs: word, form: lazyregexp.New(`\b` + before + `(?: [^\s,.;:?!]+){1,5}? (` + word + `) [\p{L}\p{N}]`)}
}

var (
	// asksTime matches what asks for a time.
	asksTime = lazyregexp.New(`什么时候|什麼時候|何时|何時|哪天|哪年|哪一天|哪一年|几号|幾號|いつ(?:[^も]|$)` +
		`|\bwhen (?:did|was|were|have|has|had|i|we|he|she|they)\b|\bwhen\?$|\b(?:what|which) day\b`)
	// begun matches the beginning of a question that is not answered with yes or no.
	begun = lazyregexp.New(`^(?:(?:so|and|but|hey|ok|on|at|in|to|with|from)[, ]+)?(?:when|what|where|who|whom|which|how much)\b`)
)

// holds reports whether a cue counts in a text.
func (c cue) holds(text string) bool {
	if !strings.Contains(text, c.needs) {
		return false
	}
	for _, how := range c.how {
		ok := true
		switch how {
		case "kana":
			ok = hasKana(text)
		case "no kana":
			ok = !hasKana(text)
		case "asked":
			ok = asksTime().MatchString(text)
		case "begun":
			ok = begun().MatchString(text)
		}
		if !ok {
			return false
		}
	}
	return true
}

// hasKana reports whether a text has Japanese syllables.
func hasKana(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.In(r, unicode.Hiragana, unicode.Katakana) })
}

// bounded makes a form of Latin letters one of whole words.
func bounded(form string) string {
	if strings.ContainsFunc(form, func(r rune) bool { return r >= 0x80 }) {
		return form
	}
	return `\b` + form + `\b`
}

// AsksOccasion returns which time a text asks for, when it asks for the last or the first
// time that something happened, and the text without the words that say so and that notes
// seldom hold. It returns zero values for any other text, for one that names a day, and for
// one that is long, has several lines or ends with an exclamation mark, which tells rather
// than asks. Where a text asks for both, the one that it names first counts; one for what
// holds now is none for the first time.
func (q Query) AsksOccasion() (of Occasion, rest string) {
	typed := strings.TrimSpace(q.Text)
	if len(q.When) > 0 || len(typed) > maxAsked || strings.ContainsAny(typed, "\r\n") {
		return "", ""
	}
	text := plain(typed)
	if strings.HasSuffix(text, "!") {
		return "", ""
	}
	o := readOccasions()
	if !newQuickLook(text).sees(o.needs) {
		return "", ""
	}
	none := o.not().FindAllStringIndex(text, -1)
	first, left := len(text), []byte(cmp.Or(sentence{text, typed}.cased(), text))
	for _, c := range o.cues {
		if !c.holds(text) {
			continue
		}
		for _, at := range c.form().FindAllStringSubmatchIndex(text, -1) {
			if at[2] < 0 || !c.event && within(none, at[2], at[3]) || c.event && o.notHere(text[at[2]:]) {
				continue
			}
			if at[2] < first {
				first, of = at[2], c.of
			}
			if !slices.Contains(c.how, "kept") {
				copy(left[at[2]:at[3]], strings.Repeat(" ", at[3]-at[2]))
			}
		}
	}
	if of == "" || of == First && q.AsksForLatest() {
		return "", ""
	}
	return of, spaced(string(left), func(r rune) rune { return r })
}

// notHere reports whether a text begins with words that mean something else.
func (o *occasions) notHere(text string) bool {
	at := o.not().FindStringIndex(text)
	return at != nil && at[0] == 0
}

// within reports whether one of some stretches of a text holds another one.
func within(all [][]int, start, end int) bool {
	for _, at := range all {
		if at[0] <= start && end <= at[1] {
			return true
		}
	}
	return false
}
