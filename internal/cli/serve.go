package cli

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/httpapi"
	"github.com/memoir-ai/memoir/internal/mcpserver"
	"github.com/memoir-ai/memoir/internal/page"
	"github.com/memoir-ai/memoir/internal/token"
	"github.com/memoir-ai/memoir/internal/wire"
)

// defaultAddr is where memoir serve listens.
const defaultAddr = "127.0.0.1:7077"

// serveFlags say what to serve, and where.
type serveFlags struct {
	workspaces []string // [NAME=]DIR; the first is the main one
	addr       string
	hosts      []string
	cert, key  string
	mcpFlags
	behindProxy bool
	install     bool
	yes         bool
}

func (s *session) serveCommand() *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use: "serve [flags]", Short: "Serve many agents and programs over HTTP: MCP, the API and the page",
		Long: "Serve answers MCP at /mcp, the API under /v1 (GET /v1/openapi.json describes it),\nthe page at /, and /healthz, /readyz and /metrics, until it is stopped. It keeps the\n" +
			"index complete by itself, as mcp does.\n\nPrograms need a token (memoir token); memoir ui opens the page in your browser, and\nmemoir mcp asks the server by a way of its own. Off loopback it wants TLS, or a proxy\nthat has it.",
		Example: "  memoir serve\n  memoir serve --addr 0.0.0.0:7077 --host notes.example.com --tls-cert cert.pem --tls-key key.pem",
		Args:    positional(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if len(f.workspaces) > 0 {
				_, s.workspace = config.NamedWorkspace(f.workspaces[0])
			}
			switch {
			case f.install:
				return s.printService(f)
			case f.yes:
				return usage("memoir serve --install --yes", "--yes is only for --install")
			}
			return s.serve(cmd.Context(), f, nil)
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&f.workspaces, "workspace", nil, "folder of notes, or NAME=DIR; may come several times: each after the first answers below /w/NAME/, and is open while it is used")
	flags.StringVar(&f.addr, "addr", defaultAddr, "where to listen; port 0 takes one that is free")
	flags.StringSliceVar(&f.hosts, "host", nil, "a name by which the server is known beside localhost; may come several times")
	flags.StringVar(&f.cert, "tls-cert", "", "file with the TLS certificate")
	flags.StringVar(&f.key, "tls-key", "", "file with its key")
	flags.BoolVar(&f.readOnly, "read-only", false, "change no notes")
	flags.BoolVar(&f.memoryTool, "memory-tool", false, memoryToolUsage)
	flags.BoolVar(&f.behindProxy, "behind-proxy", false, "a proxy on this machine or before it does TLS")
	flags.BoolVar(&f.install, "install", false, "print what makes it start with this user's session: a unit of systemd, or an agent of launchd")
	flags.BoolVar(&f.yes, "yes", false, "with --install: write that file, too")
	return cmd
}

// check returns an error if the server cannot be reached safely in that way.
func (f *serveFlags) check() error {
	host, _, err := net.SplitHostPort(f.addr)
	if err != nil {
		return usage("memoir serve --addr "+defaultAddr, "--addr %q is not an address with a port", f.addr)
	}
	if (f.cert == "") != (f.key == "") {
		return usage("memoir help serve", "--tls-cert and --tls-key need each other")
	}
	if f.cert != "" {
		if _, err := tls.LoadX509KeyPair(f.cert, f.key); err != nil {
			return usage("memoir serve --tls-cert FILE --tls-key FILE, a certificate and its key, in PEM", "the TLS certificate cannot be used: %v", err)
		}
	}
	ip, err := netip.ParseAddr(host)
	if loopback := host == "localhost" || err == nil && ip.IsLoopback(); !loopback && f.cert == "" && !f.behindProxy {
		return usage("memoir serve --tls-cert FILE --tls-key FILE, or --behind-proxy", "--addr %s can be reached from other machines, and memoir does not send notes over the network in plain text", f.addr)
	}
	return nil
}

// serve answers until ctx is done. It calls ready with the server as soon as it
// answers; ready may be nil.
func (s *session) serve(ctx context.Context, f serveFlags, ready func(running, *httpapi.Tickets)) (err error) {
	collect()
	s.livesOn()
	if err := errors.Join(f.check(), f.mcpFlags.check("memoir serve")); err != nil {
		return err
	}
	memories, err := s.memories()
	if err != nil {
		return err
	}
	settings := memories.Main()
	name, others, err := s.places(f, settings)
	if err != nil {
		return err
	}
	traced, handedOn := s.traced(ctx)
	defer handedOn()
	tokens := token.Open(serveDir(settings))
	base := f.guard()
	log := s.logger()
	audit := &audit{path: filepath.Join(serveDir(settings), "audit.jsonl"), log: log}
	spaces := spacesOf(name, others)
	more := newOnDemand(settings, others, log, func(workspace string) httpapi.Guard { return within(base, tokens, workspace) })
	more.open = func(name string) (*serving, error) { return s.openOther(ctx, f, more, name, audit, spaces) }
	all, admin := s.tells(f, spaces, more)
	a, err := s.openServed(ctx, memories, f, more.guard(name), audit.add, all)
	if err != nil {
		return err
	}
	defer closing(&err, a)
	defer closing(&err, more)
	defer more.keeping(ctx)()
	listener, err := f.listen(ctx)
	if err != nil {
		return err
	}
	defer listener.Close() // Serve closes it, too, if it was reached
	here := newRunning(f.url(listener.Addr()), settings.Workspace, others)
	reached := s.meet(ctx, settings, here, base.Tickets, a, more)
	defer reached.close()
	if admin != nil {
		admin.doors = reached
	}
	if err := s.printRunning(here); err != nil {
		return err
	}
	if ready != nil {
		ready(here, base.Tickets)
	}
	return httpapi.Serve(ctx, listener, traced(more.besides(a.handler)), f.cert, f.key, log)
}

// tells returns what the owner is told of all workspaces, and who administers them: nobody
// where they are those of the command line.
func (s *session) tells(f serveFlags, spaces []page.Space, more *onDemand) (all beside, admin *administrator) {
	all = beside{spaces: spaces, used: more.used}
	if len(f.workspaces) == 0 {
		admin = &administrator{s: s, more: more}
		all.admin = admin
	}
	return all, admin
}

// spacesOf returns what the page shows of all workspaces, the main one first.
func spacesOf(name string, others []servedPlace) []page.Space {
	spaces := []page.Space{{Name: name, Path: "/"}}
	for _, p := range others {
		spaces = append(spaces, page.Space{Name: p.name, Path: "/w/" + url.PathEscape(p.name) + "/"})
	}
	return spaces
}

// meet lets other programs of this user reach the server, until the doors are closed.
func (s *session) meet(ctx context.Context, settings *config.Loaded, here running, tickets *httpapi.Tickets, a *serving, more *onDemand) *doors {
	d := &doors{s: s, ctx: ctx, dir: serveDir(settings), url: here.URL, tickets: tickets, opened: map[string]func(){}}
	d.open("", settings.Workspace, a.bridge)
	for _, p := range more.places() {
		d.open(p.name, p.dir, more.bridge(p.name))
	}
	return d
}

// openOther opens a workspace by name when a client asks for it.
func (s *session) openOther(ctx context.Context, f serveFlags, more *onDemand, name string, audit *audit, spaces []page.Space) (*serving, error) {
	p, err := more.place(name)
	if err != nil {
		return nil, err
	}
	memories, err := s.memoriesOf(p.dir)
	if err != nil {
		return nil, err
	}
	room := func(have func() (int, int64, error), addedNotes int, addedBytes int64) error {
		quota, err := more.quota(name)
		if err != nil || quota.Notes == 0 && quota.Bytes == 0 {
			return err
		}
		notes, bytes, err := have()
		if err == nil {
			err = quota.Room(name, notes, bytes, addedNotes, addedBytes)
		}
		if errors.Is(err, token.ErrFull) {
			more.count(name, func(u *httpapi.WorkspaceUse) { u.Full++ })
		}
		return err
	}
	return s.openServed(ctx, memories, f, more.guard(name), func(w httpapi.Written) {
		w.Workspace = name
		audit.add(w)
	}, beside{spaces: spaces, room: room})
}

// listen opens the port.
func (f *serveFlags) listen(ctx context.Context) (net.Listener, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", f.addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		err = memoir.WithHint(fmt.Errorf("listen on %s: another program listens there already", f.addr), "memoir ui, if that is memoir; otherwise memoir serve --addr 127.0.0.1:0")
	}
	return listener, err
}

// running is the JSON of a server that runs.
type running struct {
	URL       string `json:"url"`       // where it answers
	Workspace string `json:"workspace"` // whose notes it serves, absolute path
	PID       int    `json:"pid"`       // of its process
	// Others are the workspaces that it opens when they are asked for.
	Others []runningOther `json:"others,omitempty"`
}

// runningOther is a workspace that a server opens when it is asked for.
type runningOther struct {
	Name      string `json:"name"`      // in its address, and for memoir token create --only
	URL       string `json:"url"`       // below which it answers
	Workspace string `json:"workspace"` // absolute path
}

// newRunning describes this process as the server of workspaces.
func newRunning(at, workspace string, others []servedPlace) running {
	here := running{URL: at, Workspace: workspace, PID: os.Getpid()}
	for _, p := range others {
		here.Others = append(here.Others, runningOther{Name: p.name, URL: addressOf(at, p.name), Workspace: p.dir})
	}
	return here
}

// addressOf returns the address of a workspace of the server at a URL; "" names the first.
func addressOf(server, name string) string {
	if name == "" {
		return server
	}
	return server + "/w/" + url.PathEscape(name)
}

// printRunning says where the server answers.
func (s *session) printRunning(here running) error {
	if s.json {
		return writeJSON(s.out, here)
	}
	_, err := fmt.Fprintf(s.out, "%s\n", here.URL)
	for _, o := range here.Others {
		fmt.Fprintf(s.out, "%s  %s\n", o.URL, named(o.Workspace))
	}
	return err
}

// guard says who may use the server, apart from agents with tokens.
func (f *serveFlags) guard() httpapi.Guard {
	g := httpapi.Guard{Hosts: f.hosts, Tickets: httpapi.NewTickets()}
	if !f.behindProxy {
		g.Mine = httpapi.Mine
	}
	return g
}

// url returns the URL of a server that listens at an address.
func (f *serveFlags) url(addr net.Addr) string {
	scheme := "http://"
	if f.cert != "" {
		scheme = "https://"
	}
	host, port, err := net.SplitHostPort(addr.String())
	if err != nil {
		return scheme + addr.String()
	}
	if ip, err := netip.ParseAddr(host); err == nil && ip.IsUnspecified() {
		host = "127.0.0.1"
		if len(f.hosts) > 0 {
			host = f.hosts[0]
		}
	}
	return scheme + net.JoinHostPort(host, port)
}

// mcpHandler serves MCP over HTTP, and reports what its tools write. changed
// holds a token when the index has changed.
func (s *session) mcpHandler(a *app.Memory, f mcpFlags, tell httpapi.Recorder, changed <-chan struct{}) http.Handler {
	x := shownOf(a)
	opts := s.toolOptions(x)
	if !f.readOnly {
		opts.Writer = tell.Writer(a)
	}
	if f.memoryTool {
		opts.Memory = tell.MemoryTool(memoryTool(a))
	}
	if settings := x.sessions(); settings != nil {
		// A request over HTTP need not name its client.
		opts.Hidden = func(client string) []string { return app.HiddenFrom(settings, client) }
	}
	opts.Changed = changed
	return mcpserver.Handler(a, opts, func(r *http.Request) bool { return httpapi.Allowed(r.Context(), httpapi.MayWrite) })
}

// served is a memory with its status.
type served struct{ *app.Memory }

// Status implements [httpapi.Memory].
func (m served) Status(ctx context.Context) (wire.Status, error) { return statusOf(ctx, m.Memory) }

// defaults returns the query of a search that sets nothing.
func defaults(settings *config.Loaded) memoir.Query {
	return memoir.Query{Limit: settings.Query.MaxResults, Mode: memoir.Mode(settings.Query.Mode), MinScore: settings.Query.MinScore}
}

func texts(ids []memoir.DocID) []string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = string(id)
	}
	return out
}

// serveDir is the folder for a server's own files.
func serveDir(settings *config.Loaded) string { return filepath.Join(settings.StateDir, "serve") }
