package feature

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memoir-ai/memoir/internal/lazyregexp"
)

// How long a note of work is at most, in words and in characters of Chinese and Japanese: what
// is longer is judged by the models alone.
const (
	mostNoteWords = 32
	mostNoteWide  = 60
)

// Notes reports whether the text is a note of work by its form, as coding agents and assistants
// write them, short and without who did it: why something failed ("Root cause of the empty page:
// stale bundle"), what a part of a program needs or does ("Tests need REDIS_URL set, otherwise
// they hang", 部署前要先跑 make gen), where it is ("Router: app/routes.rb"), what was done about a
// failure and how, and what was chosen. What everybody knows seldom says that of such things.
func (t *Text) Notes() bool {
	if !t.mayNote() {
		return false
	}
	why, trouble, clauses := t.cued("traced") || t.cued("reasoned"), t.troubled(), len(t.clauses()) > 1
	switch {
	case trouble && (t.cued("traced") || why && (t.cued("engineered") || t.exact())), // why something failed
		t.cued("mended") && (why || t.cued("how done") || trouble && clauses),
		t.cued("chosen") && (clauses || t.latin > t.cjk || t.exact()),
		located.in(t.folded),
		t.does("demanding") && (t.cued("condition of work") || t.exact()),
		t.does("behaving") && t.exact() && !t.cued("common thing"):
		return true
	}
	return false
}

// MayNote reports whether the text may well be a note of work: it has a mark of one at least, none
// of talk, and is not about what everybody knows. That something fails is no mark: programs say so.
func (t *Text) MayNote() bool {
	return t.mayNote() && !t.has("world") && !t.cued("common thing") && !strings.Contains(t.folded, "[secret") &&
		(t.coded() && !t.troubled() || slices.ContainsFunc(noteMarks, t.cued))
}

// noteMarks are the lists whose cues are marks of notes of work.
var noteMarks = []string{"traced", "reasoned", "mended", "chosen", "engineered", "demanding"}

// mayNote reports whether nothing in the text speaks against a note of work: it is no talk, no
// request, no guess, no output of a program, and says something of its own.
func (t *Text) mayNote() bool {
	l := t.shape()
	if t.latin > mostNoteWords || t.cjk > mostNoteWide || l.lines > 0 || l.you || l.asks || l.code || strings.Contains(t.folded, "?") {
		return false
	}
	if t.has("speculation") || t.cued("guessed") || t.cued("asked for") || t.has("fault") && t.has("fault talk") || byDefault.in(t.folded) ||
		passing.in(t.folded) || accented.in(t.raw) || printed.in(t.raw) || t.Progresses() || t.Announces() {
		return false
	}
	words, wide := t.specific()
	return words+wide/2 >= fewestSpecific
}

// troubled reports whether the text says that something goes wrong.
func (t *Text) troubled() bool { return t.cued("trouble") || t.has("fault") }

// does reports whether the text says of a part of a program what it does, by a list of verbs. In
// English the verb follows it.
func (t *Text) does(list string) bool {
	parts, verbs := t.cues("engineered"), t.cues(list)
	return len(parts) > 0 && len(verbs) > 0 && (t.cjk > t.latin || parts[0].at < verbs[len(verbs)-1].at)
}

// fewestSpecific is how many words a note of work has at least that are of its own matter.
const fewestSpecific = 2

// printed matches how what a program prints begins.
var printed = pattern{lazyregexp.New(`^\S{0,20}(?i:error|warn(?:ing)?|fatal|failed|exception|info|debug|note|hint) ?[:\[!]|^[$>%#] |^[a-z][\w./-]*(?: [a-z-]+)? --?[a-z]|^\d+\.\d+\.\d+\.\d+ |^[\w./-]+:\d+:|==|^assert `), anything}

// passing matches what tells how something goes just now.
var passing = pattern{lazyregexp.New(`\b(?:is|are|was|were) (?:now )?(?:down|up|green|red|back|fine|slow|broken|failing|running|done|ready)\b|\b(?:again|right now|at the moment|for now)[.!]*$|(?:又|还是|现在|刚刚)(?:挂|崩|失败|不行|报错)|(?:できません|ませんでした|しました)[。.!]*$`), anything}

// accented matches a word that is not English: of other languages there are no lists.
var accented = pattern{lazyregexp.New(`(?:^|[ ,;:(])\p{Ll}*[a-z][ß-öø-ÿœ]|(?:^|[ ,;:(])\p{Ll}*[ß-öø-ÿœ][a-z]|\p{Cyrillic}|\p{Hangul}`), beyondASCII}

// located matches a path that is said of something: "Router: app/routes.rb", "auth is in
// src/auth.ts", 重试参数写在 config/retry.toml.
var located = pattern{lazyregexp.New(`^[^.,;!?]{3,60}?(?::| (?:is|are|lives?|sits?|goes?|go|kept|stored|defined|declared|configured|documented|generated|provisioned|read|written|found)(?: now)?(?: in| into| at| under| from| by)?|[在于从到は]|路径) ?[~./]?[\w@-]*[\w-]/[\w./@{}*-]+`), hasAnySlash}

func hasAnySlash(s string) bool { return strings.Contains(s, "/") }

// exact reports whether the text names something as programs and their makers do: by an
// identifier, a path, a version, a number, or a name.
func (t *Text) exact() bool {
	for i, w := range strings.Fields(t.raw) {
		w = strings.Trim(w, `.,;:!?()"'，。；：、（）`)
		inner, upper := false, 0
		for k, r := range w {
			switch {
			case unicode.IsDigit(r), r == '`':
				return true
			case unicode.IsUpper(r):
				upper++
				inner = inner || k > 0
			case r == '_' || r == '/' || r == '.' || r == '@' || r == '=' || r == '-' && k == 0:
				if len(w) > 2 {
					return true
				}
			}
		}
		if inner || upper > 0 && i > 0 {
			return true
		}
	}
	return false
}

// coded reports whether the text names something by an identifier, a path, a version or a flag.
func (t *Text) coded() bool {
	for w := range strings.FieldsSeq(t.raw) {
		if codedWord.in(strings.Trim(w, `.,;:!?()"'，。；：、（）`)) {
			return true
		}
	}
	return false
}

// codedWord matches a word that programs are written with, and no other text.
var codedWord = pattern{lazyregexp.New("^--?[a-z][\\w-]+|[a-zA-Z0-9]_[a-zA-Z0-9]|[\\w.-]/[\\w.-]*\\w|\\w\\.[a-z]\\w|\\d|[a-z][A-Z]|^`|="), anything}

// specific returns how many words, and how many characters of Chinese and Japanese, the text has
// that say what it is about: that are neither small words nor those with which any work is told.
func (t *Text) specific() (words, wide int) {
	hollow := make([]bool, len(t.folded))
	for _, h := range append(t.cues("hollow"), t.cues("small")...) {
		for i := h.at; i < h.end; i++ {
			hollow[i] = true
		}
	}
	for i := 0; i < len(t.folded); {
		r, width := utf8.DecodeRuneInString(t.folded[i:])
		if !letter(r) {
			i += width
			continue
		}
		if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) {
			if !hollow[i] && !cues().stops[string(r)] {
				wide++
			}
			i += width
			continue
		}
		end := i
		for end < len(t.folded) {
			r, width := utf8.DecodeRuneInString(t.folded[end:])
			if !letter(r) && r != '\'' && r != '_' || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) {
				break
			}
			end += width
		}
		if w := t.folded[i:end]; !hollow[i] && !cues().stops[w] && !digit(w[0]) {
			words++
		}
		i = end
	}
	return words, wide
}

// Hollow reports whether the text is a few words with which any work is told and nothing else:
// "Finished the refactoring", "All tests passed", 修复了一些问题.
func (t *Text) Hollow() bool {
	if !t.brief() || !t.cued("hollow") || strings.ContainsFunc(t.folded, unicode.IsDigit) && !t.cued("ended") {
		return false
	}
	words, wide := t.specific()
	return words+wide == 0
}

// Announces reports whether the text says what somebody is about to do in a session: "Let me
// check the router", 我先看一下配置. What is to be done at a certain time is a plan.
func (t *Text) Announces() bool {
	if !t.brief() || slices.ContainsFunc(t.values, func(v Value) bool { return v.Kind == Clock || v.Kind == Weekday || v.Kind == Month }) {
		return false
	}
	if t.cued("announced") {
		return true
	}
	for _, opening := range t.cues("opening") {
		for _, acting := range t.cues("acting") {
			if acting.at >= opening.end && near(t.folded[opening.end:acting.at]) {
				return true
			}
		}
	}
	return false
}

// near reports whether no more than two words, or four characters of Chinese, lie between two
// cues of a clause.
func near(between string) bool {
	return len(strings.Fields(between)) <= 2 && utf8.RuneCountInString(between) <= 14 && !strings.ContainsFunc(between, clauseMark)
}
