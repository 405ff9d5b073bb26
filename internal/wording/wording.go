// Package wording says in a person's language what memoir's commands say in English.
// A sentence is made in English where it happens, and put into the other language where
// a person reads it: programs, logs and agents have the English one. The catalogue has
// the formats of the source as its keys, so that nothing has to be named. What it does
// not have stays English.
package wording

import (
	"cmp"
	_ "embed"
	"mime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// A Language is one that sentences can be said in; its zero value is English. It is safe
// for concurrent use.
type Language struct{ catalogue func() *catalogue }

// Of returns the language of the first of some tags, such as zh_CN.UTF-8, that is not
// empty. One that begins with zh is Chinese, all else English.
func Of(tags ...string) Language { return named(cmp.Or(tags...)) }

func named(tag string) Language {
	if tag = strings.ToLower(tag); tag == "zh" || strings.HasPrefix(tag, "zh-") || strings.HasPrefix(tag, "zh_") {
		return Language{chinese}
	}
	return Language{}
}

// Accepted returns the language that a header Accept-Language of HTTP gives the most weight
// (RFC 9110, 12.5.4). Where two have the same, it is the one that is named first; where none
// is named, it is English, and what takes any language takes that.
func Accepted(header string) Language {
	var best Language
	most := 0.0
	for one := range strings.SplitSeq(header, ",") {
		tag, params, err := mime.ParseMediaType(strings.TrimSpace(one))
		weight := 1.0
		if q, ok := params["q"]; ok && err == nil {
			weight, err = strconv.ParseFloat(q, 64)
		}
		l := named(tag)
		spoken := !l.English() || tag == "*" || tag == "en" || strings.HasPrefix(tag, "en-")
		if err == nil && spoken && weight > most && weight <= 1 {
			best, most = l, weight
		}
	}
	return best
}

// English reports whether sentences stay as they are.
func (l Language) English() bool { return l.catalogue == nil }

// Format returns the format for [fmt.Sprintf] that says the same as an English one, or
// that one.
func (l Language) Format(english string) string {
	if l.English() {
		return english
	}
	body := strings.TrimRight(english, "\n")
	if e, ok := l.catalogue().exact[body]; ok {
		return e.said + english[len(body):]
	}
	return english
}

// Say returns a sentence that was made of formats, in other words: as a whole, or part by
// part where colons, semicolons or commas join them. Parts that the catalogue does not
// have stay English; so does a list with commas that has such a part.
func (l Language) Say(sentence string) string {
	if l.English() {
		return sentence
	}
	return l.catalogue().say(sentence)
}

// Join returns parts of a sentence, which are said already, as a list.
func (l Language) Join(parts []string) string {
	if l.English() {
		return strings.Join(parts, ", ")
	}
	return strings.Join(parts, "，")
}

// Formats returns the English formats that have another wording, in the order of the
// catalogue.
func (l Language) Formats() []string {
	var all []string
	if !l.English() {
		for _, e := range l.catalogue().entries {
			all = append(all, e.english)
		}
	}
	return all
}

//go:embed zh.txt
var zh string

var chinese = sync.OnceValue(func() *catalogue { return parse(zh) })

// A catalogue has its entries also by those who have no holes, which are looked up.
type catalogue struct {
	entries []*entry
	exact   map[string]*entry
	holes   []*entry // those with holes
}

// An entry is an English format and what is said in its place.
type entry struct {
	english, said string
	from          format
}

// fewest is how many bytes of its own a format with holes has that is recognised in a
// sentence. One of fewer, such as "%s in %s", would be found everywhere.
const fewest = 3

// parse reads a catalogue: pairs of lines, the English format and the other, with blank
// lines and lines that begin with # between them. \n is a line break,
// " | " stands between formats that are said alike, and \| is a bar within one. In the
// other format %+s is a list of names, with commas between them.
func parse(text string) *catalogue {
	c := &catalogue{exact: make(map[string]*entry, strings.Count(text, "\n")/2)}
	english := ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case english == "":
			english = strings.ReplaceAll(line, `\n`, "\n")
		default:
			for form := range strings.SplitSeq(english, " | ") {
				form = strings.ReplaceAll(form, `\|`, "|")
				e := &entry{english: form, said: strings.ReplaceAll(line, `\n`, "\n"), from: scan(form)}
				c.entries = append(c.entries, e)
				c.exact[e.english] = e
				if len(e.from.verbs) > 0 && e.from.letters >= fewest {
					c.holes = append(c.holes, e)
				}
				// The cause of an error is not always shown.
				if short, cut := strings.CutSuffix(form, ": %w"); cut && !strings.Contains(short, "%") && c.exact[short] == nil {
					c.exact[short] = &entry{english: short, said: strings.TrimSuffix(e.said, "：%w"), from: scan(short)}
				}
			}
			english = ""
		}
	}
	return c
}

func (c *catalogue) say(sentence string) string {
	if e, ok := c.exact[sentence]; ok && len(e.from.verbs) == 0 {
		return e.said
	}
	best, values := c.made(sentence)
	if first, _, several := strings.Cut(sentence, ", "); best != nil && several {
		// The last value of a format would take the rest of a list that begins with it.
		if _, ok := best.from.match(first); ok && c.madeAll(sentence) {
			said, _, _ := c.list(sentence, ", ", "，")
			return said
		}
	}
	if at := strings.LastIndex(sentence, "; "); best != nil && at >= 0 && !strings.Contains(best.english, "; ") {
		// The first value of a format would take what stands before it in a list.
		if _, ok := best.from.match(sentence[at+len("; "):]); ok {
			said, _, _ := c.list(sentence, "; ", "；")
			return said
		}
	}
	left, right, joined := strings.Cut(sentence, ": ")
	inside := slices.IndexFunc(values, func(value string) bool { return strings.HasPrefix(value, left+": ") })
	switch {
	case best != nil && inside >= 0:
		// What stands before the colon may be a part of a name, or have a wording of its own,
		// or be what the rest is about.
		rest := strings.TrimPrefix(values[inside], left+": ")
		if a, b := c.say(left), c.say(right); b != right && (a != left || c.say(rest) != rest) {
			return a + "：" + b
		}
		return c.fill(best, values)
	case best != nil:
		return c.fill(best, values)
	case joined:
		if a, b := c.say(left), c.say(right); a != left || b != right {
			return a + "：" + b
		}
		return sentence
	}
	if said, changed, _ := c.list(sentence, "; ", "；"); changed {
		return said
	}
	if said, _, whole := c.list(sentence, ", ", "，"); whole {
		return said
	}
	return sentence
}

// made returns the most literal entry with holes that can have made a sentence, with the
// values in them, or nil.
func (c *catalogue) made(sentence string) (best *entry, values []string) {
	for _, e := range c.holes {
		if best != nil && e.from.letters <= best.from.letters {
			continue
		}
		if found, ok := e.from.match(sentence); ok {
			best, values = e, found
		}
	}
	return best, values
}

// madeAll reports whether an entry with holes can have made each part of a list.
func (c *catalogue) madeAll(list string) bool {
	for part := range strings.SplitSeq(list, ", ") {
		if best, _ := c.made(part); best == nil {
			return false
		}
	}
	return true
}

// list says the parts of a sentence that a mark joins, and reports whether any of them,
// and whether all of them, have another wording.
func (c *catalogue) list(sentence, mark, to string) (said string, changed, whole bool) {
	parts := strings.Split(sentence, mark)
	if whole = len(parts) > 1; !whole {
		return sentence, false, false
	}
	for i, part := range parts {
		parts[i] = c.say(part)
		changed, whole = changed || parts[i] != part, whole && parts[i] != part
	}
	return strings.Join(parts, to), changed, whole
}

// fill puts the values into the other wording. What memoir says itself in one is in that
// wording, too; what is in quotes, and numbers, stay.
func (c *catalogue) fill(e *entry, values []string) string {
	to := scan(e.said)
	var out strings.Builder
	for i, verb := range to.verbs {
		out.WriteString(to.literals[i])
		at := i
		if verb.place > 0 {
			at = verb.place - 1
		}
		if at >= len(values) {
			continue
		}
		value, letter := values[at], e.from.verbs[at].letter
		// One word may be a name, and so may be words with a colon, but not in an error, nor
		// when memoir says what stands before the colon.
		switch left, _, joined := strings.Cut(value, ": "); {
		case verb.list:
			value = strings.ReplaceAll(value, ", ", "、")
		case letter == 'w' || strings.Contains(value, " ") && (letter == 'v' || letter == 's' && (!joined || strings.Contains(left, " ") && c.say(left) != left)):
			value = c.say(value)
		}
		if apart(to.literals[i], value) {
			out.WriteByte(' ')
		}
		out.WriteString(value)
		if apart(value, to.literals[i+1]) {
			out.WriteByte(' ')
		}
	}
	out.WriteString(to.literals[len(to.verbs)])
	return out.String()
}

// apart reports whether a blank belongs between two texts: one ends and the other begins
// with an ideograph beside what is no ideograph, blank or mark.
func apart(left, right string) bool {
	last, _ := utf8.DecodeLastRuneInString(left)
	first, _ := utf8.DecodeRuneInString(right)
	return unicode.Is(unicode.Han, last) && latin(first) || latin(last) && unicode.Is(unicode.Han, first)
}

// latin reports whether a rune stands beside an ideograph with a blank between them.
func latin(r rune) bool { return r > ' ' && r < utf8.RuneSelf && !strings.ContainsRune(",;:!?()", r) }
