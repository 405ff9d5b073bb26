package indexing

import (
	"slices"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/script"
)

// labelSets are the labels that chunks of a document can have, depending on
// whether a chunk is code and whether only an assistant speaks in it. Chunks
// share these slices.
type labelSets [2][2]memoir.Labels

// labelsOf returns the labels of the chunks of a document of that type; "" is
// no type.
func labelsOf(noteType string) (sets labelSets) {
	var own memoir.Labels
	if noteType != "" {
		own = memoir.Labels{memoir.KeyLabel(memoir.KeyType, noteType)}
	}
	for code := range sets {
		for assistant := range sets[code] {
			labels := slices.Clone(own)
			if code == 1 {
				labels = append(labels, memoir.LabelCode)
			}
			if assistant == 1 {
				labels = append(labels, memoir.LabelAssistant)
			}
			slices.Sort(labels)
			sets[code][assistant] = labels
		}
	}
	return sets
}

// substantial is the share of the letters of a chunk from which on a script counts as one
// that it is in, for Latin letters. A name or an identifier is less.
const substantial = .2

// scriptsOf returns the labels of the scripts that a chunk is in, which is embedded with
// the headings above its text. Latin letters stand in texts of every language, so that they
// count by their share. One name in another script draws a whole passage to the questions
// in it (docs/design/across.md).
func scriptsOf(text, embedded string) (labels memoir.Labels) {
	names := script.Names(text, substantial)
	for _, name := range script.Others(embedded) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, name := range names {
		labels = append(labels, memoir.KeyLabel(memoir.KeyScript, name))
	}
	return labels
}

// with returns the labels of a chunk, including those that its entries give it.
func (s *labelSets) with(code, assistant bool, facts memoir.Labels) memoir.Labels {
	if len(facts) == 0 {
		return s.of(code, assistant)
	}
	labels := slices.Concat(s.of(code, assistant), facts)
	slices.Sort(labels)
	return slices.Compact(labels)
}

func (s *labelSets) of(code, assistant bool) memoir.Labels {
	number := func(b bool) int {
		if b {
			return 1
		}
		return 0
	}
	return s[number(code)][number(assistant)]
}
