package remember

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"github.com/memoir-ai/memoir/internal/analyze"
)

// maxRecorded bounds how many entries of the history are named.
const maxRecorded = 20

// recorded returns entries that stand in the history alone, and are not forgotten themselves.
// They share with the forgotten ones a name or a number that no entry that stays has, or two
// other such words. The history has an entry that the user changed by hand as it was before.
// Where a note or the history cannot be read there are none: that must not stop a forget.
func (k *Keeper) recorded(ctx context.Context, forgotten []*known) (found []*known) {
	if len(forgotten) == 0 {
		return nil
	}
	here, gone, err := k.hereAndGone(ctx)
	if err != nil || len(gone) == 0 {
		return nil
	}
	goes := map[string]bool{}
	var texts []string
	for _, e := range forgotten {
		goes[e.normal()] = true
		texts = append(texts, e.Text)
	}
	words := WordsOf(texts)
	for _, e := range here {
		if !goes[e.normal()] {
			words.keep(e.Text)
		}
	}
	telling := tellingOf(texts, here)
	for _, e := range slices.Backward(gone) { // the newest first
		if goes[e.normal()] {
			continue
		}
		shared, told := 0, false
		for _, t := range allTerms(e.Text) {
			if words.only[t] {
				shared, told = shared+1, told || telling[t]
			}
		}
		if (told || shared > 1) && len(found) < maxRecorded {
			found = append(found, e)
		}
	}
	return found
}

// tellingOf returns those terms of some texts that are a number or a name.
func tellingOf(texts []string, all []*known) map[uint64]bool {
	telling := map[uint64]bool{}
	for _, text := range texts {
		said := analyze.Query(text)
		named := names(said, all)
		for _, t := range said {
			if ofWords(t) && (named[t.Text] || strings.ContainsFunc(t.Text, unicode.IsNumber)) {
				telling[hashed(t.Text)] = true
			}
		}
	}
	return telling
}
