package cli_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
)

// standIn answers as four interfaces of models do: with a call of a tool when one was
// asked of it, once, and with a word.
type standIn struct {
	mu        sync.Mutex
	tool      string // that is to be called; "" is none
	arguments string
	when      string // what a request has to hold for that
	before    func() // what happens right before it is called; nil is nothing
	tokens    int    // that a request is said to have; 0 is 100
	asked     strings.Builder
}

// call has the next request that offers a tool answered with a call of it.
func (s *standIn) call(tool, arguments string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tool, s.arguments, s.when, s.before = tool, arguments, "", nil
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
			if s.tool = ""; s.before != nil {
				s.before()
			}
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
