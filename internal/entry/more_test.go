package entry

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// grown fails unless the note, read step by step as it grows, has the entries of the
// whole. It returns how many entries were read more than once.
func grown(t *testing.T, steps []string) (again int) {
	t.Helper()
	var r *Reading
	var all []Entry
	src := ""
	for _, step := range steps {
		src += step
		if diff := cmp.Diff(Addition(src, "- item"), r.Addition(src, "- item")); diff != "" {
			t.Fatalf("%q, an addition (-whole +grown):\n%s", src, diff)
		}
		r = r.Next(src)
		again += len(all) - r.Kept
		all = append(all[:r.Kept:r.Kept], r.Entries...)
		want := Parse(src)
		if diff := cmp.Diff(want, all, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("%q (-whole +grown):\n%s", src, diff)
		}
	}
	return again
}

// TestReadingGrows: a note that grows has the same entries as one that is read at once,
// whatever is added.
func TestReadingGrows(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, and long under the race detector")
	}
	rng := rand.New(rand.NewPCG(15, 3))
	for range 4_000 {
		few := append(append([]string{}, parts[:2]...), parts[rng.IntN(len(parts))], parts[rng.IntN(len(parts))])
		var steps []string
		for range 2 + rng.IntN(6) {
			var b strings.Builder
			for range 1 + rng.IntN(3) {
				b.WriteString(few[rng.IntN(len(few))])
				b.WriteString([]string{"\n", "\n", "\n", "\r\n", "", "\n\n"}[rng.IntN(6)])
			}
			steps = append(steps, b.String())
		}
		grown(t, steps)
	}
}

// TestReadingKeeps: of a note that memoir writes, only the last entry is read again.
func TestReadingKeeps(t *testing.T) {
	steps, src := []string{"---\ntags: a\n---\n# Contacts\n\n## Here\n"}, ""
	for i := range 50 {
		src += steps[len(steps)-1]
		steps = append(steps, Addition(src, Item(fmt.Sprintf("the %d. supplier\nhas a van", i), Fields{{ID, fmt.Sprint("e", i)}}, false)))
	}
	if again := grown(t, steps); again != 49 {
		t.Errorf("%d entries were read again, want 49: the last one each time", again)
	}
}

// What was changed within is read whole, and so is a shorter note.
func TestReadingOfOthers(t *testing.T) {
	first := (*Reading)(nil).Next("- one\n- two\n- three\n")
	for _, src := range []string{"- one\n", "", "- one\n- TWO\n- three\n- four\n", "# x\n- one\n- two\n- three\n"} {
		if r := first.Next(src); r.Kept != 0 || !cmp.Equal(r.Entries, Parse(src), cmpopts.EquateEmpty()) {
			t.Errorf("%q: kept %d, got %v", src, r.Kept, r.Entries)
		}
	}
}
