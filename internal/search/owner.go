package search

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memoir-ai/memoir/internal/analyze"
	"github.com/memoir-ai/memoir/internal/judge/feature"
	"github.com/memoir-ai/memoir/internal/lazyregexp"
	"github.com/memoir-ai/memoir/internal/name"
)

// owned is what a text says to be somebody's or something's, as Karen's birthday, the code
// of the garage and 老周的电话, or says of them, as that Ben is allergic.
type owned struct{ owner, thing string }

// oneself is the owner of what is mine.
const oneself = "my"

var (
	ofName   = lazyregexp.New(`([\p{L}\d-]+)(?:['’]s|s['’])((?: [\p{L}\d-]+){1,3})`)
	ofThing  = lazyregexp.New(`((?:[\p{L}-]+ ){0,2}[\p{L}-]+) of (?:the |our |my |an? )?([\p{L}\d-]+)`)
	ofSelf   = lazyregexp.New(`(?i)\b(?:my|our)((?: [\p{L}-]+){1,3})`)
	ofEast   = lazyregexp.New(`([\p{Han}\p{Katakana}ー]{1,12}(?:さん|ちゃん|くん)?)[的の]([\p{Han}\p{Katakana}ー]{1,8})`)
	asksWhom = lazyregexp.New(`\b(?:is|was|has|does|did|can|will) (\p{Lu}\p{L}+) ((?:[\p{L}-]+ ?){1,3})`)
	saysWhom = lazyregexp.New(`(?:^|[.:] )(\p{Lu}\p{L}+) (\p{Ll}[\p{L}-]*(?: [\p{L}-]+){0,3})`)
	whomEast = lazyregexp.New(`^([\p{Han}\p{Katakana}ー]{1,8}(?:さん|ちゃん|くん)?)[对は]([^,，。?？]{1,12})`)
)

// pairs returns what the two parts of an expression match, each time.
func pairs(text string, expr *regexp.Regexp) (all [][2]string) {
	for _, m := range expr.FindAllStringSubmatch(text, -1) {
		all = append(all, [2]string{m[1], m[2]})
	}
	return all
}

// ownedIn returns what a text says to be whose; what is one's own only where it names no
// other owner.
func ownedIn(text string) (all []owned) {
	if strings.ContainsAny(text, "'’") {
		for _, p := range pairs(text, ofName()) {
			all = append(all, owned{p[0], p[1]})
		}
	}
	if strings.ContainsAny(text, "的の") {
		for _, p := range pairs(text, ofEast()) {
			all = append(all, owned{p[0], p[1]})
		}
	}
	if strings.Contains(text, " of ") {
		for _, p := range pairs(text, ofThing()) {
			all = append(all, owned{p[1], p[0]})
		}
	}
	if len(all) > 0 {
		return all
	}
	for _, m := range ofSelf().FindAllStringSubmatch(text, -1) {
		all = append(all, owned{oneself, m[1]})
	}
	return all
}

// saidIn returns what a text says of whom, by an expression for those languages that write
// names with a capital, or else by one for Chinese and Japanese.
func saidIn(text string, expr *regexp.Regexp) (all []owned) {
	for _, p := range slices.Concat(pairs(text, expr), pairs(text, whomEast())) {
		all = append(all, owned{p[0], p[1]})
	}
	return all
}

// A possession is what a query asks for, and of whom, with the terms of both and the roles
// of the owner.
type possession struct {
	owned
	owners, things []string
	roles          map[string]bool
}

// asksOf returns what a query asks for of whom; ok is false where it names nobody, or
// several.
func asksOf(text string) (p possession, ok bool) {
	all := ownedIn(text)
	if len(all) == 0 {
		all = saidIn(text, asksWhom())
	}
	if len(all) != 1 {
		return p, false
	}
	p = possession{owned: all[0], things: mainTerms(all[0].thing)}
	if p.owner != oneself {
		p.owners, p.roles = mainTerms(p.owner), feature.Roles(p.owner)
	}
	return p, len(p.things) > 0 && (p.owner == oneself || len(p.owners) > 0)
}

// mainTerms returns the terms of the words of a text that say something, in their main form.
func mainTerms(text string) (terms []string) {
	for _, t := range analyze.Query(text) {
		if t.Weight >= 1 {
			terms = append(terms, t.Text)
		}
	}
	return terms
}

// ofAnotherOwner reports whether the query asks for something of somebody, and a list tells
// it of others alone: of Karen's telephone number, where it has the landlord's, and Karen's
// birthday. Each entry counts for itself. In prose the owner may be named anywhere.
func (s *search) ofAnotherOwner(f *candidate) bool {
	asked, ok := s.asked.owner()
	if !ok || f.chunk.EndLine == 0 {
		return false
	}
	entries := entriesOf(f.chunk.Text)
	if len(entries) == 0 || asked.names(read(strings.Join(append([]string{name.File(string(f.chunk.Doc)), f.chunk.Title}, f.chunk.Heading...), "\n"))) {
		return false
	}
	most, others := 0, map[string]bool{}
	for _, e := range entries {
		most = max(most, e.count(asked.things))
	}
	for _, e := range entries {
		switch n := e.count(asked.things); {
		case asked.names(e):
			if n > 0 || s.mayTellOf(asked, e.text) {
				return false
			}
		case n > 0 && n == most:
			other, ok := s.tellsOfAnother(asked, e.text)
			if !ok {
				return false
			}
			others[other] = true
		}
	}
	for other := range others { // of both at once an entry says that they are one: Karen is the landlord
		terms := mainTerms(other)
		if slices.ContainsFunc(entries, func(e reading) bool { return e.count(terms) == len(terms) && asked.names(e) }) {
			return false
		}
	}
	return len(others) > 0
}

// A reading is a text with its terms.
type reading struct {
	text  string
	terms []string
}

func read(text string) reading { return reading{text, analyze.Document(nil, text)} }

// count counts the terms that a text holds.
func (r reading) count(terms []string) (n int) {
	for _, t := range terms {
		if slices.Contains(r.terms, t) {
			n++
		}
	}
	return n
}

// entriesOf returns the entries of a list, each with those above it; nil for a text that is
// more than a list.
func entriesOf(text string) (entries []reading) {
	items := listed(text)
	for _, e := range items {
		whole := e.text
		for at := e.parent; at >= 0; at = items[at].parent {
			whole = items[at].text + "\n" + whole
		}
		entries = append(entries, read(whole))
	}
	return entries
}

// ofSpeaker matches words for the one who tells and asks.
var ofSpeaker = lazyregexp.New(`(?i)\b(?:my|our|i|me|user)\b|[我私僕俺]|用户|ユーザー`)

// names reports whether a text names the owner, or somebody who may be that one, such as the
// boss and the manager.
func (p possession) names(text reading) bool {
	if p.owner == oneself {
		return ofSpeaker().MatchString(text.text)
	}
	if text.count(p.owners) == len(p.owners) {
		return true
	}
	if len(p.roles) == 0 {
		return false
	}
	for other := range feature.Roles(text.text) {
		for role := range p.roles {
			if onePerson(role, other) {
				return true
			}
		}
	}
	return false
}

// mayTellOf reports whether an entry that names the owner may tell what is asked for in
// other words: it holds a number where one is asked for, and says nothing else to be
// somebody's, nor of another attribute, such as an allergy for an address.
func (s *search) mayTellOf(asked possession, entry string) bool {
	if kind := s.asked.kind; kind != "" && !kind.MayTell(s.asked.text, entry) {
		return false
	}
	attributes := feature.Attributes(asked.thing)
	if other := feature.Attributes(entry); len(attributes) > 0 && len(other) > 0 {
		for a := range attributes {
			if other[a] {
				return true
			}
		}
		return false
	}
	return len(ownedIn(entry)) == 0
}

// tellsOfAnother returns of which other owner an entry tells what is asked for.
func (s *search) tellsOfAnother(asked possession, entry string) (other string, ok bool) {
	for _, o := range slices.Concat(ownedIn(entry), saidIn(entry, saysWhom())) {
		if o.owner != oneself && read(o.thing).count(asked.things) > 0 && len(mainTerms(o.owner)) > 0 && s.two(asked, o.owner) {
			return o.owner, true
		}
	}
	return "", false
}

// two reports whether the owner that is asked about and another one are surely two: both are
// called by what they are to somebody, both by a name, or the notes know the one asked about
// by the word that the query has.
func (s *search) two(asked possession, other string) bool {
	otherRole := len(feature.Roles(other)) > 0
	a, b := analyze.Fold(asked.owner), analyze.Fold(other)
	switch {
	case asked.owner == oneself:
		return otherRole
	case len(asked.roles) > 0 && otherRole:
		return true
	case latin(a) != latin(b), strings.Contains(a, b), strings.Contains(b, a): // Ben, Benjamin; 物业, 小区物业
		return false
	case capital(asked.owner) && capital(other):
		return true
	}
	return !slices.ContainsFunc(asked.owners, func(t string) bool { return s.counts.Holders[t].Chunks == 0 })
}

func latin(word string) bool {
	r, _ := utf8.DecodeRuneInString(word)
	return unicode.Is(unicode.Latin, r) || unicode.IsNumber(r)
}

func capital(word string) bool {
	r, _ := utf8.DecodeRuneInString(word)
	return unicode.IsUpper(r)
}
