package search

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/explain"
	"github.com/memoir-ai/memoir/internal/analyze"
	"github.com/memoir-ai/memoir/internal/order"
	"github.com/memoir-ai/memoir/internal/show"
)

// missing returns the query's words that a chunk does not hold, spelled as in
// the query, each with words of the chunk that are spelled much like it. Of a
// script without blanks they are the stretches that the chunk does not hold.
func (w *inquiry) missing(id memoir.ChunkID) []explain.MissingWord {
	held, text := w.terms(id)
	stretches, found := w.stretches(held)
	var out []explain.MissingWord
	add := func(word string, near []string) {
		if len(out) < missingWords && !slices.ContainsFunc(out, func(m explain.MissingWord) bool { return m.Word == word }) {
			out = append(out, explain.MissingWord{Word: word, Near: near})
		}
	}
	for _, t := range w.search.terms {
		switch {
		case t.Weight < lightTerm || t.Kind == analyze.Part || t.Kind == analyze.Character || held[t.Text]:
		case !found[t.Text]:
			add(spelling(w.out.Query, t.Text), nearest(t.Text, held))
		default:
			for _, s := range stretches {
				if slices.Contains(s.pairs, t.Text) {
					add(s.word, s.nearest(text))
				}
			}
		}
	}
	return out
}

// A stretch is a part of the query, in a script without blanks, that a chunk does
// not hold.
type stretch struct {
	word  string
	pairs []string // terms of the missing pairs that have a part in it
}

// stretches returns the stretches of the query whose characters are in no pair that
// the chunk holds. A missing pair whose two characters are in others that it holds only
// joins two words, and is none. found are the pairs that have a place in the query.
func (w *inquiry) stretches(held map[string]bool) (all []stretch, found map[string]bool) {
	asked := map[string]analyze.Kind{}
	for _, t := range w.search.terms {
		if t.Weight >= lightTerm {
			asked[t.Text] = t.Kind
		}
	}
	// term returns the term of a text that was asked for in a kind, or "".
	term := func(text string, kind analyze.Kind) string {
		for _, t := range analyze.Document(nil, text) {
			if k, ok := asked[t]; ok && k == kind {
				return t
			}
		}
		return ""
	}
	found = map[string]bool{}
	for _, word := range show.Words(w.out.Query) {
		if !spaceless(word) {
			continue
		}
		units := characters(word)
		terms := make([]string, len(units)) // of the pair that begins there
		covered, missed := make([]bool, len(units)), make([]bool, len(units))
		for i := range len(units) - 1 {
			if terms[i] = term(units[i]+units[i+1], analyze.Bigram); terms[i] == "" {
				continue
			}
			found[terms[i]] = true
			in := missed
			if held[terms[i]] {
				in = covered
			}
			in[i], in[i+1] = true, true
		}
		for i := 0; i < len(units); i++ {
			from := i
			// It ends where two characters make no pair that was asked for.
			for i < len(units) && missed[i] && !covered[i] && (i == from || terms[i-1] != "") {
				i++
			}
			if i == from {
				continue
			}
			if alone := term(units[from], analyze.Character); i > from+1 || alone != "" && !held[alone] {
				s := stretch{word: strings.Join(units[from:i], "")}
				for k := max(from-1, 0); k < min(i, len(units)-1); k++ {
					if terms[k] != "" && !held[terms[k]] {
						s.pairs = append(s.pairs, terms[k])
					}
				}
				all = append(all, s)
			}
			i-- // the next one may begin right behind it
		}
	}
	return all, found
}

// nearest returns what of a text is spelled much like a stretch: as many characters, of
// which one differs, or at most a third. One character has nothing near.
func (s stretch) nearest(text string) []string {
	want := characters(s.word)
	if len(want) == 1 {
		return nil
	}
	type near struct {
		word     string
		distance int
	}
	var found []near
	most := max(len(want)/3, 1)
	for _, run := range show.Runs(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsMark(r) }) {
		has := characters(run)
		for i := 0; i+len(want) <= len(has); i++ {
			distance := 0
			for k, c := range want {
				if has[i+k] != c {
					distance++
				}
			}
			if word := strings.Join(has[i:i+len(want)], ""); distance <= most && spaceless(word) {
				found = append(found, near{word, distance})
			}
		}
	}
	order.By(found, func(a, b near) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), strings.Compare(a.word, b.word))
	})
	var out []string
	for _, f := range slices.Compact(found) {
		if len(out) < shownNear {
			out = append(out, f.word)
		}
	}
	return out
}

// characters returns the characters of a text, each with its marks.
func characters(text string) (all []string) {
	for _, r := range text {
		if c := string(r); len(all) > 0 && unicode.IsMark(r) {
			all[len(all)-1] += c
		} else if r != utf8.RuneError {
			all = append(all, c)
		}
	}
	return all
}
