package querylang

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// A Thing is the kind of thing that a question names as its answer: a tracking number, an
// address, the price. A text that answers has such a thing, and need not say what it is.
type Thing string

// The things, by the lists of data/things.txt. The zero value is none.
const (
	thingCode    Thing = "code" // of digits, perhaps with letters, such as a tracking number
	thingNumber  Thing = "number"
	thingModel   Thing = "model"
	thingVersion Thing = "version"
	thingIP      Thing = "ip"
	thingPhone   Thing = "phone"
	thingEmail   Thing = "email"
	thingWeb     Thing = "web"
	thingPlate   Thing = "plate"
	thingPrice   Thing = "price"
	thingSize    Thing = "size"
	thingDay     Thing = "day"
	thingClock   Thing = "clock"
	thingWhen    Thing = "when" // a day or a time of day
	thingAddress Thing = "address"
	thingName    Thing = "name"
	thingColour  Thing = "colour"

	notThing Thing = "none" // something else, though the words for a thing are in it
)

// Kind returns what kind of answer is asked for with a thing, as far as it is one of those.
func (of Thing) Kind() Kind {
	if of == thingDay || of == thingWhen {
		return Time
	}
	return ""
}

// thingWords holds what data/things.txt says.
type thingWords struct {
	asks  []thingPhrase              // the longest first, endings of words last
	words map[string]map[string]bool // of Latin letters, by the list that they are in
	parts map[string][]string        // what counts wherever it stands, of Latin letters at the end of a word
}

// A thingPhrase is what names a thing in questions.
type thingPhrase struct {
	text   string
	of     Thing
	ending bool // of a word
	latin  bool
}

var readThings = sync.OnceValue(func() *thingWords {
	text, err := data.ReadFile("data/things.txt")
	if err != nil {
		panic(err) // the file is a part of the program
	}
	k := &thingWords{words: map[string]map[string]bool{}, parts: map[string][]string{}}
	list := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		_, of, asks := strings.Cut(list, "asks ")
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '[':
			list = strings.Trim(line, "[]")
			k.words[list] = map[string]bool{}
		case asks:
			phrase, ending := strings.CutPrefix(line, "-")
			first, _ := utf8.DecodeRuneInString(phrase)
			k.asks = append(k.asks, thingPhrase{phrase, Thing(of), ending, latinLetter(first)})
		default:
			k.add(list, strings.Fields(line))
		}
	}
	slices.SortStableFunc(k.asks, func(a, b thingPhrase) int {
		return cmp.Or(boolCompare(a.ending, b.ending), cmp.Compare(len(b.text), len(a.text)))
	})
	return k
})

func boolCompare(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

func (k *thingWords) add(list string, words []string) {
	for _, w := range words {
		if first, _ := utf8.DecodeRuneInString(w); first == '-' || !latinLetter(first) {
			k.parts[list] = append(k.parts[list], strings.TrimPrefix(w, "-"))
		} else {
			k.words[list][w] = true
		}
	}
}

func latinLetter(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= utf8.RuneSelf && unicode.Is(unicode.Latin, r)
}

// AsksThing returns the kind of thing that a question names as its answer, and the question
// without the words for it; "" where it names none.
func (q Query) AsksThing() (of Thing, rest string) {
	text := strings.TrimSpace(q.Text)
	small := strings.ToLower(text)
	if text == "" || len(text) > maxAsked || strings.ContainsAny(text, "\r\n") || len(small) != len(text) { // of letters whose small ones have another length, such as İ
		return "", ""
	}
	k, look, spans := readThings(), newQuickLook(small), wordSpans(small)
	for _, p := range k.asks {
		if !look.bytes[p.text[0]] || !look.bytes[p.text[len(p.text)-1]] {
			continue
		}
		start, end := k.find(p, small, spans)
		switch {
		case start < 0:
		case p.of == notThing:
			return "", ""
		case p.latin:
			return p.of, k.withoutSmall(text[:start] + " " + text[end:])
		default:
			return p.of, text[:start] + " " + text[end:]
		}
	}
	return "", ""
}

// find returns where a question in small letters names a thing by a phrase; -1 where it does
// not.
func (k *thingWords) find(p thingPhrase, text string, spans []span) (start, end int) {
	if !p.latin {
		at := strings.LastIndex(text, p.text)
		if at < 0 || !k.closes(text[:at], text[at+len(p.text):]) {
			return -1, -1
		}
		return at, at + len(p.text)
	}
	for end < len(text) {
		at := strings.Index(text[end:], p.text)
		if at < 0 {
			break
		}
		start, end = end+at, end+at+len(p.text)
		word := start
		if p.ending {
			word = start - len(lastWord(text[:start]))
			if word == start {
				continue
			}
		}
		if apart(text, word, end) && k.names(text, spans, word, end) {
			return word, end
		}
	}
	return -1, -1
}

func lastWord(text string) string {
	return text[len(strings.TrimRightFunc(text, unicode.IsLetter)):]
}

// apart reports whether a part of a text is no part of a longer word or name: --model.
func apart(text string, start, end int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:start])
	after, _ := utf8.DecodeRuneInString(text[end:])
	return !inToken(before) && !inToken(after) && !strings.ContainsRune("-_./", before) && after != '-' && after != '_'
}

// closes reports whether Chinese or Japanese words between two parts of a text are what it
// asks for: what follows them only asks, and what stands before does not.
func (k *thingWords) closes(before, after string) bool {
	if holdsPart(k.parts["other"], "", before) || !strings.ContainsAny(after, "?？") && !hasPrefix(k.parts["ends"], after) {
		return false
	}
	for after != "" {
		r, w := utf8.DecodeRuneInString(after)
		if !unicode.IsSpace(r) && !unicode.IsPunct(r) {
			w = 0
			for _, e := range k.parts["ends"] {
				if strings.HasPrefix(after, e) {
					w = max(w, len(e))
				}
			}
		}
		if w == 0 {
			return false
		}
		after = after[w:]
	}
	return true
}

// A span is where a word of a text stands.
type span struct{ from, to int }

func wordSpans(text string) (all []span) {
	from := -1
	for i, r := range text + " " {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || from >= 0 && strings.ContainsRune("'’-", r):
			if from < 0 {
				from = i
			}
		case from >= 0:
			all = append(all, span{from, i})
			from = -1
		}
	}
	return all
}

// mostBefore is how many words a question in Latin letters may have before the thing.
const mostBefore = 6

// names reports whether the words from start to end of a question in Latin letters are what
// it asks for: they follow its question word, and nothing that they might belong to follows.
func (k *thingWords) names(text string, spans []span, start, end int) bool {
	before := slices.IndexFunc(spans, func(w span) bool { return w.to > start })
	last, after := "", ""
	if before > 0 {
		last = text[spans[before-1].from:spans[before-1].to]
	}
	if i := slices.IndexFunc(spans, func(w span) bool { return w.from >= end }); i >= 0 {
		after = text[spans[i].from:spans[i].to]
	}
	follows := after == "" || k.words["after"][beforeApostrophe(after)] || k.words["question"][last] && !k.words["either"][last]
	switch {
	case before > mostBefore || !follows:
		return false
	case before == 0:
		return after != "" && strings.ContainsAny(text[start:end], " -") // phone number of the dentist
	}
	for i, w := range spans[:min(2, before)] { // the first, or the second: de qué color
		if k.words["question"][beforeApostrophe(text[w.from:w.to])] && (i == 0 || before > 1) {
			return true
		}
	}
	return after == "" && strings.HasSuffix(strings.ReplaceAll(last, "’", "'"), "'s")
}

// beforeApostrophe returns the first part of what's and d'Hugo.
func beforeApostrophe(word string) string {
	first, _, _ := strings.Cut(strings.ReplaceAll(word, "’", "'"), "'")
	return first
}

// withoutSmall returns a question in Latin letters without the words that say nothing in it.
func (k *thingWords) withoutSmall(text string) string {
	var out strings.Builder
	last := 0
	for _, w := range wordSpans(text) {
		word := strings.ToLower(text[w.from:w.to])
		if k.words["question"][word] || k.words["after"][word] || k.words["small"][word] {
			out.WriteString(text[last:w.from])
			last = w.to
		}
	}
	out.WriteString(text[last:])
	return out.String()
}
