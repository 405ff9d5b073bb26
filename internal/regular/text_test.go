package regular_test

import (
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"github.com/memoir-ai/memoir/internal/regular"
)

// TestText: a text is what the file holds, whatever has become of it since, and the
// texts before stay as they were.
func TestText(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.md")
	long := strings.Repeat("多行的文字\n", 10_000)
	var text regular.Text
	var before []string
	steps := []string{
		"", "one", "onetwo", long, long, long + "more", long + "more\n" + long,
		"x" + long[1:], long[:len(long)/2], long[:100_000] + "~" + long[100_001:], "", long, "two", "two" + long[:40_000],
	}
	for i, want := range steps {
		write(t, path, want)
		got, err := text.Read(path)
		if err != nil || got != want {
			t.Fatalf("step %d: got %d bytes, %v; want %d", i, len(got), err, len(want))
		}
		before = append(before, got)
	}
	for i, want := range steps {
		if before[i] != want {
			t.Errorf("the text of step %d has changed", i)
		}
	}
	if _, err := text.Read(path + ".gone"); err == nil {
		t.Error("nothing was read without an error")
	}
	if got, err := text.Read(path); err != nil || got != steps[len(steps)-1] {
		t.Errorf("after an error: got %d bytes, %v", len(got), err)
	}
}

// TestTextAdded: what was read is not read into memory again when something was added to
// it, but for the room that it may need.
func TestTextAdded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.md")
	want := strings.Repeat("- an entry of a note\n", 50_000)
	var text regular.Text
	places := map[*byte]bool{}
	for range 100 {
		write(t, path, want)
		got, err := text.Read(path)
		if err != nil || got != want {
			t.Fatalf("got %d bytes, %v; want %d", len(got), err, len(want))
		}
		places[unsafe.StringData(got)] = true
		want += "- more\n"
	}
	if len(places) > 2 {
		t.Errorf("the text stood at %d places", len(places))
	}
}
