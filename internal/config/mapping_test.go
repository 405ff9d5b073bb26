package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir/internal/config"
)

const mapping = `name = "bot"
folder = "logs"
files = "*/*.jsonl"
role = "author.kind"
text = "body.0.text"
time = "at"
user = ["human"]
`

func TestMapping(t *testing.T) {
	p := newPlace(t, "sessions.enabled = true\nsessions.custom = [\"bot.toml\"]", "")
	folder := filepath.Join(p.home, ".config", "memoir")
	load := func(text string) (*config.Loaded, error) {
		p.write(t, filepath.Join(folder, "bot.toml"), text)
		return config.Load(p.env(p.work), nil)
	}
	got, err := load(mapping)
	if err != nil {
		t.Fatal(err)
	}
	want := []config.Mapping{{Name: "bot", Folder: filepath.Join(folder, "logs"), Files: "*/*.jsonl", Role: "author.kind", Text: "body.0.text", Time: "at", User: []string{"human"}, Assistant: []string{"assistant"}}}
	if diff := cmp.Diff(want, got.Sessions.Mappings); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
	for _, tt := range []struct {
		from, to, want string
		line           int
	}{
		{`"bot"`, `"../bot"`, `name is "../bot"`, 0},
		{`"bot"`, `"codex"`, `name: "codex" is taken`, 0},
		{`"bot"`, `"main"`, `name: "main" is taken`, 0},
		{`"logs"`, `""`, "folder is missing", 0},
		{`"logs"`, `"/"`, "folder: it is a whole disk", 0},
		{`"*/*.jsonl"`, `"../*.jsonl"`, "files is", 0},
		{`"*/*.jsonl"`, `"[.jsonl"`, "files is", 0},
		{`"*/*.jsonl"`, `"/tmp/*"`, "files is", 0},
		{`"author.kind"`, `"author..kind"`, `"author..kind" is no place in a record`, 0},
		{`"body.0.text"`, `""`, "text is missing", 0},
		{"time", "tiem", `"tiem" is not known in a mapping`, 6},
		{`"at"`, `7`, "not valid TOML", 6},
		{`"at"`, `"at`, "not valid TOML", 6},
	} {
		_, err := load(strings.Replace(mapping, tt.from, tt.to, 1))
		var mistake *config.Error
		if !errors.As(err, &mistake) || !strings.Contains(mistake.Message, tt.want) || mistake.Line != tt.line || mistake.Hint == "" || filepath.Base(mistake.File) != "bot.toml" {
			t.Errorf("%s for %s: got %#v, want %q in line %d with a hint", tt.to, tt.from, err, tt.want, tt.line)
		}
	}
	if err := os.Remove(filepath.Join(folder, "bot.toml")); err != nil {
		t.Fatal(err)
	}
	var mistake *config.Error
	if _, err := config.Load(p.env(p.work), nil); !errors.As(err, &mistake) || !strings.Contains(mistake.Hint, "sessions.custom") {
		t.Errorf("got %v", err)
	}
	// Who has turned sessions off is not kept from working by it.
	p.vars["MEMOIR_SESSIONS_ENABLED"] = "false"
	if _, err := config.Load(p.env(p.work), nil); err != nil {
		t.Error(err)
	}
}
