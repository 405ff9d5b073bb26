// Package mcpserver serves memoir to agents over the Model Context Protocol:
// memory_search and memory_get, and where notes may be written memory_remember,
// memory_forget and memory_prime. These are a thin layer over the engine. It
// also offers the notes as resources, with subscriptions, and prompts.
//
// A wrong value that a model can correct is never a protocol error: the tools
// check their arguments themselves and answer with isError, a message and the
// next step, which the model reads. The official SDK speaks the protocol, in
// all its revisions.
package mcpserver

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"log/slog"
	"os"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memoir-ai/memoir"
)

// Reader is what the tools that read need of an engine; [engine.Engine]
// implements it. It must be safe for concurrent use.
type Reader interface {
	// Search answers a query as [engine.Engine.Search] does.
	Search(ctx context.Context, q memoir.Query) (memoir.Results, error)
	// Get returns lines of a document as [engine.Engine.Get] does.
	Get(ctx context.Context, id memoir.DocID, from, to int) (memoir.Excerpt, error)
	// Documents yields the indexed documents as [engine.Engine.Documents] does.
	Documents(ctx context.Context) iter.Seq2[memoir.DocumentMeta, error]
	// Stats counts the index as [engine.Engine.Stats] does.
	Stats(ctx context.Context) (memoir.StoreStats, error)
}

// Options says how a server presents itself and where it speaks. The zero
// value is a server of version "dev" on standard input and output.
type Options struct {
	Version string // of memoir; "" means "dev"
	// Defaults gives Limit, Mode and MinScore of a search that does not set
	// them. Zero values mean those of [memoir.Query]. A limit over 50 counts as
	// 50.
	Defaults memoir.Query
	// Writer keeps what agents tell memoir; nil: the tools that write are not
	// offered.
	Writer Writer
	// Memory answers calls of Anthropic's memory tool; package memorytool
	// implements it. input holds the arguments. An error is for the model to
	// read. nil: the tool is not offered.
	Memory func(ctx context.Context, input json.RawMessage) (string, error)
	// Changed holds a token when the index has changed, so that clients that
	// follow a note hear of it at once. nil: they hear of it within seconds.
	Changed <-chan struct{}
	// Input and Output carry the protocol, one message a line. nil means
	// standard input and standard output. Nothing else may be written to Output.
	Input  io.ReadCloser
	Output io.Writer
	// Scopes says that two memories are joined, so that a statement may name one
	// of them.
	Scopes bool
	// Hidden returns prefixes of the ids of sessions that a client may not see.
	// The client is known by the name that it gives itself. nil: a client may
	// see all sessions.
	Hidden func(client string) (prefixes []string)
	// Collections describe, for agents, the folders that are searched with the
	// notes: what their paths begin with, and what is in each.
	Collections []string
	// Separator separates folders in the paths of this machine, which agents may
	// write. 0 means that of the system.
	Separator rune
	// Complete returns a hint with its commands completed, so that they act on
	// the served notes wherever they are run. The agent knows neither the folder
	// nor the variables of the server. nil leaves hints as they are.
	Complete func(hint string) string
	// Logger receives events of the connection; nil discards them. It must not
	// write to Output.
	Logger *slog.Logger
}

const instructions = `memoir is this user's long-term memory: notes in Markdown, kept across sessions.
Call memory_search before answering about earlier work, decisions, dates, people, preferences or todos; call memory_get only for lines that the passages do not show.
Quote the citation (path and lines) of what you rely on. When nothing fits, say that you looked and found nothing.`

const writeInstructions = `
Call memory_prime once at the start of a session.
Call memory_remember when the user asks you to remember something, and for facts, preferences and decisions that will matter in later sessions; what it refuses needs no second try, unless the answer asks for one.`

// New returns a server with the tools. Any transport of the SDK can connect to
// it; [Run] connects standard input and output. Seconds after the last client
// that follows notes has gone, its background work for them ends.
func New(reader Reader, opts Options) *mcp.Server {
	server, _ := newServer(reader, opts)
	return server
}

func newServer(reader Reader, opts Options) (*mcp.Server, *subscriptions) {
	if cmp.Or(opts.Separator, os.PathSeparator) == '\\' {
		reader = backslashes{reader}
	}
	// A client cannot follow what it may not see. That is checked once.
	follow := newSubscriptions(reader, opts.Changed)
	if opts.Hidden != nil {
		mine := seeing{reader, opts.Hidden}
		reader, follow.hides = mine, mine.hides
		if opts.Writer != nil {
			opts.Writer = leaving{opts.Writer, mine}
		}
	}
	version := opts.Version
	if version == "" {
		version = "dev"
	}
	complete := opts.Complete
	if complete == nil {
		complete = func(hint string) string { return hint }
	}
	told := instructions
	if opts.Writer != nil {
		told += writeInstructions
	}
	if len(opts.Collections) > 0 {
		told += "\nSearched too, read-only: " + strings.Join(opts.Collections, "; ") + "."
	}
	notes := resources{reader}
	server := mcp.NewServer(
		&mcp.Implementation{Name: "memoir", Title: "memoir", Version: version},
		&mcp.ServerOptions{
			Instructions: told,
			Logger:       opts.Logger,
			// It must not be nil, because that would promise logging. The SDK's
			// default says that the list of tools may change. Without that, a
			// client's subscription would end at once, and agents may not take
			// that well.
			Capabilities:       &mcp.ServerCapabilities{Resources: &mcp.ResourceCapabilities{}},
			CompletionHandler:  notes.complete,
			SubscribeHandler:   follow.subscribe,
			UnsubscribeHandler: follow.unsubscribe,
		})
	follow.server = server
	server.AddReceivingMiddleware(progress)
	notes.offer(server)
	addPrompts(server, reader, opts.Defaults, opts.Writer != nil)
	tools := []tool{searchTool(reader, opts.Defaults, complete), getTool(reader, complete)}
	if opts.Writer != nil {
		tools = append(tools, rememberTool(opts.Writer, opts.Scopes, complete), forgetTool(opts.Writer, complete), primeTool(opts.Writer, complete))
	}
	if opts.Memory != nil {
		tools = append(tools, memoryTool(opts.Memory))
	}
	for _, t := range tools {
		t.definition.Meta = loaded()
		server.AddTool(t.definition, t.handle)
	}
	return server, follow
}

// Run serves one client until it closes the input or ctx is done, and then
// returns nil. When ctx is done, it cancels the calls that still run and waits
// for them. It answers a line that is no message with a JSON-RPC error, and the
// conversation goes on.
//
// After ctx is done, a read of standard input may stay blocked until the
// process ends, because not every platform can interrupt it.
func Run(ctx context.Context, reader Reader, opts Options) error {
	if opts.Input == nil {
		opts.Input = os.Stdin
	}
	if opts.Output == nil {
		opts.Output = os.Stdout
	}
	server, follow := newServer(reader, opts)
	defer follow.stop()
	server.AddReceivingMiddleware(cancelWith(ctx))
	err := server.Run(ctx, stdio(opts.Input, opts.Output))
	if ctx.Err() != nil || errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// cancelWith cancels the calls of a server when ctx is done. The SDK gives them
// a context that outlives the one given to Run, and then waits for them.
func cancelWith(ctx context.Context) mcp.Middleware {
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(call context.Context, method string, req mcp.Request) (mcp.Result, error) {
			call, cancel := context.WithCancelCause(call)
			defer cancel(nil)
			stop := context.AfterFunc(ctx, func() { cancel(context.Cause(ctx)) })
			defer stop()
			return next(call, method, req)
		}
	}
}
