package remember_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir/internal/remember"
)

// TestLanguages: of what is told in languages that the judge was not fitted to, or in two
// languages of one script, no words are lost, and nothing is superseded that still holds.
func TestLanguages(t *testing.T) {
	file, err := os.ReadFile(filepath.Join("testdata", "languages.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	counts, named, pairs := map[string]int{}, 0, 0
	for line := range strings.Lines(string(file)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 4 {
			continue
		}
		pairs++
		relation, older, newer := f[1], f[2], f[3]
		b := newBench(t, map[string]string{"memory/preferences.md": "# Preferences\n\n- " + older + "\n- The lamp in the hall stays on.\n"}, withModel(t))
		if err := b.keeper.Prepare(t.Context()); err != nil {
			t.Fatal(err)
		}
		out, err := b.keeper.Remember(t.Context(), remember.Request{Text: newer, Type: "preference"})
		if err != nil {
			t.Fatal(err)
		}
		counts[relation+" "+out.Outcome]++
		if len(out.Similar) > 0 && out.Similar[0].Text == older || out.Replaces != nil {
			named++
		}
		if got := b.notes()["memory/preferences.md"]; !strings.Contains(got, newer) || out.Outcome == remember.Superseded && relation == "distinct" {
			t.Errorf("%s, %s: %q, then %q: %s", f[0], relation, older, newer, out.Outcome)
		}
	}
	t.Logf("%v; the older is named in %d of %d", counts, named, pairs)
	if named < pairs*9/10 {
		t.Errorf("the older is named in %d of %d", named, pairs)
	}
}

// TestNoLonger: who says in another language that something is so no more supersedes what
// said so, and nothing else, with the model and without.
func TestNoLonger(t *testing.T) {
	for _, model := range []func(*remember.Options){withModel(t), nil} {
		counts := map[string]int{}
		for _, name := range []string{"nolonger.tsv", "nolonger-unseen.tsv"} {
			file, err := os.ReadFile(filepath.Join("testdata", name))
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(string(file)) {
				f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
				if len(f) != 4 {
					continue
				}
				b := newBench(t, map[string]string{"memory/preferences.md": "# Preferences\n\n- " + f[2] + "\n- The lamp in the hall stays on.\n"}, model)
				out, err := b.keeper.Remember(t.Context(), remember.Request{Text: f[3], Type: "preference"})
				if err != nil {
					t.Fatal(err)
				}
				counts[f[1]+" "+out.Outcome]++
				if out.Outcome == remember.Superseded && f[1] == "both" {
					t.Errorf("%s: %q, then %q", f[0], f[2], f[3])
				}
			}
		}
		t.Log(counts)
		if counts["changed superseded"] < 45 {
			t.Errorf("%v", counts)
		}
	}
}

// TestOppositeIsKept: what denies an older entry, or names something else, is written, and
// supersedes the entry when it denies all of it.
func TestOppositeIsKept(t *testing.T) {
	for _, c := range []struct{ older, newer, outcome string }{
		{"The lift doesn't work.", "The lift works.", remember.Superseded},
		{"我不抽烟。", "我抽烟。", remember.Superseded},
		{"私は泳げません。", "私は泳げます。", remember.Superseded},
		{"我不喝咖啡了", "我每天喝咖啡", remember.Added},
		{"我不打篮球。", "我打网球。", remember.Added},
		{"We moved to a new office in Munich", "Our office is in Vienna", remember.Added},
		{"Our weekly meeting is on Tuesdays.", "The weekly meeting takes place on Tuesdays.", remember.Added},
		{"Das Lager ist schon leer.", "Das Lager ist schön leer.", remember.Added},
		{"We deploy on Fridays", "we  deploy on ＦＲＩＤＡＹＳ!", remember.Reinforced},
	} {
		b := newBench(t, map[string]string{"memory/preferences.md": "# Preferences\n\n- " + c.older + "\n"}, withModel(t))
		out, err := b.keeper.Remember(t.Context(), remember.Request{Text: c.newer, Type: "preference"})
		if err != nil || out.Outcome != c.outcome {
			t.Errorf("%q, then %q: got %s, %v, want %s", c.older, c.newer, out.Outcome, err, c.outcome)
		}
		if got := b.notes()["memory/preferences.md"]; strings.Contains(got, c.newer) != (c.outcome != remember.Reinforced) || !strings.Contains(got, c.older) {
			t.Errorf("%q, then %q: got %s", c.older, c.newer, got)
		}
	}
}
