package mcpserver_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
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

// leaving notes what it is told to forget.
type leaving struct {
	mcpserver.Writer
	refs []string
}

func (l *leaving) Forget(_ context.Context, target engine.Target, dryRun bool) (engine.Forgetting, error) {
	if path, _, cited := strings.Cut(target.Ref, "#"); cited {
		return engine.Forgetting{}, fmt.Errorf("%s is a line: %w", path, memoir.ErrInvalid)
	}
	l.refs = append(l.refs, target.Ref)
	if target.Ref == "abcdefgh" {
		return engine.Forgetting{Entries: []engine.Entry{{}}, StillSaid: []engine.ForgottenSession{{Path: "sessions/claude-code/p/b.jsonl"}, {Path: "sessions/codex/b.jsonl"}}}, nil
	}
	return engine.Forgetting{Sessions: []engine.ForgottenSession{{Path: target.Ref, File: "/there/a.jsonl"}}, DryRun: dryRun}, nil
}

// An agent forgets its own sessions as a whole, and none of another's.
func TestForgetSessions(t *testing.T) {
	writer := &leaving{}
	server := mcpserver.New(&asked{}, mcpserver.Options{Separator: '/', Writer: writer, Hidden: func(string) []string { return []string{"sessions/claude-code/"} }})
	here, there := mcp.NewInMemoryTransports()
	if _, err := server.Connect(t.Context(), there, nil); err != nil {
		t.Fatal(err)
	}
	c, err := mcp.NewClient(&mcp.Implementation{Name: "codex", Version: "1"}, nil).Connect(t.Context(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for entry, want := range map[string]string{
		"sessions/codex/a.jsonl":              "Forgotten: the session sessions/codex/a.jsonl\nTell the user that the agent's own transcript stays as it is, at /there/a.jsonl.",
		"sessions/codex/a.jsonl#L3":           "then call again with entry sessions/codex/a.jsonl",
		"sessions/claude-code/p/a.jsonl":      "there is no note sessions/claude-code/p/a.jsonl",
		"user:sessions/claude-code/p/a.jsonl": "there is no note",
		"sessions/plan.md":                    "is a whole note; this tool removes entries",
	} {
		if got := text(t, call(t, c, "memory_forget", `{"entry":"`+entry+`"}`)); !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q", entry, got, want)
		}
	}
	if len(writer.refs) != 1 {
		t.Errorf("forgotten: %v", writer.refs)
	}
	// It is told which of its own sessions say the same.
	if got := text(t, call(t, c, "memory_forget", `{"entry":"abcdefgh"}`)); !strings.Contains(got, "The session sessions/codex/b.jsonl says it, too") || strings.Contains(got, "claude-code") {
		t.Errorf("got %q", got)
	}
}
