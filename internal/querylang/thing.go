package querylang

import (
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
	first   map[string][]thingPhrase   // phrases of Latin letters, by their first word
	runes   map[rune][]thingPhrase     // others, by their first character
	endings []thingPhrase              // of words
	words   map[string]map[string]bool // of Latin letters, by the list that they are in
	parts   map[string][]string        // what counts wherever it stands, of Latin letters at the end of a word
}

// A thingPhrase is what names a thing in questions.
type thingPhrase struct {
	text string
	of   Thing
}

var readThings = sync.OnceValue(func() *thingWords {
	text, err := data.ReadFile("data/things.txt")
	if err != nil {
		panic(err) // the file is a part of the program
	}
	k := &thingWords{first: map[string][]thingPhrase{}, runes: map[rune][]thingPhrase{}, words: map[string]map[string]bool{}, parts: map[string][]string{}}
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
			k.addPhrase(thingPhrase{line, Thing(of)})
		default:
			k.add(list, strings.Fields(line))
		}
	}
	return k
})

func (k *thingWords) addPhrase(p thingPhrase) {
	if ending, ok := strings.CutPrefix(p.text, "-"); ok {
		k.endings = append(k.endings, thingPhrase{ending, p.of})
		return
	}
	if last, _ := utf8.DecodeLastRuneInString(p.text); latinLetter(last) {
		word, _, _ := strings.Cut(p.text, " ")
		k.first[word] = append(k.first[word], p)
		return
	}
	first, _ := utf8.DecodeRuneInString(p.text)
	k.runes[first] = append(k.runes[first], p)
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
	k := readThings()
	spans := wordSpans(small)
	found := thingSpan{}
	for i, w := range spans {
		if i > mostBefore {
			break
		}
		found = found.longer(k.inLatin(small, spans, w))
	}
	for at, r := range small {
		for _, p := range k.runes[r] {
			if end := at + len(p.text); strings.HasPrefix(small[at:], p.text) && k.closes(small[:at], small[end:]) {
				found = found.longer(thingSpan{span{at, end}, p.of, false})
			}
		}
	}
	rest = text[:found.from] + " " + text[found.to:]
	switch {
	case found.of == "" || found.of == notThing:
		return "", ""
	case found.latin:
		rest = k.withoutSmall(rest)
	}
	return found.of, rest
}

// A thingSpan is where a question names a thing.
type thingSpan struct {
	span
	of    Thing
	latin bool
}

func (s thingSpan) longer(other thingSpan) thingSpan {
	if other.to-other.from > s.to-s.from {
		return other
	}
	return s
}

// inLatin returns what a word of a question in small letters names, with those that follow.
func (k *thingWords) inLatin(text string, spans []span, w span) (found thingSpan) {
	from := w.from
	if at := strings.LastIndexAny(text[w.from:w.to], "'’"); at >= 0 { // l'adresse
		_, width := utf8.DecodeRuneInString(text[w.from+at:])
		from += at + width
	}
	for _, start := range slices.Compact([]int{w.from, from}) {
		for _, p := range k.first[text[start:w.to]] {
			if end := start + len(p.text); strings.HasPrefix(text[start:], p.text) && apart(text, start, end) && k.names(text, spans, start, end) {
				found = found.longer(thingSpan{span{start, end}, p.of, true})
			}
		}
	}
	if found.of != "" {
		return found
	}
	for _, p := range k.endings {
		if word := text[from:w.to]; len(word) > len(p.text) && strings.HasSuffix(word, p.text) && k.names(text, spans, from, w.to) {
			return thingSpan{span{from, w.to}, p.of, true}
		}
	}
	return thingSpan{}
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
