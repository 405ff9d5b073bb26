package cli_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/chunk"
	"github.com/memoir-ai/memoir/internal/hook"
	"github.com/memoir-ai/memoir/internal/prime"
)

// TestAgents runs real agents against a stand-in of their model on this machine: one
// session tells a fact, and the next one, in another folder, is given it, or finds it
// where the agent gives its sessions nothing. They are connected by memoir setup, and
// those that install the plugin by that. The variable MEMOIR_TEST_AGENTS names a folder
// with the agents, as .ci/agents makes it. An agent that is not there is left out.
func TestAgents(t *testing.T) {
	t.Parallel()
	dir, root, path := agentsFolder(t)
	for _, a := range realAgents {
		found, err := filepath.Glob(filepath.Join(dir, a.program))
		if err != nil {
			t.Fatal(err)
		}
		for _, way := range []struct {
			name    string
			connect [][]string
		}{{"setup", nil}, {"plugin", a.plugin}} {
			if way.name == "plugin" && way.connect == nil {
				continue
			}
			t.Run(a.name+"/"+way.name, func(t *testing.T) {
				t.Parallel()
				if len(found) == 0 {
					t.Skip("it is not in the folder")
				}
				m := newAgentMachine(t, a, found[0], root, path)
				if way.connect == nil {
					m.givesBack()
					m.run("memoir", "setup", a.name)
					m.fill()
				}
				for _, args := range way.connect {
					m.agent(args...)
				}
				m.tellAndAsk()
				m.searchAndForget()
				m.run("memoir", "doctor", "--live", a.name) // which fails when a link does not hold
				if way.connect == nil {
					m.undo()
				}
			})
		}
	}
}

// TestAgentsOverHTTP runs the real agents that take a server at an address: each is let in
// by a token, and remembers, searches and forgets.
func TestAgentsOverHTTP(t *testing.T) {
	t.Parallel()
	dir, root, path := agentsFolder(t)
	for _, a := range realAgents {
		if a.http == nil {
			continue
		}
		found, err := filepath.Glob(filepath.Join(dir, a.program))
		if err != nil {
			t.Fatal(err)
		}
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			if len(found) == 0 {
				t.Skip("it is not in the folder")
			}
			m := newAgentMachine(t, a, found[0], root, path)
			url := m.serve()
			secret := strings.TrimSpace(m.run("memoir", "token", "create", "--allow", "read,write,private", "agent"))
			m.http(m, url+"/mcp", secret)
			m.tell()
			m.searchAndForget()
			m.run("memoir", "doctor", "--live", a.name) // which goes to the address
			audit, err := os.ReadFile(filepath.Join(m.home, ".local", "state", "memoir", "serve", "audit.jsonl"))
			for _, line := range []string{`"who":"token agent","route":"/mcp memory_remember","status":200`, `"who":"token agent","route":"/mcp memory_forget","status":200`} {
				if !strings.Contains(string(audit), line) {
					t.Errorf("no %s in the audit, %v:\n%s", line, err, audit)
				}
			}
		})
	}
}

// serve starts memoir serve, which asks everybody for a token.
func (m *agentMachine) serve() (url string) {
	m.Helper()
	ctx, cancel := context.WithCancel(m.Context())
	cmd := m.command(ctx, "memoir", "serve", "--addr", "127.0.0.1:0")
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		m.Fatal(err)
	}
	m.Cleanup(func() {
		cancel()
		_ = cmd.Wait() // it was interrupted
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		m.Fatal("memoir does not serve: ", err)
	}
	return strings.TrimSpace(line)
}

// add puts a text at the end of one of the agent's files, or in the place of another.
func (m *agentMachine) add(name, old, text string) {
	m.Helper()
	file := filepath.Join(m.home, name)
	data, err := os.ReadFile(file)
	if err != nil {
		m.Fatal(err)
	}
	all := string(data) + text
	if old != "" {
		if all = strings.Replace(string(data), old, text, 1); all == string(data) {
			m.Fatalf("%s has no %s", name, old)
		}
	}
	writeFile(m.T, file, all)
}

// agentsFolder returns the folder with agents, the root of the repository, and where the
// programs are, memoir among them.
func agentsFolder(t *testing.T) (dir, root string, path []string) {
	t.Helper()
	dir = os.Getenv("MEMOIR_TEST_AGENTS")
	if dir == "" {
		t.Skip("set MEMOIR_TEST_AGENTS to a folder with agents, or run .ci/agents")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(t.TempDir(), "bin")
	if out, err := exec.Command("go", "build", "-o", filepath.Join(bin, "memoir"), root+"/cmd/memoir").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	node, err := filepath.Glob(filepath.Join(dir, "node/node_modules/node-*/bin"))
	if err != nil {
		t.Fatal(err)
	}
	path = append(append([]string{bin}, node...), filepath.Join(dir, "openclaw/node_modules/.bin"), "/usr/local/bin", "/usr/bin", "/bin")
	return dir, root, path
}

// realAgent is a program with what it needs. In words PROMPT, SESSION, ROOT and
// http://MODEL are replaced.
type realAgent struct {
	name    string
	program string // a pattern below the folder of agents; one that ends in js is Node's
	say     []string
	plugin  [][]string // its own commands that check and install the plugin
	files   map[string]string
	env     []string
	finds   bool // its sessions are given nothing, and have to search
	// http connects it with a server at an address; nil: it is not tried.
	http func(m *agentMachine, url, token string)
}

var realAgents = []realAgent{
	{
		name: "claude-code", program: "claude/node_modules/@anthropic-ai/claude-code-*/claude",
		say: []string{"-p", "PROMPT", "--allowedTools", "mcp__memoir", "mcp__plugin_memoir_memoir"},
		plugin: [][]string{
			{"plugin", "validate", "ROOT", "--strict"}, {"plugin", "validate", "ROOT/plugins/memoir", "--strict"},
			{"plugin", "marketplace", "add", "ROOT"}, {"plugin", "install", "memoir@memoir"},
		},
		http: func(m *agentMachine, url, token string) {
			m.agent("mcp", "add", "--transport", "http", "--scope", "user", "memoir", url, "--header", "Authorization: Bearer "+token)
		},
		env: []string{"ANTHROPIC_BASE_URL=http://MODEL", "ANTHROPIC_API_KEY=none", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1"},
	},
	{
		name: "codex", program: "codex/node_modules/@openai/codex-*/vendor/*/bin/codex",
		say:    []string{"exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", "PROMPT"},
		plugin: [][]string{{"plugin", "marketplace", "add", "ROOT"}, {"plugin", "add", "memoir@memoir"}},
		http: func(m *agentMachine, url, token string) {
			m.add(".codex/config.toml", "", fmt.Sprintf("\n[mcp_servers.memoir]\nurl = %q\nbearer_token_env_var = \"MEMOIR_TEST_TOKEN\"\n", url))
			m.env = append(m.env, "MEMOIR_TEST_TOKEN="+token)
		},
		files: map[string]string{".codex/config.toml": "model = \"m\" # mine\nmodel_provider = \"m\"\napproval_policy = \"never\"\nsandbox_mode = \"danger-full-access\"\ncheck_for_update_on_startup = false\n\n" +
			"[analytics]\nenabled = false\n\n[model_providers.m]\nname = \"m\"\nbase_url = \"http://MODEL/v1\"\nwire_api = \"responses\"\nrequest_max_retries = 0\nstream_max_retries = 0\n"},
	},
	{
		name: "gemini", program: "gemini/node_modules/@google/gemini-cli/bundle/gemini.js",
		say: []string{"-p", "PROMPT", "-m", "gemini-2.5-flash", "--approval-mode", "yolo"},
		http: func(m *agentMachine, url, token string) {
			m.add(".gemini/settings.json", "{", fmt.Sprintf(`{"mcpServers": {"memoir": {"httpUrl": %q, "headers": {"Authorization": "Bearer %s"}}}, `, url, token))
		},
		files: map[string]string{".gemini/settings.json": `{"security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": false}},
  "privacy": {"usageStatisticsEnabled": false}, "general": {"enableAutoUpdate": false}}`},
		env: []string{"GEMINI_API_KEY=none", "GOOGLE_GEMINI_BASE_URL=http://MODEL"},
	},
	{
		name: "opencode", program: "opencode/node_modules/opencode-*/bin/opencode",
		say: []string{"run", "PROMPT"},
		http: func(m *agentMachine, url, token string) {
			m.add(".config/opencode/opencode.json", "{", fmt.Sprintf(`{"mcp": {"memoir": {"type": "remote", "url": %q, "headers": {"Authorization": "Bearer %s"}, "oauth": false, "enabled": true}}, `, url, token))
		},
		files: map[string]string{".config/opencode/opencode.json": `{"autoupdate": false, "share": "disabled", "model": "m/m", "small_model": "m/m", "permission": {"*": "allow"}, "provider": {"m": {"npm": "@ai-sdk/openai-compatible",
  "name": "M", "options": {"baseURL": "http://MODEL/v1", "apiKey": "none"}, "models": {"m": {"name": "M", "limit": {"context": 100000, "output": 4096}}}}}}`},
		env: []string{"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_DEFAULT_PLUGINS=1"},
	},
	{
		name: "openclaw", program: "openclaw/node_modules/openclaw/openclaw.mjs",
		say:    []string{"agent", "--local", "--agent", "main", "--session-id", "SESSION", "-m", "PROMPT", "--timeout", "0", "--json"},
		plugin: [][]string{{"plugins", "install", "ROOT/plugins/memoir", "--force", "--accept-capabilities"}},
		files:  map[string]string{".openclaw/openclaw.json": openclawSettings},
		finds:  true,
	},
}

const openclawSettings = `{
  "update": {"checkOnStart": false},
  "gateway": {"mode": "local"},
  "agents": {"defaults": {"workspace": "~/openclaw", "model": {"primary": "m/m"}}},
  "models": {"mode": "merge", "providers": {"m": {"baseUrl": "http://MODEL/v1", "apiKey": "none", "api": "openai-completions", "models": [
    {"id": "m", "name": "M", "contextWindow": 100000, "maxTokens": 4096, "input": ["text"], "reasoning": false, "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}}]}}},
  "tools": {"toolSearch": false}
}
`

// agentMachine is a home folder with an agent, and the stand-in of its model.
type agentMachine struct {
	*testing.T
	realAgent
	words   []string // that start the agent
	root    string   // of the repository
	home    string
	memoir  string // the program, which is this machine's own
	env     []string
	model   *standIn
	address string
	full    bool          // the notes hold more than a session is given
	spent   time.Duration // processor time of what was run

	host        *os.Process // OpenClaw's gateway
	hostAddress string
}

func newAgentMachine(t *testing.T, a realAgent, program, root string, path []string) *agentMachine {
	m := &agentMachine{T: t, realAgent: a, words: []string{program}, root: root, home: t.TempDir(), memoir: filepath.Join(t.TempDir(), "memoir"), model: &standIn{}}
	if err := os.Link(filepath.Join(path[0], "memoir"), m.memoir); err != nil {
		t.Fatal(err)
	}
	if strings.HasSuffix(program, "js") {
		m.words = []string{"node", program}
	}
	server := httptest.NewServer(m.model)
	t.Cleanup(server.Close)
	m.address = server.URL
	for name, text := range a.files {
		writeFile(t, filepath.Join(m.home, name), m.filled(text))
	}
	writeFile(t, filepath.Join(m.home, ".config", "memoir", "config.toml"), "hook.searchTime = \"8s\"\n") // for busy machines
	m.env = []string{"HOME=" + m.home, "PATH=" + strings.Join(append([]string{filepath.Dir(m.memoir)}, path[1:]...), ":"), "NO_COLOR=1"}
	for _, x := range a.env {
		m.env = append(m.env, m.filled(x))
	}
	return m
}

func (m *agentMachine) filled(text string) string {
	return strings.NewReplacer("http://MODEL", m.address, "ROOT", m.root).Replace(text)
}

// run runs a program of the machine in an empty folder and returns what it prints.
func (m *agentMachine) run(words ...string) string {
	m.Helper()
	ctx, cancel := m.untilTheEnd()
	defer cancel()
	cmd := m.command(ctx, words...)
	began := time.Now()
	out, err := cmd.CombinedOutput()
	if err != nil {
		m.Fatalf("%q: %v\n%s", words, err, out)
	}
	m.spent += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	m.Logf("%v: %.120q", time.Since(began).Round(time.Millisecond), words[1:])
	return string(out)
}

// untilTheEnd is as long as the test may take, less a minute to tell what did not end.
// No command has a limit of its own: a busy machine would break it.
func (m *agentMachine) untilTheEnd() (context.Context, context.CancelFunc) {
	if end, ok := m.Deadline(); ok {
		return context.WithDeadline(m.Context(), end.Add(-time.Minute))
	}
	return context.WithCancel(m.Context())
}

// command makes a command of the machine, whose PATH counts and not that of the test.
func (m *agentMachine) command(ctx context.Context, words ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "/usr/bin/env", append(append([]string{"-i"}, m.env...), words...)...)
	cmd.Dir = m.TempDir()
	return cmd
}

func (m *agentMachine) agent(args ...string) string {
	m.Helper()
	words := append([]string{}, m.words...)
	for _, x := range args {
		words = append(words, m.filled(x))
	}
	return m.run(words...)
}

func (m *agentMachine) say(session, prompt string) string {
	m.Helper()
	words := make([]string, len(m.realAgent.say))
	for i, x := range m.realAgent.say {
		words[i] = strings.NewReplacer("PROMPT", prompt, "SESSION", session).Replace(x)
	}
	return m.agent(words...)
}

// tellAndAsk has a session told a fact, and looks for it in what the model is sent in
// the next one.
func (m *agentMachine) tellAndAsk() {
	m.Helper()
	m.tell()
	if m.finds {
		m.model.call("memory_search", `{"query":"tea milk"}`)
	}
	printed := m.say("second", "what else is there about the crane?")
	asked := m.model.reset()
	if !strings.Contains(asked, "Ann takes her tea without milk") || !strings.Contains(asked, "memory_search") {
		m.Errorf("the model was asked without the fact or the tools:\n%.4000s\nprinted:\n%.4000s", asked, printed)
	}
	m.withinBudget(asked)
	m.model.call("memory_search", `{"query":"how does Ann take her tea"}`)
	m.say("third", "look it up")
	asked = m.model.reset()
	// Where the relevance of what was found stands; the word alone is in descriptions of tools, too.
	for _, at := range regexp.MustCompile(`relevance(?: |\\*":)[01]`).FindAllStringIndex(asked, -1) {
		if i := at[0]; strings.Contains(asked[max(0, i-1200):min(len(asked), i+1200)], "Ann takes her tea without milk") {
			m.Logf("the answer of memory_search, as the model was sent it: …%s…", asked[max(0, i-300):min(len(asked), i+300)])
			return
		}
	}
	m.Errorf("the model was not given what the search found:\n%.4000s", asked)
}

// fill writes more entries into MEMORY.md than a session may be given, a fourth of which
// wait for a word.
func (m *agentMachine) fill() {
	m.Helper()
	m.full = true
	var text strings.Builder
	for i := range 400 {
		thing := []string{"crane", "pump", "gate", "mast"}[i%4]
		fmt.Fprintf(&text, "- The %s number %d of the harbour is checked every %d weeks, and its papers are in cabinet %d. <!-- trigger: %s -->\n", thing, i, i%12+1, i, thing)
	}
	writeFile(m.T, filepath.Join(m.home, ".memoir", "workspace", "MEMORY.md"), text.String())
}

// withinBudget looks at all that hooks gave a session whose prompt was about the crane.
func (m *agentMachine) withinBudget(asked string) {
	m.Helper()
	most := map[string]int{}
	asked = strings.NewReplacer(`\n`, "\n", `\"`, `"`, "&lt;", "<", "&gt;", ">", `\u003c`, "<", `\u003e`, ">").Replace(asked) // texts of JSON; Gemini CLI writes entities
	for _, given := range regexp.MustCompile(`(?s)<memory .*?</memory>`).FindAllString(asked, -1) {
		event := hook.SessionStart
		if strings.Contains(given, "Called for by the message") {
			event = hook.Prompt
		}
		most[event] = max(most[event], chunk.Tokens(given))
	}
	m.Logf("a session was given, in tokens: %v", most)
	if most[hook.SessionStart] > prime.DefaultMaxTokens || most[hook.Prompt] > prime.RecallMaxTokens {
		m.Errorf("more than is allowed: %v", most)
	}
	if m.full && !m.finds && (most[hook.SessionStart] < prime.DefaultMaxTokens*3/4 || most[hook.Prompt] == 0) {
		m.Errorf("the memory is full, and a session was given %v tokens", most)
	}
}

// tell has a session told a fact.
func (m *agentMachine) tell() {
	m.Helper()
	m.model.call("memory_remember", `{"text":"Ann takes her tea without milk","type":"preference"}`)
	printed := m.say("first", "remember that I take my tea without milk")
	told := m.model.reset()
	if !strings.Contains(told, "Ann takes her tea") { // the call comes back with its answer
		m.Fatalf("the tool was not called:\n%.4000s\nprinted:\n%.4000s", told, printed)
	}
	if strings.Contains(told, "anthropic/alwaysLoad") {
		m.Error("the model is sent what is for its program alone, and the tools cost more than they are said to")
	}
}

// searchAndForget has sessions search for the fact and forget it; then it is gone.
func (m *agentMachine) searchAndForget() {
	m.Helper()
	m.model.call("memory_search", `{"query":"tea milk"}`)
	printed := m.say("fourth", "how does Ann take her tea?")
	if asked := m.model.reset(); !strings.Contains(asked, "memory/preferences.md#L") {
		m.Fatalf("nothing was found:\n%.4000s\nprinted:\n%.4000s", asked, printed)
	}
	var listed engine.Forgetting
	if err := json.Unmarshal([]byte(m.run("memoir", "--json", "forget", "--dry-run", "memory/preferences.md#L3")), &listed); err != nil || len(listed.Entries) != 1 {
		m.Fatalf("%+v, %v", listed, err)
	}
	m.model.call("memory_forget", `{"entry":"`+listed.Entries[0].Name()+`"}`)
	printed = m.say("fifth", "forget that")
	if asked := m.model.reset(); !strings.Contains(asked, "dryRun") && !strings.Contains(asked, "Forgotten: ") { // its answer, in one form or the other
		m.Fatalf("nothing was forgotten:\n%.4000s\nprinted:\n%.4000s", asked, printed)
	}
	if left := m.run("memoir", "search", "--json", "-n", "9", "Ann takes her tea"); strings.Contains(left, "without milk") {
		m.Errorf("it is still there: %s", left)
	}
}

// givesBack connects the agent before it ever ran, takes that back, and looks for a
// difference in the home folder: a byte, a file, a permission. Beside it are the notes
// and memoir's own state, which stay.
func (m *agentMachine) givesBack() {
	m.Helper()
	before := m.tree()
	m.run("memoir", "setup", m.name)
	if reflect.DeepEqual(before, m.tree()) {
		m.Error("setup changed nothing")
	}
	m.run("memoir", "setup", "--undo")
	if diff := cmp.Diff(before, m.tree()); diff != "" {
		m.Errorf("the home folder after --undo (-before +after):\n%s", diff)
	}
}

// tree returns what the home folder holds, but for memoir's own.
func (m *agentMachine) tree() map[string]string {
	m.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(m.home, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(m.home, path) // it is below
		switch {
		case rel == ".memoir" || rel == ".local":
			return filepath.SkipDir
		case d.IsDir():
			all[rel] = d.Type().String()
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		all[rel] = info.Mode().String() + " " + string(data)
		return err
	})
	if err != nil {
		m.Fatal(err)
	}
	return all
}

// undo takes memoir out of the agent's settings.
func (m *agentMachine) undo() {
	m.Helper()
	if out := m.run("memoir", "setup", "--undo"); !strings.Contains(out, m.name) {
		m.Error(out)
	}
	for name, text := range m.files {
		got, err := os.ReadFile(filepath.Join(m.home, name))
		if err != nil || strings.Contains(string(got), `"memoir"`) || strings.HasSuffix(name, ".toml") && string(got) != m.filled(text) {
			m.Errorf("%s is %s, %v", name, got, err)
		}
	}
}
