// Package httpapi serves memoir over HTTP: the API under /v1, whose bodies are
// the JSON of the commands, and the endpoints for operators (/healthz, /readyz,
// /metrics). It decides who may ask what. MCP and the page are passed in as
// handlers and stand behind the same guard.
package httpapi

import (
	"cmp"
	"context"
	"iter"
	"log/slog"
	"net/http"
	"strings"
	"sync"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/wire"
	"golang.org/x/time/rate"
)

// Memory is what the API needs of an engine; [engine.Engine] has all of it
// except Status. It must be safe for concurrent use.
type Memory interface {
	Search(ctx context.Context, q memoir.Query) (memoir.Results, error)
	Why(ctx context.Context, q memoir.Query, id memoir.DocID, line int) (memoir.Why, error)
	Get(ctx context.Context, id memoir.DocID, from, to int) (memoir.Excerpt, error)
	Documents(ctx context.Context) iter.Seq2[memoir.DocumentMeta, error]
	Outline(ctx context.Context, id memoir.DocID, hides func(memoir.DocID) bool) (engine.Outline, error)
	Sample(ctx context.Context, limit int) ([]memoir.SampledVector, error)
	Sync(ctx context.Context, progress memoir.Progress) (memoir.SyncStats, error)
	Scan(ctx context.Context) ([]engine.Finding, engine.ScanStats, error)
	Note(path string) (string, error)
	Edit(ctx context.Context, who, why string, plan func(*engine.Draft) error) (engine.Change, error)
	Remember(ctx context.Context, st engine.Statement) (engine.Outcome, error)
	Forget(ctx context.Context, target engine.Target, dryRun bool) (engine.Forgetting, error)
	Entries(ctx context.Context, f engine.EntryFilter) ([]engine.Entry, error)
	Similar(ctx context.Context, text string, threshold float64) ([]engine.Similar, error)
	Prime(ctx context.Context, opts engine.PrimeOptions) (engine.Primed, error)
	Tidy(ctx context.Context, opts engine.TidyOptions) (engine.Tidying, error)
	History() ([]engine.Change, error)
	Undo(ctx context.Context, id string) (engine.Change, error)
	Status(ctx context.Context) (wire.Status, error)
}

// Options say what a server offers, and to whom. Memory is required.
type Options struct {
	Memory Memory
	// Defaults gives Limit, Mode and MinScore of a search that does not set
	// them.
	Defaults memoir.Query
	Version  string // of memoir; "" means "dev"
	// ReadOnly refuses every request that writes notes.
	ReadOnly bool
	// Guard decides who may ask what. The zero value lets in only this user's
	// own programs, over loopback.
	Guard Guard
	// Agents gives access to the sessions of agents; nil: there are none.
	Agents Agents
	// MemoryTool answers the verbs of Anthropic's memory tool; nil: they are not offered.
	MemoryTool MemoryTool
	// Events are sent to clients that listen; nil: there are none.
	Events *Events
	// Audit is called with every write and every archive that somebody asked for,
	// whether or not it was done; nil: nothing is called.
	Audit func(Written)
	// Handlers are served beside the API by their patterns: MCP at /mcp, the
	// page at /. The guard stands before them, and lets in only those who may
	// see what is private. A handler asks [Allowed] what else they may do. It is
	// sent no JSON that says a name twice.
	Handlers map[string]http.Handler
	// Workspaces tells /metrics of the workspaces that are served beside this one, and
	// opens none of them; nil: there are none. The owner alone is told.
	Workspaces func() []WorkspaceUse
	// Admin makes, changes and deletes the workspaces that are served beside this one;
	// nil: nobody does, and /v1/admin is not there.
	Admin Administrator
	// Logger receives one line a request, without its content; nil discards it.
	Logger *slog.Logger
}

// Written is the audit record of a request that writes, or takes an archive of all notes.
type Written struct {
	Time   string   `json:"time"`             // RFC 3339 in UTC
	Who    string   `json:"who"`              // the name of the token, or "owner"
	Route  string   `json:"route"`            // method and pattern
	Status int      `json:"status"`           // of the response
	Change string   `json:"change,omitempty"` // id of the change; empty where none can be taken back by it
	Entry  string   `json:"entry,omitempty"`  // id of the entry that was remembered
	Paths  []string `json:"paths,omitempty"`  // notes that were changed
	// Workspace is the name of the workspace; empty for the first.
	Workspace string `json:"workspace,omitempty"`
	// Bytes is how much of an archive was sent, also of one that broke off.
	Bytes int64 `json:"bytes,omitempty"`
}

// api carries the requests of one server.
type api struct {
	opts    Options
	log     *slog.Logger
	metrics *metrics
	openAPI func() []byte // made on first use
	bad     *rate.Limiter // limits wrong tokens
}

// New returns the handler of a server.
func New(opts Options) http.Handler {
	opts.Version = cmp.Or(opts.Version, "dev")
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	if opts.Audit == nil {
		opts.Audit = func(Written) {}
	}
	if opts.Events == nil {
		opts.Events = NewEvents()
	}
	a := &api{opts: opts, log: opts.Logger, metrics: newMetrics(), openAPI: sync.OnceValue(func() []byte { return OpenAPI(opts.Version) }), bad: newLimiter()}
	mux := http.NewServeMux()
	for _, rt := range routes() {
		mux.Handle(rt.method+" "+rt.pattern, a.handler(rt))
	}
	for _, path := range paths() {
		mux.Handle(path, a.refusing(path))
	}
	a.others(mux)
	mux.Handle("/v1/", a.guarded(MayRead, "/v1/", func(w http.ResponseWriter, r *http.Request) {
		a.fail(w, r, &problem{status: http.StatusNotFound, code: "not-found", message: "nothing is at " + r.URL.Path, action: "GET /v1/openapi.json lists what there is"})
	}))
	for pattern, h := range opts.Handlers {
		mux.Handle(pattern, a.guarded(MayPrivate, pattern, a.checked(h)))
	}
	return a.outermost(mux)
}

// others adds what is not in the table of routes, because it is not answered in JSON.
// All of it is only read.
func (a *api) others(mux *http.ServeMux) {
	for _, x := range []struct {
		route  string
		needed Permission
		answer http.HandlerFunc
	}{
		{"GET /v1/openapi.json", MayRead, a.serveOpenAPI}, {eventsRoute, eventsNeed, a.serveEvents}, {"GET /metrics", MayRead, a.serveMetrics},
		{exportRoute, MayAdmin, a.serveExport}, {adminMetricsRoute, MayAdmin, a.serveAdminMetrics},
	} {
		_, path, _ := strings.Cut(x.route, " ")
		mux.Handle(x.route, a.guarded(x.needed, x.route, x.answer))
		mux.Handle(path, a.guarded(x.needed, path, a.only(http.MethodGet)))
	}
	for path, answer := range map[string]http.HandlerFunc{"/healthz": a.healthy, "/readyz": a.ready} {
		mux.HandleFunc("GET "+path, answer)
		mux.HandleFunc(path, a.only(http.MethodGet))
	}
}

// healthy says that the process answers.
func (a *api) healthy(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte("ok\n"))
}

// ready says whether questions can be answered.
func (a *api) ready(w http.ResponseWriter, r *http.Request) {
	if _, err := a.opts.Memory.Status(r.Context()); err != nil {
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = w.Write([]byte("not ready\n"))
		return
	}
	a.healthy(w, r)
}
