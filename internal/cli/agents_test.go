package cli_test

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/memoir-ai/memoir/internal/notegen"
)

// TestAgents runs real agents against a stand-in of their model on this machine: one
// session tells a fact, and the next one, in another folder, is given it, or finds it
// where the agent gives its sessions nothing. They are connected by memoir setup, and
// those that install the plugin by that. The variable MEMOIR_TEST_AGENTS names a folder
// with the agents, as .ci/agents makes it. An agent that is not there is left out.
func TestAgents(t *testing.T) {
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
				if len(found) == 0 {
					t.Skip("it is not in the folder")
				}
				m := newAgentMachine(t, a, found[0], root, path)
				if way.connect == nil {
					m.run("memoir", "setup", a.name)
				}
				for _, args := range way.connect {
					m.agent(args...)
				}
				m.tellAndAsk()
				m.run("memoir", "doctor", "--live", a.name) // which fails when a link does not hold
				if way.connect == nil {
					m.undo()
				}
			})
		}
	}
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
}

var realAgents = []realAgent{
	{
		name: "claude-code", program: "claude/node_modules/@anthropic-ai/claude-code-*/claude",
		say: []string{"-p", "PROMPT", "--allowedTools", "mcp__memoir", "mcp__plugin_memoir_memoir"},
		plugin: [][]string{
			{"plugin", "validate", "ROOT", "--strict"}, {"plugin", "validate", "ROOT/plugins/memoir", "--strict"},
			{"plugin", "marketplace", "add", "ROOT"}, {"plugin", "install", "memoir@memoir"},
		},
		env: []string{"ANTHROPIC_BASE_URL=http://MODEL", "ANTHROPIC_API_KEY=none", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1"},
	},
	{
		name: "codex", program: "codex/node_modules/@openai/codex-*/vendor/*/bin/codex",
		say:    []string{"exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", "PROMPT"},
		plugin: [][]string{{"plugin", "marketplace", "add", "ROOT"}, {"plugin", "add", "memoir@memoir"}},
		files: map[string]string{".codex/config.toml": "model = \"m\" # mine\nmodel_provider = \"m\"\napproval_policy = \"never\"\nsandbox_mode = \"danger-full-access\"\ncheck_for_update_on_startup = false\n\n" +
			"[analytics]\nenabled = false\n\n[model_providers.m]\nname = \"m\"\nbase_url = \"http://MODEL/v1\"\nwire_api = \"responses\"\nrequest_max_retries = 0\nstream_max_retries = 0\n"},
	},
	{
		name: "gemini", program: "gemini/node_modules/@google/gemini-cli/bundle/gemini.js",
		say: []string{"-p", "PROMPT", "-m", "gemini-2.5-flash", "--approval-mode", "yolo"},
		files: map[string]string{".gemini/settings.json": `{"security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": false}},
  "privacy": {"usageStatisticsEnabled": false}, "general": {"enableAutoUpdate": false}}`},
		env: []string{"GEMINI_API_KEY=none", "GOOGLE_GEMINI_BASE_URL=http://MODEL"},
	},
	{
		name: "opencode", program: "opencode/node_modules/opencode-*/bin/opencode",
		say: []string{"run", "PROMPT"},
		files: map[string]string{".config/opencode/opencode.json": `{"autoupdate": false, "share": "disabled", "model": "m/m", "small_model": "m/m", "permission": {"*": "allow"}, "provider": {"m": {"npm": "@ai-sdk/openai-compatible",
  "name": "M", "options": {"baseURL": "http://MODEL/v1", "apiKey": "none"}, "models": {"m": {"name": "M", "limit": {"context": 100000, "output": 4096}}}}}}`},
		env: []string{"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_DEFAULT_PLUGINS=1"},
	},
	{
		name: "openclaw", program: "openclaw/node_modules/openclaw/openclaw.mjs",
		say:    []string{"agent", "--local", "--agent", "main", "--session-id", "SESSION", "-m", "PROMPT", "--json"},
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
	env     []string
	model   *standIn
	address string
}

func newAgentMachine(t *testing.T, a realAgent, program, root string, path []string) *agentMachine {
	m := &agentMachine{T: t, realAgent: a, words: []string{program}, root: root, home: t.TempDir(), model: &standIn{}}
	if strings.HasSuffix(program, "js") {
		m.words = []string{"node", program}
	}
	server := httptest.NewServer(m.model)
	t.Cleanup(server.Close)
	m.address = server.URL
	for name, text := range a.files {
		writeFile(t, filepath.Join(m.home, name), m.filled(text))
	}
	m.env = []string{"HOME=" + m.home, "PATH=" + strings.Join(path, ":"), "NO_COLOR=1"}
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
	ctx, cancel := context.WithTimeout(m.Context(), 5*time.Minute)
	defer cancel()
	cmd := m.command(ctx, words...)
	began := time.Now()
	out, err := cmd.CombinedOutput()
	if err != nil {
		m.Fatalf("%q: %v\n%s", words, err, out)
	}
	m.Logf("%v: %.120q", time.Since(began).Round(time.Millisecond), words[1:])
	return string(out)
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
	m.model.call("memory_remember", `{"text":"Ann takes her tea without milk","type":"preference"}`)
	printed := m.say("first", "remember that I take my tea without milk")
	if told := m.model.reset(); !strings.Contains(told, "Ann takes her tea") { // the call comes back with its answer
		m.Fatalf("the tool was not called:\n%.4000s\nprinted:\n%.4000s", told, printed)
	}
	if m.finds {
		m.model.call("memory_search", `{"query":"tea milk"}`)
	}
	printed = m.say("second", "what else is there?")
	asked := m.model.reset()
	if !strings.Contains(asked, "Ann takes her tea without milk") || !strings.Contains(asked, "memory_search") {
		m.Errorf("the model was asked without the fact or the tools:\n%.4000s\nprinted:\n%.4000s", asked, printed)
	}
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

// TestSlot: memoir is OpenClaw's memory: its own tools answer from the notes of the
// workspace, as its gateway and its doctor do, the turn before a compaction writes where
// the plan says, what it writes is found, and the server ends with the host.
func TestSlot(t *testing.T) {
	dir, root, path := agentsFolder(t)
	a := realAgents[slices.IndexFunc(realAgents, func(a realAgent) bool { return a.name == "openclaw" })]
	program := filepath.Join(dir, a.program)
	if _, err := os.Stat(program); err != nil {
		t.Skip("it is not in the folder")
	}
	m := newAgentMachine(t, a, program, root, path)
	workspace := filepath.Join(m.home, "openclaw")
	writeFile(t, filepath.Join(workspace, "MEMORY.md"), "- Router VLAN 30 is for the cameras.\n")
	holds := func(text string, parts ...string) {
		t.Helper()
		for _, p := range parts {
			if !strings.Contains(text, p) {
				t.Errorf("no %q in\n%.3000s", p, text)
			}
		}
	}
	m.agent("plugins", "install", "ROOT/plugins/openclaw-memoir", "--force", "--accept-capabilities")
	holds(m.agent("plugins", "inspect", "openclaw-memoir", "--runtime", "--json"), `"activationReason": "selected memory slot"`, `"status": "loaded"`, `"memory_get"`)

	// A session: the tools are OpenClaw's, the answer is memoir's.
	m.model.call("memory_search", `{"query":"which vlan do the cameras have"}`)
	m.say("first", "which vlan?")
	holds(m.model.reset(), "call memory_search with the words of the question", `VLAN 30`, `MEMORY.md#L1`)
	m.model.call("memory_get", `{"path":"MEMORY.md"}`)
	m.say("second", "read it")
	holds(m.model.reset(), `\"status\": \"ok\"`, `VLAN 30`)

	// A session that is full: the plan of memoir, one file, and nothing else.
	file := "memory/" + time.Now().Format(time.DateOnly) + ".md"
	m.model.tokens = 92_000
	m.say("third", "a long talk")
	m.model.call("write", fmt.Sprintf(`{"path":%q,"content":"- The alarm code of the shed was changed in May.\\n"}`, file))
	m.model.when = "Pre-compaction memory flush"
	m.say("third", "go on")
	holds(m.model.reset(), "Store what later sessions need only in "+file)
	m.model.tokens = 0
	if got, err := os.ReadFile(filepath.Join(workspace, file)); err != nil || !strings.Contains(string(got), "alarm code of the shed") {
		t.Errorf("%s is %q, %v", file, got, err)
	}

	// The gateway, and what it says of its memory.
	call, stop, said := m.gateway()
	found := call("memory.search", `{"query":"alarm code of the shed"}`)
	holds(found, `"path": "`+file+`"`, `"searchMode": "hybrid"`)
	if strings.Contains(found, "stale") {
		t.Errorf("it is called stale: %s", found)
	}
	holds(call("doctor.memory.status", `{"probe":true}`), `"provider": "local"`, `"ok": true`)
	holds(m.agent("status"), "plugin openclaw-memoir")
	servers := m.running(workspace)
	if len(servers) == 0 {
		t.Errorf("no server runs for the gateway, which said\n%s", said)
	}
	stop()
	if left := m.running(workspace); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// gateway starts OpenClaw's, and returns what calls a method of it, what ends it, and
// what it said until it was ready.
func (m *agentMachine) gateway() (call func(method, params string) string, stop func(), said string) {
	m.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		m.Fatal(err)
	}
	port := fmt.Sprint(l.Addr().(*net.TCPAddr).Port)
	if err := l.Close(); err != nil {
		m.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(m.Context(), 10*time.Minute)
	gateway := m.command(ctx, append(m.words, "gateway", "run", "--port", port, "--auth", "token", "--token", "T")...)
	gateway.Env = nil
	gateway.Cancel = func() error { return gateway.Process.Signal(os.Interrupt) }
	out, err := gateway.StdoutPipe()
	if err != nil {
		m.Fatal(err)
	}
	gateway.Stderr = gateway.Stdout
	if err := gateway.Start(); err != nil {
		m.Fatal(err)
	}
	stop = sync.OnceFunc(func() {
		cancel()
		_ = gateway.Wait() // it was interrupted
	})
	m.Cleanup(stop)
	lines := bufio.NewScanner(out)
	for lines.Scan() && !strings.Contains(lines.Text(), "[gateway] ready") {
		said += lines.Text() + "\n"
	}
	go func() {
		_, _ = io.Copy(io.Discard, out) // so that it is not cut off
	}()
	return func(method, params string) string {
		return m.agent("gateway", "call", method, "--url", "ws://127.0.0.1:"+port, "--token", "T", "--json", "--params", params)
	}, stop, said
}

// TestSlotTimes tells how long OpenClaw's calls take with its own memory and with memoir
// in the slot, over the same notes, each with the start of its command line. Its own
// searches by words alone: there is no provider without a network.
func TestSlotTimes(t *testing.T) {
	dir, root, path := agentsFolder(t)
	a := realAgents[slices.IndexFunc(realAgents, func(a realAgent) bool { return a.name == "openclaw" })]
	a.files = map[string]string{".openclaw/openclaw.json": strings.Replace(openclawSettings, "{\n", "{\n  \"memory\": {\"search\": {\"provider\": \"none\"}},\n", 1)}
	program := filepath.Join(dir, a.program)
	if _, err := os.Stat(program); err != nil {
		t.Skip("it is not in the folder")
	}
	m := newAgentMachine(t, a, program, root, path)
	workspace := filepath.Join(m.home, "openclaw")
	facts, err := notegen.Write(workspace, notegen.Options{Days: 7})
	if err != nil {
		t.Fatal(err)
	}
	m.run("memoir", "index", "--workspace", workspace)
	for _, memory := range []string{"built-in", "memoir"} {
		if memory == "memoir" {
			m.agent("plugins", "install", "ROOT/plugins/openclaw-memoir", "--force", "--accept-capabilities")
		}
		call, stop, _ := m.gateway()
		took := func(what string, do func(i int) string, want string) {
			var all []time.Duration
			found := 0
			for i := range 3 {
				began := time.Now()
				if strings.Contains(do(i), want) {
					found++
				}
				all = append(all, time.Since(began))
			}
			first := all[0]
			slices.Sort(all)
			t.Logf("TIME %s %s: first %v, median %v, longest %v, %d of %d with %q", memory, what, first.Round(time.Millisecond), all[1].Round(time.Millisecond), all[2].Round(time.Millisecond), found, len(all), want)
		}
		took("memory.search", func(i int) string {
			q, _ := json.Marshal(map[string]string{"query": facts[i*len(facts)/3].Text}) // a string always can be written
			return call("memory.search", string(q))
		}, `"path": "memory/`)
		took("doctor.memory.status", func(int) string { return call("doctor.memory.status", `{"probe":true}`) }, `"agentId"`)
		stop()
		took("a turn with memory_search", func(i int) string {
			m.model.call("memory_search", `{"query":"`+memory+`"}`)
			m.say(memory+fmt.Sprint(i), "look")
			return m.model.reset()
		}, `memory_search`)
	}
}

// running returns the command lines of servers of a workspace.
func (m *agentMachine) running(workspace string) []string {
	m.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		m.Fatal(err)
	}
	var all []string
	for _, f := range files {
		line, _ := os.ReadFile(f) // of a process that has just ended nothing
		if words := strings.Split(string(line), "\x00"); slices.Contains(words, "mcp") && slices.Contains(words, workspace) {
			all = append(all, strings.Join(words, " "))
		}
	}
	return all
}

// standIn answers as four interfaces of models do: with a call of a tool when one was
// asked of it, once, and with a word.
type standIn struct {
	mu        sync.Mutex
	tool      string // that is to be called; "" is none
	arguments string
	when      string // what a request has to hold for that
	tokens    int    // that a request is said to have; 0 is 100
	asked     strings.Builder
}

// call has the next request that offers a tool answered with a call of it.
func (s *standIn) call(tool, arguments string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tool, s.arguments, s.when = tool, arguments, ""
}

// reset calls no more, and returns what was asked since it was called last.
func (s *standIn) reset() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := s.asked.String()
	s.tool = ""
	s.asked.Reset()
	return text
}

func (s *standIn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body) // what is missing is not found in it
	s.mu.Lock()
	s.asked.Write(body)
	tool, arguments := "", s.arguments
	tokens := cmp.Or(s.tokens, 100)
	if s.tool != "" && strings.Contains(string(body), s.when) && !strings.Contains(r.URL.Path, "ount") { // nobody calls a tool when tokens are counted
		if tool = toolNamed(body, s.tool); tool != "" {
			s.tool = ""
		}
	}
	s.mu.Unlock()
	var events []string
	switch path := r.URL.Path; {
	case strings.HasSuffix(path, "/count_tokens"):
		fmt.Fprint(w, `{"input_tokens":100}`)
		return
	case strings.HasSuffix(path, ":countTokens"):
		fmt.Fprint(w, `{"totalTokens":100}`)
		return
	case strings.HasSuffix(path, ":generateContent"):
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, generated("", "")[0])
		return
	case strings.HasSuffix(path, ":streamGenerateContent"):
		events = generated(tool, arguments)
	case strings.HasSuffix(path, "/messages"):
		events = messages(tool, arguments)
	case strings.HasSuffix(path, "/responses"):
		events = responses(tool, arguments)
	case strings.HasSuffix(path, "/chat/completions"):
		events = completions(tool, arguments, tokens)
	default:
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, e := range events {
		var x struct{ Type string }
		if json.Unmarshal([]byte(e), &x) == nil && x.Type != "" {
			fmt.Fprintf(w, "event: %s\n", x.Type)
		}
		fmt.Fprintf(w, "data: %s\n\n", e)
	}
}

// toolNamed returns the whole name of a tool that a request offers, or "". Of several
// that end so the one of a server is meant, whose name is longer.
func toolNamed(body []byte, name string) string {
	found := ""
	for _, m := range regexp.MustCompile(`"([A-Za-z0-9_-]*`+name+`)"`).FindAllSubmatch(body, -1) {
		if len(m[1]) > len(found) {
			found = string(m[1])
		}
	}
	return found
}

func generated(tool, arguments string) []string {
	part := `{"text":"noted"}`
	if tool != "" {
		part = fmt.Sprintf(`{"functionCall":{"id":"f1","name":%q,"args":%s}}`, tool, arguments)
	}
	return []string{`{"candidates":[{"content":{"role":"model","parts":[` + part + `]},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":100,"candidatesTokenCount":10,"totalTokenCount":110},"modelVersion":"m"}`}
}

func messages(tool, arguments string) []string {
	block, delta, stop := `{"type":"text","text":""}`, `{"type":"text_delta","text":"noted"}`, "end_turn"
	if tool != "" {
		block = fmt.Sprintf(`{"type":"tool_use","id":"toolu_1","name":%q,"input":{}}`, tool)
		delta, stop = fmt.Sprintf(`{"type":"input_json_delta","partial_json":%q}`, arguments), "tool_use"
	}
	return []string{
		`{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":100,"output_tokens":1}}}`,
		`{"type":"content_block_start","index":0,"content_block":` + block + `}`,
		`{"type":"content_block_delta","index":0,"delta":` + delta + `}`,
		`{"type":"content_block_stop","index":0}`,
		`{"type":"message_delta","delta":{"stop_reason":"` + stop + `","stop_sequence":null},"usage":{"output_tokens":10}}`,
		`{"type":"message_stop"}`,
	}
}

func responses(tool, arguments string) []string {
	item := `{"type":"message","id":"msg_1","role":"assistant","status":"completed","content":[{"type":"output_text","text":"noted","annotations":[]}]}`
	if tool != "" {
		item = fmt.Sprintf(`{"type":"function_call","id":"fc_1","call_id":"call_1","name":%q,"namespace":"mcp__memoir","arguments":%q,"status":"completed"}`, tool, arguments)
	}
	return []string{
		`{"type":"response.created","response":{"id":"resp_1"}}`,
		`{"type":"response.output_item.added","output_index":0,"item":` + item + `}`,
		`{"type":"response.output_item.done","output_index":0,"item":` + item + `}`,
		`{"type":"response.completed","response":{"id":"resp_1","output":[` + item + `],"usage":{"input_tokens":100,"input_tokens_details":{"cached_tokens":0},"output_tokens":10,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":110}}}`,
	}
}

func completions(tool, arguments string, tokens int) []string {
	delta, finish := `{"role":"assistant","content":"noted"}`, "stop"
	if tool != "" {
		delta = fmt.Sprintf(`{"role":"assistant","tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":%q,"arguments":%q}}]}`, tool, arguments)
		finish = "tool_calls"
	}
	const head = `{"id":"c1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,`
	return []string{
		head + `"delta":` + delta + `,"finish_reason":null}]}`,
		head + `"delta":{},"finish_reason":"` + finish + `"}],"usage":` + fmt.Sprintf(`{"prompt_tokens":%d,"completion_tokens":10,"total_tokens":%d}}`, tokens, tokens+10),
		`[DONE]`,
	}
}
