package joined

import (
	"strings"

	"github.com/memoir-ai/memoir"
)

// Command lets the commands of a hint act on one of several memories.
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
