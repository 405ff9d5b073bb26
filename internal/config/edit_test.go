package config_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pelletier/go-toml/v2"

	"github.com/memoir-ai/memoir/internal/config"
)

func TestSet(t *testing.T) {
	model := map[string]string{"model": "bge-small-en-v1.5"}
	reranker := map[string]string{"rerank.model": "m", "rerank.provider": "local"}
	tests := []struct {
		name, before string
		values       map[string]string
		after        string
	}{
		{"no file", "", model, "model = \"bge-small-en-v1.5\"\n"},
		{"its value only", "# mine\nagent = \"main\"  # who\n  model='old'   # 模型\nquery.mode = \"text\"\n", model,
			"# mine\nagent = \"main\"  # who\n  model=\"bge-small-en-v1.5\"   # 模型\nquery.mode = \"text\"\n"},
		{"quoted key, several lines", "\"model\" = \"\"\"\nold\"\"\" # x\n[query]\nmode = \"text\"\n", model,
			"\"model\" = \"bge-small-en-v1.5\" # x\n[query]\nmode = \"text\"\n"},
		{"not the one of a table", "[openai]\nmodel = \"m\"\n", model, "model = \"bge-small-en-v1.5\"\n\n[openai]\nmodel = \"m\"\n"},
		{"above a table's comment", "agent = \"a\"\n\n# server\n# of ours\n[openai]\nmodel = \"m\"\n", model,
			"agent = \"a\"\n\nmodel = \"bge-small-en-v1.5\"\n\n# server\n# of ours\n[openai]\nmodel = \"m\"\n"},
		{"below what explains it", "# Model.\n#model = \"\"\n\n# Address.\n#openai.baseURL = \"\"\n", model,
			"# Model.\n#model = \"\"\nmodel = \"bge-small-en-v1.5\"\n\n# Address.\n#openai.baseURL = \"\"\n"},
		{"line ends of Windows", "agent = \"a\"\r\n[query]\r\nmode = \"text\"", model,
			"agent = \"a\"\r\nmodel = \"bge-small-en-v1.5\"\r\n\r\n[query]\r\nmode = \"text\"\r\n"},
		{"byte order mark", "\ufeffmodel = \"old\"\r\n", model, "\ufeffmodel = \"bge-small-en-v1.5\"\r\n"},
		{"byte order mark before a table", "\ufeff[query]\nmode = \"text\"\n", model, "\ufeffmodel = \"bge-small-en-v1.5\"\n\n[query]\nmode = \"text\"\n"},
		{"byte order mark alone", "\ufeff", model, "\ufeffmodel = \"bge-small-en-v1.5\"\n"},
		{"no line end", "agent = \"a\"", model, "agent = \"a\"\nmodel = \"bge-small-en-v1.5\"\n"},
		{"two at once", "provider = \"openai\"\n", map[string]string{"model": `C:\模型\a.memoir`, "provider": "local"},
			"provider = \"local\"\nmodel = 'C:\\模型\\a.memoir'\n"},
		{"of a table, no file", "", reranker, "rerank.model = \"m\"\nrerank.provider = \"local\"\n"},
		{"of a table, dotted", "rerank.provider = \"tei\" # ours\n", reranker, "rerank.provider = \"local\" # ours\nrerank.model = \"m\"\n"},
		{"in its table", "[query]\nmode = \"text\"\n[rerank] # ours\ntop = 10\nprovider = \"tei\"\n[openai]\nmodel = \"x\"", reranker,
			"[query]\nmode = \"text\"\n[rerank] # ours\nmodel = \"m\"\ntop = 10\nprovider = \"local\"\n[openai]\nmodel = \"x\"\n"},
		{"in its table at the end", "[rerank]", reranker, "[rerank]\nprovider = \"local\"\nmodel = \"m\"\n"},
		{"above other tables", "[query]\r\nmode = \"text\"\r\n", map[string]string{"rerank.model": "m"}, "rerank.model = \"m\"\r\n\r\n[query]\r\nmode = \"text\"\r\n"},
		{"below what explains it, of a table", "# Model.\n#rerank.model = \"\"\n\nagent = \"a\"\n", map[string]string{"rerank.model": "m"}, "# Model.\n#rerank.model = \"\"\nrerank.model = \"m\"\n\nagent = \"a\"\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "memoir", "config.toml")
			if tt.before != "" {
				write(t, path, tt.before)
			}
			if err := config.Set(path, config.LayerUser, tt.values); err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(path)
			if diff := cmp.Diff(string(got), tt.after); err != nil || diff != "" {
				t.Errorf("error %v, got - want +:\n%s", err, diff)
			}
		})
	}
}

// A file with a mistake in it stays as it is.
func TestSetLeavesMistakes(t *testing.T) {
	for _, before := range []string{"model = \n", "modle = \"x\"\n", "model = 7\n"} {
		path := filepath.Join(t.TempDir(), "config.toml")
		write(t, path, before)
		err := config.Set(path, config.LayerUser, map[string]string{"model": "a"})
		var mistake *config.Error
		if got, _ := os.ReadFile(path); !errors.As(err, &mistake) || string(got) != before {
			t.Errorf("%q: got %v and the file %q", before, err, got)
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// Whatever a file looks like: it is refused, or the setting has the value and
// every line that was not about it is still there.
func FuzzSet(f *testing.F) {
	for _, s := range []string{"", config.Template(), "a", "model = 'x' # y", "\"model\".x = 1", "[model]\n", "'''\n#model =\n'''", "agent = \"\"\"\n#model = \"\"\"\n[query]", "\xef\xbb\xbfmodel = \"a\"\r\n"} {
		f.Add(s, "模型")
	}
	f.Fuzz(func(t *testing.T, before, value string) {
		path := filepath.Join(t.TempDir(), "config.toml")
		if err := os.WriteFile(path, []byte(before), 0o666); err != nil {
			t.Fatal(err)
		}
		err := config.Set(path, config.LayerUser, map[string]string{"model": value})
		after, readErr := os.ReadFile(path)
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
		if err := toml.Unmarshal(bytes.TrimPrefix(after, []byte("\ufeff")), &tree); err != nil || tree["model"] != value {
			t.Fatalf("got model %q, error %v, want %q in %q", tree["model"], err, value, after)
		}
		for line := range strings.Lines(before) {
			if comment := strings.TrimSpace(line); strings.HasPrefix(comment, "#") && !strings.Contains(string(after), comment) {
				t.Fatalf("the comment %q is gone from %q", comment, after)
			}
		}
	})
}

// TestEdited: settings of every type go into their lines, and come back out as they were.
func TestEdited(t *testing.T) {
	const before = "# mine\r\n[query]\r\nmaxResults = 3 # few\r\nmmr.enabled = false\r\n\r\n[sessions]\r\nagents = [ # two\r\n  \"codex\",\r\n  \"pi\", # pi\r\n]\r\n"
	values := map[string]any{
		"query.maxResults": int64(8), "query.mmr.enabled": true, "query.textWeight": 0.25, "query.syncBudget": "0s",
		"sessions.agents": []string{"codex", "openclaw"}, "provider": "ollama", "chunking.tokens": int64(200), "query.mmr.lambda": 0.0000001,
	}
	const want = "# mine\r\nchunking.tokens = 200\r\n\r\nprovider = \"ollama\"\r\n\r\n[query]\r\ntextWeight = 0.25\r\nsyncBudget = \"0s\"\r\nmmr.lambda = 0.0000001\r\nmaxResults = 8 # few\r\nmmr.enabled = true\r\n\r\n[sessions]\r\nagents = [\"codex\", \"openclaw\"]\r\n"
	got, err := config.Edited("c.toml", []byte(before), values)
	if diff := cmp.Diff(want, string(got)); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	again, err := config.Edited("c.toml", got, values)
	if err != nil || string(again) != string(got) {
		t.Errorf("%v: the second time it is %q", err, again)
	}
}

// TestEditedTogether: settings that do not go with those that are there are refused.
func TestEditedTogether(t *testing.T) {
	for before, values := range map[string]map[string]any{
		"chunking.overlap = 100\n": {"chunking.tokens": int64(50)},
		"modle = 1\n":              {"provider": "none"},
		"agent = \"a\"\n":          {"query.maxResults": "many"},
		"# nothing\n":              {"query.mode": "psychic"},
	} {
		_, err := config.Edited("c.toml", []byte(before), values)
		var mistake *config.Error
		if !errors.As(err, &mistake) {
			t.Errorf("%q and %v: %v", before, values, err)
		}
	}
}

func TestExpected(t *testing.T) {
	for _, tt := range []struct {
		setting string
		value   any
		fits    bool
	}{
		{"query.maxResults", int64(6), true}, {"query.maxResults", int64(0), false}, {"query.maxResults", 6.5, false}, {"query.maxResults", "6", false},
		{"sessions.agents", []string{"openclaw"}, true}, {"sessions.agents", []string{"clippy"}, false}, {"sync.interval", "5m", true}, {"sync.interval", "5", false},
		{"chunking.overlap", int64(400), true}, {"chunking.tokens", int64(5), false}, {"ollama.baseURL", "http://localhost:1", true}, {"ollama.baseURL", "file:///x", false},
		{"sync.watch", true, true}, {"sync.watch", "true", false}, {"no.such", 1, false},
	} {
		if got := config.Expected(tt.setting, tt.value); (got == "") != tt.fits {
			t.Errorf("%s = %#v: %q", tt.setting, tt.value, got)
		}
	}
}
