package app_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/embedtest"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/tune"
)

// load returns the settings of a workspace with one note, and of a state
// folder that does not exist yet.
func load(t *testing.T, toml string) *config.Loaded {
	t.Helper()
	dir := t.TempDir()
	notes := filepath.Join(dir, "notes")
	if err := os.Mkdir(notes, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"MEMORY.md": "- We use SQLite.\n", ".memoir.toml": toml} {
		if err := os.WriteFile(filepath.Join(notes, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	env := config.Environment{Lookup: func(string) (string, bool) { return "", false }, Dir: dir, OS: "linux"}
	settings, err := config.Load(env, config.Flags{"workspace": notes, "stateDir": filepath.Join(dir, "state")})
	if err != nil {
		t.Fatal(err)
	}
	return settings
}

func embedder(context.Context) (memoir.Embedder, error) { return &embedtest.Embedder{}, nil }

func open(t *testing.T, settings *config.Loaded, opts app.Options) *app.App {
	t.Helper()
	a, err := app.Open(t.Context(), settings, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return a
}

// Who writes and who only reads index a note in one way.
func TestOneRecipe(t *testing.T) {
	for _, toml := range []string{"", "[files]\ndecision = \"decided.md\"\n"} {
		settings := load(t, toml)
		for i, opts := range []app.Options{{Embedder: embedder}, {Embedder: embedder, Write: true}, {Need: app.NeedWords}} {
			a, err := app.Open(t.Context(), settings, opts)
			if err != nil {
				t.Fatal(err)
			}
			stats, err := a.Engine.Sync(t.Context(), nil)
			if err := errors.Join(err, a.Close()); err != nil {
				t.Fatal(err)
			}
			if stats.Changed > 0 || i > 0 && stats.Added > 0 {
				t.Errorf("%q, %d: a note that is as it was is indexed again: %+v", toml, i, stats)
			}
		}
	}
}

// The documented defaults of the settings are those of the library.
func TestDefaultsAgree(t *testing.T) {
	s := load(t, "")
	want := config.Query{
		Mode: string(memoir.ModeHybrid), MaxResults: memoir.DefaultLimit,
		CandidateMultiplier: tune.DefaultCandidateMultiplier, Fusion: tune.DefaultFusion,
		TextWeight: tune.DefaultTextWeight, VectorWeight: tune.DefaultVectorWeight, LinkWeight: tune.DefaultLinkWeight,
		Signals: config.Signals{
			DateWeight: tune.DefaultDateWeight, DateWindowDays: tune.DefaultDateWindowDays, RecencyWeight: tune.DefaultRecencyWeight,
			AssistantWeight: tune.DefaultAssistantWeight,
			TemporalDecay:   config.TemporalDecay{HalfLifeDays: tune.DefaultHalfLifeDays, SessionHalfLifeDays: tune.DefaultHalfLifeDays, Floor: tune.DefaultDecayFloor},
			Salience:        tune.SalienceOff, MMR: config.MMR{Lambda: tune.DefaultMMRLambda},
		},
		SyncBudget: engine.DefaultSyncBudget, EmbedTimeout: engine.DefaultEmbedTimeout,
	}
	if diff := cmp.Diff(want, s.Query); diff != "" {
		t.Errorf("settings of a query (-engine +settings):\n%s", diff)
	}
	if s.Chunking.Tokens != tune.DefaultMaxTokens || s.Chunking.Overlap != tune.DefaultOverlapTokens {
		t.Errorf("chunks: got %d and %d, the engine has %d and %d", s.Chunking.Tokens, s.Chunking.Overlap, tune.DefaultMaxTokens, tune.DefaultOverlapTokens)
	}
}

func TestSearch(t *testing.T) {
	tests := []struct {
		name, toml string
		opts       app.Options
		mode       memoir.Mode
		degraded   string // part of the reason; "" is none
	}{
		{"everything", "", app.Options{Embedder: embedder}, memoir.ModeHybrid, ""},
		{"words only", "", app.Options{Need: app.NeedWords, Embedder: unwanted}, memoir.ModeText, ""},
		{"no provider", `provider = "none"`, app.Options{Embedder: unwanted}, memoir.ModeText, ""},
		{"broken provider", "", app.Options{Embedder: broken}, memoir.ModeText, "the battery is empty"},
		{"settings of their own", "chunking.overlap = 0\nchunking.preset = \"openclaw\"\nquery = { fusion = \"rrf\", textWeight = 0.9, candidateMultiplier = 2, syncBudget = \"5s\", embedTimeout = \"5s\" }",
			app.Options{Embedder: embedder}, memoir.ModeHybrid, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := open(t, load(t, tt.toml), tt.opts)
			res, err := a.Engine.Search(t.Context(), memoir.Query{Text: "sqlite"})
			if err != nil {
				t.Fatal(err)
			}
			if len(res.Hits) != 1 || res.Mode != tt.mode {
				t.Errorf("got %d hits in mode %s, want 1 in mode %s", len(res.Hits), res.Mode, tt.mode)
			}
			var reasons []string
			for _, d := range res.Degraded {
				reasons = append(reasons, d.Reason)
			}
			if got := strings.Join(reasons, "; "); tt.degraded == "" && got != "" || !strings.Contains(got, tt.degraded) {
				t.Errorf("degraded %q, want %q", got, tt.degraded)
			}
		})
	}
}

func unwanted(context.Context) (memoir.Embedder, error) {
	panic("the provider was opened")
}

func broken(context.Context) (memoir.Embedder, error) {
	return nil, errors.New("the battery is empty")
}

// A search budget of 0 answers from the index as it is.
func TestNoSync(t *testing.T) {
	a := open(t, load(t, `query.syncBudget = "0s"`), app.Options{Need: app.NeedWords})
	res, err := a.Engine.Search(t.Context(), memoir.Query{Text: "sqlite"})
	if err != nil || len(res.Hits) != 0 {
		t.Errorf("got %d hits, error %v; want none", len(res.Hits), err)
	}
}

func TestReadingNotesTouchesNoIndex(t *testing.T) {
	settings := load(t, "")
	a := open(t, settings, app.Options{Need: app.NeedNotes, Embedder: unwanted})
	id, err := a.Locate("MEMORY.md")
	if err != nil {
		t.Fatal(err)
	}
	x, err := a.Engine.Get(t.Context(), id, 0, 0)
	if err != nil || x.Text != "- We use SQLite.\n" {
		t.Errorf("got %q, error %v", x.Text, err)
	}
	if _, err := os.Stat(settings.StateDir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the state folder was made (%v)", err)
	}
}

func TestMistakes(t *testing.T) {
	missing := load(t, "")
	missing.Workspace = filepath.Join(missing.Workspace, "nowhere")
	blocked := load(t, "")
	blocked.StateDir = filepath.Join(blocked.Workspace, "MEMORY.md")
	pattern := load(t, `exclude = ["[z-"]`)
	tests := []struct {
		name     string
		settings *config.Loaded
		want     error // nil: any
		hint     string
	}{
		{"no workspace", missing, memoir.ErrNotFound, "memoir init"},
		{"state folder is a file", blocked, nil, "MEMOIR_STATE_DIR"},
		{"malformed pattern", pattern, memoir.ErrInvalid, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := app.Open(t.Context(), tt.settings, app.Options{Exclusive: true, Embedder: embedder})
			if err == nil || tt.want != nil && !errors.Is(err, tt.want) || !strings.Contains(memoir.Hint(err), tt.hint) {
				t.Errorf("got %v (hint %q), want %v (hint %q)", err, memoir.Hint(err), tt.want, tt.hint)
			}
		})
	}
}

func TestExclusive(t *testing.T) {
	settings := load(t, "")
	first, err := app.Open(t.Context(), settings, app.Options{Exclusive: true, Need: app.NeedWords})
	if err != nil {
		t.Fatal(err)
	}
	open(t, settings, app.Options{Need: app.NeedWords}) // a search does not wait

	waiting, opened := make(chan struct{}), make(chan error, 1)
	go func() {
		second, err := app.Open(t.Context(), settings, app.Options{Exclusive: true, Need: app.NeedWords, Waiting: func() { close(waiting) }})
		if err == nil {
			err = second.Close()
		}
		opened <- err
	}()
	<-waiting
	select {
	case err := <-opened:
		t.Fatalf("the second did not wait: %v", err)
	default:
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-opened; err != nil {
		t.Error(err)
	}
}

func TestWaitingCanBeStopped(t *testing.T) {
	settings := load(t, "")
	open(t, settings, app.Options{Exclusive: true, Need: app.NeedWords})
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		_, err := app.Open(ctx, settings, app.Options{Exclusive: true, Need: app.NeedWords, Waiting: cancel})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want %v", err, context.Canceled)
		}
	})
}
