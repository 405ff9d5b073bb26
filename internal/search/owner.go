package search

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memoir-ai/memoir/internal/analyze"
	"github.com/memoir-ai/memoir/internal/querylang"
	"github.com/memoir-ai/memoir/internal/search/roles"
)

// owned is what a text says to be somebody's or something's, as Karen's birthday, the code
// of the garage and 老周的电话, or says of them, as that Ben is allergic.
type owned struct{ owner, thing string }

// oneself is the owner of what is mine.
const oneself = "my"

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
		for _, p := range pairs(text, expressions().ofName()) {
			all = append(all, owned{p[0], p[1]})
		}
	}
	if strings.ContainsAny(text, "的の") {
		for _, p := range pairs(text, expressions().ofEast()) {
			all = append(all, owned{p[0], p[1]})
		}
	}
	if strings.Contains(text, " of ") {
		for _, p := range pairs(text, expressions().ofThing()) {
			all = append(all, owned{p[1], p[0]})
		}
	}
	if len(all) > 0 {
		return all
	}
	for _, m := range expressions().ofSelf().FindAllStringSubmatch(text, -1) {
		all = append(all, owned{oneself, m[1]})
	}
	return all
}

// saidIn returns what a text says of whom, by an expression for those languages that write
// names with a capital, or else by one for Chinese and Japanese.
func saidIn(text string, expr *regexp.Regexp) (all []owned) {
	for _, p := range slices.Concat(pairs(text, expr), pairs(text, expressions().whomEast())) {
		all = append(all, owned{p[0], p[1]})
	}
	return all
}

// A possession is what a query asks for, and of whom, with the terms of both, the roles of the
// owner and the attributes of the thing.
type possession struct {
	owned
	owners, things []string
	roles          map[string]bool
	attributes     map[string]bool // of the thing, such as "birthday"
	grammar        *grammar        // of the language of the query; nil for those of the expressions
	kind           querylang.Kind  // of what is asked for, where the query says no more
}

// inNumbers are the attributes that are told in numbers.
var inNumbers = []string{"age", "height", "weight", "size", "pay", "plate"}

// kindAsked returns how the answer looks to a query that says no more than what is asked for
// of whom: Karen's birthday, 王姐的电话.
func (p *possession) kindAsked(text string) querylang.Kind {
	thing := strings.TrimSpace(cutAsking(p.thing))
	before, after, _ := strings.Cut(text, p.owner)
	_, after, _ = strings.Cut(after, thing)
	switch {
	case !expressions().beforeOwner().MatchString(before):
	case expressions().aDay().MatchString(text):
		return querylang.Time
	case !expressions().afterThing().MatchString(after):
	case p.attributes["birthday"]:
		return querylang.Time
	case expressions().aNumber().MatchString(thing):
		return querylang.Phone
	case slices.ContainsFunc(inNumbers, func(a string) bool { return p.attributes[a] }):
		return querylang.Amount
	}
	return ""
}

// cutAsking returns a thing without the words with which Chinese asks for it.
func cutAsking(thing string) string {
	if end := strings.IndexAny(thing, "是在为多几哪什有何"); end > 0 {
		return thing[:end]
	}
	return thing
}

// asksOf returns what a query asks for of whom; ok is false where it names nobody, or
// several. The possession is never nil.
func asksOf(text string) (p *possession, ok bool) {
	all := ownedIn(text)
	if len(all) == 0 {
		for _, o := range pairs(text, expressions().ofKana()) {
			if !expressions().pronoun().MatchString(o[0]) {
				all = append(all, owned{o[0], o[1]})
			}
		}
	}
	if len(all) == 0 {
		all = saidIn(text, expressions().asksWhom())
	}
	if len(all) == 0 {
		all = joined(text)
	}
	if len(all) == 0 {
		return grammarOf(text).asked(text)
	}
	if len(all) != 1 {
		return new(possession), false
	}
	p = &possession{owned: all[0], things: mainTerms(all[0].thing), attributes: roles.Attributes(all[0].thing)}
	if p.owner != oneself {
		p.owners, p.roles = ownerTerms(p.owner), roles.Roles(p.owner)
	}
	p.kind = p.kindAsked(text)
	return p, len(p.things) > 0 && (p.owner == oneself || len(p.owners) > 0)
}

// ownedIn returns what a text says to be whose, in the language of the query, too.
func (p *possession) ownedIn(text string) []owned {
	return append(ownedIn(text), p.grammar.owned(text, false)...)
}

// said returns what an entry says of whom.
func (p *possession) said(entry string) []owned {
	if p.grammar != nil {
		return append(ownedIn(entry), p.grammar.owned(entry, true)...)
	}
	return slices.Concat(ownedIn(entry), saidIn(entry, expressions().saysWhom()), ofTeller(entry))
}

// rolesOf returns what somebody is to the one who tells, by what he is called.
func (p *possession) rolesOf(owner string) map[string]bool {
	if p.grammar != nil {
		return p.grammar.roles(owner)
	}
	return roles.Roles(owner)
}

// ownerTerms returns the terms by which an owner is known, of a single ideograph or syllable, too: 母, 翔, 형.
func ownerTerms(owner string) []string {
	if r, size := utf8.DecodeRuneInString(owner); size == len(owner) && unicode.In(r, unicode.Han, unicode.Hangul) {
		return []string{owner}
	}
	return mainTerms(owner)
}

// joined returns what a query of a few ideographs asks for of whom without a word between the
// two: 岳母生日.
func joined(text string) []owned {
	all := []rune(strings.TrimRight(text, "?？。"))
	if len(all) < 3 || len(all) > 10 || !slices.ContainsFunc(all, func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
		return nil
	}
	for at := len(all) - 2; at > 0; at-- {
		owner, thing := strings.TrimPrefix(string(all[:at]), "我"), string(all[at:])
		if len(roles.Attributes(thing)) == 0 {
			continue
		}
		if utf8.RuneCountInString(owner) < 2 && len(roles.Roles(owner)) == 0 { // 出生日期
			return nil
		}
		return []owned{{owner, thing}}
	}
	return nil
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
	if len(entries) == 0 || asked.names(read(headings(&f.chunk))) {
		return false
	}
	counts, others := make([]int, len(entries)), map[string]bool{}
	for i, e := range entries {
		counts[i] = asked.tellsOf(e)
	}
	most := slices.Max(counts)
	for i, e := range entries {
		switch n := counts[i]; {
		case asked.names(e):
			if n > 0 || s.mayTellOf(f, asked, e.text) {
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
	named := slices.Concat(s.mentions, slices.DeleteFunc(entries, func(e reading) bool { return !asked.names(e) }))
	for other := range others {
		if other != oneself && asked.mayBe(other, named, false) {
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

// tellsOf counts the words of the thing that an entry holds; one where it names the attribute
// otherwise, as "born" does a birthday.
func (p *possession) tellsOf(e reading) int {
	n := e.count(p.things)
	if n == 0 && p.grammar != nil && len(p.attributes) > 0 && shares(p.attributes, roles.Attributes(e.text)) {
		return 1
	}
	return n
}

func shares(a, b map[string]bool) bool {
	for x := range a {
		if b[x] {
			return true
		}
	}
	return false
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

// names reports whether a text names the owner, or somebody who may be that one, such as the
// boss and the manager.
func (p *possession) names(text reading) bool {
	if p.owner == oneself {
		return expressions().ofSpeaker().MatchString(text.text)
	}
	if text.count(p.owners) == len(p.owners) {
		return true
	}
	return len(p.roles) > 0 && sameRole(p.roles, roles.Roles(text.text))
}

// mayTellOf reports whether an entry that names the owner may tell what is asked for in
// other words: it holds a number where one is asked for, and says nothing else to be
// somebody's, nor of another attribute, such as an allergy for an address.
func (s *search) mayTellOf(f *candidate, asked *possession, entry string) bool {
	if !s.tells(f, entry) {
		return false
	}
	if other := roles.Attributes(entry); len(asked.attributes) > 0 && len(other) > 0 {
		return shares(asked.attributes, other)
	}
	return len(asked.ownedIn(entry)) == 0
}

// tellsOfAnother returns of which other owner an entry tells what is asked for.
func (s *search) tellsOfAnother(asked *possession, entry string) (other string, ok bool) {
	self := false
	for _, o := range asked.said(entry) {
		switch {
		case asked.tellsOf(read(o.thing)) == 0:
		case expressions().isTeller().MatchString(o.owner):
			self = true
		case len(ownerTerms(o.owner)) > 0 && s.two(asked, o.owner):
			return o.owner, true
		}
	}
	if before := subject(asked.thing, entry); s.another(asked, before) {
		return before, true
	}
	return oneself, self && s.notTeller(asked)
}

// another reports whether what an entry says before an attribute that is asked for names
// another than the owner, whom the notes know. It may be a word of who tells.
func (s *search) another(asked *possession, before string) bool {
	if len(asked.attributes) == 0 || len(s.mentions) == 0 || len(mainTerms(before)) == 0 || !s.two(asked, before) {
		return false
	}
	if len(asked.rolesOf(before)) == 0 && s.mayBeTeller(asked) && !s.notTeller(asked) {
		return false
	}
	return !asked.mayBe(before, s.mentions, true)
}

// two reports whether the owner that is asked about and another one are surely two: both are
// called by what they are to somebody, both by a name, or the notes know the one asked about
// by the word that the query has.
func (s *search) two(asked *possession, other string) bool {
	otherRole := len(asked.rolesOf(other)) > 0
	a, b := analyze.Fold(asked.owner), analyze.Fold(other)
	switch {
	case asked.owner == oneself:
		return otherRole
	case len(asked.roles) > 0 && otherRole:
		return true
	case latin(a) != latin(b) && !otherRole, strings.Contains(a, b), strings.Contains(b, a): // Ben, Benjamin; 物业, 小区物业
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
