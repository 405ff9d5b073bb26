package mcpserver

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
)

// clientKey is the context key of the caller's name.
type clientKey struct{}

// withClient records in the context of a call who makes it; nil: unknown.
func withClient(ctx context.Context, client *mcp.Implementation) context.Context {
	if client == nil {
		return ctx
	}
	return context.WithValue(ctx, clientKey{}, client.Name)
}

// seeing keeps sessions from clients that may not see them.
type seeing struct {
	Reader
	hidden func(client string) (prefixes []string)
}

func (b seeing) from(ctx context.Context) []string {
	name, _ := ctx.Value(clientKey{}).(string)
	return b.hidden(name)
}

// Search implements [Reader].
func (b seeing) Search(ctx context.Context, q memoir.Query) (memoir.Results, error) {
	for _, prefix := range b.from(ctx) {
		q.Filter.Without = append(slices.Clip(q.Filter.Without), memoir.Filter{Kinds: []memoir.Kind{memoir.KindSession}, Prefix: prefix})
	}
	return b.Reader.Search(ctx, q)
}

// Get implements [Reader].
func (b seeing) Get(ctx context.Context, id memoir.DocID, from, to int) (memoir.Excerpt, error) {
	if b.hides(ctx, id) {
		return memoir.Excerpt{}, fmt.Errorf("%s: %w", id, memoir.ErrNotFound)
	}
	return b.Reader.Get(ctx, id, from, to)
}

// Documents implements [Reader].
func (b seeing) Documents(ctx context.Context) iter.Seq2[memoir.DocumentMeta, error] {
	prefixes := b.from(ctx)
	return func(yield func(memoir.DocumentMeta, error) bool) {
		for meta, err := range b.Reader.Documents(ctx) {
			if (err != nil || !begins(meta.ID, prefixes)) && !yield(meta, err) {
				return
			}
		}
	}
}

// hides reports whether the caller may not see a document.
func (b seeing) hides(ctx context.Context, id memoir.DocID) bool { return begins(id, b.from(ctx)) }

// begins reports whether a document's id begins with one of the prefixes. The
// id may be a name in one of two memories.
func begins(id memoir.DocID, prefixes []string) bool {
	_, path := memoir.ParseName(string(id))
	return slices.ContainsFunc(prefixes, func(prefix string) bool {
		return strings.HasPrefix(string(id), prefix) || strings.HasPrefix(string(path), prefix)
	})
}

// leaving keeps clients from forgetting sessions that they may not see.
type leaving struct {
	Writer
	seeing seeing
}

// Forget implements [Writer].
func (l leaving) Forget(ctx context.Context, target engine.Target, dryRun bool) (engine.Forgetting, error) {
	if target.Ref != "" && l.seeing.hides(ctx, memoir.DocID(target.Ref)) {
		return engine.Forgetting{}, fmt.Errorf("there is no note %s: %w", target.Ref, memoir.ErrNotFound)
	}
	done, err := l.Writer.Forget(ctx, target, dryRun)
	done.StillSaid = slices.DeleteFunc(done.StillSaid, func(x engine.ForgottenSession) bool { return l.seeing.hides(ctx, memoir.DocID(x.Path)) })
	return done, err
}
