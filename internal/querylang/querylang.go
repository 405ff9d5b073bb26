// Package querylang reads what people type into a search box: words, phrases in quotes,
// +must and -minus words, filters (tag:work, since:2026-01), and dates in words. It knows
// English, Chinese and Japanese.
//
// No query is an error. What is not clearly a part of the language (http://x, foo:bar, a
// - b, C++, -1, --flag, a lone quote) stays text. docs/query-language.md describes the
// language for its users.
package querylang

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// A Query is a text as it was understood. Its strings are as typed, without operators and
// quotes; a caller that compares them folds them first.
type Query struct {
	// Text is what words and vectors are searched for: the text as typed,
	// without filters, minus words and the signs of must words. Dates in words,
	// phrases with their quotes and hashtags stay in it. It is empty for a
	// query of filters alone.
	Text    string
	Phrases []string // in quotes, without an operator
	Must    []Words
	Minus   []Words
	Filters []Filter
	// Hashtags are words of the text that may be tags, without the sign: #work
	// is a filter where a note has the tag, and #include a word where none has.
	Hashtags []string
	// When is what dates in plain words (last week, 7 May 2023, 上周) name, in
	// the order of the text. They filter nothing.
	When []Range
	// Undated is Text in lower case without the dates of When; "" when there are none.
	Undated string
	// All says that the text asks for everything of the days in When, which are a
	// month at most, and for nothing else: what happened last week, 昨天做了什么.
	All bool
}

// Words is what an operator stands before.
type Words struct {
	Text   string
	Quoted bool // a phrase: the words as written; else one word in any form
}

// A Key says what a filter looks at.
type Key string

// The keys of filters.
const (
	Path    Key = "path"    // a part of the path
	Tag     Key = "tag"     // a tag of the front matter
	Type    Key = "type"    // "note", "session", "collection", or a type of the front matter; source: is another name of the first three
	Heading Key = "heading" // words of the title or of a heading above
	Session Key = "session" // the name of a session, or a part of its path
	Agent   Key = "agent"   // the name of an agent
	Status  Key = "status"  // "active", "superseded" or "all"
	Date    Key = "date"    // since:, until:, on:, before:, after:
)

// A Filter is one condition.
type Filter struct {
	Key   Key
	Value string // not empty; note, session and collection of Type are always spelled so
	Days  Range  // the days that pass, for Date
	Not   bool   // documents that match are left out
	Text  string // the filter as typed
}

// maxItems bounds the phrases, operators and filters of a query. What follows is text.
const maxItems = 64

// Parse reads a query, which is valid UTF-8. Dates without a year, and words such as
// yesterday, are relative to today. today is a time in the user's own location.
//
// Operators count only in a text of one line, because a pasted list or diff has none. A
// lone minus word is text: there is nothing to take it from.
func Parse(text string, today time.Time) Query {
	p := parser{text: text, dates: newCalendar(today), oneLine: !strings.ContainsAny(strings.TrimSpace(text), "\r\n")}
	for p.at < len(p.text) {
		if p.items() < maxItems && (p.wordStarts() && p.item() || p.phrase()) {
			continue
		}
		_, w := utf8.DecodeRuneInString(p.text[p.at:])
		p.keep(w)
	}
	q := p.query
	q.Text = strings.TrimSpace(p.kept.String())
	if q.Text == "" && len(q.Filters) == 0 {
		q = Query{Text: strings.TrimSpace(text)}
	}
	var rest string
	q.When, rest = p.dates.find(q.Text)
	if len(q.When) > 0 {
		q.Undated = rest
	}
	q.All = q.asksForAll(rest)
	return q
}

// parser walks over a query.
type parser struct {
	text    string
	at      int
	kept    strings.Builder // Query.Text
	oneLine bool
	dates   calendar
	query   Query
}

func (p *parser) items() int {
	q := &p.query
	return len(q.Phrases) + len(q.Must) + len(q.Minus) + len(q.Filters) + len(q.Hashtags)
}

// keep takes the next n bytes as text.
func (p *parser) keep(n int) {
	p.kept.WriteString(p.text[p.at : p.at+n])
	p.at += n
}

// drop leaves out the next n bytes, and the comma and white space after them.
func (p *parser) drop(n int) {
	rest := p.text[p.at+n:]
	left := strings.TrimLeftFunc(strings.TrimLeft(rest, ",;，；、"), unicode.IsSpace)
	p.at += n + len(rest) - len(left)
}

func (p *parser) wordStarts() bool {
	if p.at == 0 {
		return true
	}
	r, _ := utf8.DecodeLastRuneInString(p.text[:p.at])
	return unicode.IsSpace(r)
}

// item reads one item: an operator with what follows it, a filter, or a hashtag.
func (p *parser) item() bool {
	sign, n := operator(p.text[p.at:])
	if sign != 0 && !p.oneLine {
		return false
	}
	rest := p.text[p.at+n:]
	if words, length, ok := quoted(rest); ok && sign != 0 {
		return p.operate(sign, n, length, Words{words, true})
	}
	if f, length, ok := p.filter(rest); ok {
		f.Not, f.Text = sign == '-', p.text[p.at:p.at+n+length]
		p.query.Filters = append(p.query.Filters, f)
		p.drop(n + length)
		return true
	}
	if tag, length, ok := hashtag(rest); ok {
		if sign != 0 {
			p.query.Filters = append(p.query.Filters, Filter{Key: Tag, Value: tag, Not: sign == '-', Text: p.text[p.at : p.at+n+length]})
			p.drop(n + length)
			return true
		}
		p.query.Hashtags = append(p.query.Hashtags, tag)
		p.keep(length)
		return true
	}
	if word := firstWord(rest); sign != 0 && operand(word) {
		return p.operate(sign, n, len(word), Words{word, false})
	}
	return false
}

// operate takes an operator of n bytes and the words of length bytes that follow it.
func (p *parser) operate(sign rune, n, length int, w Words) bool {
	if sign == '-' {
		p.query.Minus = append(p.query.Minus, w)
		p.drop(n + length)
		return true
	}
	p.query.Must = append(p.query.Must, w)
	p.at += n
	p.keep(length)
	return true
}

// phrase reads a phrase in quotes. In a script without spaces it may stand anywhere.
func (p *parser) phrase() bool {
	before, _ := utf8.DecodeLastRuneInString(p.text[:p.at])
	if p.text[p.at] == '"' && (before < utf8.RuneSelf && (unicode.IsLetter(before) || unicode.IsDigit(before)) || before == '=' || before == ':') {
		return false // 5", key="value"
	}
	words, length, ok := quoted(p.text[p.at:])
	if ok {
		p.query.Phrases = append(p.query.Phrases, words)
		p.keep(length)
	}
	return ok
}

// operator returns the operator at the start of a text, '+' or '-', and its length. The
// length is 0 when there is none.
func operator(text string) (sign rune, n int) {
	r, n := utf8.DecodeRuneInString(text)
	switch r {
	case '+', '＋':
		return '+', n
	case '-', '－', '\u2212':
		return '-', n
	}
	return 0, 0
}

// operand reports whether a word can follow an operator. It has to begin with a letter,
// so -1 and --flag are none. One or two Latin letters are none either: they are the flags
// of a command (-n, -rf).
func operand(word string) bool {
	first, _ := utf8.DecodeRuneInString(word)
	return unicode.IsLetter(first) && (len(word) > 2 || first >= utf8.RuneSelf)
}

func firstWord(text string) string {
	if end := strings.IndexFunc(text, unicode.IsSpace); end >= 0 {
		return text[:end]
	}
	return text
}

// quotes maps an opening quote to the quotes that may close it.
var quotes = map[rune]string{
	'"': `"”＂`, '＂': `＂"”`, '“': `”"“`, '„': `“”"`, '‟': `”"`, '”': `”`,
	'「': `」`, '『': `』`, '｢': `｣`, '«': `»`, '»': `«`, '‹': `›`, '《': `》`, '〝': `〞〟`,
}

// quoted reads the quoted words at the start of a text. They have to be on one line.
// length includes the quotes.
func quoted(text string) (words string, length int, ok bool) {
	open, n := utf8.DecodeRuneInString(text)
	closing, ok := quotes[open]
	if !ok {
		return "", 0, false
	}
	end := strings.IndexAny(text[n:], closing+"\r\n")
	if end < 0 || text[n+end] == '\n' || text[n+end] == '\r' {
		return "", 0, false
	}
	_, w := utf8.DecodeRuneInString(text[n+end:])
	words = strings.TrimSpace(text[n : n+end])
	return words, n + end + w, strings.ContainsFunc(words, wordy)
}

// wordy reports whether a character can belong to a word.
func wordy(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsSymbol(r) }

// hashtag reads #tag at the start of a text.
func hashtag(text string) (tag string, length int, ok bool) {
	sign, n := utf8.DecodeRuneInString(text)
	if sign != '#' && sign != '＃' {
		return "", 0, false
	}
	tag = trimEnd(firstWord(text[n:]))
	first, _ := utf8.DecodeRuneInString(tag)
	strange := strings.ContainsFunc(tag, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) && !strings.ContainsRune("_-/", r)
	})
	return tag, n + len(tag), unicode.IsLetter(first) && !strange
}

// trimEnd removes characters that end a clause and are not part of a name.
func trimEnd(s string) string { return strings.TrimRight(s, ",;?!，；、。？！") }
