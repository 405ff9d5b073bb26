package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pelletier/go-toml/v2"

	"github.com/memoir-ai/memoir/internal/config"
)

// changing is a user with settings and a workspace.
func changing(t *testing.T) (env config.Environment, user, workspace string) {
	t.Helper()
	dir := t.TempDir()
	notes := filepath.Join(dir, "notes")
	if err := os.MkdirAll(notes, 0o700); err != nil {
		t.Fatal(err)
	}
	user = filepath.Join(dir, "memoir", "config.toml")
	vars := map[string]string{"HOME": dir, "USERPROFILE": dir, "XDG_CONFIG_HOME": dir, "MEMOIR_WORKSPACE": notes, "MEMOIR_STATE_DIR": filepath.Join(dir, "state")}
	env = config.Environment{Lookup: func(name string) (string, bool) { v, ok := vars[name]; return v, ok }, Dir: dir, OS: runtime.GOOS}
	return env, user, filepath.Join(notes, config.WorkspaceFile)
}

func TestChange(t *testing.T) {
	team := filepath.Join(t.TempDir(), "team")
	inFile := strings.ReplaceAll(team, `\`, `\\`)
	if runtime.GOOS == "windows" {
		inFile = ""
	}
	tests := []struct {
		name, before, key string
		value             any // nil: taken out
		after             string
	}{
		{"word", "", "query.mode", "text", "query.mode = \"text\"\n"},
		{"truth", "# a\nquery.mmr.enabled = false # why\n", "query.mmr.enabled", "1", "# a\nquery.mmr.enabled = true # why\n"},
		{"whole number", "[query]\r\nmaxResults = 5\r\n", "query.maxResults", "7", "[query]\r\nmaxResults = 7\r\n"},
		{"number", "[query] # ours\nmode = \"text\"\n", "query.minScore", "0.25", "[query] # ours\nminScore = 0.25\nmode = \"text\"\n"},
		{"duration", "agent = \"a\"", "query.syncBudget", "2s", "agent = \"a\"\nquery.syncBudget = \"2s\"\n"},
		{"list", "exclude = [\n  \"a\", # why\n]\n", "exclude", "drafts/, *.tmp.md", "exclude = [\"drafts/\", \"*.tmp.md\"]\n"},
		{"empty list", "exclude = [\"a\"]\n", "exclude", "", "exclude = []\n"},
		{"Chinese, quoted", "", "exclude", `日记/"今天"\一`, "exclude = ['日记/\"今天\"\\一']\n"},
		{"taken out", "# mine\nagent = \"a\" # who\n# next\nquery.mode = \"text\"\n", "agent", nil, "# mine\n# next\nquery.mode = \"text\"\n"},
		{"taken out of its table", "[query]\r\n# why\r\nmode = \"text\"\r\n[rerank]\r\ntop = 5\r\n", "query.mode", nil, "[query]\r\n# why\r\n[rerank]\r\ntop = 5\r\n"},
		{"taken out, several lines", "\ufeffexclude = [\n  \"a\",\n]\nagent = \"a\"", "exclude", nil, "\ufeffagent = \"a\""},
		{"taken out, not there", "agent = \"a\"\n", "query.mode", nil, "agent = \"a\"\n"},
		{"a mistake taken out", "agent = \"a\"\nmodle = \"x\"\n", "modle", nil, "agent = \"a\"\n"},
		{"a wrong value mended", "query.minScore = 7\n", "query.minScore", "0.7", "query.minScore = 0.7\n"},
		{"collections", "# first\nagent = \"a\"\n", "collections", "team=" + team + "|what the team knows", "# first\nagent = \"a\"\n\n[[collections]]\nname = \"team\"\npath = \"" + inFile + "\"\ncontext = \"what the team knows\"\n"},
		{"collections anew", "agent = \"a\"\n\n[[collections]]\nname = \"x\"\npath = \"/x\"\n\n[[collections]]\nname = \"y\"\npath = \"/y\"\n\n# the model\n[rerank]\ntop = 5\n", "collections", "team=" + team,
			"agent = \"a\"\n\n# the model\n[rerank]\ntop = 5\n\n[[collections]]\nname = \"team\"\npath = \"" + inFile + "\"\n"},
		{"collections in a line", "collections = [{name = \"x\", path = \"/x\"}] # ours\n", "collections", "team=" + team, "collections = [{name = \"team\", path = \"" + inFile + "\"}] # ours\n"},
		{"collections taken out", "agent = \"a\"\n\n[[collections]]\nname = \"x\"\npath = \"/x\"\n", "collections", nil, "agent = \"a\"\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if inFile == "" && strings.Contains(tt.after, "path =") {
				t.Skip("paths are written in another way here")
			}
			env, user, _ := changing(t)
			if tt.before != "" {
				write(t, user, tt.before)
			}
			var c config.Changed
			var err error
			if text, ok := tt.value.(string); ok {
				c, err = config.Change(env, nil, config.LayerUser, tt.key, text)
			} else {
				c, err = config.Remove(env, nil, config.LayerUser, tt.key)
			}
			if err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(user)
			if diff := cmp.Diff(string(got), tt.after); err != nil || diff != "" {
				t.Errorf("error %v, got - want +:\n%s", err, diff)
			}
			if c.Did != (tt.before != tt.after) || c.File != user {
				t.Errorf("got %v in %s, of a file that was %q", c.Did, c.File, tt.before)
			}
		})
	}
}

// What would be refused at loading is not written, and the file keeps its bytes.
func TestChangeRefuses(t *testing.T) {
	tests := []struct {
		name, before, key, value, want string
		workspace                      bool
	}{
		{"no such setting", "", "query.mod", "text", `there is no setting "query.mod"; the nearest known one is "query.mode"`, false},
		{"a table", "", "query.mmr", "1", "query.mmr is several settings: query.mmr.enabled, query.mmr.lambda", false},
		{"another type", "", "query.mmr.enabled", "maybe", "must be true or false", false},
		{"out of bounds", "", "query.minScore", "2", "between 0 and 1", false},
		{"no number", "", "query.minScore", "NaN", "between 0 and 1", false},
		{"no end", "", "query.temporalDecay.halfLifeDays", "Inf", "must be", false},
		{"not one of", "", "query.mode", "texts", "one of hybrid, text, vector", false},
		{"no UTF-8", "", "files.journal", "a\xff.md", "must be", false},
		{"does not go together", "chunking.tokens = 100\n", "chunking.overlap", "100", "less than chunking.tokens", false},
		{"a mistake beside it", "modle = \"x\"\n", "query.mode", "text", `unknown setting "modle"`, false},
		{"no TOML", "model = \n", "query.mode", "text", "not valid TOML", false},
		{"in a line", "query = {mode = \"text\"}\n", "query.mode", "hybrid", "cannot be changed safely", false},
		{"comments in a table", "[[collections]]\nname = \"x\"\n# why\npath = \"/x\"\n", "collections", "y=/y", "cannot be changed safely", false},
		{"two of a name", "", "collections", "x=/x,X=/y", "two are called", false},
		{"not a workspace's", "# ours\n", "query.log", "true", "can only turn it off", true},
		{"not a workspace's key", "# ours\n", "openai.apiKey", "sk-hidden", "cannot set it", true},
		{"a secret in no message", "openai = {apiKey = \"sk-hidden\"}\n", "openai.apiKey", "sk-hidden", "cannot be changed safely", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			env, path, workspace := changing(t)
			layer := config.LayerUser
			if tt.workspace {
				path, layer = workspace, config.LayerWorkspace
			}
			if tt.before != "" {
				write(t, path, tt.before)
			}
			_, err := config.Change(env, nil, layer, tt.key, tt.value)
			var mistake *config.Error
			if !errors.As(err, &mistake) || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error()+mistake.Hint, "hidden") {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			if got, _ := os.ReadFile(path); string(got) != tt.before {
				t.Errorf("the file is now %q", got)
			}
		})
	}
}

// A name is proposed only when it is like the one that was given, in all of it or in its
// last part.
func TestChangeProposes(t *testing.T) {
	env, _, _ := changing(t)
	for name, want := range map[string]string{
		"search.limit": `there is no setting "search.limit"`,
		"index.size":   `there is no setting "index.size"`,
		"minscore":     `there is no setting "minscore"; the nearest known one is "query.minScore"`,
		"querry.mode":  `there is no setting "querry.mode"; the nearest known one is "query.mode"`,
	} {
		_, err := config.Change(env, nil, config.LayerUser, name, "3")
		var mistake *config.Error
		if !errors.As(err, &mistake) || mistake.Message != want {
			t.Errorf("%s: got %v, want %q", name, err, want)
		}
	}
}

// A workspace's own file may set what is its own; it has to be there, and no link.
func TestChangeWorkspace(t *testing.T) {
	env, _, path := changing(t)
	if _, err := config.Change(env, nil, config.LayerWorkspace, "maxFileBytes", "1000"); err != nil {
		t.Error(err)
	}
	if _, err := config.Change(env, nil, config.LayerWorkspace, "maxFileBytes", "10000000"); err == nil {
		t.Error("a workspace may raise maxFileBytes")
	}
	if _, err := config.Change(env, config.Flags{"workspace": filepath.Join(env.Dir, "nowhere")}, config.LayerWorkspace, "agent", "a"); err == nil {
		t.Error("a workspace is made that is not there")
	}
	other := filepath.Join(env.Dir, "other.toml")
	write(t, other, "agent = \"a\"\n")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(other, path); err != nil {
		t.Skip(err)
	}
	if _, err := config.Change(env, nil, config.LayerWorkspace, "agent", "b"); err == nil {
		t.Error("a link is followed")
	}
	if got, _ := os.ReadFile(other); string(got) != "agent = \"a\"\n" {
		t.Errorf("what it leads to is now %q", got)
	}
}

// Whatever a file looks like: it is refused, or the setting is gone and every other is
// as it was.
func FuzzRemove(f *testing.F) {
	for _, s := range []string{"", config.Template(), "agent = 'x' # y", "[query]\nmode = 'text'\n", "\xef\xbb\xbfagent = \"a\"\r\n", "agent = \"\"\"\nagent = 1\n\"\"\"\n[query]", "[[collections]]\nname = 'x'\npath = '/x'\n[query]\n", "collections = [{name='x', path='/x'}]\nagent='a'"} {
		f.Add(s, "agent")
		f.Add(s, "collections")
		f.Add(s, "query.mode")
	}
	f.Fuzz(func(t *testing.T, before, key string) {
		env, user, _ := changing(t)
		write(t, user, before)
		_, err := config.Remove(env, nil, config.LayerUser, key)
		after, readErr := os.ReadFile(user)
		if readErr != nil {
			t.Fatal(readErr)
		}
		if err != nil {
			if string(after) != before {
				t.Fatalf("refused with %v, but changed %q to %q", err, before, after)
			}
			return
		}
		var tree map[string]any
		if err := toml.Unmarshal([]byte(strings.TrimPrefix(string(after), "\ufeff")), &tree); err != nil {
			t.Fatalf("%v in %q", err, after)
		}
		if _, there := tree[key]; there && !strings.Contains(key, ".") {
			t.Fatalf("%q is still in %q", key, after)
		}
	})
}
