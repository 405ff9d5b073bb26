package mcpserver

import (
	"context"
	"strings"

	"github.com/memoir-ai/memoir"
)

// backslashes accepts paths with backslashes, on a system that separates
// folders with them.
type backslashes struct{ Reader }

// Get implements [Reader].
func (b backslashes) Get(ctx context.Context, id memoir.DocID, from, to int) (memoir.Excerpt, error) {
	return b.Reader.Get(ctx, memoir.DocID(slashed(string(id))), from, to)
}

func slashed(path string) string {
	return strings.TrimPrefix(strings.ReplaceAll(path, `\`, "/"), "./")
}
