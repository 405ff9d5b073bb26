package mdfile_test

import (
	"testing"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/source/mdfile"
)

// TestOwns: an id is the source's by its name alone, whether or not there is a file.
func TestOwns(t *testing.T) {
	for name, tt := range map[string]struct {
		include []string
		want    map[memoir.DocID]bool
	}{
		"Markdown": {nil, map[memoir.DocID]bool{"a.md": true, "b/C.MD": true, "日记/2026.markdown": true, "a.txt": false, "": false, "../a.md": false, "/a.md": false, "a\x00.md": false}},
		"chosen":   {[]string{"*.txt", "notes/"}, map[memoir.DocID]bool{"a.txt": true, "notes/a.md": true, "a.md": false, "notes/a.go": false}},
	} {
		s, err := mdfile.Open(t.TempDir(), mdfile.Options{Include: tt.include})
		if err != nil {
			t.Fatal(err)
		}
		for id, want := range tt.want {
			if got := s.Owns(id); got != want {
				t.Errorf("%s: Owns(%q) = %v, want %v", name, id, got, want)
			}
		}
	}
}
