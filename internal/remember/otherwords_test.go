package remember_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/memoir-ai/memoir/internal/remember"
)

// otherWordsFloors are a little below what was measured, on processors with AVX-512 and
// without: the model's vectors differ a little between them.
var otherWordsFloors = map[string]struct{ first, shown, foreign int }{
	"a": {62, 87, 4},
	"b": {68, 85, 10},
	"c": {69, 89, 15},
}

// TestOtherWords tells facts, twenty-four to a memory, and asks for each in words that it has
// not. What others were told is hardly ever answered with confidence.
func TestOtherWords(t *testing.T) {
	if testing.Short() {
		t.Skip("computes many vectors")
	}
	type told struct{ fact, question string }
	samples := map[string]map[string][]told{}
	for _, f := range fields(t, filepath.Join("testdata", "otherwords.tsv"), 4) {
		if samples[f[0]] == nil {
			samples[f[0]] = map[string][]told{}
		}
		samples[f[0]][f[1]] = append(samples[f[0]][f[1]], told{f[2], f[3]})
	}
	for sample, memories := range samples {
		var asked, first, shown, right, wrong, others, foreign int
		for name, facts := range memories {
			m := newMemory(t, true)
			for i, f := range facts {
				at := time.Date(2026, 3, 2+i/4, 9, 0, 0, 0, time.UTC)
				if _, err := m.keeper.Remember(t.Context(), remember.Request{Text: f.fact, Origin: "user", At: at, Replaces: remember.Nothing}); err != nil {
					t.Fatal(err)
				}
			}
			index(t, m.engine)
			for _, f := range facts {
				if !m.holds(f.fact) {
					continue
				}
				asked++
				a := m.look(f.question)
				if strings.Contains(a.brief, f.fact) {
					shown++
				}
				switch is := strings.Contains(a.first, f.fact); {
				case is && a.confident:
					first, right = first+1, right+1
				case is:
					first++
				case a.confident:
					wrong++
				}
			}
			for _, of := range samples {
				for other, facts := range of {
					if other == name || !strings.HasPrefix(other, name[:2]) {
						continue
					}
					for _, f := range facts {
						others++
						if m.look(f.question).confident {
							foreign++
						}
					}
				}
			}
		}
		t.Logf("%s: of %d facts %d first, %d shown, %d confident and %d wrongly; of %d questions of others %d confident", sample, asked, first, shown, right, wrong, others, foreign)
		if floor := otherWordsFloors[sample]; first < floor.first || shown < floor.shown || foreign > floor.foreign || wrong > 2 {
			t.Errorf("%s: want %d first, %d shown, %d questions of others confident", sample, floor.first, floor.shown, floor.foreign)
		}
	}
}
