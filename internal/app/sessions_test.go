package app_test

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/source/session"
)

// ownership is whether a source of an agent has a document.
type ownership struct {
	agent, id string
	owns      bool
}

// The index of an agent holds its own sessions alone; that of the user all.
func TestSessionsOfAgents(t *testing.T) {
	for agent, want := range map[string][]ownership{
		config.Yours:  {{"claude-code", "sessions/claude-code/p/a.jsonl", true}, {"openclaw", "sessions/openclaw/work/sessions/a.jsonl", true}},
		"claude-code": {{"claude-code", "sessions/claude-code/p/a.jsonl", true}},
		"codex":       nil, // which is not named in the settings
		"openclaw":    {{"openclaw", "sessions/openclaw/work/sessions/a.jsonl", true}},
		"work":        {{"openclaw", "sessions/openclaw/work/sessions/a.jsonl", true}},
		"other":       {{"openclaw", "sessions/openclaw/work/sessions/a.jsonl", false}},
	} {
		settings := &config.Loaded{}
		settings.Agent, settings.Sessions = agent, config.Sessions{Enabled: true, Agents: []string{"openclaw", "claude-code", "openclaw"},
			Dirs: map[string]string{"openclaw": t.TempDir(), "claude-code": t.TempDir(), "codex": t.TempDir()}}
		all, err := app.OpenSessions(settings)
		if err != nil {
			t.Fatal(err)
		}
		var got []ownership
		for i, src := range all {
			got = append(got, ownership{src.Agent(), "", false})
			if i < len(want) {
				got[i].id = want[i].id
				got[i].owns = src.Owns(memoir.DocID(want[i].id))
			}
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(ownership{})); diff != "" {
			t.Errorf("%s: want -, got +:\n%s", agent, diff)
		}
		settings.Sessions.Enabled = false
		if all, err := app.OpenSessions(settings); len(all) > 0 || err != nil {
			t.Errorf("%s: %d sources although none are enabled, %v", agent, len(all), err)
		}
	}
}

// An agent that a mapping tells of has an index of its own, and is hidden from others.
func TestSessionsOfMappings(t *testing.T) {
	for agent, want := range map[string]int{config.Yours: 1, "bot": 1, "codex": 0, "other": 0} {
		settings := &config.Loaded{}
		settings.Agent = agent
		settings.Sessions = config.Sessions{Enabled: true, Mappings: []config.Mapping{{Name: "bot", Folder: t.TempDir(), Files: "*.jsonl", Role: "r", Text: "t"}}}
		all, err := app.OpenSessions(settings)
		if err != nil || len(all) != want || want > 0 && !all[0].Owns("sessions/bot/a.jsonl") {
			t.Errorf("%s: got %d, %v", agent, len(all), err)
		}
		if hidden := app.Hidden(settings, "codex"); !slices.Contains(hidden, "sessions/bot/") {
			t.Errorf("from codex %v are hidden", hidden)
		}
		if hidden := app.Hidden(settings, "Bot 1.0"); slices.Contains(hidden, "sessions/bot/") || !slices.Contains(hidden, "sessions/codex/") {
			t.Errorf("from bot %v are hidden", hidden)
		}
	}
}

// A client that is a known agent does not see the sessions of others.
func TestHidden(t *testing.T) {
	for client, own := range map[string]string{
		"claude-code": "claude-code", "codex-mcp-client": "codex", "gemini-cli-mcp-client": "gemini", "OpenClaw": "openclaw", "opencode": "opencode", "cursor-vscode": "cursor", "pi": "pi", "pi 1.2": "pi",
		"pipeline": "", "inspector": "", "": "",
	} {
		var want []string
		for _, name := range session.Agents() {
			if own != "" && name != own {
				want = append(want, session.Prefix(name))
			}
		}
		if diff := cmp.Diff(want, app.Hidden(&config.Loaded{}, client)); diff != "" {
			t.Errorf("%q: want -, got +:\n%s", client, diff)
		}
	}
}

// TestHiddenFrom: from who does not say who it is, every session is hidden.
func TestHiddenFrom(t *testing.T) {
	if diff := cmp.Diff(app.Hidden(&config.Loaded{}, "codex"), app.HiddenFrom(&config.Loaded{}, "codex")); diff != "" {
		t.Error(diff)
	}
	if all, other := app.HiddenFrom(&config.Loaded{}, ""), app.Hidden(&config.Loaded{}, "codex"); len(all) != len(other)+1 {
		t.Errorf("%v beside %v", all, other)
	}
}

// The settings and the source know the same agents.
func TestSessionAgents(t *testing.T) {
	for _, name := range session.Agents() {
		env := config.Environment{Dir: t.TempDir(), Lookup: func(v string) (string, bool) {
			return map[string]string{"HOME": "/home/me", "MEMOIR_SESSIONS_AGENTS": name}[v], true
		}}
		settings, err := config.Load(env, nil)
		if err != nil || settings.Sessions.Dirs[name] == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A session that one process forgets is gone for another that has the same memory open,
// for a second workspace, and for what is archived.
func TestForgetSession(t *testing.T) {
	claude, state := t.TempDir(), t.TempDir()
	said := `{"type":"user","uuid":"1","sessionId":"22223333-a","timestamp":"2026-03-02T12:00:00Z","message":{"content":"We moved the ferry to Bergen from nine to noon."}}` + "\n"
	file := filepath.Join(claude, "projects", "p", "22223333-a.jsonl")
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(said), 0o600)); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"HOME": t.TempDir(), "MEMOIR_STATE_DIR": state, "CLAUDE_CONFIG_DIR": claude, "MEMOIR_SESSIONS_ENABLED": "true",
		"MEMOIR_SESSIONS_AGENTS": "claude-code", "MEMOIR_SESSIONS_ARCHIVE": "true", "MEMOIR_PROVIDER": "none"}
	memory := func(workspace string) *app.Memory {
		t.Helper()
		settings, err := config.Load(config.Environment{Lookup: func(n string) (string, bool) { v, ok := env[n]; return v, ok }, Dir: workspace}, config.Flags{"workspace": workspace})
		if err != nil {
			t.Fatal(err)
		}
		m, err := app.OpenMemory(t.Context(), &config.Memories{User: settings}, app.Options{Need: app.NeedWords, Write: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = m.Close() })
		return m
	}
	found := func(m *app.Memory) bool {
		t.Helper()
		res, err := m.Search(t.Context(), memoir.Query{Text: "ferry to Bergen", Mode: memoir.ModeText})
		if err != nil {
			t.Fatal(err)
		}
		return slices.ContainsFunc(res.Hits, func(h memoir.Hit) bool { return h.Kind == memoir.KindSession })
	}
	here, there, held := t.TempDir(), t.TempDir(), t.TempDir()
	serving, forgetting, other, reading := memory(here), memory(here), memory(there), memory(held)
	if !found(serving) || !found(other) || !found(reading) {
		t.Fatal("it is not found before it is forgotten")
	}
	// A program that reads an index keeps its files from being cleared.
	db, err := sql.Open("sqlite", reading.User.Settings.IndexPath())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback() //nolint:errcheck // it only reads
	var n int
	if err := tx.QueryRow("SELECT count(*) FROM sqlite_schema").Scan(&n); err != nil {
		t.Fatal(err)
	}
	done, err := forgetting.Forget(t.Context(), engine.Target{Session: "2222"}, false)
	if err != nil {
		t.Fatal(err)
	}
	if want := []engine.ForgottenSession{{Path: "sessions/claude-code/p/22223333-a.jsonl", File: file}}; !slices.Equal(done.Sessions, want) || done.InIndex {
		t.Errorf("got %+v, want %v", done, want)
	}
	if diff := cmp.Diff([]engine.Elsewhere{{Workspace: held, Agent: "main", InIndex: true}}, done.Elsewhere); diff != "" {
		t.Errorf("what is left elsewhere: want -, got +:\n%s", diff)
	}
	for stats, err := range other.User.Engine.Documents(t.Context()) {
		if err != nil || stats.Kind == memoir.KindSession {
			t.Errorf("the other workspace still has %v, %v", stats.ID, err)
		}
	}
	if found(serving) || found(other) {
		t.Error("it is still found")
	}
	if _, err := serving.Sync(t.Context(), nil); err != nil || found(serving) {
		t.Errorf("a sync brings it back, %v", err)
	}
	if n, err := serving.User.Archive(t.Context(), map[string]bool{"22223333-a": true}); n != 0 || err != nil {
		t.Errorf("%d sentences are archived, %v; want none", n, err)
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != said {
		t.Errorf("the transcript is %q, %v; want it as it was", got, err)
	}
}
