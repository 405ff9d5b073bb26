package engine_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
)

// A passage that tells a time, an amount or a telephone number is not taken for one that
// lacks it, and one that lacks it is.
func TestKinds(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "kinds.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	type counts struct{ kept, right, out, wrong int }
	parts := map[string]*counts{}
	for line := range strings.Lines(string(text)) {
		if line[0] == '#' {
			continue
		}
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		n := newNotes(t, engine.Config{}, f[2], strings.ReplaceAll(f[5], `\n`, "\n")+"\n")
		res := n.search(memoir.Query{Text: f[4], Explain: true})
		if len(res.Hits) == 0 {
			t.Errorf("%s: nothing found", f[4])
			continue
		}
		if parts[f[0]] == nil {
			parts[f[0]] = new(counts)
		}
		c, tells := parts[f[0]], res.Hits[0].Explain.Most == 1
		switch {
		case f[3] == "yes" && tells:
			c.kept++
			fallthrough
		case f[3] == "yes":
			c.right++
		case !tells:
			c.out++
			fallthrough
		default:
			c.wrong++
		}
		if tells != (f[3] == "yes") {
			t.Logf("part %s, %s: %q of %s, most %v", f[0], f[4], f[5], f[2], res.Hits[0].Explain.Most)
		}
	}
	for part, c := range parts {
		t.Logf("part %s: %+v", part, *c)
		if c.kept*100 < c.right*75 || c.out*100 < c.wrong*85 {
			t.Errorf("part %s: %+v", part, *c)
		}
	}
}
