package cli

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/httpapi"
	"github.com/memoir-ai/memoir/internal/page"
	"github.com/memoir-ai/memoir/internal/token"
)

// idlePlace is how long an unused workspace besides the first stays open.
const idlePlace = 10 * time.Minute

// servedPlace is a workspace that is served.
type servedPlace struct {
	name string // in addresses and tokens
	dir  string // absolute path
}

// places returns the name of the first workspace, and the other workspaces to
// serve: those of the command line, or else of the user's settings.
func (s *session) places(f serveFlags, first *config.Loaded) (name string, others []servedPlace, err error) {
	name, _ = config.NamedWorkspace(first.Workspace)
	texts := first.ServeWorkspaces
	if len(f.workspaces) > 0 {
		name, _ = config.NamedWorkspace(f.workspaces[0])
		texts = f.workspaces[1:]
	}
	env, err := environment()
	if err != nil {
		return "", nil, err
	}
	names := []string{name}
	for _, text := range texts {
		var p servedPlace
		p.name, p.dir = config.NamedWorkspace(text)
		if !filepath.IsAbs(p.dir) {
			p.dir = filepath.Join(env.Dir, p.dir)
		}
		p.dir = filepath.Clean(p.dir)
		switch {
		case p.dir == first.Workspace:
			continue
		case slices.Contains(names, p.name):
			return "", nil, usage("memoir serve --workspace NAME="+shellQuoted(p.dir), "two workspaces are called %s", p.name)
		case p.name == "." || strings.ContainsAny(p.name, `/\%?#`):
			return "", nil, usage("memoir serve --workspace NAME="+shellQuoted(p.dir), "%q cannot be part of an address; give the workspace a name", p.name)
		}
		names = append(names, p.name)
		others = append(others, p)
	}
	return name, others, nil
}

// within returns a guard whose tokens are those for a workspace.
func within(g httpapi.Guard, tokens *token.Tokens, workspace string) httpapi.Guard {
	g.Find = func(d httpapi.Digest) (string, []httpapi.Permission, bool) {
		t, ok := tokens.Find(d)
		var permissions []httpapi.Permission
		if t.In(workspace) {
			for _, s := range t.Permissions {
				permissions = append(permissions, httpapi.Permission(s))
			}
		}
		return t.Name, permissions, ok
	}
	return g
}

// serving is a memory that is served.
type serving struct {
	*app.Memory
	handler http.Handler
	bridge  http.Handler // of other processes of the user
	wait    func()       // waits for background work
}

// Close closes the memory.
func (x *serving) Close() error {
	x.wait()
	return x.Memory.Close()
}

// beside is what the owner is told of all workspaces that are served.
type beside struct {
	spaces []page.Space                                                        // of which the page can choose one
	used   func() []httpapi.WorkspaceUse                                       // nil: nobody counts
	admin  httpapi.Administrator                                               // nil: nobody administers
	room   func(have func() (int, int64, error), notes int, bytes int64) error // nil: there is room for all
}

// openServed opens the memory of settings and makes what answers for it.
func (s *session) openServed(ctx context.Context, memories *config.Memories, f serveFlags, guard httpapi.Guard, audit func(httpapi.Written), all beside) (_ *serving, err error) {
	events := httpapi.NewEvents()
	changed := make(chan struct{}, 1)
	a, err := s.openMemory(ctx, memories, app.Options{Write: true, Lives: true, Room: all.room, Changed: func(indexed, removed []memoir.DocID) {
		select {
		case changed <- struct{}{}:
		default:
		}
		events.Tell(httpapi.Event{Type: "indexed", Indexed: texts(indexed), Removed: texts(removed)})
	}})
	if err != nil {
		return nil, err
	}
	s.warnOpened(a)
	if err := a.Maintain(); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	x := &serving{Memory: a, wait: func() {}}
	if !f.readOnly {
		x.wait = s.draining(ctx, a)
	}
	tell := httpapi.Recorder{Events: events, Audit: audit}
	handlers := map[string]http.Handler{"/mcp": s.mcpHandler(a, f.mcpFlags, tell, changed)}
	handlers["/"] = pages(f.readOnly, all.spaces)
	x.handler = httpapi.New(httpapi.Options{
		Memory: served{a}, Agents: agents{a}, MemoryTool: memoryTool(a), Version: build().Version, ReadOnly: f.readOnly, Guard: guard, Logger: s.logger(),
		Defaults: defaults(memories.First()), Events: events, Audit: audit, Handlers: handlers, Workspaces: all.used, Admin: all.admin,
	})
	if x.bridge, err = bridgeHandler(a, memories, f.readOnly, tell); err != nil {
		return nil, errors.Join(err, x.Close())
	}
	return x, nil
}

// pages serves the page. Only the owner is told of other workspaces.
func pages(readOnly bool, spaces []page.Space) http.Handler {
	opts := page.Options{Version: build().Version, ReadOnly: readOnly}
	one := page.Handler(opts)
	opts.Spaces = spaces
	all := page.Handler(opts)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if httpapi.Owner(r.Context()) {
			all.ServeHTTP(w, r)
			return
		}
		one.ServeHTTP(w, r)
	})
}
