package mcpserver

import (
	"context"
	"strings"

	"github.com/memoir-ai/memoir"
)

// backslashes accepts paths with backslashes, on a system that separates
// folders with them.
type backslashes struct{ Backend }

// Get implements [Backend].
func (b backslashes) Get(ctx context.Context, id memoir.DocID, from, to int) (memoir.Excerpt, error) {
	return b.Backend.Get(ctx, memoir.DocID(slashed(string(id))), from, to)
}

func slashed(path string) string {
	return strings.TrimPrefix(strings.ReplaceAll(path, `\`, "/"), "./")
}
