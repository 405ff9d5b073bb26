package judge

import (
	"cmp"
	"slices"

	"github.com/memoir-ai/memoir/internal/judge/feature"
)

// A Type is what kind of note a text is.
type Type string

// The types.
const (
	Preference  Type = "preference"  // a lasting taste or habit of the user
	Instruction Type = "instruction" // a standing order to the agent
	Contact     Type = "contact"     // about a person, be it the user, or an organisation
	Project     Type = "project"     // state, goal, deadline, budget of a project
	Decision    Type = "decision"    // a choice made
	Learning    Type = "learning"    // a cause, a fix, or an insight that will be useful again
	Day         Type = "journal"     // something that happened
)

// types are the classes of the model of types.
var types = []Type{Preference, Instruction, Contact, Project, Decision, Learning, Day}

// Sure is the probability from which on a type may decide. Below it, the type
// that the caller hints at should.
const Sure = .6

// A Guess is a type with its probability.
type Guess struct {
	Type Type
	P    float64
}

// Settles reports whether a text says where somebody lives now or whom he works for, which
// lasts and is about a person even where it is told as an event.
func (j *Judge) Settles(text string) bool { return j.read(text).Settles() }

// Lasts reports whether a text surely says what holds beyond its day, though its words may be
// those of an event: what happens again and again, on which host something is, or a fact in a
// few words.
func (j *Judge) Lasts(text string) bool {
	t := j.read(text)
	return t.Recurs() || t.Hosts() || t.Facts()
}

// Type returns the types that a text may have, the likeliest first. vector is
// the text's vector as a query, or nil. A tool or the web gives no orders and
// has no tastes, so instruction and preference are left out for them. What was done is no
// order, unless it says that it holds from now on.
func (j *Judge) Type(text string, origin Origin, vector []float32) []Guess {
	t := j.read(text)
	var guesses []Guess
	all, done := 0.0, t.Did() && !t.Standing() && !t.Lasting()
	for i, p := range learned().topic.of(feature.Topic(t), j.use(vector)) {
		if origin.outside() && (types[i] == Preference || types[i] == Instruction) {
			continue
		}
		if done && types[i] == Instruction {
			p = 0
		}
		guesses = append(guesses, Guess{types[i], p})
		all += p
	}
	for i := range guesses {
		guesses[i].P = round(guesses[i].P / all)
	}
	slices.SortStableFunc(guesses, func(a, b Guess) int { return cmp.Compare(b.P, a.P) })
	return guesses
}
