// Package mcpserver serves memoir to agents over the Model Context Protocol:
// memory_search and memory_get, and where notes may be written memory_remember,
// memory_forget and memory_prime, thin over the engine; the notes as resources, with
// subscriptions; and prompts.
//
// Values that a model can mend never become protocol errors: the tools check
// their arguments themselves and answer with isError, a message and the next
// step, which the model reads. The protocol, in all its revisions, is the
// official SDK's.
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

// Backend is what the tools need of an engine; [engine.Engine] is one. It
// must be safe for concurrent use.
type Backend interface {
	// Search answers a query as [engine.Engine.Search] does.
	Search(ctx context.Context, q memoir.Query) (memoir.Results, error)
	// Get returns lines of a document as [engine.Engine.Get] does.
	Get(ctx context.Context, id memoir.DocID, from, to int) (memoir.Excerpt, error)
	// Documents yields what is indexed as [engine.Engine.Documents] does.
	Documents(ctx context.Context) iter.Seq2[memoir.DocumentMeta, error]
	// Stats counts the index as [engine.Engine.Stats] does.
	Stats(ctx context.Context) (memoir.StoreStats, error)
}

// Options says how a server presents itself and where it speaks. The zero
// value is a server of version "dev" on standard input and output.
type Options struct {
	Version string // of memoir; "" means "dev"
	// Defaults gives Limit, Mode and MinScore of a search that does not say
	// them; zero values are those of [memoir.Query]. A limit over 50 counts as 50.
	Defaults memoir.Query
	// Writer keeps what agents tell; nil: the tools that write are not offered.
	Writer Writer
	// Memory answers calls of Anthropic's memory tool, of which input is the arguments:
	// package memorytool has it. An error is for the model to read. Nil: the tool is
	// not offered.
	Memory func(ctx context.Context, input json.RawMessage) (string, error)
	// Changed holds a token when the index has changed, so that who follows a note
	// hears of it at once; nil: within seconds.
	Changed <-chan struct{}
	// Input and Output carry the protocol, one message a line; nil means
	// standard input and standard output. Nothing else may be written to Output.
	Input  io.ReadCloser
	Output io.Writer
	// Scopes says that two memories answer as one: what is told may name one of them.
	Scopes bool
	// Hidden says which sessions a client may not see, by the name that it gives
	// itself: how their ids begin. Nil: it may see all.
	Hidden func(client string) (prefixes []string)
	// Collections name the folders that are searched with the notes: how their paths
	// begin and what is in each. They are told to agents.
	Collections []string
	// Separator is what stands between folders in the paths of this machine, which
	// agents may write; 0 means the system's.
	Separator rune
	// Complete returns a hint whose commands act on the notes that are served
	// wherever they are run: the agent knows neither the folder nor the variables
	// of the server. Nil leaves hints as they are.
	Complete func(hint string) string
	// Logger receives what happens to the connection; nil discards it. It must
	// not write to Output.
	Logger *slog.Logger
}

const instructions = `memoir is this user's long-term memory: notes in Markdown, kept across sessions.
Call memory_search before answering about earlier work, decisions, dates, people, preferences or todos; call memory_get only for lines that the passages do not show.
Quote the citation (path and lines) of what you rely on. When nothing fits, say that you looked and found nothing.`

const writeInstructions = `
Call memory_prime once at the start of a session.
Call memory_remember when the user asks you to remember something, and for facts, preferences and decisions that will matter in later sessions; what it refuses needs no second try.`

// New returns a server with the tools. It can be connected to any transport
// of the SDK; [Run] does so for standard input and output. What it does for clients
// that follow notes ends seconds after the last of them is gone.
func New(backend Backend, opts Options) *mcp.Server {
	server, _ := newServer(backend, opts)
	return server
}

func newServer(backend Backend, opts Options) (*mcp.Server, *subscriptions) {
	if cmp.Or(opts.Separator, os.PathSeparator) == '\\' {
		backend = backslashes{backend}
	}
	// What a client may not see it cannot follow, which is looked at once.
	follow := newSubscriptions(backend, opts.Changed)
	if opts.Hidden != nil {
		mine := seeing{backend, opts.Hidden}
		backend, follow.hides = mine, mine.hides
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
	notes := resources{backend}
	server := mcp.NewServer(
		&mcp.Implementation{Name: "memoir", Title: "memoir", Version: version},
		&mcp.ServerOptions{
			Instructions: told,
			Logger:       opts.Logger,
			// Not nil, which would promise logging. That tools may change is left
			// as the SDK says it: without it, a client's subscription ends at once,
			// and agents are not known to take that well.
			Capabilities:       &mcp.ServerCapabilities{Resources: &mcp.ResourceCapabilities{}},
			CompletionHandler:  notes.complete,
			SubscribeHandler:   follow.subscribe,
			UnsubscribeHandler: follow.unsubscribe,
		})
	follow.server = server
	server.AddReceivingMiddleware(progress)
	notes.offer(server)
	addPrompts(server, backend, opts.Defaults, opts.Writer != nil)
	tools := []tool{searchTool(backend, opts.Defaults, complete), getTool(backend, complete)}
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

// Run serves one client until it closes the input or ctx is done; both are an
// ordinary end and give nil. Calls that still run when ctx is done are
// cancelled, and Run waits for them. A line that is no message is answered
// with a JSON-RPC error and does not end the conversation.
//
// When ctx is done, the read of standard input may stay blocked until the
// process ends, because not every platform can interrupt it.
func Run(ctx context.Context, backend Backend, opts Options) error {
	if opts.Input == nil {
		opts.Input = os.Stdin
	}
	if opts.Output == nil {
		opts.Output = os.Stdout
	}
	server, follow := newServer(backend, opts)
	defer follow.stop()
	server.AddReceivingMiddleware(cancelWith(ctx))
	err := server.Run(ctx, stdio(opts.Input, opts.Output))
	if ctx.Err() != nil || errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// cancelWith ends the calls of a server with ctx: the SDK hands them a context
// that outlives the one given to Run, and then waits for them.
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
