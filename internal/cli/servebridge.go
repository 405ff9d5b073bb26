package cli

import (
	"context"
	"net/http"
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

// bridges lets memoir mcp join the server, through a socket for each served
// workspace. wait ends that when ctx is done.
func (s *session) bridges(ctx context.Context, dir string, doors map[string]http.Handler) (wait func()) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	for workspace, door := range doors {
		l, ok, err := bridge.Listen(bridge.Socket(dir, workspace))
		switch {
		case err != nil:
			s.warn("memoir mcp cannot join this server: "+err.Error(), memoir.Hint(err))
		case ok:
			running.Go(func() {
				if err := bridge.Serve(ctx, l, door, s.logger()); err != nil {
					s.warn("memoir mcp cannot join this server any more: "+err.Error(), "")
				}
			})
		}
	}
	return func() {
		cancel()
		running.Wait()
	}
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
