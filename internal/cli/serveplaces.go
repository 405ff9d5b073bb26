package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dustin/go-humanize/english"

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
	spaces []page.Space                  // of which the page can choose one
	used   func() []httpapi.WorkspaceUse // nil: nobody counts
}

// openServed opens the memory of settings and makes what answers for it.
func (s *session) openServed(ctx context.Context, memories *config.Memories, f serveFlags, guard httpapi.Guard, audit func(httpapi.Written), all beside) (_ *serving, err error) {
	events := httpapi.NewEvents()
	changed := make(chan struct{}, 1)
	a, err := s.openMemory(ctx, memories, app.Options{Write: true, Lives: true, Changed: func(indexed, removed []memoir.DocID) {
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
		Defaults: defaults(memories.First()), Events: events, Audit: audit, Handlers: handlers, Workspaces: all.used,
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

// onDemand holds workspaces that are opened when a client asks for them, and
// closed when nobody has asked for a while. It is safe for concurrent use.
type onDemand struct {
	open func(name string) (*serving, error)
	most int // open at once
	now  func() time.Time
	log  *slog.Logger

	mu     sync.Mutex // guards what follows
	opened map[string]*visited
	counts map[string]*httpapi.WorkspaceUse // nil: none are kept
}

// used tells what was counted of each workspace.
func (o *onDemand) used() (all []httpapi.WorkspaceUse) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(o.counts)) {
		u := *o.counts[name]
		_, u.Open = o.opened[name]
		all = append(all, u)
	}
	return all
}

// count changes what was counted of a workspace.
func (o *onDemand) count(name string, change func(*httpapi.WorkspaceUse)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if u := o.counts[name]; u != nil {
		change(u)
	}
}

// visited is a workspace that is open or being opened.
type visited struct {
	ready chan struct{} // closed when it is open or has failed
	*serving
	err   error
	users int       // requests in progress
	used  time.Time // time of the last request
}

// enter returns the handler for a workspace, as visit does.
func (o *onDemand) enter(name string) (h http.Handler, leave func(), err error) {
	start := o.now()
	v, left, err := o.visit(name)
	if err != nil {
		o.count(name, func(u *httpapi.WorkspaceUse) { u.Requests, u.Failed = u.Requests+1, u.Failed+1 })
		return nil, nil, err
	}
	leave = func() {
		left()
		o.count(name, func(u *httpapi.WorkspaceUse) {
			u.Requests, u.Seconds = u.Requests+1, u.Seconds+o.now().Sub(start).Seconds()
		})
	}
	return v.handler, leave, nil
}

// visit opens a workspace if it is not open. The caller calls leave when it
// does not need it any more.
func (o *onDemand) visit(name string) (_ *serving, leave func(), err error) {
	o.mu.Lock()
	v := o.opened[name]
	var closes *visited
	if v == nil {
		if len(o.opened) >= o.most {
			if closes = o.idlest(); closes == nil {
				o.mu.Unlock()
				return nil, nil, memoir.WithHint(fmt.Errorf("%s: %w", english.PluralWord(o.most, "the one workspace that may be open is in use", fmt.Sprintf("all %d workspaces that may be open are in use", o.most)), memoir.ErrUnavailable), "try again when one of them is idle, or have serve.maxOpen raised")
			}
		}
		v = &visited{ready: make(chan struct{}), users: 1}
		o.opened[name] = v
		o.mu.Unlock()
		o.shut(closes)
		v.serving, v.err = o.open(name)
		close(v.ready)
		o.mu.Lock()
		if u := o.counts[name]; u != nil && v.err == nil {
			u.Opened++
		}
		if v.err != nil && o.opened[name] == v {
			delete(o.opened, name)
		}
		o.mu.Unlock()
	} else {
		v.users++
		o.mu.Unlock()
		<-v.ready
	}
	leave = func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		v.users--
		v.used = o.now()
	}
	if v.err != nil {
		leave()
		return nil, nil, v.err
	}
	return v.serving, leave, nil
}

// idlest removes the workspace that was unused longest from the map and returns
// it; nil when all are in use.
func (o *onDemand) idlest() (found *visited) {
	which := ""
	for name, v := range o.opened {
		if v.users == 0 && (found == nil || v.used.Before(found.used)) {
			which, found = name, v
		}
	}
	delete(o.opened, which)
	return found
}

// sweep closes workspaces that were not used for a while.
func (o *onDemand) sweep() {
	o.mu.Lock()
	var idle []*visited
	for name, v := range o.opened {
		if v.users == 0 && o.now().Sub(v.used) >= idlePlace {
			idle = append(idle, v)
			delete(o.opened, name)
		}
	}
	o.mu.Unlock()
	for _, v := range idle {
		o.shut(v)
	}
}

// shut closes a workspace; nil does nothing.
func (o *onDemand) shut(v *visited) {
	if v == nil || v.serving == nil {
		return
	}
	if err := v.Close(); err != nil && o.log != nil {
		o.log.Error("close a workspace", "err", err)
	}
}

// keep calls sweep until ctx is done, and then closes all workspaces.
func (o *onDemand) keep(ctx context.Context) {
	tick := time.NewTicker(time.Minute)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			o.sweep()
		case <-ctx.Done():
			return
		}
	}
}

// Close closes all workspaces as soon as no request is in progress.
func (o *onDemand) Close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	var err error
	for _, v := range o.opened {
		if <-v.ready; v.serving != nil {
			err = errors.Join(err, v.Close())
		}
	}
	clear(o.opened)
	return err
}

// below passes on requests without /w/NAME.
func below(h http.Handler) http.Handler {
	cut := func(path string) string {
		_, rest, _ := strings.Cut(strings.TrimPrefix(path, "/w/"), "/")
		return "/" + rest
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		to, at := *r, *r.URL
		if at.Path = cut(at.Path); at.RawPath != "" {
			at.RawPath = cut(at.RawPath)
		}
		to.URL = &at
		h.ServeHTTP(w, &to)
	})
}

// besides serves the first workspace, and others below /w/NAME/.
func (o *onDemand) besides(first http.Handler, others []servedPlace, guards func(workspace string) httpapi.Guard) http.Handler {
	doors, counts := map[string]http.Handler{}, map[string]*httpapi.WorkspaceUse{}
	defer func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.counts = counts
	}()
	for _, p := range others {
		counts[p.name] = &httpapi.WorkspaceUse{Name: p.name}
		doors[p.name] = httpapi.Door(guards(p.name), o.log, func(*http.Request) (http.Handler, func(), error) {
			h, leave, err := o.enter(p.name)
			if err != nil {
				return nil, nil, err
			}
			return below(h), leave, nil
		})
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if below, ok := strings.CutPrefix(r.URL.Path, "/w/"); ok {
			name, _, inside := strings.Cut(below, "/")
			if door := doors[name]; door != nil && inside {
				door.ServeHTTP(w, r)
				return
			}
		}
		first.ServeHTTP(w, r)
	})
}
