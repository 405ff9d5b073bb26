package remember

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestNoLongerHolds: what is told to hold no longer is what the older text says, and
// nothing beside it.
func TestNoLongerHolds(t *testing.T) {
	for _, set := range []struct {
		name          string
		missed, wrong int // at most
	}{{"nolonger", 8, 0}, {"nolonger-unseen", 1, 0}} {
		file, err := os.ReadFile(filepath.Join("testdata", set.name+".tsv"))
		if err != nil {
			t.Fatal(err)
		}
		pairs, called, missed, wrong := map[string]int{}, 0, 0, 0
		for line := range strings.Lines(string(file)) {
			f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
			if len(f) != 4 {
				continue
			}
			pairs[f[1]]++
			is, _ := noLongerHolds(f[2], f[3])
			switch want := f[1] == "changed"; {
			case is && want:
				called++
			case want:
				missed++
				t.Logf("missed: %s: %q, then %q", f[0], f[2], f[3])
			case is:
				wrong++
				t.Logf("wrong: %s: %q, then %q", f[0], f[2], f[3])
			}
		}
		t.Logf("%s: of %v called %d rightly and %d wrongly, missed %d", set.name, pairs, called, wrong, missed)
		if missed > set.missed || wrong > set.wrong {
			t.Errorf("%s: too many are wrong", set.name)
		}
	}
}

// TestNoLongerLong: a text that is too long to be compared says nothing, whatever it says.
func TestNoLongerLong(t *testing.T) {
	for n, want := range map[int]bool{100: true, 2 * maxCompared: false} {
		if _, says := noLongerHolds("Je bois du café", strings.Repeat("a ", n/2)+", je ne bois plus de café"); says != want {
			t.Errorf("%d bytes: got %v, want %v", n, says, want)
		}
	}
}

func BenchmarkNoLonger(b *testing.B) {
	older := strings.Repeat("a ", maxCompared/2)
	newer := strings.Repeat("a ", maxCompared/2-10) + "b, plus de c"
	for b.Loop() {
		noLongerHolds(older, newer)
	}
}
