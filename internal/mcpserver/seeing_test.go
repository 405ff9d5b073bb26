package mcpserver_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/mcpserver"
)

// asked notes what a reader is asked.
type asked struct {
	filters []memoir.Filter
	read    []memoir.DocID
	nothing
}

func (a *asked) Search(_ context.Context, q memoir.Query) (memoir.Results, error) {
	a.filters = append(a.filters, q.Filter)
	return memoir.Results{}, nil
}

func (a *asked) Get(_ context.Context, id memoir.DocID, _, _ int) (memoir.Excerpt, error) {
	a.read = append(a.read, id)
	return memoir.Excerpt{ID: id}, nil
}

// An agent that is known sees its own sessions alone, whatever it asks for.
func TestSessionsOfOthers(t *testing.T) {
	for client, all := range map[string]bool{"codex-mcp-client": false, "somebody": true} {
		reader := &asked{}
		server := mcpserver.New(reader, mcpserver.Options{Separator: '/', Hidden: func(client string) []string {
			if strings.HasPrefix(client, "codex") {
				return []string{"sessions/claude-code/"}
			}
			return nil
		}})
		here, there := mcp.NewInMemoryTransports()
		if _, err := server.Connect(t.Context(), there, nil); err != nil {
			t.Fatal(err)
		}
		c, err := mcp.NewClient(&mcp.Implementation{Name: client, Version: "1"}, nil).Connect(t.Context(), here, nil)
		if err != nil {
			t.Fatal(err)
		}
		call(t, c, "memory_search", `{"query":"x","corpus":"sessions"}`)
		others := call(t, c, "memory_get", `{"path":"sessions/claude-code/p/a.jsonl"}`)
		call(t, c, "memory_get", `{"path":"user:sessions/claude-code/p/a.jsonl"}`)
		call(t, c, "memory_get", `{"path":"sessions/codex/a.jsonl"}`)
		call(t, c, "memory_get", `{"path":"MEMORY.md"}`)
		c.Close()
		want := []memoir.Filter{{Kinds: []memoir.Kind{memoir.KindSession}}}
		read := []memoir.DocID{"sessions/claude-code/p/a.jsonl", "user:sessions/claude-code/p/a.jsonl", "sessions/codex/a.jsonl", "MEMORY.md"}
		if !all {
			want[0].Without = []memoir.Filter{{Kinds: []memoir.Kind{memoir.KindSession}, Prefix: "sessions/claude-code/"}}
			read = read[2:]
		}
		if diff := cmp.Diff(fmt.Sprintf("%+v %v %t", want, read, !all), fmt.Sprintf("%+v %v %t", reader.filters, reader.read, others.IsError)); diff != "" {
			t.Errorf("%s: want -, got +:\n%s", client, diff)
		}
	}
}
