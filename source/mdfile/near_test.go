package mdfile_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/source/mdfile"
)

// A note that was spelled wrongly is named; what is near to none names none.
func TestNear(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"MEMORY.md", "memory/2026-03-02.md", "memory/people/mia.md", "memory/家里.md"} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("x\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	s, err := mdfile.Open(dir, mdfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for path, want := range map[string]memoir.DocID{
		"memory.md":                "MEMORY.md",
		"memory/2026-03-20.md":     "memory/2026-03-02.md",
		"2026-03-02":               "memory/2026-03-02.md",
		`memory\people\Mia.md`:     "memory/people/mia.md",
		"mia":                      "memory/people/mia.md",
		"memory/poeple/mai.md":     "memory/people/mia.md",
		"家里":                       "memory/家里.md",
		"recipes/bread.md":         "",
		"":                         "",
		"../../etc/passwd":         "",
		"\xff\x00":                 "",
		strings.Repeat("a/", 5000): "",
	} {
		if got := s.Near(t.Context(), path); got != want {
			t.Errorf("%.40q: got %q, want %q", path, got, want)
		}
	}
}
