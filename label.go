package memoir

import "slices"

// A Label is a fact about a chunk that a filter and a signal can name. A word is
// one, "code", and so is a key with a value, "type:decision". To a store labels
// are plain strings: a new one asks nothing of it.
type Label string

// The labels that the engine gives by what a chunk holds.
const (
	// LabelCode says that its lines are source code.
	LabelCode Label = "code"
	// LabelAssistant says that it holds nothing but what an assistant said in a
	// talk with a user, or its tools.
	LabelAssistant Label = "assistant"
)

// typeKey is the key of the labels of [TypeLabel].
const typeKey = "type:"

// TypeLabel returns the label of the chunks of notes whose front matter gives
// them that type, as it is compared: folded.
func TypeLabel(folded string) Label { return Label(typeKey + folded) }

// Type returns the type that a label gives; ok is false for other labels.
func (l Label) Type() (folded string, ok bool) {
	if len(l) <= len(typeKey) || l[:len(typeKey)] != typeKey {
		return "", false
	}
	return string(l[len(typeKey):]), true
}

// Labels are what a chunk bears: in order, each once, and not to be changed.
type Labels []Label

// Has reports whether a label is among them.
func (l Labels) Has(label Label) bool { return slices.Contains(l, label) }

// LabelCount says how many chunks bear a label, and of how many documents.
type LabelCount struct{ Chunks, Documents int }
