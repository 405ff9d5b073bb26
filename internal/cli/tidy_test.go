package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// A line that is longer than anybody reads is shortened, in the list and in the diff.
func TestTidyShortens(t *testing.T) {
	notes(t)
	if err := os.WriteFile(filepath.Join(os.Getenv("MEMOIR_WORKSPACE"), "MEMORY.md"), []byte("- [the tide table](tides.md) "+strings.Repeat("潮水很高。", 8000)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, errs := run(t.Context(), nil, testEmbedder, "tidy")
	if code != 0 || !strings.Contains(out, "orphan") || !strings.Contains(out, "…") || utf8.RuneCountInString(out) > 2000 {
		t.Errorf("exit code %d, %d characters: %.300s%s", code, utf8.RuneCountInString(out), out, errs)
	}
}
