package search

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/memoir-ai/memoir/internal/analyze"
	"github.com/memoir-ai/memoir/internal/querylang"
	"github.com/memoir-ai/memoir/internal/search/roles"
)

// A grammar is how some languages say whose something is. Each word of a text is a letter, by
// what it does, and expressions match those letters:
//
//	n  says something; N with a capital letter and no article in German, and S with an s at its end, which may say whose
//	A  an attribute, such as "birthday", with a capital letter
//	v  says something, without the capital letter that nouns have
//	d  a number
//	o  between a thing and its owner; w the same, where the owner is known, as in del
//	t  before what is known; m before what is one's own
//	s  says nothing; q asks for a time
//
// A Korean noun is k before what makes it the topic, u where it is an owner, and j before 이,
// which may be of a name.
type grammar struct {
	letters map[string]byte // of words that are no n
	mine    string          // says of the noun * that it is one's own
	nouns   bool            // have a capital letter
	asks    []string        // how Korean words begin that ask
	ends    []string        // what stands behind a Korean noun
}

// The letters of words that say something, and of those before an owner that is known.
const (
	contentLetters = "nNASvdkuj"
	knownLetters   = "wtm"
)

type grammars struct {
	romance, german, korean grammar
	ambiguous               map[string]byte // words that are of English, too
}

// readGrammars reads the words, when a query is the first to need them.
var readGrammars = sync.OnceValue(func() *grammars {
	all := &grammars{german: grammar{nouns: true}}
	of := map[string]*grammar{"romance": &all.romance, "german": &all.german, "korean": &all.korean}
	for list, line := range dataLines("whose.txt") {
		words := strings.Fields(line)
		language, part, _ := strings.Cut(list, " ")
		switch g := of[language]; {
		case g == nil:
			all.ambiguous = letters(nil, words, 's')
		case part == "asks":
			g.asks = words
		case part == "ends":
			g.ends = words
		default:
			g.letters = letters(g.letters, words, part[0])
			if part == "my" {
				g.mine = strings.Join(words, " *. ") + " *"
			}
		}
	}
	return all
})

// letters adds words that do the same, also as they are written without their accents.
func letters(known map[string]byte, words []string, letter byte) map[string]byte {
	if known == nil {
		known = map[string]byte{}
	}
	for _, w := range words {
		for _, form := range []string{w, analyze.Fold(w)} {
			if known[form] == 0 {
				known[form] = letter
			}
		}
	}
	return known
}

// grammarOf returns the grammar of a query, nil for languages that have none here. A language
// shows in its small words.
func grammarOf(query string) *grammar {
	all := readGrammars()
	if strings.ContainsFunc(query, func(r rune) bool { return unicode.Is(unicode.Hangul, r) }) {
		return &all.korean
	}
	romance, german := 0, 0
	for _, w := range wordsOf(query) {
		if w = strings.ToLower(w); all.ambiguous[w] != 0 {
			continue
		}
		if all.romance.letters[w] != 0 {
			romance++
		}
		if all.german.letters[w] != 0 {
			german++
		}
	}
	switch {
	case german > romance:
		return &all.german
	case romance > 0:
		return &all.romance
	}
	return nil
}

func wordsOf(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool {
		return r != '-' && !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r)
	})
}

// A phrase is the words of a text with a letter for each.
type phrase struct {
	words   []string
	letters string
}

func (g *grammar) phrase(text string) *phrase {
	p := new(phrase)
	last := byte('s')
	for _, w := range wordsOf(text) {
		w = expressions().inverted().ReplaceAllString(strings.Trim(w, "-"), "")
		letter := g.letters[strings.ToLower(w)]
		if letter == 0 {
			if w, letter = g.noun(w); g.nouns && (letter == 'N' || letter == 'S') && strings.IndexByte(knownLetters, last) >= 0 {
				letter = 'n' // der Router is no name
			}
		}
		if w != "" {
			p.words, p.letters, last = append(p.words, w), p.letters+string(letter), letter
		}
	}
	return p
}

// noun returns a word without what stands behind a Korean noun, and its letter.
func (g *grammar) noun(w string) (string, byte) {
	switch first, _ := utf8.DecodeRuneInString(w); {
	case unicode.IsNumber(first):
		return w, 'd'
	case unicode.IsUpper(first) && len(roles.Attributes(w)) > 0:
		return w, 'A'
	case unicode.IsUpper(first) && g.nouns && strings.HasSuffix(w, "s"):
		return w, 'S'
	case unicode.IsUpper(first):
		return w, 'N'
	case g.nouns:
		return w, 'v'
	}
	for _, a := range g.asks {
		if strings.HasPrefix(w, a) {
			return w, 's'
		}
	}
	for _, end := range g.ends {
		rest, found := strings.CutSuffix(w, end)
		if !found || utf8.RuneCountInString(rest) == 1 && !strings.Contains("은는을를", end) {
			continue
		}
		switch end {
		case "은", "는", "가":
			return rest, 'k'
		case "의", "이의", "네":
			return rest, 'u'
		case "이":
			return rest, 'j'
		}
		return rest, 'n'
	}
	return w, 'n'
}

// said returns the words of a part that say something.
func (p *phrase) said(from, to int) string {
	var all []string
	for i := from; i < to; i++ {
		if strings.IndexByte(contentLetters, p.letters[i]) >= 0 {
			all = append(all, p.words[i])
		}
	}
	return strings.Join(all, " ")
}

// roles returns what an owner is to the one who tells, where the word alone says so only
// beside "my".
func (g *grammar) roles(owner string) map[string]bool {
	owner = strings.ToLower(owner)
	all := strings.ReplaceAll(g.mine, "*", owner)
	if bare, found := strings.CutSuffix(owner, "s"); found { // des Vaters
		all += ". " + strings.ReplaceAll(g.mine, "*", bare)
	}
	return roles.Roles(all)
}

// A holding is an owner among the words of a text, with what stands before it.
type holding struct {
	from, to    int
	owner, head string // the name, and what the owner is, such as "sister"; the latter alone is the owner
	thing       string
}

// holding returns the owner that the words from at on name, with what stands before them:
// Carmen, "my sister Carmen", "the garage"; nil where they may name none.
func (g *grammar) holding(p *phrase, from, at, to int) *holding {
	named := at
	for named < to && (p.letters[named] == 'n' || p.letters[named] == 'v') {
		named++
	}
	h := &holding{from: from, to: to, owner: strings.Join(p.words[named:to], " "), head: strings.ToLower(strings.Join(p.words[at:named], " "))}
	if named == to {
		h.owner, h.head = h.head, ""
	}
	if named == to && !strings.ContainsAny(p.letters[from:at], knownLetters) && len(g.roles(h.owner)) == 0 {
		return nil
	}
	return h
}

// genitives returns what a text says to be whose by a word between the two, or by an ending:
// el cumpleaños de Lucía, die Nummer meiner Mutter, Lenas Geburtstag, 나리 월급.
func (g *grammar) genitives(p *phrase) (all []*holding) {
	if len(g.ends) > 0 {
		if expressions().ofNoun().MatchString(p.letters) {
			all = append(all, p.first())
		}
		return all
	}
	for at := 0; ; {
		m := expressions().genitive().FindStringSubmatchIndex(p.letters[at:])
		if m == nil {
			break
		}
		between := at + m[0] + 1
		at += m[2]
		if h := g.holding(p, between, at, at+m[3]-m[2]); h != nil {
			h.thing = p.said(1+strings.LastIndexAny(p.letters[:between], "msq"), between)
			all = append(all, h)
		}
	}
	for _, m := range expressions().ending().FindAllStringIndex(p.letters, -1) {
		all = append(all, &holding{from: m[0], to: m[0] + 1, owner: strings.TrimSuffix(p.words[m[0]], "s"), thing: p.words[m[0]+1]})
	}
	return all
}

// asked returns what a query asks for of whom, as far as its words tell.
func (g *grammar) asked(text string) (p *possession, ok bool) {
	p = new(possession)
	if g == nil {
		return p, false
	}
	words := g.phrase(text)
	h := g.askedOf(words)
	if h == nil {
		return p, false
	}
	p.owner, p.thing, p.grammar = h.owner, strings.TrimSpace(words.said(0, h.from)+" "+words.said(h.to, len(words.words))), g
	p.owners, p.things, p.roles, p.attributes = ownerTerms(p.owner), mainTerms(p.thing), g.roles(h.head+" "+h.owner), roles.Attributes(text)
	if p.attributes["birthday"] && !strings.Contains(p.thing, " ") && (strings.Contains(words.letters, "q") || !strings.Contains(words.letters, "s")) { // not where somebody was born
		p.kind = querylang.Time
	}
	return p, len(p.owners) > 0 && len(p.things) > 0
}

// askedOf returns of whom a query asks, nil where it names nobody, or several by their names.
func (g *grammar) askedOf(p *phrase) *holding {
	if all := g.genitives(p); len(all) > 0 {
		return all[len(all)-1]
	}
	if len(g.ends) > 0 {
		if h := p.first(); h != nil && (p.letters[h.to-1] != 'n' || len(g.roles(h.owner)) > 0 || len(roles.Attributes(h.thing)) > 0) {
			return h
		}
		return nil // 혈압약 먹어
	}
	if m := expressions().own().FindStringSubmatchIndex(p.letters); m != nil {
		if h := g.holding(p, m[0], m[2], m[3]); len(g.roles(h.head+" "+h.owner)) > 0 {
			return h
		}
		return nil
	}
	for i, w := range p.words {
		if p.letters[i] == 'n' && len(roles.Roles(w)) > 0 {
			return g.holding(p, i, i, i+1)
		}
	}
	names := expressions().aName().FindAllStringIndex(p.letters, 2)
	if len(names) != 1 {
		return nil
	}
	h := g.holding(p, names[0][0], names[0][0], names[0][1])
	if g.nouns || h.from == 0 { // perhaps no name: how many treatments does a prescription have?
		h.owner = strings.ToLower(h.owner)
	}
	return h
}

// first returns the first noun of a Korean text as the owner of the others: 지훈 생일.
func (p *phrase) first() *holding {
	at := strings.IndexAny(p.letters, contentLetters)
	if at < 0 {
		return nil
	}
	return &holding{to: at + 1, owner: p.words[at], thing: p.said(at+1, len(p.words))}
}

// subject returns whom or what a statement begins with, and what it says of that.
func (g *grammar) subject(p *phrase) *holding {
	if len(g.ends) > 0 {
		return p.first()
	}
	m := expressions().subject().FindStringSubmatchIndex(p.letters)
	if m == nil {
		return nil
	}
	h := g.holding(p, m[2], m[4], m[5])
	if h != nil {
		h.thing = strings.Join(p.words[h.to:], " ")
	}
	return h
}

// owned returns what a text says to be whose, and, where subjects are asked for, what it says
// of whom or what it begins with.
func (g *grammar) owned(text string, subjects bool) (all []owned) {
	if g == nil {
		return nil
	}
	p := g.phrase(text)
	holdings := g.genitives(p)
	if subjects {
		if h := g.subject(p); h != nil && (len(holdings) == 0 || holdings[len(holdings)-1].from != h.from) {
			holdings = append(holdings, h)
		}
	}
	for _, h := range holdings {
		if h.head != "" {
			all = append(all, owned{h.head, h.thing})
		}
		all = append(all, owned{h.owner, h.thing})
	}
	return all
}
