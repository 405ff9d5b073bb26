package judge

import "github.com/memoir-ai/memoir/internal/reader"

// A Type is what kind of note a text is.
type Type string

// The types.
const (
	Preference  Type = "preference"  // a lasting taste or habit of the user, or a fact about the user
	Instruction Type = "instruction" // a standing order to the agent
	Contact     Type = "contact"     // about a person or an organisation
	Project     Type = "project"     // state, goal, deadline, budget of a project
	Decision    Type = "decision"    // a choice made
	Learning    Type = "learning"    // a cause, a fix, or an insight that will be useful again
	Day         Type = "journal"     // something that happened, or is to come
)

// Sure is the chance from which on a type decides.
const Sure = .6

// TypeOf returns the type of what lasts that a text most likely has, and the chance that it
// only tells what happened on a day. What is still to come counts as something of a project.
// Of nothing read the type is "".
func TypeOf(read *reader.Text) (best Type, day float64) {
	if read == nil {
		return "", 0
	}
	odds := map[Type]float64{}
	for i, p := range read.Type {
		switch t := Type(reader.Types[i]); t {
		case Day:
		case "event":
			odds[Project] += p
		default:
			odds[t] += p
		}
	}
	for _, t := range []Type{Preference, Instruction, Contact, Project, Decision, Learning} {
		if best == "" || odds[t] > odds[best] {
			best = t
		}
	}
	return best, read.Day
}
