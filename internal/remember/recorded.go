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

// recorded returns entries that stand in the history alone, other than those that are
// forgotten, and share with these a name or a number that no entry has that stays, or two
// other such words. An entry that was changed by hand stands there as it was told. Where a
// note or the history cannot be read there are none, since that keeps nobody from forgetting.
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
