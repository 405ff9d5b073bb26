package mcpserver

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memoir-ai/memoir"
)

// clientKey is the key of the name of who calls.
type clientKey struct{}

// withClient notes in the context of a call who makes it; nil: nobody says.
func withClient(ctx context.Context, client *mcp.Implementation) context.Context {
	if client == nil {
		return ctx
	}
	return context.WithValue(ctx, clientKey{}, client.Name)
}

// seeing keeps sessions from clients that may not see them.
type seeing struct {
	Backend
	sees func(client string) (prefix string, all bool)
}

func (b seeing) of(ctx context.Context) (prefix string, all bool) {
	name, _ := ctx.Value(clientKey{}).(string)
	return b.sees(name)
}

// Search implements [Backend].
func (b seeing) Search(ctx context.Context, q memoir.Query) (memoir.Results, error) {
	if prefix, all := b.of(ctx); !all {
		q.Filter.Without = append(slices.Clip(q.Filter.Without), memoir.Filter{
			Kinds: []memoir.Kind{memoir.KindSession}, Without: []memoir.Filter{{Prefix: prefix}},
		})
	}
	return b.Backend.Search(ctx, q)
}

// Get implements [Backend].
func (b seeing) Get(ctx context.Context, id memoir.DocID, from, to int) (memoir.Excerpt, error) {
	folder, _, _ := strings.Cut(string(id), "/")
	if prefix, all := b.of(ctx); !all && folder == memoir.KindSession.Origin() && !strings.HasPrefix(string(id), prefix) {
		return memoir.Excerpt{}, fmt.Errorf("%s: %w", id, memoir.ErrNotFound)
	}
	return b.Backend.Get(ctx, id, from, to)
}
