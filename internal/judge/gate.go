package judge

import (
	"slices"

	"github.com/memoir-ai/memoir/internal/judge/feature"
)

// A Verdict says whether a text is worth a note.
type Verdict struct {
	// Refuse is true for a text that says nothing worth keeping.
	Refuse bool
	// Code is the reason why the text is refused. It is [Journal] for a text
	// that is kept only in the day log because the models are in doubt, and New
	// for any other.
	Code Code
	// P is the probability that the text is not worth keeping, from 0 to 1.
	P float64
	// Asks is true for a text that is refused because it is a question.
	Asks bool
	// Doubt is true for a text that is refused and may be a fact nevertheless: neither its
	// shape, such as a path or a trace, nor what it asks or orders decides.
	Doubt bool
}

// reasons are the classes of the model of reasons.
var reasons = []Code{TooShort, Filler, NoStatement, Speculation, Injection}

// Gate judges whether a text is worth a note. vector is its vector as a query,
// or nil. Of a long text Gate reads only the beginning.
//
// A text whose shape alone shows that it states nothing (a path, a trace, one
// word, a question) is refused. So is an order to whatever assistant comes to read it, such
// as to ignore its instructions, whoever brings it, and a wish to have something forgotten. Any
// other text that the user explicitly asks to remember is kept, and so is one
// whose type is a standing order, and one that says who the user is. A model decides the rest. Where it would send
// a user's text to the day log, it refuses one of an agent, a tool or the web.
func (j *Judge) Gate(text string, origin Origin, vector []float32) Verdict {
	t, v := j.read(text), j.use(vector)
	m := learned()
	row := feature.Junk(t)
	p := round(m.gate.of(row, v)[1])
	refuse, journal := m.thresholds.refuse, m.thresholds.journal
	if v == nil {
		refuse, journal = m.thresholds.refuseWords, m.thresholds.journalWords
	}
	outsider := origin != User && origin != ""
	if outsider {
		refuse = journal
	}
	switch {
	case t.Strong():
		return Verdict{Refuse: true, Code: m.reasonOf(t, row, v), P: max(p, .99), Doubt: !t.Bare()}
	case t.Orders():
		return Verdict{Refuse: true, Code: Injection, P: max(p, .99)}
	case t.AsksToForget():
		return Verdict{Refuse: true, Code: ToForget, P: max(p, .99)}
	case !origin.outside() && origin != Agent && t.Asked():
		return Verdict{Code: New, P: p}
	case t.OnlyAsks():
		return Verdict{Refuse: true, Code: NoStatement, P: max(p, .99), Asks: true, Doubt: !t.EndsAsking()}
	case t.ForOnce(), outsider && (t.Progresses() || t.Announces() || t.Hollow() || t.Narrates()):
		return Verdict{Refuse: true, Code: NoStatement, P: max(p, .9), Doubt: true}
	case (p >= journal || outsider && p >= leastDoubt) && !origin.outside() && (origin != Agent || t.Lasting()) && m.ordered(t, row, v):
		if outsider {
			p = min(p, leastDoubt)
		}
		return Verdict{Code: New, P: p}
	case p >= min(journal, leastDoubt) && !origin.outside() && (m.particular(t, row, v) || m.few(t, row, v)):
		return Verdict{Code: New, P: min(p, leastDoubt)}
	case p >= min(journal, leastDoubt) && !origin.outside() && (m.noted(t, row, v) || m.mayBeNoted(t, row, v)):
		return Verdict{Code: New, P: min(p, leastDoubt)}
	case p >= min(journal, leastDoubt) && !outsider && t.NounForm() && !t.Orders():
		return Verdict{Code: New, P: min(p, leastDoubt)}
	case p >= refuse && !outsider && t.Reviews() && !t.Orders():
		return Verdict{Code: Journal, P: p}
	case p >= refuse && (outsider || m.worded(row, v)):
		code := m.reasonOf(t, row, v)
		return Verdict{Refuse: true, Code: code, P: p, Doubt: !t.Thanks() || t.Quotes()}
	case p >= journal:
		return Verdict{Code: Journal, P: p}
	}
	return Verdict{Code: New, P: p}
}

// leastDoubt is how likely a text is at most not worth keeping when it says who the user is.
const leastDoubt = .3

// leastWorded is the probability, by its words alone, that a user's text is not
// worth keeping, from which on it may be refused. The vectors of short standing
// orders are near those of mere requests, so vectors alone are not enough
// (docs/design/judging.md).
const leastWorded = .3

// worded reports whether the words of a text, too, say that it is not worth
// keeping.
func (m *models) worded(row feature.Row, v []float64) bool {
	return v == nil || m.gate.words.Probabilities(row.Values)[1] >= leastWorded
}

// How likely an instruction has to be for a text to be taken for a standing order: one
// that says nothing else of it, and one that also says that it holds from now on or how
// answers are to be, or whose words are not those of junk.
const (
	surelyOrdered = .9
	likelyOrdered = .6
)

// ordered reports whether a text is an order that holds from now on. The gate cannot
// tell those from requests, whose vectors are near to theirs: what a request asks for
// is at hand, and it says so.
func (m *models) ordered(t *feature.Text, row feature.Row, v []float64) bool {
	if t.AtHand() && !t.Standing() || t.Orders() || !m.plain(t, row, v) {
		return false
	}
	p := m.topic.of(feature.Topic(t), v)
	order := p[slices.Index(types, Instruction)]
	likely := order + p[slices.Index(types, Preference)]
	switch {
	case t.Standing(), t.Answering(), t.Lasting():
		return likely >= likelyOrdered
	case v == nil:
		return false
	}
	return order >= surelyOrdered || likely >= likelyOrdered && !m.worded(row, v)
}

// plain reports whether a text would be refused for nothing worse than that it states
// nothing. One that says how answers are to be may be as short as it likes, and polite.
func (m *models) plain(t *feature.Text, row feature.Row, v []float64) bool {
	switch m.reasonOf(t, row, v) {
	case NoStatement:
		return true
	case TooShort, Filler:
		return t.Answering()
	}
	return false
}

// particular reports whether a text says who the user is, what the user likes, how to reach
// somebody, where a part of a project is, or what to do when something fails. What such a text states is a number, a name or
// a taste, whose shape is that of what programs write and of common knowledge. An agent says
// "the user" where the user says "I".
func (m *models) particular(t *feature.Text, row feature.Row, v []float64) bool {
	certain := t.OfUser() || t.Places() || t.Hosts() || t.Remedies()
	if !certain && (!t.Self() && !t.Reaches() || t.AtHand()) || t.Orders() {
		return false
	}
	// To the models "the user prefers tabs" looks like an order to an assistant.
	taste := t.OfUser() && t.Tastes()
	if why := m.reasonOf(t, row, v); why != NoStatement && why != Filler && !(taste && why == Injection) && !(why == TooShort && t.Hosts()) {
		return false
	}
	p := m.topic.of(feature.Topic(t), v)
	likely := p[slices.Index(types, Contact)]
	switch {
	case t.Hosts(), t.Remedies():
		likely = 1
	case certain:
		likely = 1 - p[slices.Index(types, Day)]
	case t.Tastes():
		likely += p[slices.Index(types, Preference)]
	}
	return likely >= Sure
}

// few reports whether a text is a fact in a few words, whose form says so.
func (m *models) few(t *feature.Text, row feature.Row, v []float64) bool {
	switch m.reasonOf(t, row, v) {
	case Injection, Speculation:
		return false
	}
	return !t.Orders() && (t.Facts() || t.Tells())
}

// noted reports whether a text is a note of work, or tells what was done, whose form says so. Its
// shape is often that of requests and of what everybody knows.
func (m *models) noted(t *feature.Text, row feature.Row, v []float64) bool {
	switch m.reasonOf(t, row, v) {
	case Injection, Speculation:
		return false
	}
	return !t.Orders() && (t.Notes() || t.Did())
}

// mayBeNoted reports whether a text has marks of a note of work and is one to the model that
// knows such notes.
func (m *models) mayBeNoted(t *feature.Text, row feature.Row, v []float64) bool {
	if v == nil || t.Orders() || !t.MayNote() || round(m.work.Probabilities(append(row.Values, v...))[1]) >= mostUnsure {
		return false
	}
	why := m.reasonOf(t, row, v)
	return why != Injection && why != Speculation
}

// mostUnsure is how likely a note of work is at most not worth keeping by the model of such notes.
const mostUnsure = .4

// reasonOf returns why a text is refused.
func (m *models) reasonOf(t *feature.Text, row feature.Row, v []float64) Code {
	if t.Tiny() {
		return TooShort
	}
	best, most := NoStatement, 0.0
	for i, p := range m.reason.of(row, v) {
		if p = round(p); p > most && reasons[i] != TooShort {
			best, most = reasons[i], p
		}
	}
	return best
}
