package engine_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The Go code of the guide is that of the example, which is compiled and run.
func TestGuideCode(t *testing.T) {
	example, err := os.ReadFile("example_ask_test.go")
	if err != nil {
		t.Fatal(err)
	}
	guide, err := os.ReadFile(filepath.Join("..", "docs", "guide", "go.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(strings.ReplaceAll(string(guide), "\r\n", "\n"), "\n```go\n")
	code, _, closed := strings.Cut(rest, "```\n")
	if !ok || !closed || strings.Contains(rest, "\n```go\n") {
		t.Fatal("docs/guide/go.md: want one block of Go")
	}
	if got := strings.ReplaceAll(string(example), "\r\n", "\n"); !strings.HasSuffix(got, "\n"+code) || !strings.HasPrefix(code, "import (") {
		t.Errorf("docs/guide/go.md: its Go code is not that of example_ask_test.go:\n%s", code)
	}
}
