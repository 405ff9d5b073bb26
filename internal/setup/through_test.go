package setup_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir/internal/setup"
)

// TestThrough: npx and its like, and containers, are told from what starts something else.
func TestThrough(t *testing.T) {
	for line, want := range map[string]string{
		"npx -y @memoir-ai/memoir mcp":                                 "npx",
		"npx -y memoir mcp --workspace /data":                          "npx",
		"/usr/bin/npx --yes @memoir-ai/memoir@1.2.3 --agent x mcp":     "npx",
		"npx -y --package @memoir-ai/memoir@latest -- memoir mcp":      "npx",
		"npx -p @memoir-ai/memoir memoir mcp":                          "npx",
		`cmd /c npx -y @memoir-ai/memoir mcp`:                          "npx",
		`C:\nodejs\npx.cmd -y @memoir-ai/memoir mcp`:                   "npx",
		"npm exec -- @memoir-ai/memoir mcp":                            "npm",
		"pnpm dlx @memoir-ai/memoir mcp":                               "pnpm",
		"bunx @memoir-ai/memoir mcp":                                   "bunx",
		"docker run -i --rm -v /home/me/notes:/notes memoir":           "docker",
		"docker run -i --rm memoir mcp":                                "docker",
		"docker run --rm -it --name x -e A=b ghcr.io/me/memoir:v1 mcp": "docker",
		"docker run -i --mount=type=bind,src=/a,dst=/b localhost:5000/memoir-nomodel@sha256:00 --read-only mcp": "docker",
		"podman run --interactive --volume memoir:/home/nonroot memoir:latest mcp":                              "podman",
		"docker container run -i memoir mcp":                                                                    "docker",
		"docker exec -i box memoir mcp":                                                                         "docker",
		"docker compose run --rm -T memoir mcp":                                                                 "docker",

		"npx -y @other/memoir mcp": "", "npx -y memoir-server mcp": "", "npx -y memoir serve": "", "npx memoir": "", "npx": "", "npx -y": "", "npm install memoir": "", "npm": "",
		"docker run --name memoir other mcp": "", "docker run -v memoir:/x other memoir": "", "docker run -i memoir serve": "", "docker run -i other memoir mcp": "",
		"docker pull memoir": "", "docker": "", "docker run": "", "docker run -v": "", "docker exec -i memoir sh": "", "memoir mcp": "", "node memoir mcp": "", "cmd /c": "", "": "",
	} {
		words := strings.Fields(line)
		if by, _, ok := (setup.Start{Words: words}).Through(); by != want && ok || ok != (want != "") {
			t.Errorf("%s: got %q, %v, want %q", line, by, ok, want)
		}
	}
}

// TestReplaced: in every agent's settings such a server is found, by whatever name, and
// taken out for memoir's own; with --undo every byte comes back, also after another run.
func TestReplaced(t *testing.T) {
	files := map[string][2]string{ // where the settings are, and a server by name N in them
		"claude-code": {".claude.json", `{"mcpServers": {"N": {"type": "stdio", "command": "npx", "args": ["-y", "@memoir-ai/memoir", "mcp", "--workspace", "/data"]}, "x": {"command": "y"}}}`},
		"codex":       {".codex/config.toml", "model = \"a\"\n\n[mcp_servers.N]\ncommand = \"npx\"\nargs = [\"-y\", \"@memoir-ai/memoir\", \"mcp\", \"--workspace\", \"/data\"]\n\n[mcp_servers.N.env]\nA = \"b\"\n\n# mine\n[mcp_servers.x]\ncommand = \"y\"\n"},
		"gemini":      {".gemini/settings.json", "\xef\xbb\xbf{\r\n  // mine\r\n  \"mcpServers\": {\r\n    \"N\": {\"command\": \"npx\", \"args\": [\"memoir\", \"mcp\", \"--workspace\", \"/data\"]},\r\n    \"x\": {\"command\": \"y\"},\r\n  },\r\n}\r\n"},
		"opencode":    {".config/opencode/opencode.json", `{"mcp": {"x": {"command": ["y"]}, "N": {"type": "local", "command": ["npx", "@memoir-ai/memoir", "mcp", "--workspace", "/data"]}}}`},
		"cursor":      {".cursor/mcp.json", `{"mcpServers": {"N": {"command": "npx", "args": ["-y", "@memoir-ai/memoir", "mcp", "--workspace", "/data"]}, "x": {"command": "y"}}}`},
		"openclaw":    {".openclaw/openclaw.json", `{"mcp": {"servers": {"x": {"command": "y"}, "N": {"command": "npx", "args": ["-y", "@memoir-ai/memoir", "mcp", "--workspace", "/data"]}}}}`},
	}
	for _, a := range setup.Agents() {
		for _, name := range []string{"memoir", "notes"} {
			opts := machine(t)
			opts.Replace = true
			file, before := files[a.Name][0], strings.ReplaceAll(files[a.Name][1], "N", name)
			path := filepath.Join(opts.Place.Home, filepath.FromSlash(file))
			put(t, path, before)
			found := a.Through(opts.Place)
			if len(found) != 1 || found[0].Name != name || found[0].File != path {
				t.Errorf("%s: found %+v", a.Name, found)
				continue
			}
			opts.Command = opts.Command.Keeping(found[0], nil)
			connect(t, a.Name, opts)
			now := tree(t, opts.Place.Home)[file]
			if strings.Contains(now, "npx") || !strings.Contains(now, "/data") || !strings.Contains(now, `"y"`) || len(a.Through(opts.Place)) != 0 {
				t.Errorf("%s: it became\n%s", a.Name, now)
			}
			if got := verbs(connect(t, a.Name, opts)); strings.Trim(got, "unchaged ") != "" {
				t.Errorf("%s: the second time it was %s", a.Name, got)
			}
			opts.Replace, opts.Command.Program = false, "/opt/memoir"
			connect(t, a.Name, opts)
			if now := tree(t, opts.Place.Home)[file]; strings.Contains(now, "npx") || !strings.Contains(now, "/opt/memoir") {
				t.Errorf("%s: after memoir has moved it is\n%s", a.Name, now)
			}
			undo(t, a.Name, opts)
			if diff := cmp.Diff(map[string]string{file: before}, tree(t, opts.Place.Home)); diff != "" {
				t.Errorf("%s: undone (-want +got):\n%s", a.Name, diff)
			}
		}
	}
}

// TestThroughJSON5: OpenClaw's own command takes such a server out of settings in JSON5.
func TestThroughJSON5(t *testing.T) {
	opts := machine(t)
	put(t, filepath.Join(opts.Place.Home, ".openclaw", "openclaw.json"), "{mcp: {servers: {notes: {command: 'docker', args: ['run', '-i', 'memoir']}}}}")
	if found := agent(t, "openclaw").Through(opts.Place); len(found) != 1 || found[0].Name != "notes" {
		t.Fatalf("found %+v", found)
	}
	opts.Replace, opts.DryRun = true, true
	if c := connect(t, "openclaw", opts); len(c) != 1 || !strings.HasPrefix(c[0].Command, "openclaw mcp unset notes; openclaw mcp set memoir ") {
		t.Errorf("it would be %+v", c)
	}
	opts.DryRun = false
	opts.Run = func(context.Context, []string) error { return errors.New("it ran") }
	put(t, filepath.Join(opts.Place.Home, ".openclaw", "openclaw.json"), "{mcp: {servers: {'--all': {command: 'docker', args: ['run', '-i', 'memoir']}}}}")
	if _, err := agent(t, "openclaw").Connect(t.Context(), opts); err == nil || strings.Contains(err.Error(), "it ran") {
		t.Errorf("a name that is a flag: %v", err)
	}
	put(t, filepath.Join(opts.Place.Home, ".openclaw", "openclaw.json"), "{mcp: {servers: {notes: {command: 'docker', args: ['run', '-i', 'memoir']}}}}")
	var ran []string
	opts.Run = func(_ context.Context, words []string) error {
		ran = append(ran, strings.Join(words[:4], " "))
		return nil
	}
	connect(t, "openclaw", opts)
	if want := []string{"openclaw mcp unset notes", "openclaw mcp set memoir"}; !cmp.Equal(ran, want) {
		t.Errorf("ran %q, want %q", ran, want)
	}
}

// TestThroughHostile: settings that are no such thing have no such server.
func TestThroughHostile(t *testing.T) {
	deep, err := json.Marshal(strings.Repeat("[", 1<<20))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"", "\xef\xbb\xbf", "[]", "{", `{"mcpServers": []}`, `{"mcpServers": {"a": 1, "b": {"command": {}}, "c": {"command": "npx", "args": {}}, "d": {"command": ["npx"]}}}`, strings.Repeat("[", 1<<20), strings.Repeat(`{"a":`, 1<<19), strings.Repeat(`{"}": /*}*/`, 1<<18), string(deep)} {
		opts := machine(t)
		put(t, filepath.Join(opts.Place.Home, ".cursor", "mcp.json"), text)
		if found := agent(t, "cursor").Through(opts.Place); len(found) != 0 {
			t.Errorf("%.40q: found %+v", text, found)
		}
	}
	for _, text := range []string{"a = " + strings.Repeat("[", 1<<20), "a = " + strings.Repeat("{a=", 1<<20), "[mcp_servers]\nmemoir = 1\n", "mcp_servers = 1\n"} {
		opts := machine(t)
		put(t, filepath.Join(opts.Place.Home, ".codex", "config.toml"), text)
		if found := agent(t, "codex").Through(opts.Place); len(found) != 0 {
			t.Errorf("%.40q: found %+v", text, found)
		}
	}
	opts := machine(t)
	if err := os.MkdirAll(filepath.Join(opts.Place.Home, ".cursor", "mcp.json"), 0o700); err != nil {
		t.Fatal(err)
	}
	if found := agent(t, "cursor").Through(opts.Place); len(found) != 0 {
		t.Errorf("a folder: found %+v", found)
	}
}

// TestReplacedOdd: a server that is written in another way is taken out as well, or nothing
// is changed.
func TestReplacedOdd(t *testing.T) {
	npx := `{"command": "npx", "args": ["-y", "@memoir-ai/memoir", "mcp"]}`
	for _, tt := range []struct{ agent, file, before string }{
		{"cursor", ".cursor/mcp.json", `{"mcpServers": {"n": ` + npx + `, "n": ` + npx + `, "m": ` + npx + `}}`},
		{"cursor", ".cursor/mcp.json", `{"mcpServers": {"a": 1}, "mcpServers": {"n": ` + npx + `}}`},
		{"codex", ".codex/config.toml", "model = \"a\"\r\n\r\n[mcp_servers.\"a.b\"]\r\ncommand = \"npx\"\r\nargs = [\"memoir\", \"mcp\"]\r\n\r\n[x]\r\ny = 1\r\n"},
		{"codex", ".codex/config.toml", "\xef\xbb\xbfmcp_servers.n.command = \"npx\"\nmcp_servers.n.args = [\"memoir\", \"mcp\"]\n"},
		{"codex", ".codex/config.toml", "[mcp_servers]\nn = {command = \"npx\", args = [\"memoir\", \"mcp\"]}\nm = {command = \"y\"}\n"},
		{"codex", ".codex/config.toml", "mcp_servers = {n = {command = \"npx\", args = [\"memoir\", \"mcp\"]}, m = {command = \"y\"}}\n"},
	} {
		opts := machine(t)
		opts.Replace = true
		path := filepath.Join(opts.Place.Home, filepath.FromSlash(tt.file))
		put(t, path, tt.before)
		if len(agent(t, tt.agent).Through(opts.Place)) == 0 {
			t.Errorf("%s: none is found", tt.before)
		}
		_, err := agent(t, tt.agent).Connect(t.Context(), opts)
		now := tree(t, opts.Place.Home)[tt.file]
		if err != nil && now != tt.before || err == nil && strings.Contains(now, "npx") {
			t.Errorf("%s became\n%s\n%v", tt.before, now, err)
		}
		undo(t, tt.agent, opts)
		if now := tree(t, opts.Place.Home)[tt.file]; now != tt.before {
			t.Errorf("undone\n%s\nis\n%s", tt.before, now)
		}
	}
}

// TestReplacedAgain: what a person has put in the place of memoir's part stays when that is
// undone, and comes back after it was replaced once more, also when a setup before was killed
// between its record and the file.
func TestReplacedAgain(t *testing.T) {
	const docker, elsewhere = `{"mcpServers": {"memoir": {"command": "docker", "args": ["run", "-i", "memoir"]}}}`, `{"mcpServers": {"memoir": {"url": "http://127.0.0.1:1/mcp"}}}`
	for _, tt := range []struct{ before, edited string }{
		{docker, docker}, {elsewhere, elsewhere},
		{`{"mcpServers": {"x": 1}}`, `{"mcpServers": {"x": 1, "memoir": {"command": "docker", "args": ["run", "-i", "memoir"]}}}`},
	} {
		for _, again := range []bool{false, true} {
			opts := machine(t)
			opts.Replace = true
			path := filepath.Join(opts.Place.Home, ".cursor", "mcp.json")
			put(t, path, tt.before)
			connect(t, "cursor", opts)
			put(t, path, tt.edited)
			if again {
				connect(t, "cursor", opts)
			}
			undo(t, "cursor", opts)
			if diff := cmp.Diff(map[string]string{".cursor/mcp.json": tt.edited}, tree(t, opts.Place.Home)); diff != "" {
				t.Errorf("edited to %s, replaced again %t, undone (-want +got):\n%s", tt.edited, again, diff)
			}
		}
	}
}
