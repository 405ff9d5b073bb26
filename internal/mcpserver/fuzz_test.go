package mcpserver_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/mcpserver"
)

// answering answers every search and every read.
func answering() *fake {
	return &fake{
		search: func(_ context.Context, q memoir.Query) (memoir.Results, error) {
			return memoir.Results{Query: q.Text, Reason: "no notes"}, nil
		},
		get: func(_ context.Context, id memoir.DocID, from, to int) (memoir.Excerpt, error) {
			return memoir.Excerpt{ID: id, StartLine: from, EndLine: from, TotalLines: from, Text: "a\n"}, nil
		},
	}
}

// FuzzLines: whatever is written to the server, it ends with its input, and
// what it writes are messages, one a line.
func FuzzLines(f *testing.F) {
	f.Add([]byte(initialize + "\n" + `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"memory_search","arguments":{"query":"a"}}}` + "\n"))
	f.Add([]byte(initialize + "\r\n[]\n{}\n\n\x00\n" + `{"jsonrpc":"2.0","id":null,"method":"ping"}`))
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{` + meta + `}}` + "\n" + `{"jsonrpc":"2.0","id":1,"result":{}}`))
	f.Fuzz(func(t *testing.T, input []byte) {
		var out bytes.Buffer
		err := mcpserver.Run(t.Context(), answering(), mcpserver.Options{Input: io.NopCloser(bytes.NewReader(input)), Output: &out})
		if err != nil {
			t.Errorf("Run returned %v", err)
		}
		for line := range strings.Lines(out.String()) {
			var message struct{ JSONRPC string }
			if err := json.Unmarshal([]byte(line), &message); err != nil || message.JSONRPC != "2.0" {
				t.Errorf("wrote %q: %v", line, err)
			}
		}
	})
}

// FuzzArguments: no arguments of a tool give a protocol error.
func FuzzArguments(f *testing.F) {
	f.Add(`{"query":"a","maxResults":"5","minScore":0.5,"mode":"text","path":"a","corpus":"all"}`)
	f.Add(`{"path":"a.md#L3-L9","from":null,"lines":1e2}`)
	f.Add(`{"query":{"a":[1e999]},"":0}`)
	f.Fuzz(func(t *testing.T, arguments string) {
		if !json.Valid([]byte(arguments)) {
			return
		}
		client := connect(t, answering())
		for _, tool := range []string{"memory_search", "memory_get"} {
			res, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
			if err != nil {
				t.Fatalf("%s: %v", tool, err)
			}
			if res.IsError {
				wantFailure(t, res)
			}
		}
	})
}
