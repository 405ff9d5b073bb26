package setup_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir/internal/setup"
)

// TestByHand: what a person has added among memoir's part stays when that is taken out.
func TestByHand(t *testing.T) {
	const mark = "# Written by memoir setup, which takes it out again with --undo.\n"
	table := mark + "[mcp_servers.memoir]\ncommand = \"/usr/local/bin/memoir\"\nargs = [\"mcp\", \"--workspace\", \"/home/me/笔记 & mine\"]\n"
	inline := "memoir = { command = \"/usr/local/bin/memoir\", args = [\"mcp\", \"--workspace\", \"/home/me/笔记 & mine\"] }\n"
	for _, tt := range []struct{ name, agent, file, before, from, to, want string }{
		{"a table between ours", "codex", ".codex/config.toml", "a = 1\n", "", "\n[mine]\nb = 2\n\n[mcp_servers.memoir.tools.x]\nmode = \"approve\"\n", "a = 1\n\n[mine]\nb = 2\n"},
		{"a value of several lines", "codex", ".codex/config.toml", "a = 1\n", "", "env = { A = [\n  [\"]\"], # one\n] }\nx = '''\n[mine]\n'''\n\n# of mine\n[mine]\nb = 2\n", "a = 1\n\n# of mine\n[mine]\nb = 2\n"},
		{"a member of a table", "codex", ".codex/config.toml", "a = 1\n", table, "[mcp_servers]\n" + inline + "other = { command = \"o\" }\n", "a = 1\n\n[mcp_servers]\nother = { command = \"o\" }\n"},
		{"the same behind the comment", "codex", ".codex/config.toml", "a = 1\n", table, mark + "[mcp_servers]\n" + inline + "[mine]\nb = 2\n", "a = 1\n[mcp_servers]\n[mine]\nb = 2\n"},
		{"dotted names", "codex", ".codex/config.toml", "[other]\nb = 2\n", table, "[mcp_servers]\nmemoir.command = \"memoir\"\nmemoir.args = [\"mcp\"]\n", "[other]\nb = 2\n\n[mcp_servers]\n"},
		{"without the comment", "codex", ".codex/config.toml", "a = 1\n", mark, "", "a = 1\n"},
		{"somebody's own since", "codex", ".codex/config.toml", "a = 1\n", table, "[mcp_servers.memoir]\nurl = \"http://127.0.0.1:7077/mcp\"\n", "a = 1\n\n[mcp_servers.memoir]\nurl = \"http://127.0.0.1:7077/mcp\"\n"},
		{"a hook beside ours", "claude-code", ".claude/settings.json", "{\n  \"a\": 1\n}\n", "\"type\": \"command\"\n          }", "\"type\": \"command\"\n          },\n          {\n            \"type\": \"command\",\n            \"command\": \"say hello\"\n          }",
			"{\n  \"a\": 1,\n  \"hooks\": {\n    \"SessionStart\": [\n      {\n        \"hooks\": [\n          {\n            \"type\": \"command\",\n            \"command\": \"say hello\"\n          }\n        ]\n      }\n    ]\n  }\n}\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			opts := machine(t)
			path := filepath.Join(opts.Place.Home, tt.file)
			put(t, path, tt.before)
			connect(t, tt.agent, opts)
			edited := tree(t, opts.Place.Home)[tt.file]
			if !strings.Contains(edited, tt.from) {
				t.Fatalf("no %q in\n%s", tt.from, edited)
			}
			if tt.from == "" {
				tt.from = edited
				tt.to = edited + tt.to
			}
			put(t, path, strings.Replace(edited, tt.from, tt.to, 1))
			undo(t, tt.agent, opts)
			if diff := cmp.Diff(tt.want, tree(t, opts.Place.Home)[tt.file]); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestMarkInText: memoir's comment in a text of the person's is no comment.
func TestMarkInText(t *testing.T) {
	opts := machine(t)
	path := filepath.Join(opts.Place.Home, ".codex", "config.toml")
	const mine = "notes = '''\nfirst\n\n# Written by memoir setup, which takes it out again with --undo.\nlast\n'''\n"
	put(t, path, mine)
	connect(t, "codex", opts)
	if got := tree(t, filepath.Dir(path))["config.toml"]; !strings.HasPrefix(got, mine) {
		t.Errorf("it became\n%s", got)
	}
	undo(t, "codex", opts)
	undo(t, "codex", opts)
	if got := tree(t, filepath.Dir(path))["config.toml"]; got != mine {
		t.Errorf("undone it is\n%s", got)
	}
}

// TestUndoTwice: an entry that starts something else is its owner's, also when nothing is
// known of the file any more.
func TestUndoTwice(t *testing.T) {
	opts := machine(t)
	path := filepath.Join(opts.Place.Home, ".gemini", "settings.json")
	const mine = `{"mcpServers": {"memoir": {"httpUrl": "http://127.0.0.1:7077/mcp"}}}`
	put(t, path, mine)
	connect(t, "gemini", opts)
	for _, want := range []string{setup.Restored, setup.Unchanged} {
		if got := verbs(undo(t, "gemini", opts)); got != want {
			t.Errorf("it was %s, want %s", got, want)
		}
		if got := tree(t, opts.Place.Home)[".gemini/settings.json"]; got != mine {
			t.Errorf("it is %s", got)
		}
	}
}

// TestCommentAtTheEnd: the last line of a file may be a comment that no line end follows.
func TestCommentAtTheEnd(t *testing.T) {
	opts := machine(t)
	path := filepath.Join(opts.Place.Home, ".gemini", "settings.json")
	const mine = "{\n  \"a\": 1\n}\n// end"
	put(t, path, mine)
	connect(t, "gemini", opts)
	got := tree(t, opts.Place.Home)[".gemini/settings.json"]
	if !strings.Contains(got, "memoir") || !strings.HasSuffix(got, "}\n// end") {
		t.Errorf("it became\n%s", got)
	}
	if err := os.RemoveAll(opts.Dir); err != nil {
		t.Fatal(err)
	}
	undo(t, "gemini", opts)
	if got := tree(t, opts.Place.Home)[".gemini/settings.json"]; got != mine {
		t.Errorf("undone it is %q", got)
	}
}
