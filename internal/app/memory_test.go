package app_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/config"
)

// twoMemories returns the settings of a user's memory and a project's, with what the
// project's own file says.
func twoMemories(t *testing.T, own string) *config.Memories {
	t.Helper()
	root := t.TempDir()
	for name, text := range map[string]string{
		"home/.memoir/workspace/memory/a.md": "the heron of the user\n", "repo/MEMORY.md": "- the heron of the project\n", "repo/.memoir.toml": own,
	} {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	vars := map[string]string{"HOME": filepath.Join(root, "home"), "MEMOIR_STATE_DIR": filepath.Join(root, "state"), "MEMOIR_QUERY_EMBED_TIMEOUT": "1m"}
	env := config.Environment{Lookup: func(n string) (string, bool) { v, ok := vars[n]; return v, ok }, Dir: filepath.Join(root, "repo"), OS: "linux"}
	if err := env.Trust(env.Dir); err != nil {
		t.Fatal(err)
	}
	m, err := config.LoadMemories(env, nil)
	if err != nil || !m.Joined() {
		t.Fatalf("%+v, %v", m, err)
	}
	return m
}

// Two memories with one model open it once, and answer as one; each keeps its own index.
func TestTwoMemories(t *testing.T) {
	settings := twoMemories(t, "query.maxResults = 3\n")
	opened := 0
	changed := make(chan memoir.DocID, 16)
	m, err := app.OpenMemory(t.Context(), settings, app.Options{Write: true, Embedder: func(ctx context.Context) (memoir.Embedder, error) {
		opened++
		return embedder(ctx)
	}, Changed: func(indexed, _ []memoir.DocID) {
		for _, id := range indexed {
			changed <- id
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	res, err := m.Search(t.Context(), memoir.Query{Text: "heron"})
	if err != nil || len(res.Hits) != 2 || len(res.Degraded) != 0 || res.Mode != memoir.ModeHybrid {
		t.Fatalf("%+v, %v", res, err)
	}
	if opened != 1 {
		t.Errorf("the model was opened %d times", opened)
	}
	told := map[memoir.DocID]bool{<-changed: true, <-changed: true}
	if !told["user:memory/a.md"] || !told["MEMORY.md"] {
		t.Errorf("told of %v", told)
	}
	for _, a := range m.Apps() {
		if stats, err := a.Engine.Stats(t.Context()); err != nil || stats.Documents != 1 {
			t.Errorf("%s holds %+v, %v", a.Settings.Workspace, stats, err)
		}
	}
	all, err := m.Locate("user:memory/a.md")
	if err != nil || all[0].App != m.User || all[0].ID != "memory/a.md" {
		t.Errorf("located %+v, %v", all, err)
	}
	for _, name := range []string{"user:../../x.md", "user:/etc/passwd"} {
		all, _ := m.Locate(name)
		for _, l := range all {
			if strings.Contains(string(l.ID), "..") || l.ID == "etc/passwd" {
				t.Errorf("%s is located at %+v", name, l)
			}
		}
	}
}

// A project that cannot be opened leaves the user's memory, which says so, and takes
// nothing that is not its own.
func TestProjectLeftOut(t *testing.T) {
	for name, broken := range map[string]func(*testing.T, *config.Memories){
		"no folder for its index": func(t *testing.T, m *config.Memories) {
			dir := filepath.Dir(m.Project.IndexPath())
			if err := errors.Join(os.MkdirAll(filepath.Dir(dir), 0o700), os.WriteFile(dir, nil, 0o600)); err != nil {
				t.Fatal(err)
			}
		},
		"bad settings": func(_ *testing.T, m *config.Memories) { m.Project, m.ProjectErr = nil, errors.New("bad settings") },
	} {
		t.Run(name, func(t *testing.T) {
			settings := twoMemories(t, "")
			broken(t, settings)
			m, err := app.OpenMemory(t.Context(), settings, app.Options{Write: true, Embedder: embedder})
			if err != nil {
				t.Fatal(err)
			}
			defer m.Close()
			res, err := m.Search(t.Context(), memoir.Query{Text: "heron"})
			if err != nil || len(res.Hits) != 1 || res.Hits[0].Scope != "" || res.Degraded[len(res.Degraded)-1].Part != "project" {
				t.Errorf("%+v, %v", res, err)
			}
			for _, st := range []engine.Statement{{Text: "We use Postgres because of its extensions", Type: "decision"}, {Text: "We use Postgres because of its extensions"}, {Text: "Ann likes tea", Type: "contact", Scope: memoir.ScopeProject}} {
				if out, err := m.Remember(t.Context(), st); err == nil {
					t.Errorf("%+v is kept: %+v", st, out)
				}
			}
			if out, err := m.Remember(t.Context(), engine.Statement{Text: "Ann likes green tea in the morning", Type: "preference"}); err != nil || out.Path == "" {
				t.Errorf("what is the user's: %+v, %v", out, err)
			}
		})
	}
}
