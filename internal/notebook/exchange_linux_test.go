package notebook

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPutBack: an exchange has brought out what was not read, and somebody has written
// to the note since then, too.
func TestPutBack(t *testing.T) {
	const ours, out = "1\ntwo\n", "one\ntwo\nthree\n"
	tests := []struct {
		name, out, note string
		want            map[string]string
	}{
		{"nobody", out, ours, map[string]string{"a.md": out}},
		{"adds", out, ours + "four\n", map[string]string{"a.md": out + "four\n"}},
		{"adds after a line without end", "one", ours + "four\n", map[string]string{"a.md": "one\nfour\n"}},
		{"saves all", out, "other\n", map[string]string{"a.md": "other\n", "left": out}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			n := openNotes(t, map[string]string{"a.md": test.note, "left": test.out})
			err := putBack(filepath.Join(n.root, "left"), filepath.Join(n.root, "a.md"), test.out, ours, errChanged)
			if !errors.Is(err, errChanged) {
				t.Errorf("got the error %v, want %v", err, errChanged)
			}
			if diff := cmp.Diff(test.want, notes(t, n)); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
		})
	}
}
