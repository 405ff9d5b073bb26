package remember_test

import (
	"bufio"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir/internal/remember"
)

// TestApart: of facts that have nothing to do with each other few take another one back, and
// hardly one is lost as if it had been told before, in whichever order they are told.
func TestApart(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, and long under the race detector")
	}
	most := map[string]struct{ taken, lost int }{ // in both orders together
		"gardens en": {4, 1}, "gardens zh": {5, 0}, "bicycles en": {3, 0}, "bicycles zh": {6, 1}, "school en": {4, 1}, "school zh": {3, 1},
	}
	for name, facts := range lists(t, "apart.txt") {
		taken, lost := 0, 0
		for range 2 {
			b := newBench(t, map[string]string{"MEMORY.md": "# Memory\n"}, withModel(t))
			for _, fact := range facts {
				out, err := b.keeper.Remember(t.Context(), remember.Request{Text: fact})
				if err != nil {
					t.Fatalf("%q: %v", fact, err)
				}
				switch out.Outcome {
				case remember.Superseded:
					taken++
					t.Logf("%s: %q takes another back", name, fact)
				case remember.Reinforced:
					lost++
					t.Logf("%s: %q is taken for said before", name, fact)
				}
			}
			slices.Reverse(facts)
		}
		t.Logf("%s: of %d facts, told in two orders, %d take another back and %d are lost", name, len(facts), taken, lost)
		if taken > most[name].taken || lost > most[name].lost {
			t.Errorf("%s: at most %+v", name, most[name])
		}
	}
}

// lists reads the lists of a file in testdata by name.
func lists(t *testing.T, name string) map[string][]string {
	t.Helper()
	file, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	all, list := map[string][]string{}, ""
	s := bufio.NewScanner(file)
	for s.Scan() {
		switch line := s.Text(); {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "["):
			list = strings.Trim(line, "[]")
		default:
			all[list] = append(all[list], line)
		}
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}
