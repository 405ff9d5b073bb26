package engine_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/memoir-ai/memoir"
)

// A number or a day is found in another form than that of the question, in each mode and
// whatever the limit. What holds a part of it is not raised.
func TestOtherForms(t *testing.T) {
	n := garden(t)
	for i := range 60 { // more than the candidates that a search begins with
		n.write(fmt.Sprintf("log/%03d.md", i), fmt.Sprintf("Whose number and what costs: who called about the hall on day %d, room %d, 555%d.\n", i, 200+i, i))
	}
	n.write("x/fence.md", "The fence was quoted at $7,250.\n")
	n.write("x/part.md", "Row 7 and seat 250.\n")
	n.write("x/roofer.md", "Krause: +49 40 7712093.\n")
	n.write("x/digits.md", "Numbers 040, 771 and 2093.\n")
	n.write("x/audit.md", "The audit starts on February 3, 2031.\n")
	n.write("x/mueller.md", "Frau Müller keeps it.\n")
	n.sync()
	n.embed()
	for text, want := range map[string]memoir.DocID{
		"what costs 7250 dollars":       "x/fence.md",
		"whose number is 040-7712093":   "x/roofer.md",
		"what starts on 2031-02-03":     "x/audit.md",
		"what does Mrs Mueller keep":    "x/mueller.md",
		"0407712093":                    "x/roofer.md",
		"who called from 0049407712093": "x/roofer.md",
	} {
		for _, mode := range []memoir.Mode{memoir.ModeText, memoir.ModeHybrid} {
			all := n.search(memoir.Query{Text: text, Limit: 1000, Mode: mode})
			if len(all.Hits) == 0 || all.Hits[0].Doc != want {
				t.Errorf("%s: %q found %q, want %s first", mode, text, citations(all)[:min(3, len(all.Hits))], want)
				continue
			}
			for _, limit := range []int{1, 3} {
				some := n.search(memoir.Query{Text: text, Limit: limit, Mode: mode})
				if diff := cmp.Diff(some.Hits, all.Hits[:min(len(some.Hits), len(all.Hits))], cmpopts.IgnoreFields(memoir.Hit{}, "Explain")); diff != "" {
					t.Errorf("%s: %q: limit %d is not the head of 1000 (-got +want):\n%s", mode, text, limit, diff)
				}
			}
		}
	}
}
