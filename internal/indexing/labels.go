package indexing

import (
	"slices"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/name"
)

// labelSets are the labels that the chunks of a document can have, by whether one
// is code and whether only an assistant speaks: many chunks share each.
type labelSets [2][2]memoir.Labels

// labelsOf returns the labels of the chunks of a document with that type in its
// front matter.
func labelsOf(noteType string) (sets labelSets) {
	var own memoir.Labels
	if t := name.Type(noteType); t != "" {
		own = memoir.Labels{memoir.TypeLabel(t)}
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

func (s *labelSets) of(code, assistant bool) memoir.Labels {
	number := func(b bool) int {
		if b {
			return 1
		}
		return 0
	}
	return s[number(code)][number(assistant)]
}
