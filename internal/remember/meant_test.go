package remember_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir/internal/remember"
)

// notebooks calls yield with each question of testdata/forget.tsv: the sample that it is
// of, how it is said, what its entries have, and what it means in the notebook above it.
func notebooks(t *testing.T, change func(*remember.Options), yield func(sample, said string, has []string, question string, got remember.Forgetting)) {
	t.Helper()
	file, err := os.ReadFile(filepath.Join("testdata", "forget.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	var b *bench
	var sample, note string
	for line := range strings.Lines(string(file)) {
		line = strings.TrimSuffix(line, "\n")
		switch kind, rest, _ := strings.Cut(line, " "); kind {
		case "=":
			sample, note, b = rest, "", nil
		case "-":
			note += line + "\n"
		case "?":
			if b == nil {
				b = newBench(t, map[string]string{"memory/contacts.md": note}, change)
				if err := b.keeper.Prepare(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			f := strings.Split(rest, "\t")
			got, err := b.keeper.Forget(t.Context(), remember.Target{Query: f[1]}, true)
			if err != nil {
				t.Fatal(err)
			}
			var has []string
			if f[2] != "" {
				has = strings.Split(f[2], "|")
			}
			yield(sample, f[0], has, f[1], got)
		}
	}
}

// TestForgetOnlyWhatIsMeant: what a question asks to be forgotten in words of the entry
// would go, and nothing else. What it says otherwise is named, and stays.
func TestForgetOnlyWhatIsMeant(t *testing.T) {
	type count struct{ asked, gone, named, strange, listed int }
	for mode, model := range map[string]func(*remember.Options){"model": withModel(t), "words": nil} {
		counts := map[string]*count{}
		of := func(key string) *count {
			if counts[key] == nil {
				counts[key] = &count{}
			}
			return counts[key]
		}
		notebooks(t, model, func(sample, said string, has []string, question string, got remember.Forgetting) {
			meant := func(entries []remember.Entry) (n int) {
				for _, e := range entries {
					for _, part := range has {
						if strings.Contains(e.Text, part) {
							n++
						}
					}
				}
				return n
			}
			c := of(sample[:1] + " " + said)
			c.asked++
			stays := append(append(append([]remember.Entry{}, got.Also...), got.Some...), got.Near...)
			c.listed += len(stays)
			switch right := meant(got.Entries); {
			case right > 0:
				c.gone++
			case meant(stays) > 0:
				c.named++
			}
			if strange := len(got.Entries) - meant(got.Entries); strange > 0 {
				c.strange++
				t.Errorf("%s, %s: %q would take %q", mode, sample, question, textsOf(got.Entries))
			}
		})
		for key, c := range counts {
			t.Logf("%s, %s: %+v", mode, key, *c)
			switch _, said, _ := strings.Cut(key, " "); {
			case said == "words" && c.gone+c.named < c.asked, said == "words" && mode == "model" && c.gone+1 < c.asked:
				t.Errorf("%s, %s: %+v", mode, key, *c)
			case said == "other" && mode == "model" && 3*(c.gone+c.named) < 2*c.asked, said == "across" && mode == "model" && 3*c.named < 2*c.asked:
				t.Errorf("%s, %s: %+v", mode, key, *c)
			}
		}
	}
}
