package engine_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The Go code of the READMEs is that of the example, which is compiled and run.
func TestReadmeCode(t *testing.T) {
	example, err := os.ReadFile("example_ask_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"README.md", "README.zh-CN.md"} {
		readme, err := os.ReadFile(filepath.Join("..", name))
		if err != nil {
			t.Fatal(err)
		}
		_, rest, ok := strings.Cut(strings.ReplaceAll(string(readme), "\r\n", "\n"), "\n```go\n")
		code, _, closed := strings.Cut(rest, "```\n")
		if !ok || !closed || strings.Contains(rest, "\n```go\n") {
			t.Fatalf("%s: want one block of Go", name)
		}
		if got := strings.ReplaceAll(string(example), "\r\n", "\n"); !strings.HasSuffix(got, "\n"+code) || !strings.HasPrefix(code, "import (") {
			t.Errorf("%s: its Go code is not that of example_ask_test.go:\n%s", name, code)
		}
	}
}
