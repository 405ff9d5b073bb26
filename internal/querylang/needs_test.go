package querylang

import (
	"math/rand/v2"
	"regexp/syntax"
	"slices"
	"testing"
)

// TestNeeds: each match of a form holds one of the words that are looked for before the
// form is, so that no match is missed.
func TestNeeds(t *testing.T) {
	type form struct {
		source string
		needs  []string
	}
	forms := []form{{latest().String(), latestNeeds}, {whens().String(), whenNeeds}}
	for _, p := range patterns() {
		forms = append(forms, form{p.form().String(), p.needs})
	}
	r := rand.New(rand.NewPCG(1, 2))
	for _, f := range forms {
		parsed, err := syntax.Parse(f.source, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		for range 2000 {
			if text := string(matching(r, parsed)); !newQuickLook(text).sees(f.needs) {
				t.Errorf("%q matches %s and holds none of %q", text, f.source, f.needs)
				break
			}
		}
	}
}

// matching returns a random text that matches an expression.
func matching(r *rand.Rand, x *syntax.Regexp) (text []rune) {
	times := 1
	switch x.Op {
	case syntax.OpLiteral:
		return x.Rune
	case syntax.OpCharClass:
		at := 2 * r.IntN(len(x.Rune)/2)
		return []rune{x.Rune[at] + r.Int32N(min(x.Rune[at+1], x.Rune[at]+100)-x.Rune[at]+1)}
	case syntax.OpAlternate:
		return matching(r, x.Sub[r.IntN(len(x.Sub))])
	case syntax.OpQuest:
		times = r.IntN(2)
	case syntax.OpRepeat:
		times = x.Min + r.IntN(x.Max-x.Min+1)
	}
	for range times {
		for _, sub := range x.Sub {
			text = slices.Concat(text, matching(r, sub))
		}
	}
	return text
}
