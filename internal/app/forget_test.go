package app_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/ability"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/config"
)

const forgetDoc = "sessions/claude-code/p/22223333-a.jsonl"

// forgetful is a machine with one session of Claude Code.
func forgetful(t *testing.T) (open func(workspace string, opts app.Options) *app.Memory, mark func()) {
	t.Helper()
	claude, state := t.TempDir(), t.TempDir()
	said := `{"type":"user","uuid":"1","sessionId":"22223333-a","timestamp":"2026-03-02T12:00:00Z","message":{"content":"We moved the ferry to Quixotlaria from nine to noon."}}` + "\n"
	file := filepath.Join(claude, "projects", "p", "22223333-a.jsonl")
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(said), 0o600)); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"HOME": t.TempDir(), "MEMOIR_STATE_DIR": state, "CLAUDE_CONFIG_DIR": claude, "MEMOIR_SESSIONS_ENABLED": "true",
		"MEMOIR_SESSIONS_AGENTS": "claude-code", "MEMOIR_SESSIONS_ARCHIVE": "true", "MEMOIR_PROVIDER": "none"}
	settings := func(workspace string) *config.Loaded {
		s, err := config.Load(config.Environment{Lookup: func(n string) (string, bool) { v, ok := env[n]; return v, ok }, Dir: workspace}, config.Flags{"workspace": workspace})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	open = func(workspace string, opts app.Options) *app.Memory {
		t.Helper()
		opts.Need, opts.Write = app.NeedWords, true
		m, err := app.OpenMemory(t.Context(), &config.Memories{User: settings(workspace)}, opts)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	mark = func() {
		sources, err := app.OpenSessions(settings(t.TempDir()))
		if err != nil || sources[0].Leave(ability.Left{IDs: []memoir.DocID{forgetDoc}, Names: []string{"22223333-a"}}) != nil {
			t.Fatal(err)
		}
	}
	return open, mark
}

// TestForgetInterrupted: a forgetting that was killed after the notes had changed is given
// again, and no index holds a word any more, of this workspace or another.
func TestForgetInterrupted(t *testing.T) {
	open, mark := forgetful(t)
	here, there := open(t.TempDir(), app.Options{}), open(t.TempDir(), app.Options{})
	for _, m := range []*app.Memory{here, there} {
		note := filepath.Join(m.User.Settings.Workspace, "memory", "kept.md")
		if err := errors.Join(os.MkdirAll(filepath.Dir(note), 0o700), os.WriteFile(note, []byte("The quixotlaria grow.\n"), 0o600)); err != nil {
			t.Fatal(err)
		}
		if _, err := m.Sync(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(note); err != nil {
			t.Fatal(err)
		}
	}
	index := there.User.Settings.IndexPath()
	if err := there.Close(); err != nil {
		t.Fatal(err)
	}
	defer here.Close()
	mark()
	done, err := here.Forget(t.Context(), engine.Target{Session: forgetDoc}, false)
	if err != nil || done.InIndex || len(done.Elsewhere) > 0 {
		t.Fatalf("%+v, %v", done, err)
	}
	for _, path := range []string{here.User.Settings.IndexPath(), index} {
		files, err := filepath.Glob(path + "*")
		if err != nil || len(files) == 0 {
			t.Fatal(files, err)
		}
		for _, file := range files {
			if data, err := os.ReadFile(file); err != nil || bytes.Contains(bytes.ToLower(data), []byte("quixotlaria")) {
				t.Errorf("%s still holds it, %v", file, err)
			}
		}
	}
}

// TestForgetWhileArchived: what is archived of a session while it is forgotten goes again.
func TestForgetWhileArchived(t *testing.T) {
	open, mark := forgetful(t)
	asked := 0
	m := open(t.TempDir(), app.Options{Room: func(func() (int, int64, error), int, int64) error {
		if asked++; asked == 1 {
			mark()
		}
		return nil
	}})
	defer m.Close()
	n, err := m.User.Archive(t.Context(), map[string]bool{"22223333-a": true})
	if n != 0 || err != nil || asked == 0 {
		t.Errorf("%d sentences are archived, %v; asked %d times", n, err, asked)
	}
	files, err := filepath.Glob(filepath.Join(m.User.Settings.Workspace, "memory", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(files, filepath.Join(m.User.Settings.NotebookDir(), "history.jsonl")) {
		if data, err := os.ReadFile(file); err == nil && bytes.Contains(data, []byte("Quixotlaria")) {
			t.Errorf("%s has %s", file, data)
		}
	}
}
