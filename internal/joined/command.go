package joined

import (
	"strings"

	"github.com/memoir-ai/memoir"
)

// Command returns a hint with its commands changed to act on the memory of a scope.
func Command(scope memoir.Scope, hint string) string {
	if strings.Contains(hint, "--scope") {
		return hint
	}
	rest, ok := strings.CutPrefix(hint, "memoir ")
	if !ok {
		return hint
	}
	return "memoir --scope " + string(scope) + " " + rest
}
