package config_test

import (
	"maps"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir/internal/config"
)

func TestOutdated(t *testing.T) {
	const vault = "[[collections]]\nname = 'vault'\npath = '~/vault'\n"
	for _, tt := range []struct {
		name            string
		before, after   string // the user's file
		workspace       string // the workspace's own file afterwards
		want            []string
		variable, value string
	}{
		{name: "nothing", before: vault, after: vault + "context = 'What I cook'\n"},
		{name: "what a search asks for", after: "query.maxResults = 9\nlog.level = 'info'\nsync.interval = '5m'"},
		{name: "a collection", after: vault, want: []string{"collections"}},
		{name: "its folder", before: vault, after: "[[collections]]\nname = 'vault'\npath = '~/vault2'\n", want: []string{"collections"}},
		{name: "the order of collections", before: vault + "[[collections]]\nname = 'b'\npath = '~/b'\n", after: "[[collections]]\nname = 'b'\npath = '~/b'\n" + vault},
		{name: "a variable decides", after: vault, variable: "MEMOIR_COLLECTIONS", value: "a=~/a"},
		{name: "sessions", after: "sessions.enabled = true\nsessions.agents = ['codex']", want: []string{"sessions.enabled"}},
		{name: "agents of no sessions", after: "sessions.agents = ['codex']"},
		{name: "a preset", after: "chunking.preset = 'openclaw'", want: []string{"chunking.tokens", "chunking.overlap"}},
		{name: "a shelf", after: "files.decision = 'memory/d.md'", want: []string{"files.decision"}},
		{name: "files left out", workspace: "exclude = ['drafts/']", want: []string{"exclude"}},
		{name: "a provider", after: "provider = 'ollama'\nollama.model = 'a'", want: []string{"provider"}},
		{name: "its model", before: "provider = 'ollama'", after: "provider = 'ollama'\nollama.model = 'a'", want: []string{"ollama.model"}},
		{name: "another's model", after: "openai.model = 'a'"},
		{name: "a mistake", after: "collections = 3"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newPlace(t, tt.before, "")
			if tt.variable != "" {
				p.vars[tt.variable] = tt.value
			}
			loaded, err := config.Load(p.env(p.work), nil)
			if err != nil {
				t.Fatal(err)
			}
			o := loaded.Outdated()
			check := func(want []string) {
				t.Helper()
				for range 2 { // the second look may not read
					if diff := cmp.Diff(want, o.Names()); diff != "" {
						t.Errorf("want -, got +:\n%s", diff)
					}
				}
			}
			check(nil)
			user := filepath.Join(p.home, ".config", "memoir", "config.toml")
			p.write(t, user, tt.after)
			p.write(t, filepath.Join(p.work, ".memoir.toml"), tt.workspace)
			check(tt.want)
			old := time.Now().Add(-time.Hour) // a time that is believed
			if err := os.Chtimes(user, old, old); err != nil {
				t.Fatal(err)
			}
			check(tt.want)
			p.write(t, user, tt.before)
			p.write(t, filepath.Join(p.work, ".memoir.toml"), "")
			check(nil)
			if err := os.Remove(user); err != nil {
				t.Fatal(err)
			}
			if tt.before == "" {
				check(nil)
			}
		})
	}
}

// TestOutdatedMoved: an editor may move a file away before it writes the new one. What was
// read holds until the file is back, or has been gone for a while.
func TestOutdatedMoved(t *testing.T) {
	p := newPlace(t, "[[collections]]\nname = 'vault'\npath = '~/vault'\n", "")
	loaded, err := config.Load(p.env(p.work), nil)
	if err != nil {
		t.Fatal(err)
	}
	o := loaded.Outdated()
	user := filepath.Join(p.home, ".config", "memoir", "config.toml")
	move := func(from, to string) {
		t.Helper()
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 { // before the first look, and after one
		move(user, user+"~")
		if got := o.Names(); got != nil {
			t.Errorf("while it is away: %q", got)
		}
		move(user+"~", user)
		if got := o.Names(); got != nil {
			t.Errorf("when it is back: %q", got)
		}
	}
	move(user, user+"~")
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(filepath.Dir(user), old, old); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"collections"}, o.Names()); diff != "" {
		t.Errorf("when it is gone for good: want -, got +:\n%s", diff)
	}
	move(user+"~", user)
	if got := o.Names(); got != nil {
		t.Errorf("when it came back after all: %q", got)
	}
}

// TestOutdatedLater: settings that could not be read are read again, though their files
// have not changed.
func TestOutdatedLater(t *testing.T) {
	p := newPlace(t, "", "")
	loaded, err := config.Load(p.env(p.work), nil)
	if err != nil {
		t.Fatal(err)
	}
	o := loaded.Outdated()
	user := filepath.Join(p.home, ".config", "memoir", "config.toml")
	p.write(t, user, "sessions.enabled = true\nsessions.custom = ['own.toml']\n")
	for _, path := range []string{user, filepath.Join(p.work, ".memoir.toml")} {
		old := time.Now().Add(-time.Hour) // a time that is believed
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
	}
	if got := o.Names(); got != nil {
		t.Errorf("without the file that they name: %q", got)
	}
	p.write(t, filepath.Join(filepath.Dir(user), "own.toml"), "name = 'own'\nfolder = '~/own'\nfiles = '*.jsonl'\nrole = 'role'\ntext = 'text'\n")
	if diff := cmp.Diff([]string{"sessions.enabled"}, o.Names()); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
}

// TestDisagrees: settings that a variable, a flag or another file of one process decides are
// told. A file that has changed since one of them read it is not.
func TestDisagrees(t *testing.T) {
	type side struct {
		file  string // the user's settings
		vars  map[string]string
		flags config.Flags
	}
	for _, tt := range []struct {
		name     string
		one, two side
		want     []string
	}{
		{name: "the same"},
		{name: "a file that has changed", one: side{file: "exclude = ['a/']"}},
		{name: "a variable", one: side{vars: map[string]string{"MEMOIR_EXCLUDE": "a/"}}, want: []string{"exclude"}},
		{name: "a variable says what the file says", one: side{vars: map[string]string{"MEMOIR_EXCLUDE": "a/"}}, two: side{file: "exclude = ['a/']"}},
		{name: "what a search asks for", one: side{vars: map[string]string{"MEMOIR_QUERY_MAX_RESULTS": "3"}}},
		{name: "a flag", two: side{flags: config.Flags{"chunking.tokens": "64"}}, want: []string{"chunking.tokens"}},
		{name: "a preset", two: side{vars: map[string]string{"MEMOIR_CHUNKING_PRESET": "openclaw"}}, want: []string{"chunking.overlap", "chunking.tokens"}},
		{name: "a model", one: side{vars: map[string]string{"MEMOIR_MODEL": "bge"}}, want: []string{"model"}},
		{name: "no provider", one: side{vars: map[string]string{"MEMOIR_PROVIDER": "none"}}},
		{name: "a key", one: side{file: "allowRemote = true", vars: map[string]string{"OPENAI_API_KEY": "k"}}, two: side{file: "allowRemote = true"}, want: []string{"provider"}},
		{name: "folders of sessions", one: side{file: "sessions.enabled = true\nsessions.agents = ['codex']", vars: map[string]string{"CODEX_HOME": "/c"}},
			two: side{file: "sessions.enabled = true\nsessions.agents = ['codex']"}, want: []string{"sessions.folders"}},
		{name: "folders of other agents", one: side{file: "sessions.enabled = true\nsessions.agents = ['codex']", vars: map[string]string{"CLAUDE_CONFIG_DIR": "/c"}},
			two: side{file: "sessions.enabled = true\nsessions.agents = ['codex']"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newPlace(t, "", "")
			shape := func(s side) config.Shape {
				t.Helper()
				p.write(t, filepath.Join(p.home, ".config", "memoir", "config.toml"), s.file)
				plain := maps.Clone(p.vars)
				maps.Copy(p.vars, s.vars)
				defer func() { p.vars = plain }()
				loaded, err := config.Load(p.env(p.work), s.flags)
				if err != nil {
					t.Fatal(err)
				}
				return loaded.Shape()
			}
			one, two := shape(tt.one), shape(tt.two)
			if diff := cmp.Diff(tt.want, one.Disagrees(two)); diff != "" {
				t.Errorf("want -, got +:\n%s", diff)
			}
			if diff := cmp.Diff(tt.want, two.Disagrees(one)); diff != "" {
				t.Errorf("the other way, want -, got +:\n%s", diff)
			}
			if len(tt.want) == 0 && tt.one.file != tt.two.file {
				other := two
				if other.File += ".other"; tt.one.vars == nil && len(one.Disagrees(other)) == 0 {
					t.Error("nothing is told of another file of settings")
				}
			}
		})
	}
}
