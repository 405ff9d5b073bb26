package search

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/text/unicode/norm"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/explain"
	"github.com/memoir-ai/memoir/internal/analyze"
	"github.com/memoir-ai/memoir/internal/chunk"
	"github.com/memoir-ai/memoir/internal/layout"
	"github.com/memoir-ai/memoir/internal/name"
	"github.com/memoir-ai/memoir/internal/querylang"
	"github.com/memoir-ai/memoir/internal/search/roles"
)

// understood is a query as the search carries it out.
type understood struct {
	text       string // what words and vectors search for
	phrases    []quotedPhrase
	conditions []condition
	hashtags   []string
	when       []querylang.Range
	undated    string                     // the text without the dates of when
	all        bool                       // it asks for everything of the days in when
	on         []querylang.Range          // days that the filters name
	told       askedDays                  // days of which something has to be dated, or told
	status     string                     // the status asked for; "" when the query names none
	occasion   querylang.Occasion         // the last or the first time is asked for
	subject    string                     // the text for which words are searched: without those that ask for the last time
	latest     bool                       // it asks for what holds now
	time       bool                       // it asks when something was
	whenTold   bool                       // it asks when something was told to this memory
	empty      bool                       // it holds no word that says something
	kind       querylang.Kind             // what is asked for; the zero value where nothing is known of it
	single     bool                       // of its three words or more one says something
	noise      bool                       // no letter or digit, one letter again and again, or a single stop word
	assistant  func() bool                // it asks for what the assistant said
	family     func() map[string]bool     // about whom of a family it asks
	owner      func() (*possession, bool) // what it asks for of whom
	thing      func() *askedThing         // the kind of thing that it names as its answer
}

// quotedPhrase is a phrase in quotes. Chunks that hold it come first.
type quotedPhrase struct {
	text  string
	terms memoir.Phrase
	ways  []memoir.Phrase // of a long number: how the notes may write it, in place of terms
}

// holders returns the filter that chunks with the phrase pass.
func (p *quotedPhrase) holders() memoir.Filter {
	if len(p.ways) == 0 {
		return memoir.Filter{Phrases: []memoir.Phrase{p.terms}}
	}
	any := make([]memoir.Filter, len(p.ways))
	for i, way := range p.ways {
		any[i].Phrases = []memoir.Phrase{way}
	}
	return memoir.AnyOf(any...)
}

// A condition is one part of a query that filters.
type condition struct {
	text   string        // as typed
	filter memoir.Filter // passed by what may be found, or with not by what is left out
	not    bool
	days   querylang.Range // the days that it names, if any
	absent string          // why the condition finds nothing, when it does and not is false
}

// understand reads the text of a query.
func (e *Searcher) understand(q memoir.Query) understood {
	if q.Literal {
		return e.literally(q)
	}
	parsed := querylang.Parse(asked(q.Text), e.cfg.Now())
	u := understood{
		text: parsed.Text, undated: parsed.Undated, conditions: e.given(q), hashtags: parsed.Hashtags, when: parsed.When, all: parsed.All,
		time: parsed.AsksWhen(), whenTold: parsed.AsksWhenTold(), kind: parsed.AsksKind(),
		assistant: sync.OnceValue(parsed.AsksAssistant),
		family:    sync.OnceValue(func() map[string]bool { return roles.Family(parsed.Text) }),
		owner:     sync.OnceValues(func() (*possession, bool) { return asksOf(parsed.Text) }),
		thing:     sync.OnceValue(func() *askedThing { return askedThingOf(parsed) }),
	}
	u.setGiven()
	u.setOccasion(parsed)
	u.weigh()
	u.setPhrases(parsed.Phrases)
	u.addWords(parsed.Must, "+", false)
	u.addWords(parsed.Minus, "-", true)
	e.addFilters(&u, parsed.Filters)
	return u
}

// literally takes all of a query's text for words.
func (e *Searcher) literally(q memoir.Query) understood {
	u := understood{
		text: q.Text, subject: q.Text, conditions: e.given(q),
		assistant: func() bool { return false },
		family:    func() map[string]bool { return nil },
		owner:     func() (*possession, bool) { return &possession{}, false },
		thing:     func() *askedThing { return new(askedThing) },
	}
	u.setGiven()
	u.weigh()
	return u
}

// setPhrases sets the phrases in quotes; a text that is one identifier is a phrase, too.
func (u *understood) setPhrases(quoted []string) {
	for _, text := range quoted {
		if p := phraseOf(text); len(p.Terms) > 0 {
			u.phrases = append(u.phrases, quotedPhrase{text: text, terms: p})
		}
	}
	if len(u.phrases)+len(u.hashtags)+len(u.when) == 0 && identifies(u.text) {
		u.phrases = []quotedPhrase{{text: u.text, terms: memoir.Phrase{Terms: analyze.AnyForm(u.text)}}}
	}
}

// addWords adds conditions that what is found holds some words, or with not that it holds
// none of them. sign is how the query writes that.
func (u *understood) addWords(list []querylang.Words, sign string, not bool) {
	for _, w := range list {
		p, text := memoir.Phrase{Terms: analyze.AnyForm(w.Text)}, w.Text
		if w.Quoted {
			p, text = phraseOf(w.Text), `"`+w.Text+`"`
		}
		if len(p.Terms) > 0 {
			u.conditions = append(u.conditions, condition{text: sign + text, filter: memoir.Filter{Phrases: []memoir.Phrase{p}}, not: not, absent: "no passage holds that"})
		}
	}
}

// addFilters adds the conditions of filters. Of several types any will do.
func (e *Searcher) addFilters(u *understood, filters []querylang.Filter) {
	var types []memoir.Filter
	for _, f := range filters {
		if f.Key == querylang.Type && !f.Not {
			types = append(types, e.condition(f).filter)
		}
	}
	for _, f := range filters {
		c := e.condition(f)
		u.setDays(&c)
		switch {
		case f.Key == querylang.Status && f.Not:
			continue // "-status:x" is read as status:y
		case f.Key == querylang.Status:
			u.status = f.Value
		case f.Key == querylang.Date && !f.Not && closed(f.Days):
			u.on = append(u.on, f.Days)
		case f.Key == querylang.Type && !f.Not && len(types) > 1:
			c.filter = memoir.AnyOf(types...)
		}
		u.conditions = append(u.conditions, c)
	}
}

// setDays makes a condition of days one that entries that were told on them pass, or with
// words and a first and a last day entries that held then.
func (u *understood) setDays(c *condition) {
	if c.days == (querylang.Range{}) || c.not {
		return
	}
	c.filter = orStanding(c.days)
	if u.text == "" || !closed(c.days) {
		u.told = append(u.told, []querylang.Range{c.days})
	}
}

// given returns the conditions of the path and of the first day that a query comes with.
func (e *Searcher) given(q memoir.Query) (all []condition) {
	if q.Path != "" {
		all = append(all, e.condition(querylang.PathFilter(q.Path)))
	}
	if q.Since != "" {
		f, _ := querylang.SinceFilter(q.Since, e.cfg.Now())
		all = append(all, e.condition(f))
	}
	return all
}

// setGiven does for the conditions that a query comes with what setDays does for those of
// its text.
func (u *understood) setGiven() {
	for i := range u.conditions {
		u.setDays(&u.conditions[i])
	}
}

// setOccasion tells whether the query asks for the last or the first time, or for the
// latest, and for what words it searches.
func (u *understood) setOccasion(parsed querylang.Query) {
	u.subject = u.text
	of, rest := parsed.AsksOccasion()
	if u.occasion = of; of == "" {
		u.latest = parsed.AsksForLatest()
	} else if analyze.Says(rest) {
		u.subject = rest
	}
}

// weigh looks at how much the text says.
func (u *understood) weigh() {
	u.empty = !analyze.Says(u.subject)
	u.single = analyze.OneWord(u.subject)
	u.noise = analyze.Noise(u.subject) || u.empty && len(analyze.Query(u.subject)) == 1
}

// identifies reports whether a text is one identifier and nothing else. It need not
// be quoted to be meant exactly.
func identifies(text string) bool {
	terms := analyze.Query(text)
	return len(terms) > 0 && terms[0].Kind == analyze.Identifier && terms[0].Text == analyze.Fold(text)
}

// phraseOf makes a phrase of words in quotes.
func phraseOf(text string) memoir.Phrase {
	p := memoir.Phrase{Terms: analyze.Phrase(text)}
	if p.Inside = analyze.Inside(text); len(p.Inside) > 0 {
		p.Text = analyze.Wording(text)
	}
	return p
}

// asked returns the part of a text that asks. Hooks pass on a talk with an
// assistant as it is. Of such a talk asked returns the turns of the other
// speakers, because the assistant's are long and tell what it already knows.
// When the others say little ("yes, do that"), it returns everything.
func asked(text string) string {
	own := chunk.WithoutAssistant(text)
	if own == "" {
		return text
	}
	words := 0
	for _, t := range analyze.Query(own) {
		if t.Weight >= 1 {
			words++
		}
	}
	if words < minOwnWords {
		return text
	}
	return own
}

// minOwnWords is how many words, or pairs of ideographs, say enough by
// themselves.
const minOwnWords = 6

// condition makes a condition of a filter.
func (e *Searcher) condition(f querylang.Filter) condition {
	c := condition{text: f.Text, not: f.Not}
	switch f.Key {
	case querylang.Path:
		c.absent = "no note has that in its path"
		value := norm.NFC.String(f.Value)
		if e.cfg.Joined {
			var id memoir.DocID
			c.filter.Scope, id = memoir.ParseName(value)
			value = string(id)
		}
		c.filter.Paths = pathParts(value)
	case querylang.Tag:
		c.absent = "no note has that tag"
		c.filter.Names = []string{name.Tag(f.Value)}
	case querylang.Type:
		c.absent = "there are none"
		c.filter = typeFilter(f.Value)
	case querylang.Heading:
		c.absent = "no title and no heading holds that"
		terms := analyze.AnyForm(f.Value)
		if strings.ContainsAny(f.Value, " \t\u3000") {
			terms = analyze.Phrase(f.Value)
		}
		c.filter.Phrases = []memoir.Phrase{{Terms: terms, Fields: []memoir.Field{memoir.FieldTitle, memoir.FieldHeading}}}
	case querylang.Session:
		c.absent = "no session is called so"
		c.filter.Kinds, c.filter.Paths = []memoir.Kind{memoir.KindSession}, []string{norm.NFC.String(f.Value)}
		if id := name.Session(f.Value); id != "" {
			c.filter = memoir.AnyOf(c.filter, memoir.Filter{Names: []string{id}})
		}
	case querylang.Agent:
		c.absent = "this is another agent's index, and no note is below agents/" + f.Value
		if f.Value != e.cfg.Agent {
			c.filter.Paths = []string{"/agents/" + norm.NFC.String(f.Value) + "/"}
		}
	case querylang.Status:
		c.absent = "no entry was superseded"
		c.filter = statusFilter(f.Value)
	case querylang.Date:
		c.absent = "no note is of that time"
		c.days, c.filter = f.Days, dated(f.Days)
	}
	return c
}

// typeFilter returns the filter of a type: a kind of documents, or a type that
// the front matter of notes names. A Chinese or Japanese name of a type of
// entries means these, too.
func typeFilter(value string) memoir.Filter {
	switch kind := memoir.Kind(value); kind {
	case memoir.KindNote, memoir.KindSession, memoir.KindCollection:
		return memoir.Filter{Kinds: []memoir.Kind{kind}}
	}
	named := func(typ string) memoir.Filter {
		return memoir.Filter{Labels: []memoir.Label{memoir.KeyLabel(memoir.KeyType, name.Type(typ))}}
	}
	if typ := layout.TypeNamed(value); name.Type(typ) != name.Type(value) {
		return memoir.AnyOf(named(value), named(typ))
	}
	return named(value)
}

// dayOf writes a day; "" is none.
func dayOf(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.DateOnly)
}

// hashtagConditions turns the hashtags that are tags of notes into filters.
func (s *search) hashtagConditions(ctx context.Context) error {
	if len(s.asked.hashtags) == 0 {
		return nil
	}
	var names []string
	for _, tag := range s.asked.hashtags {
		names = append(names, name.Tag(tag))
	}
	bearers, err := s.resolve(ctx, names, 1)
	if err != nil {
		return fmt.Errorf("look up the tags: %w", err)
	}
	for i, tag := range s.asked.hashtags {
		if len(bearers[names[i]]) > 0 {
			s.asked.conditions = append(s.asked.conditions, condition{text: "#" + tag, filter: memoir.Filter{Names: names[i : i+1]}})
		}
	}
	return nil
}

// restrict returns a filter of the chunks that pass both the filter and the
// conditions.
func restrict(f memoir.Filter, conditions []condition) memoir.Filter {
	for _, c := range conditions {
		if c.not {
			f.Without = append(slices.Clip(f.Without), c.filter)
			continue
		}
		if len(c.filter.Kinds) > 0 {
			both := slices.DeleteFunc(slices.Clone(c.filter.Kinds), func(k memoir.Kind) bool { return len(f.Kinds) > 0 && !slices.Contains(f.Kinds, k) })
			if len(both) == 0 {
				return memoir.NoChunk()
			}
			f.Kinds = both
		}
		if c.filter.Scope != "" {
			if f.Scope != "" && f.Scope != c.filter.Scope {
				return memoir.NoChunk()
			}
			f.Scope = c.filter.Scope
		}
		f.Labels = slices.Concat(f.Labels, c.filter.Labels)
		f.Without = slices.Concat(f.Without, c.filter.Without)
		f.Paths = slices.Concat(f.Paths, c.filter.Paths)
		f.Names = slices.Concat(f.Names, c.filter.Names)
		f.Phrases = slices.Concat(f.Phrases, c.filter.Phrases)
		f.From = max(f.From, c.filter.From)
		if c.filter.To != "" && (f.To == "" || c.filter.To < f.To) {
			f.To = c.filter.To
		}
	}
	return f
}

// explain returns how the query was read.
func (u *understood) explain() *explain.Understood {
	out := &explain.Understood{Text: u.text}
	for _, p := range u.phrases {
		out.Phrases = append(out.Phrases, p.text)
	}
	for _, c := range u.conditions {
		text := c.text
		if from, to := dayOf(c.days.From), dayOf(c.days.To); from != "" || to != "" {
			text += fmt.Sprintf(" (%s to %s)", cmp.Or(from, "the first"), cmp.Or(to, "the last"))
		}
		out.Filters = append(out.Filters, text)
	}
	for _, r := range u.when {
		out.When = append(out.When, explain.Days{From: dayOf(r.From), To: dayOf(r.To)})
	}
	return out
}

// excluded returns the condition that no chunk passes, or "" when some chunk
// passes them all.
func (s *search) excluded(ctx context.Context) string {
	none := func(f memoir.Filter, days askedDays) bool {
		var passing []memoir.ChunkMeta
		err := s.inView(ctx, func() (err error) {
			most := 1
			if len(days) > 0 {
				most = maxStanding
			}
			passing, err = s.index.List(ctx, f, most)
			return err
		})
		return err == nil && !slices.ContainsFunc(passing, func(p memoir.ChunkMeta) bool { return days.pass(&p) })
	}
	if !none(s.query.Filter, s.asked.told) {
		return ""
	}
	texts := make([]string, len(s.asked.conditions))
	for i, c := range s.asked.conditions {
		var days askedDays
		if len(s.asked.told) > 0 && c.days != (querylang.Range{}) {
			days = askedDays{{c.days}}
		}
		if texts[i] = c.text; !c.not && none(c.filter, days) {
			return c.text + ": " + c.absent
		}
	}
	if len(texts) == 0 {
		if kinds := s.query.Filter.Kinds; len(kinds) == 1 && none(memoir.Filter{Kinds: kinds}, nil) {
			return absent(kinds[0])
		}
		return "nothing passes the filter"
	}
	return "nothing passes the filter " + strings.Join(texts, " ")
}

// absent says that there is no document of a kind.
func absent(k memoir.Kind) string {
	switch k {
	case memoir.KindSession:
		return "no session is indexed"
	case memoir.KindCollection:
		return "no document of a collection is indexed"
	}
	return "no note is indexed"
}

// leavesOut returns the filter that a chunk does not pass, or "" when it passes
// all.
func (s *search) leavesOut(ctx context.Context, id memoir.ChunkID) (string, error) {
	passes := func(f memoir.Filter) (bool, error) {
		if !lists(f, id) {
			return false, nil
		}
		f.Chunks = []memoir.ChunkID{id}
		passing, err := s.index.List(ctx, f, 1)
		if err != nil {
			return false, fmt.Errorf("look at the filter: %w", err)
		}
		return len(passing) > 0, nil
	}
	if ok, err := passes(s.query.Filter); err != nil {
		return "", err
	} else if ok {
		return s.unheld(ctx, id)
	}
	for _, c := range s.asked.conditions {
		if ok, err := passes(c.filter); err != nil || ok == c.not {
			return c.text, err
		}
	}
	return "the filter", nil
}
