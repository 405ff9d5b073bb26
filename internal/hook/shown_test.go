package hook_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/hook"
	"github.com/memoir-ai/memoir/internal/prime"
)

// noted answers from notes, as an engine does.
type noted map[string]string

func (n noted) read(path string) (string, error) {
	text, ok := n[path]
	if !ok {
		return "", fs.ErrNotExist
	}
	return text, nil
}

func (n noted) Prime(ctx context.Context, _ engine.PrimeOptions) (engine.Primed, error) {
	return prime.Choose(ctx, prime.Options{Notes: prime.Notes{Read: n.read}, Now: now})
}

func (n noted) Recall(ctx context.Context, opts engine.RecallOptions) (engine.Primed, error) {
	return prime.Recall(ctx, prime.RecallOptions{
		Options: prime.Options{Notes: prime.Notes{Read: n.read}, Now: now}, Given: opts.Given,
		Passages: []prime.Passage{{Path: "tea.md", StartLine: 2, Text: "Tea is green.\n"}},
	})
}

func (noted) Close() error { return nil }

// TestShown: what sessions were given is told word for word from the notes, and what
// has left the notes by its place alone. No file has the words.
func TestShown(t *testing.T) {
	notes := noted{"MEMORY.md": "# Memory\n\n- Ann leads the team. <!-- origin: user -->\n- The code is 4711.\n", "tea.md": "A long entry about tea.\nTea is green.\n"}
	m := newMachine(t)
	at := now
	m.Now = func() time.Time { at = at.Add(time.Minute); return at }
	m.Open = func(context.Context, bool) (hook.Memory, error) { return notes, nil }
	m.ask(t, "claude-code", hook.SessionStart, `{"session_id":"one"}`)
	m.ask(t, "codex", hook.SessionStart, `{"session_id":"two"}`)
	m.ask(t, "claude-code", hook.Prompt, `{"session_id":"one","prompt":"which tea?"}`)

	notes["MEMORY.md"] = "# Memory\n\n- Bo came later.\n- Ann leads the team.\n"
	got, err := hook.Shown(m.Dir, notes.read)
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, s := range got {
		for _, x := range s.Times {
			for _, p := range x.Parts {
				told = append(told, strings.Join([]string{s.Agent, s.ID, x.Event, p.Path, p.Text, p.Reason}, "|"))
			}
			if x.Tokens == 0 || x.At.Before(now) {
				t.Errorf("%s: %d tokens at %v", s.ID, x.Tokens, x.At)
			}
		}
	}
	want := []string{
		"claude-code|one|prompt|tea.md|- Tea is green.|found by the words of the message",
		"claude-code|one|session-start|MEMORY.md|- Ann leads the team.|from MEMORY.md", "claude-code|one|session-start|MEMORY.md||from MEMORY.md",
		"codex|two|session-start|MEMORY.md|- Ann leads the team.|from MEMORY.md", "codex|two|session-start|MEMORY.md||from MEMORY.md",
	}
	if strings.Join(told, "\n") != strings.Join(want, "\n") {
		t.Errorf("told\n%s\nwant\n%s", strings.Join(told, "\n"), strings.Join(want, "\n"))
	}
	err = fs.WalkDir(os.DirFS(m.Dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			data, _ := fs.ReadFile(os.DirFS(m.Dir), path)
			if strings.Contains(string(data), "4711") || strings.Contains(string(data), "Ann") {
				t.Errorf("%s holds what was given", path)
			}
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestShownOfNothing: without a folder, and of files that are something else, there is
// nothing.
func TestShownOfNothing(t *testing.T) {
	if got, err := hook.Shown(t.TempDir(), nil); got != nil || err != nil {
		t.Errorf("Shown = %v, %v", got, err)
	}
	dir := t.TempDir()
	if err := os.MkdirAll(dir+"/sessions/folder.json", 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"old.json": "[1,2]", "broken.json": "{", "empty.json": "", "null.json": "null", "times.json": `{"times":[{"parts":null}]}`} {
		if err := os.WriteFile(dir+"/sessions/"+name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := hook.Shown(dir, func(string) (string, error) { return "", errors.New("no") })
	if len(got) != 1 || err != nil {
		t.Errorf("Shown = %v, %v", got, err)
	}
}
