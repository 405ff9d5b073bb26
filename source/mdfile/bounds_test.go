package mdfile_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/source/mdfile"
)

func manyPatterns(n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf("x%d*", i)
	}
	return all
}

// TestManyPatterns: a folder whose ignore files have more patterns than count, or too long a
// one, is left out and named, for nobody knows what they would hide. Those of options are refused.
func TestManyPatterns(t *testing.T) {
	most := strings.Join(manyPatterns(2000), "\n")
	dir := workspace(t, map[string]string{
		"a.md": "text\n", "full/.gitignore": most, "full/a.md": "text\n", "full/x1.md": "text\n",
		"full/below/.memoirignore": "y*\n", "full/below/a.md": "text\n",
		"more/.gitignore": most + "\nz\n", "more/a.md": "text\n",
		"long/.gitignore": strings.Repeat("*a", 513), "long/a.md": "text\n",
	})
	src := open(t, dir, mdfile.Options{})
	want := []string{
		"a.md", "full/a.md", "full/below: left out because the ignore files here and above have more than 2000 patterns",
		"long: left out because long/.gitignore has a pattern of more than 1024 bytes",
		"more: left out because the ignore files here and above have more than 2000 patterns",
	}
	if diff := cmp.Diff(want, scan(t, src)); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
	for _, id := range []memoir.DocID{"full/below/a.md", "more/a.md", "long/a.md"} {
		if _, err := src.Read(t.Context(), id); !strings.HasPrefix(reason(t, err), "left out because") {
			t.Errorf("%s is read: %v", id, err)
		}
	}
	for _, patterns := range [][]string{manyPatterns(2001), {strings.Repeat("*a", 513)}} {
		for _, opts := range []mdfile.Options{{Exclude: patterns}, {Include: patterns}} {
			if _, err := mdfile.Open(dir, opts); !errors.Is(err, memoir.ErrInvalid) {
				t.Errorf("%d patterns are taken: %v", len(patterns), err)
			}
		}
	}
}
