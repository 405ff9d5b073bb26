package cli_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestAgents runs real agents against a stand-in of their model on this machine: one
// session tells a fact, and the next one, in another folder, is given it. The variable
// MEMOIR_TEST_AGENTS names a folder with one folder of npm for each agent, as
//
//	npm install --prefix $MEMOIR_TEST_AGENTS/claude --ignore-scripts @anthropic-ai/claude-code@2.1.329
//	npm install --prefix $MEMOIR_TEST_AGENTS/codex --ignore-scripts @openai/codex@0.169.0
//	npm install --prefix $MEMOIR_TEST_AGENTS/opencode --ignore-scripts opencode-ai@1.18.33
//
// makes them. An agent that is not there is left out.
func TestAgents(t *testing.T) {
	dir := os.Getenv("MEMOIR_TEST_AGENTS")
	if dir == "" {
		t.Skip("set MEMOIR_TEST_AGENTS to a folder with agents")
	}
	bin := filepath.Join(t.TempDir(), "bin")
	if out, err := exec.Command("go", "build", "-o", filepath.Join(bin, "memoir"), "../../cmd/memoir").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, a := range []realAgent{
		{"claude-code", "claude/node_modules/@anthropic-ai/claude-code-*/claude", []string{"-p", "PROMPT", "--allowedTools", "mcp__memoir"}, nil,
			[]string{"ANTHROPIC_BASE_URL=http://MODEL", "ANTHROPIC_API_KEY=none", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1"}},
		{"codex", "codex/node_modules/@openai/codex-*/vendor/*/bin/codex", []string{"exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", "PROMPT"},
			map[string]string{".codex/config.toml": "model = \"m\" # mine\nmodel_provider = \"m\"\napproval_policy = \"never\"\nsandbox_mode = \"danger-full-access\"\ncheck_for_update_on_startup = false\n\n" +
				"[analytics]\nenabled = false\n\n[model_providers.m]\nname = \"m\"\nbase_url = \"http://MODEL/v1\"\nwire_api = \"responses\"\nrequest_max_retries = 0\nstream_max_retries = 0\n"}, nil},
		{"opencode", "opencode/node_modules/opencode-*/bin/opencode", []string{"run", "PROMPT"},
			map[string]string{".config/opencode/opencode.json": `{"autoupdate": false, "share": "disabled", "model": "m/m", "small_model": "m/m", "permission": {"*": "allow"}, "provider": {"m": {"npm": "@ai-sdk/openai-compatible",
  "name": "M", "options": {"baseURL": "http://MODEL/v1", "apiKey": "none"}, "models": {"m": {"name": "M", "limit": {"context": 100000, "output": 4096}}}}}}`},
			[]string{"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_DEFAULT_PLUGINS=1"}},
	} {
		t.Run(a.name, func(t *testing.T) {
			found, err := filepath.Glob(filepath.Join(dir, a.program))
			if err != nil || len(found) == 0 {
				t.Skip("it is not in the folder")
			}
			a.program = found[0]
			a.tellAndAsk(t, bin)
		})
	}
}

// realAgent is a program with what it needs; PROMPT and http://MODEL are replaced.
type realAgent struct {
	name, program string
	args          []string
	files         map[string]string
	env           []string
}

func (a realAgent) tellAndAsk(t *testing.T, bin string) {
	model := &standIn{}
	server := httptest.NewServer(model)
	defer server.Close()
	home := t.TempDir()
	for name, text := range a.files {
		writeFile(t, filepath.Join(home, name), strings.ReplaceAll(text, "http://MODEL", server.URL))
	}
	env := []string{"HOME=" + home, "PATH=" + bin + ":/usr/local/bin:/usr/bin:/bin", "NO_COLOR=1"}
	run := func(program string, args []string) string {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, program, args...)
		cmd.Dir, cmd.Env = t.TempDir(), env
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %q: %v\n%s", program, args, err, out)
		}
		return string(out)
	}
	say := func(prompt string) {
		args := append([]string{}, a.args...)
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "PROMPT", prompt)
		}
		run(a.program, args)
	}
	memoir := filepath.Join(bin, "memoir")
	run(memoir, []string{"setup", a.name})
	for _, x := range a.env {
		env = append(env, strings.ReplaceAll(x, "http://MODEL", server.URL))
	}
	model.tells = true
	say("remember that I take my tea without milk")
	model.reset()
	say("what else is there?")
	asked := model.reset()
	if !strings.Contains(asked, "Ann takes her tea without milk") || !strings.Contains(asked, "memory_search") {
		t.Errorf("the model was asked without the fact or the tools:\n%.4000s", asked)
	}
	if out := run(memoir, []string{"setup", "--undo"}); !strings.Contains(out, a.name) {
		t.Error(out)
	}
	for name, text := range a.files {
		if got, err := os.ReadFile(filepath.Join(home, name)); err != nil || strings.Contains(string(got), "memoir") || strings.HasSuffix(name, ".toml") && string(got) != strings.ReplaceAll(text, "http://MODEL", server.URL) {
			t.Errorf("%s is %s, %v", name, got, err)
		}
	}
}

// standIn answers as three interfaces of models do. When it tells, it calls the tool
// that remembers once.
type standIn struct {
	mu    sync.Mutex
	tells bool // set before the first request
	asked strings.Builder
}

// reset tells no more, and returns what was asked since it was called last.
func (s *standIn) reset() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := s.asked.String()
	s.tells = false
	s.asked.Reset()
	return text
}

const statement = `{"text":"Ann takes her tea without milk","type":"preference"}`

func (s *standIn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body) // what is missing is not found in it
	s.mu.Lock()
	s.asked.Write(body)
	tool := ""
	if s.tells {
		tool = toolNamed(body, "memory_remember")
	}
	if tool != "" && !strings.Contains(r.URL.Path, "count_tokens") {
		s.tells = false
	}
	s.mu.Unlock()
	var events []string
	switch path := r.URL.Path; {
	case strings.HasSuffix(path, "/count_tokens"):
		fmt.Fprint(w, `{"input_tokens":100}`)
		return
	case strings.HasSuffix(path, "/messages"):
		events = messages(tool)
	case strings.HasSuffix(path, "/responses"):
		events = responses(tool)
	case strings.HasSuffix(path, "/chat/completions"):
		events = completions(tool)
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

// toolNamed returns the whole name of a tool that a request offers, or "".
func toolNamed(body []byte, name string) string {
	i := strings.Index(string(body), name+`"`)
	if i < 0 {
		return ""
	}
	return string(body[strings.LastIndexByte(string(body[:i]), '"')+1:i]) + name
}

func messages(tool string) []string {
	block, delta, stop := `{"type":"text","text":""}`, `{"type":"text_delta","text":"noted"}`, "end_turn"
	if tool != "" {
		block = fmt.Sprintf(`{"type":"tool_use","id":"toolu_1","name":%q,"input":{}}`, tool)
		delta, stop = fmt.Sprintf(`{"type":"input_json_delta","partial_json":%q}`, statement), "tool_use"
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

func responses(tool string) []string {
	item := `{"type":"message","id":"msg_1","role":"assistant","status":"completed","content":[{"type":"output_text","text":"noted","annotations":[]}]}`
	if tool != "" {
		item = fmt.Sprintf(`{"type":"function_call","id":"fc_1","call_id":"call_1","name":%q,"namespace":"mcp__memoir","arguments":%q,"status":"completed"}`, tool, statement)
	}
	return []string{
		`{"type":"response.created","response":{"id":"resp_1"}}`,
		`{"type":"response.output_item.added","output_index":0,"item":` + item + `}`,
		`{"type":"response.output_item.done","output_index":0,"item":` + item + `}`,
		`{"type":"response.completed","response":{"id":"resp_1","output":[` + item + `],"usage":{"input_tokens":100,"input_tokens_details":{"cached_tokens":0},"output_tokens":10,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":110}}}`,
	}
}

func completions(tool string) []string {
	delta, finish := `{"role":"assistant","content":"noted"}`, "stop"
	if tool != "" {
		delta = fmt.Sprintf(`{"role":"assistant","tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":%q,"arguments":%q}}]}`, tool, statement)
		finish = "tool_calls"
	}
	const head = `{"id":"c1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,`
	return []string{
		head + `"delta":` + delta + `,"finish_reason":null}]}`,
		head + `"delta":{},"finish_reason":"` + finish + `"}],"usage":{"prompt_tokens":100,"completion_tokens":10,"total_tokens":110}}`,
		`[DONE]`,
	}
}
