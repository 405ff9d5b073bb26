package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// file writes questions with their hit@1.
func file(t *testing.T, ids []string, hits ...float64) string {
	t.Helper()
	var b strings.Builder
	for i, id := range ids {
		fmt.Fprintf(&b, "{\"set\":\"s\",\"id\":%q,\"metrics\":{\"hit@1\":%g}}\n", id, hits[i])
	}
	name := filepath.Join(t.TempDir(), "questions")
	if err := os.WriteFile(name, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// Folds are conversations where there are some, and else five parts; a difference is
// that of each question.
func TestFolds(t *testing.T) {
	talks, plain := []string{"a/1", "a/2", "b/1", "b/2"}, []string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10"}
	for name, tt := range map[string]struct {
		than, file, want string
	}{
		"talks":      {"", file(t, talks, 1, 1, 0, 0), "| s | .500 (.707) |  |  |  |  |  |\n"},
		"parts":      {"", file(t, plain, 1, 1, 1, 1, 0, 1, 1, 1, 1, 0), "| s | .800 (.447) |  |  |  |  |  |\n"},
		"difference": {file(t, talks, 1, 0, 1, 0), file(t, talks, 1, 1, 0, 0), "| s | .000 (.707) |  |  |  |  |  |\n"},
	} {
		var out strings.Builder
		if err := run(&out, tt.than, []string{tt.file}); err != nil || out.String() != tt.want {
			t.Errorf("%s: got %q, %v; want %q", name, out.String(), err, tt.want)
		}
	}
	var out strings.Builder
	if err := run(&out, file(t, talks, 1, 1, 1, 1), []string{file(t, plain, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)}); err == nil {
		t.Error("runs of other questions were compared")
	}
}
