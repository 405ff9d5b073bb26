package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dustin/go-humanize/english"
	"golang.org/x/time/rate"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/httpapi"
	"github.com/memoir-ai/memoir/internal/token"
)

// onDemand holds workspaces that are opened when a client asks for them, and
// closed when nobody has asked for a while. It is safe for concurrent use.
type onDemand struct {
	open  func(name string) (*serving, error)
	most  int // open at once
	now   func() time.Time
	log   *slog.Logger
	guard func(workspace string) httpapi.Guard
	quota func(workspace string) (token.Quota, error) // nil: there is none

	mu     sync.Mutex // guards what follows
	opened map[string]*visited
	gates  map[string]*gate
}

// A gate is what stands before a workspace that is served.
type gate struct {
	servedPlace
	door  http.Handler
	use   httpapi.WorkspaceUse
	gone  context.Context // done when nobody is let in any more
	leave context.CancelFunc

	perMinute int // what the limiter allows
	limiter   *rate.Limiter
}

// newOnDemand returns one that lets in to the workspaces beside the first. What opens one
// is to be set.
func newOnDemand(settings *config.Loaded, others []servedPlace, log *slog.Logger, guard func(workspace string) httpapi.Guard) *onDemand {
	o := &onDemand{most: settings.ServeMaxOpen, now: time.Now, log: log, guard: guard, quota: token.OpenQuotas(serveDir(settings)).Of, opened: map[string]*visited{}}
	for _, p := range others {
		o.admit(p)
	}
	return o
}

// used tells what was counted of each workspace.
func (o *onDemand) used() (all []httpapi.WorkspaceUse) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(o.gates)) {
		u := o.gates[name].use
		_, u.Open = o.opened[name]
		all = append(all, u)
	}
	return all
}

// count changes what was counted of a workspace.
func (o *onDemand) count(name string, change func(*httpapi.WorkspaceUse)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if g := o.gates[name]; g != nil {
		change(&g.use)
	}
}

// allowed returns an error when a workspace has asked as often as its quota allows.
func (o *onDemand) allowed(name string) error {
	if o.quota == nil {
		return nil
	}
	quota, err := o.quota(name)
	if err != nil {
		return errors.Join(err, memoir.ErrUnavailable)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	g := o.gates[name]
	if g == nil || quota.Requests == 0 {
		return nil
	}
	if g.limiter == nil || g.perMinute != quota.Requests {
		g.perMinute, g.limiter = quota.Requests, rate.NewLimiter(rate.Limit(quota.Requests)/60, quota.Requests)
	}
	now := o.now()
	turn := g.limiter.ReserveN(now, 1)
	wait := turn.DelayFrom(now)
	if wait == 0 {
		return nil
	}
	turn.CancelAt(now)
	g.use.Limited++
	return httpapi.TooMany(name, quota.Requests, wait)
}

// visited is a workspace that is open or being opened.
type visited struct {
	ready chan struct{} // closed when it is open or has failed
	*serving
	err   error
	users int           // requests in progress
	used  time.Time     // time of the last request
	left  chan struct{} // holds a token when the last of them has ended
}

// enter returns the handler for a workspace, as visit does.
func (o *onDemand) enter(name string) (h http.Handler, leave func(), err error) {
	if err := o.allowed(name); err != nil {
		return nil, nil, err
	}
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
		v = &visited{ready: make(chan struct{}), users: 1, left: make(chan struct{}, 1)}
		o.opened[name] = v
		o.mu.Unlock()
		o.shut(closes)
		v.serving, v.err = o.open(name)
		close(v.ready)
		o.mu.Lock()
		if g := o.gates[name]; g != nil && v.err == nil {
			g.use.Opened++
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
		if v.users == 0 {
			select {
			case v.left <- struct{}{}:
			default:
			}
		}
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

// keeping runs keep until end is called, which waits for it.
func (o *onDemand) keeping(ctx context.Context) (end func()) {
	var sweeping sync.WaitGroup
	ctx, stop := context.WithCancel(ctx)
	sweeping.Go(func() { o.keep(ctx) })
	return func() {
		stop()
		sweeping.Wait()
	}
}

// keep closes workspaces that were not used for a while, until ctx is done.
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

// admit lets requests into a workspace.
func (o *onDemand) admit(p servedPlace) {
	g := &gate{servedPlace: p, use: httpapi.WorkspaceUse{Name: p.name}}
	g.gone, g.leave = context.WithCancel(context.Background())
	g.door = httpapi.Door(o.guard(p.name), o.log, func(*http.Request) (http.Handler, func(), error) {
		h, leave, err := o.enter(p.name)
		if err != nil {
			return nil, nil, err
		}
		return g.within(below(h)), leave, nil
	})
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.gates == nil {
		o.gates = map[string]*gate{}
	}
	o.gates[p.name] = g
}

// within ends requests when nobody is let in any more.
func (g *gate) within(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		defer context.AfterFunc(g.gone, cancel)()
		h.ServeHTTP(w, r.WithContext(ctx))
	})
}

// dismiss lets nobody into a workspace any more, ends the requests in progress, and
// closes it. back undoes that, and is nil after an error, which undoes it itself.
func (o *onDemand) dismiss(ctx context.Context, name string) (back func(), err error) {
	o.mu.Lock()
	g := o.gates[name]
	delete(o.gates, name)
	o.mu.Unlock()
	if g == nil {
		return func() {}, nil
	}
	g.leave()
	ctx, cancel := context.WithTimeout(ctx, dismissTime)
	defer cancel()
	for {
		o.mu.Lock()
		v := o.opened[name]
		idle := v == nil || v.users == 0
		if idle {
			delete(o.opened, name)
		}
		o.mu.Unlock()
		if idle {
			o.shut(v)
			return func() { o.admit(g.servedPlace) }, nil
		}
		select {
		case <-v.left:
		case <-ctx.Done():
			o.admit(g.servedPlace)
			return nil, conflict("try again when its requests have ended, and no memoir mcp uses it", "%s is in use", name)
		}
	}
}

// dismissTime is how long a workspace may take to answer what it was asked before.
const dismissTime = 20 * time.Second

// place returns a workspace that is served.
func (o *onDemand) place(name string) (servedPlace, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if g := o.gates[name]; g != nil {
		return g.servedPlace, nil
	}
	return servedPlace{}, fmt.Errorf("no workspace %.80q is served: %w", name, memoir.ErrNotFound)
}

// places returns all workspaces that are served, by their names.
func (o *onDemand) places() (all []servedPlace) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(o.gates)) {
		all = append(all, o.gates[name].servedPlace)
	}
	return all
}

// besides serves the first workspace, and others below /w/NAME/. Who may not ask every
// workspace is told the same of one that is not there as of one that is.
func (o *onDemand) besides(first http.Handler) http.Handler {
	nowhere := httpapi.Door(o.guard(""), o.log, func(r *http.Request) (http.Handler, func(), error) {
		name, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/w/"), "/")
		return nil, nil, memoir.WithHint(fmt.Errorf("no workspace %.80q is served: %w", name, memoir.ErrNotFound), "correct the name; memoir serve prints the address of each workspace when it starts")
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if below, ok := strings.CutPrefix(r.URL.Path, "/w/"); ok {
			name, _, inside := strings.Cut(below, "/")
			o.mu.Lock()
			g := o.gates[name]
			o.mu.Unlock()
			switch {
			case inside && g != nil:
				g.door.ServeHTTP(w, r)
				return
			case inside:
				nowhere.ServeHTTP(w, r)
				return
			}
		}
		first.ServeHTTP(w, r)
	})
}
