package sqlite_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/ability"
)

// holds returns which of the words the files of an index hold.
func holds(t *testing.T, path string, words ...string) (found []string) {
	t.Helper()
	files, err := filepath.Glob(path + "*")
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range words {
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Contains(data, []byte(word)) {
				found = append(found, word)
				break
			}
		}
	}
	return found
}

// A text that was replaced stays in the file until it is purged; what is there
// stays as it is.
func TestPurge(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.db")
	s := open(t, path)
	put(t, s, "a.md", "herringfjord tide")
	put(t, s, "b.md", "lighthouse 潮水")
	putVector(t, s, "herringfjord tide", 0, 1, 0)
	putVector(t, s, "lighthouse 潮水", 1, 0, 0)
	put(t, s, "a.md", "masked tide")
	if got := holds(t, path, "herringfjord"); len(got) == 0 {
		t.Fatal("the file keeps nothing, so that there is nothing to purge")
	}
	p, ok := memoir.As[ability.Purger](s)
	if !ok {
		t.Fatal("it is no Purger")
	}
	if err := p.Purge(t.Context()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"masked", "lighthouse", "潮水"}, holds(t, path, "masked", "lighthouse", "潮水", "herringfjord")); diff != "" {
		t.Errorf("the files hold (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{string(memoir.HashText("lighthouse 潮水"))}, hashes(t, path)); diff != "" {
		t.Errorf("vectors (-want +got):\n%s", diff)
	}
	if err := s.Check(t.Context()); err != nil {
		t.Error(err)
	}
	put(t, s, "c.md", "written afterwards")
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
