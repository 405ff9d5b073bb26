package config

import (
	"fmt"
	"strings"
	"testing"
)

// TestTooDeep: a file with thousands of levels is refused before it is parsed, and strings,
// comments and long lists are no levels.
func TestTooDeep(t *testing.T) {
	const many = 20_000
	for _, c := range []struct {
		name, file string
		line       int
	}{
		{"key", "minScore = 0\na" + strings.Repeat(".a", many) + "=1", 2},
		{"table", "[a" + strings.Repeat(".a", many) + "]", 1},
		{"inline tables", "\n\na=" + strings.Repeat("{a=", many) + "1" + strings.Repeat("}", many), 3},
		{"arrays", "a=" + strings.Repeat("[", many), 1},
		{"lines of arrays", "a=" + strings.Repeat("[\n", many), maxDepth + 1},
		{"string", `include = ["` + strings.Repeat("a.[{", many) + `"]`, 0},
		{"literal", "x = '" + strings.Repeat("[.", many) + "'", 0},
		{"several lines", "x = \"\"\"\n" + strings.Repeat("[.\n", many) + "\"\"\"", 0},
		{"escaped", `x = "\"` + strings.Repeat("[", many) + `"`, 0},
		{"comment", "# " + strings.Repeat("[", many) + "\n#" + strings.Repeat(".", many), 0},
		{"list", "x = [" + strings.Repeat("[1.5],", many) + "]", 0},
	} {
		if got := tooDeep([]byte(c.file)); got != c.line {
			t.Errorf("%s: line %d, want %d", c.name, got, c.line)
		}
		if _, err := parse("f", []byte(c.file)); c.line > 0 && err == nil || len(fmt.Sprint(err)) > 500 && c.line > 0 {
			t.Errorf("%s: %.100v", c.name, err)
		}
	}
}
