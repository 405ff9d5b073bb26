package remember

import (
	"context"
	"fmt"

	"github.com/memoir-ai/memoir/internal/analyze"
)

// Words are the words of forgotten texts. They tell which questions ask for these.
type Words struct {
	texts []terms
	only  map[uint64]bool // words that no text that stays has
}

// WordsOf returns the words of forgotten texts. [Keeper.Keep] says which of them stay.
func WordsOf(texts []string) *Words {
	w := &Words{only: map[uint64]bool{}}
	for _, text := range texts {
		all := allTerms(text)
		w.texts = append(w.texts, all)
		for _, t := range all {
			w.only[t] = true
		}
	}
	return w
}

// Keep marks the words that the notes still have.
func (k *Keeper) Keep(ctx context.Context, w *Words) error {
	all, err := k.everywhere(ctx)
	if err != nil {
		return fmt.Errorf("look which words stay: %w", err)
	}
	for _, e := range all {
		w.keep(e.Text)
	}
	return nil
}

// keep marks the words of a text that stays.
func (w *Words) keep(text string) {
	for _, t := range analyze.Document(nil, text) {
		delete(w.only, hashed(t))
	}
}

// In reports whether a question asks for a forgotten text: it has a word that went with the
// texts, or all of its words stood in one of them. Particles do not count.
func (w *Words) In(question string) bool {
	var asked terms
	for _, t := range analyze.Query(question) {
		if t.Weight < 1 && t.Kind != analyze.Character {
			continue
		}
		h := hashed(t.Text)
		if w.only[h] {
			return true
		}
		asked = append(asked, h)
	}
	asked = asked.distinct()
	for _, text := range w.texts {
		if len(asked) > 0 && text.holds(asked) == len(asked) {
			return true
		}
	}
	return false
}
