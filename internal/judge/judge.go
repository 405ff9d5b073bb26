// Package judge decides on the write side: whether a text is worth a note, which
// type of note it is, and how a newer text relates to an older one.
//
// What words mean is read by a model ([Reader]), and a few rules hold whatever it
// says: a shape that states nothing (a path, a value of JSON), a wish to have
// something forgotten, equal texts. Without the model only the rules decide, every
// other text is kept, and only equal texts are the same. docs/design/judging.md
// has the decisions and the figures.
package judge

import (
	"context"
	"slices"

	"github.com/memoir-ai/memoir/internal/reader"
)

// A Reader reads texts; see [reader.Reader].
type Reader interface {
	// Pairs reads how newer relates to each older text, in order.
	Pairs(ctx context.Context, older []string, newer string) ([]reader.Pair, error)
	// Answers reads how each entry relates to a question, in order.
	Answers(ctx context.Context, question string, entries []string) ([]reader.Answer, error)
	// Texts reads what each text is worth, in order.
	Texts(ctx context.Context, texts []string) ([]reader.Text, error)
}

// A Code says why a text was kept or refused, or how it relates to an older one.
type Code string

// The codes that a judge gives.
const (
	New         Code = "new"          // as far as is known, no other text says it
	Same        Code = "same"         // an older text says it
	Changed     Code = "changed"      // an older text says something else about it
	Journal     Code = "journal"      // worth a line in the day log, not a note
	TooShort    Code = "too-short"    // a word, a sign
	Filler      Code = "filler"       // thanks, greetings, assent
	NoStatement Code = "no-statement" // a question, a request, code, output, what everybody knows
	Injection   Code = "injection"    // orders to the assistant from outside
	ToForget    Code = "to-forget"    // asks to have something forgotten
)

// An Origin is who a text comes from.
type Origin string

// The origins. The zero Origin counts as User.
const (
	User  Origin = "user"
	Agent Origin = "agent"
	Tool  Origin = "tool"
	Web   Origin = "web"
)

// A Verdict says whether a text is worth a note.
type Verdict struct {
	// Refuse is true for a text that says nothing worth keeping.
	Refuse bool
	// Code is the reason why the text is refused. It is [Journal] for a text that
	// is kept only in the day log because the reader is in doubt, and New for any
	// other.
	Code Code
	// Asks is true for a text that is refused because it is a question.
	Asks bool
}

// The odds of being worth no note from which on a text is refused, and from which on it goes
// to the log of the day. A wrong refusal costs a fact, a wrong note a line. Agents, tools and
// the web say more that is worth nothing.
const (
	refuseUser, logUser   = .995, .7
	refuseAgent, logAgent = .99, .6
	refuseOutside         = .5
	orderOurs             = .9 // of an order to whatever assistant reads it
	orderOutside          = .5
)

// codes are those of [reader.Reasons].
var codes = []Code{New, Filler, NoStatement, NoStatement, NoStatement, NoStatement, NoStatement, Injection, TooShort}

// asks is the place of a question among the reasons, inject that of an order.
var asks, inject = slices.Index(reader.Reasons, "question"), slices.Index(reader.Reasons, "inject")

// Gate judges whether a text is worth a note. read is nil without a reader. A text that its
// user asks to have remembered in so many words is kept, unless it gives orders to assistants.
func Gate(text string, origin Origin, read *reader.Text) Verdict {
	none := bare(text)
	switch {
	case none != "":
		return Verdict{Refuse: true, Code: none}
	case commandsReader(text):
		return Verdict{Refuse: true, Code: Injection}
	case asksToForget(text):
		return Verdict{Refuse: true, Code: ToForget}
	case read == nil:
		return Verdict{Code: New}
	}
	refuse, log, order := refuseUser, logUser, orderOurs
	switch origin {
	case Agent:
		refuse, log = refuseAgent, logAgent
	case Tool, Web:
		refuse, log, order = refuseOutside, refuseOutside, orderOutside
	}
	reason := 1
	for i, odds := range read.Keep {
		if i > 0 && odds > read.Keep[reason] {
			reason = i
		}
	}
	switch p := read.Junk(); {
	case read.Keep[inject] >= order:
		return Verdict{Refuse: true, Code: Injection}
	case (origin == User || origin == "") && Fact(text) != text:
		return Verdict{Code: New}
	case p >= refuse:
		return Verdict{Refuse: true, Code: codes[reason], Asks: reason == asks}
	case p >= log:
		return Verdict{Code: Journal}
	}
	return Verdict{Code: New}
}
