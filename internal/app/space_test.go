package app_test

import (
	"context"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/embedtest"
	"github.com/memoir-ai/memoir/internal/app"
)

// After a change of model the one inside the binary answers until the new one
// is complete; a remote provider that the settings do not name any more is not asked.
func TestFormerModel(t *testing.T) {
	if testing.Short() || app.About().Model == "" {
		t.Skip("needs the model inside")
	}
	settings := load(t, "")
	first := open(t, settings, app.Options{})
	index := func(a *app.App) {
		t.Helper()
		if _, err := a.Engine.Sync(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		if _, err := a.Engine.EmbedPending(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
	}
	index(first)
	inside := first.Engine.Space()

	other := func(context.Context) (memoir.Embedder, error) { return &embedtest.Embedder{Model: "other"}, nil }
	a := open(t, settings, app.Options{Embedder: other})
	res, err := a.Engine.Search(t.Context(), memoir.Query{Text: "which database", NoSync: true})
	if err != nil || res.Space != inside || len(res.Degraded) != 1 || !strings.Contains(res.Degraded[0].Reason, "0 % ready; "+inside.Model+" answers") {
		t.Errorf("got %v with %v, error %v", res.Space, res.Degraded, err)
	}

	remote := load(t, "")
	index(open(t, remote, app.Options{Embedder: func(context.Context) (memoir.Embedder, error) {
		return renamed{&embedtest.Embedder{}}, nil
	}}))
	a = open(t, remote, app.Options{})
	res, err = a.Engine.Search(t.Context(), memoir.Query{Text: "which database", NoSync: true})
	if err != nil || res.Mode != memoir.ModeText || len(res.Degraded) != 1 || !strings.Contains(res.Degraded[0].Reason, "do not lead to the model hashing of openai") {
		t.Errorf("got mode %s with %v, error %v", res.Mode, res.Degraded, err)
	}
}

// renamed has the space of a remote provider.
type renamed struct{ memoir.Embedder }

func (r renamed) Space() memoir.Space {
	s := r.Embedder.Space()
	s.Provider = "openai"
	return s
}

// A text that stands in two workspaces of one user is embedded once.
func TestTwoWorkspaces(t *testing.T) {
	counting := embedtest.NewCounting(&embedtest.Embedder{})
	settings := load(t, "")
	for range 2 {
		a := open(t, settings, app.Options{Embedder: func(context.Context) (memoir.Embedder, error) { return counting, nil }})
		if _, err := a.Engine.Sync(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		stats, err := a.Engine.EmbedPending(t.Context(), nil)
		if err != nil || stats.Embedded != 1 {
			t.Errorf("got %+v, %v, want one text", stats, err)
		}
		other := load(t, "")
		other.StateDir = settings.StateDir
		settings = other
	}
	if counting.Calls() != 1 {
		t.Errorf("%d calls to the embedder, want 1", counting.Calls())
	}
}
