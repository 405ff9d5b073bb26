package cli

import (
	"context"
	"net/http"
	"os"
	"sync"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/bridge"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/httpapi"
)

// memoryDigest identifies everything that a memory's answers depend on besides
// the notes: the program, and the settings of the selected workspaces. It does
// not depend on which other workspaces a server has, or how they were selected,
// because that changes no answer.
func memoryDigest(m *config.Memories) (string, error) {
	of := func(l *config.Loaded) *config.Settings {
		if l == nil {
			return nil
		}
		s := l.Settings
		s.Scope, s.ServeWorkspaces, s.ServeFolder, s.ServeMaxOpen, s.ServeJoin = "", nil, "", 0, false
		return &s
	}
	return bridge.Digest(version(), of(m.User), of(m.Project))
}

// bridgeHandler answers other processes of the user that want to use a memory.
func bridgeHandler(a *app.Memory, memories *config.Memories, readOnly bool, tell httpapi.Recorder) (http.Handler, error) {
	digest, err := memoryDigest(memories)
	if err != nil {
		return nil, err
	}
	hi := bridge.Greeting{User: a.User != nil, Project: a.Project != nil, Collections: shownOf(a).collections}
	return httpapi.AsOwner(bridge.Handler(held{a, tell.Writer(a), tell.MemoryTool(memoryTool(a))}, digest, readOnly, hi)), nil
}

// doors are the sockets by which other programs of this user reach a server: memoir mcp
// joins it, memoir ui asks for a link, and memoir admin sees which workspaces it has. They
// are safe for concurrent use.
type doors struct {
	s       *session
	ctx     context.Context // ends them all
	dir     string          // where they are
	url     string          // of the server
	tickets *httpapi.Tickets
	running sync.WaitGroup

	mu     sync.Mutex
	opened map[string]func() // closes that of a workspace, by its folder
}

// open makes the socket of a workspace, which is called name in addresses. A server that
// other programs do not find still answers.
func (d *doors) open(name, workspace string, door http.Handler) {
	socket := bridge.Socket(d.dir, workspace)
	l, ok, err := bridge.Listen(socket)
	if err != nil {
		d.s.warn("memoir mcp, memoir ui and memoir admin do not find this server: "+err.Error(), memoir.Hint(err))
	}
	if err != nil || !ok {
		return
	}
	ctx, cancel := context.WithCancel(d.ctx)
	d.mu.Lock()
	d.opened[workspace] = cancel
	d.mu.Unlock()
	door = bridge.Linked(func() string { return linkTo(addressOf(d.url, name), d.tickets) }, door)
	d.running.Go(func() {
		if err := bridge.Serve(ctx, l, door, d.s.logger()); err != nil {
			d.s.warn("memoir mcp, memoir ui and memoir admin do not find this server any more: "+err.Error(), "")
		}
		_ = os.Remove(openerOf(socket)) // its ticket is of no more use
	})
}

// shut closes the socket of a workspace, if there is one.
func (d *doors) shut(workspace string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if cancel := d.opened[workspace]; cancel != nil {
		cancel()
		delete(d.opened, workspace)
	}
}

// close closes all sockets and waits for the calls in progress.
func (d *doors) close() {
	d.mu.Lock()
	for _, cancel := range d.opened {
		cancel()
	}
	d.mu.Unlock()
	d.running.Wait()
}

// bridge opens a workspace for a process that wants to use its memory.
func (o *onDemand) bridge(name string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v, leave, err := o.visit(name)
		if err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		defer leave()
		v.bridge.ServeHTTP(w, r)
	})
}
