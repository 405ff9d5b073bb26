package mcpserver

import (
	"context"
	"strings"

	"github.com/memoir-ai/memoir"
)

// backslashes takes paths as a system writes them whose folders are set apart by
// backslashes, which no file name holds there.
type backslashes struct{ Backend }

// Get implements [Backend].
func (b backslashes) Get(ctx context.Context, id memoir.DocID, from, to int) (memoir.Excerpt, error) {
	return b.Backend.Get(ctx, memoir.DocID(slashed(string(id))), from, to)
}

func slashed(path string) string {
	return strings.TrimPrefix(strings.ReplaceAll(path, `\`, "/"), "./")
}
