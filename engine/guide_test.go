package engine_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The Go code of the guides is that of examples, which are compiled and run.
func TestGuideCode(t *testing.T) {
	for _, guide := range []string{"go.md", "go.zh-CN.md"} {
		text := lines(t, filepath.Join("..", "docs", "guide", guide))
		blocks := strings.Split(text, "\n```go\n")[1:]
		examples := []string{"example_ask_test.go", "example_agent_test.go"}
		if len(blocks) != len(examples) {
			t.Fatalf("%s: %d blocks of Go, want %d", guide, len(blocks), len(examples))
		}
		for i, example := range examples {
			code, _, closed := strings.Cut(blocks[i], "```\n")
			if !closed || !strings.Contains(lines(t, example), "\n"+code) {
				t.Errorf("%s: this Go code is not that of %s:\n%s", guide, example, code)
			}
		}
	}
}

// lines returns the text of a file, with the same line ends on each system.
func lines(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(text), "\r\n", "\n")
}
