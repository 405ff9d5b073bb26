package app

import (
	"context"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/embedtest"
	"github.com/memoir-ai/memoir/internal/config"
)

// slow is an embedder that takes a second, and knows how many wait for it at once.
type slow struct {
	embedtest.Embedder
	mu          sync.Mutex
	within, top int
}

func (s *slow) Embed(ctx context.Context, task memoir.Task, texts []string) ([][]float32, error) {
	if task != memoir.TaskQuery {
		s.mu.Lock()
		s.within++
		s.top = max(s.top, s.within)
		s.mu.Unlock()
		time.Sleep(time.Second)
		s.mu.Lock()
		s.within--
		s.mu.Unlock()
	}
	return s.Embedder.Embed(ctx, task, texts)
}

// Batches of two memories come one after the other, and a query waits for none.
func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inside := &slow{}
		all := make(turns, 1)
		var work sync.WaitGroup
		start := time.Now()
		for range 2 {
			e := all.embedder(inside)
			work.Go(func() {
				for range 3 {
					if _, err := e.Embed(t.Context(), memoir.TaskDocument, []string{"tea"}); err != nil {
						t.Error(err)
					}
				}
			})
		}
		synctest.Wait()
		if _, err := all.embedder(inside).Embed(t.Context(), memoir.TaskQuery, []string{"tea"}); err != nil || time.Since(start) != 0 {
			t.Errorf("a query waited %v, %v", time.Since(start), err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := all.embedder(inside).Embed(ctx, memoir.TaskDocument, []string{"tea"}); err == nil {
			t.Error("who does not wait any more has a turn")
		}
		work.Wait()
		if inside.top != 1 || time.Since(start) != 6*time.Second {
			t.Errorf("%d at once, in %v", inside.top, time.Since(start))
		}
		if own, ok := memoir.As[*slow](all.embedder(inside)); !ok || own != inside {
			t.Error("its abilities are lost")
		}
		if turns(nil).embedder(nil) != nil || turns(nil).embedder(inside) != memoir.Embedder(inside) {
			t.Error("alone it takes turns")
		}
	})
}

// Two memories that answer as one take turns.
func TestMemoriesTakeTurns(t *testing.T) {
	dir := t.TempDir()
	settings := func(scope string) *config.Loaded {
		l := &config.Loaded{}
		l.Workspace, l.StateDir, l.Agent, l.Provider = filepath.Join(dir, scope), filepath.Join(dir, "state"), config.Yours, "local"
		l.MaxFileBytes, l.Query.EmbedTimeout, l.Query.Mode, l.Query.Fusion = 1<<20, time.Second, "hybrid", "convex"
		l.Rerank.Provider = "none"
		return l
	}
	places := []config.Place{{Scope: config.ScopeUser, Workspace: filepath.Join(dir, "user")}, {Scope: config.ScopeProject, Workspace: filepath.Join(dir, "project")}}
	m, err := OpenMemory(t.Context(), &config.Memories{Places: config.Places{Chosen: places}, User: settings("user"), Project: settings("project")},
		Options{Lives: true, Embedder: func(context.Context) (memoir.Embedder, error) { return &slow{}, nil }})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if m.User.turns == nil || m.User.turns != m.Project.turns {
		t.Error("they do not")
	}
}
