package mcpserver_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/mcpserver"
)

// many is a reader of documents without texts.
type many struct {
	*fake
	documents []memoir.DocumentMeta
}

// someOf returns a reader of n documents, two of each second.
func someOf(n int) many {
	m := many{answering(), make([]memoir.DocumentMeta, n)}
	for i := range m.documents {
		m.documents[i] = memoir.DocumentMeta{
			ID: memoir.DocID(fmt.Sprintf("memory/%06d.md", i)), Kind: memoir.KindNote, Size: 10,
			ModTime: time.Unix(1_800_000_000-int64(i*7919%n/2), 0),
		}
	}
	return m
}

func (m many) Documents(context.Context) iter.Seq2[memoir.DocumentMeta, error] {
	return func(yield func(memoir.DocumentMeta, error) bool) {
		for _, meta := range m.documents {
			if !yield(meta, nil) {
				return
			}
		}
	}
}

// TestResourcePages: all notes are listed, each once, the newest first.
func TestResourcePages(t *testing.T) {
	reader := someOf(250)
	reader.documents[77].ModTime = time.Time{} // written while it was read
	client := connect(t, reader)
	var seen []string
	var times []string
	params := &mcp.ListResourcesParams{}
	for pages := 1; ; pages++ {
		res, err := client.ListResources(t.Context(), params)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range res.Resources {
			seen = append(seen, r.URI)
			if r.Annotations != nil {
				times = append(times, r.Annotations.LastModified)
			}
		}
		if params.Cursor = res.NextCursor; params.Cursor == "" {
			if pages != 3 {
				t.Errorf("%d pages, want 3", pages)
			}
			break
		}
	}
	if !slices.IsSortedFunc(times, func(a, b string) int { return strings.Compare(b, a) }) {
		t.Error("the newest are not first")
	}
	if seen[0] != "memory:///memory/000077.md" || len(times) != 249 {
		t.Errorf("the note of now is %s, and %d have times", seen[0], len(times))
	}
	if slices.Sort(seen); len(slices.Compact(seen)) != 250 {
		t.Errorf("%d resources, want 250", len(seen))
	}
	for _, cursor := range []string{"x", "e30", "!!", strings.Repeat("A", 1<<16)} {
		_, err := client.ListResources(t.Context(), &mcp.ListResourcesParams{Cursor: cursor})
		if e := (*jsonrpc.Error)(nil); !errors.As(err, &e) || e.Code != jsonrpc.CodeInvalidParams {
			t.Errorf("cursor %.9s: %v", cursor, err)
		}
	}
}

// BenchmarkListResources is what an agent asks for when it starts.
func BenchmarkListResources(b *testing.B) {
	server := mcpserver.New(someOf(100_000), mcpserver.Options{})
	here, there := mcp.NewInMemoryTransports()
	if _, err := server.Connect(b.Context(), there, nil); err != nil {
		b.Fatal(err)
	}
	client, err := mcp.NewClient(&mcp.Implementation{Name: "b", Version: "1"}, nil).Connect(b.Context(), here, nil)
	if err != nil {
		b.Fatal(err)
	}
	defer client.Close()
	for b.Loop() {
		if _, err := client.ListResources(b.Context(), nil); err != nil {
			b.Fatal(err)
		}
	}
}

// TestResources: what is listed can be read by its address, and nothing else.
func TestResources(t *testing.T) {
	files := map[string]string{"memory/a b#c?100%.md": "odd name\n"}
	for name, text := range notes {
		files[name] = text
	}
	e := memory(t, files)
	client := connect(t, e)
	list, err := client.ListResources(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(list.Resources) != len(files) {
		t.Errorf("%d resources, want %d", len(list.Resources), len(files))
	}
	for _, r := range list.Resources {
		res, err := client.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: r.URI})
		if err != nil {
			t.Errorf("%s: %v", r.URI, err)
			continue
		}
		want := []*mcp.ResourceContents{{URI: r.URI, MIMEType: "text/markdown", Text: files[r.Name]}}
		if diff := cmp.Diff(want, res.Contents); diff != "" || res.CacheScope != "private" {
			t.Errorf("%s, cached %s (-want +got):\n%s", r.URI, res.CacheScope, diff)
		}
	}
	for _, uri := range []string{
		"memory:///memory/projects/照明.md", "memory:///./MEMORY.md", "memory:///memory/a b#c?100%25.md", // as people write them
	} {
		if _, err := client.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri}); err != nil {
			t.Errorf("%s: %v", uri, err)
		}
	}
	for _, uri := range []string{
		"", "memory:", "memory:///", "memory://MEMORY.md", "file:///etc/passwd", "memory:///%", "memory:///%zz", "memory:///%ff.md",
		"memory:///../MEMORY.md", "memory:///memory/../MEMORY.md", "memory:///%2e%2e%2fMEMORY.md", "memory:///memory%2f..%2fMEMORY.md",
		"memory:///%00", "memory:///MEMORY.md%00", "memory:////etc/passwd", "memory:///..%5cMEMORY.md", `memory:///memory\..\MEMORY.md`, "memory:///NUL.md", "memory:///memory/con.md", "memory:///C:/x.md", "memory:///none.md", "memory:///memory",
		"memory:///" + strings.Repeat("a/", 50_000), "memory:///\x01\u202e",
	} {
		_, err := client.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		if e := (*jsonrpc.Error)(nil); !errors.As(err, &e) || e.Code != jsonrpc.CodeInvalidParams || len(e.Message) > 400 {
			t.Errorf("%.40q: %v", uri, err)
		}
	}
}

// TestLargeResource: a document that would fill a model is not given whole.
func TestLargeResource(t *testing.T) {
	f := answering()
	f.get = func(_ context.Context, id memoir.DocID, _, _ int) (memoir.Excerpt, error) {
		return memoir.Excerpt{ID: id, Text: strings.Repeat("x", 1<<20+1)}, nil
	}
	_, err := connect(t, f).ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "memory:///sessions/codex/a.jsonl"})
	if err == nil || !strings.Contains(err.Error(), "memory_get") {
		t.Errorf("%v", err)
	}
}

// TestResourcesOfOthers: a session that a client may not see is neither listed,
// completed, read nor followed.
func TestResourcesOfOthers(t *testing.T) {
	reader := &sessions{}
	server := mcpserver.New(reader, mcpserver.Options{Hidden: func(string) []string { return []string{"sessions/claude-code/"} }})
	client := connectTo(t, server)
	list, err := client.ListResources(t.Context(), nil)
	if err != nil || len(list.Resources) != 2 {
		t.Errorf("%d resources: %v", len(list.Resources), err)
	}
	got, err := client.Complete(t.Context(), &mcp.CompleteParams{
		Ref: &mcp.CompleteReference{Type: "ref/resource", URI: "memory:///{+path}"}, Argument: mcp.CompleteParamsArgument{Name: "path", Value: "SESS"},
	})
	if err != nil || !slices.Equal(got.Completion.Values, []string{"sessions/codex/a.jsonl"}) {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := client.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "memory:///sessions/claude-code/a.jsonl"}); err == nil {
		t.Error("it is read")
	}
}

// sessions is a reader of a note and two sessions.
type sessions struct{ asked }

func (*sessions) Documents(context.Context) iter.Seq2[memoir.DocumentMeta, error] {
	return func(yield func(memoir.DocumentMeta, error) bool) {
		for _, id := range []memoir.DocID{"MEMORY.md", "sessions/claude-code/a.jsonl", "sessions/codex/a.jsonl"} {
			if !yield(memoir.DocumentMeta{ID: id}, nil) {
				return
			}
		}
	}
}

// TestCompletion: paths that begin as is typed come first, and no more than 100.
func TestCompletion(t *testing.T) {
	complete := func(client *mcp.ClientSession, ref *mcp.CompleteReference, name, value string) *mcp.CompleteResult {
		t.Helper()
		res, err := client.Complete(t.Context(), &mcp.CompleteParams{Ref: ref, Argument: mcp.CompleteParamsArgument{Name: name, Value: value}})
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	note := &mcp.CompleteReference{Type: "ref/resource", URI: "memory:///{+path}"}
	client := connect(t, memory(t, notes))
	for value, want := range map[string][]string{
		"memory": {"MEMORY.md", "memory/2026-03-02.md", "memory/empty.md", "memory/projects/照明.md"},
		"照":      {"memory/projects/照明.md"},
		"../":    {},
	} {
		if got := complete(client, note, "path", value).Completion.Values; !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", value, got, want)
		}
	}
	if got := complete(client, &mcp.CompleteReference{Type: "ref/prompt", Name: "recall"}, "topic", "a").Completion.Values; len(got) > 0 {
		t.Errorf("a topic: %v", got)
	}
	got := complete(connect(t, someOf(1000)), note, "path", "").Completion
	if len(got.Values) != 100 || got.Total != 1000 || !got.HasMore {
		t.Errorf("%d values of %d, more: %v", len(got.Values), got.Total, got.HasMore)
	}
}

// TestPrompts: recall brings what is found, remember what is to be kept.
func TestPrompts(t *testing.T) {
	client := connect(t, memory(t, notes))
	get := func(name string, arguments map[string]string) (string, error) {
		res, err := client.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: name, Arguments: arguments})
		if err != nil {
			return "", err
		}
		return res.Messages[0].Content.(*mcp.TextContent).Text, nil
	}
	if got, err := get("recall", map[string]string{"topic": "which database?"}); err != nil || !strings.Contains(got, "1. memory/2026-03-02.md#L") {
		t.Errorf("recall: %q, %v", got, err)
	}
	if got, err := get("remember", map[string]string{"text": "José 喜欢茶"}); err != nil || !strings.Contains(got, "memory_remember") || !strings.Contains(got, "José 喜欢茶") {
		t.Errorf("remember: %q, %v", got, err)
	}
	for _, bad := range []map[string]string{nil, {"topic": " "}, {"topic": "x", "limit": "3"}} {
		_, err := get("recall", bad)
		if e := (*jsonrpc.Error)(nil); !errors.As(err, &e) || e.Code != jsonrpc.CodeInvalidParams {
			t.Errorf("%v: %v", bad, err)
		}
	}
	read := connectTo(t, mcpserver.New(memory(t, notes), mcpserver.Options{}))
	list, err := read.ListPrompts(t.Context(), nil)
	if err != nil || len(list.Prompts) != 1 || list.Prompts[0].Name != "recall" {
		t.Errorf("without a writer: %v, %v", list, err)
	}
}

// hiddenFromNobody hides the notes of most tests from who does not say who it is.
func hiddenFromNobody(client string) []string {
	if client == "" {
		return []string{"MEMORY.md", "memory/"}
	}
	return nil
}

// TestSubscription: who follows a note hears of its changes, at once when the
// server is told of them, and else when it looks.
func TestSubscription(t *testing.T) {
	for _, told := range []bool{true, false} {
		dir := t.TempDir()
		e := memoryIn(t, dir, notes)
		synctest.Test(t, func(t *testing.T) {
			var changed chan struct{}
			if told {
				changed = make(chan struct{}, 1)
			}
			updated := make(chan string, 10)
			here, there := mcp.NewInMemoryTransports()
			server, err := mcpserver.New(e, mcpserver.Options{Changed: changed, Hidden: hiddenFromNobody}).Connect(t.Context(), there, nil)
			if err != nil {
				t.Fatal(err)
			}
			client, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
				ResourceUpdatedHandler: func(_ context.Context, req *mcp.ResourceUpdatedNotificationRequest) { updated <- req.Params.URI },
			}).Connect(t.Context(), here, nil)
			if err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			for _, uri := range []string{"memory:///MEMORY.md", "memory:///memory/new 照.md", "memory:///memory/empty.md"} {
				if err := client.Subscribe(t.Context(), &mcp.SubscribeParams{URI: uri}); err != nil {
					t.Fatal(err)
				}
			}
			change := func(path, text string) {
				t.Helper()
				synctest.Wait() // until the server knows who follows what
				full := filepath.Join(dir, filepath.FromSlash(path))
				if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
				if text == "" {
					os.Remove(full)
				}
				if _, err := e.Sync(t.Context(), nil); err != nil {
					t.Fatal(err)
				}
				if changed != nil {
					changed <- struct{}{}
				}
			}
			change("MEMORY.md", "- Prefers tea\n")
			if got := <-updated; got != "memory:///MEMORY.md" {
				t.Errorf("changed: %s", got)
			}
			change("memory/new 照.md", "new\n")
			if got := <-updated; got != "memory:///memory/new 照.md" {
				t.Errorf("added: %s", got)
			}
			if err := client.Unsubscribe(t.Context(), &mcp.UnsubscribeParams{URI: "memory:///MEMORY.md"}); err != nil {
				t.Fatal(err)
			}
			change("MEMORY.md", "- Prefers coffee\n")
			change("memory/new 照.md", "")
			if got := <-updated; got != "memory:///memory/new 照.md" {
				t.Errorf("removed: %s", got)
			}
			if took := time.Since(start); told != (took == 0) {
				t.Errorf("told of changes: %v, and it took %v", told, took)
			}
			client.Close()
			server.Wait()
			time.Sleep(time.Minute) // of the bubble: who looks sees that nobody is there
		})
	}
}

// TestProgress: who asks for it hears of a call that takes long, and of a short one nothing.
func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wait := make(chan struct{})
		f := answering()
		quick := f.search
		f.search = func(ctx context.Context, q memoir.Query) (memoir.Results, error) {
			if q.Text == "long" {
				<-wait
			}
			return quick(ctx, q)
		}
		here, there := mcp.NewInMemoryTransports()
		server, err := mcpserver.New(f, mcpserver.Options{}).Connect(t.Context(), there, nil)
		if err != nil {
			t.Fatal(err)
		}
		heard := make(chan *mcp.ProgressNotificationParams, 10)
		client, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
			ProgressNotificationHandler: func(_ context.Context, req *mcp.ProgressNotificationClientRequest) { heard <- req.Params },
		}).Connect(t.Context(), here, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, query := range []string{"short", "long"} {
			params := &mcp.CallToolParams{Name: "memory_search", Arguments: map[string]any{"query": query}}
			params.SetProgressToken(query)
			done := make(chan error, 1)
			go func() {
				_, err := client.CallTool(t.Context(), params)
				done <- err
			}()
			if query == "long" {
				if got := <-heard; got.ProgressToken != "long" || got.Progress != 1 || got.Message == "" {
					t.Errorf("heard %+v", got)
				}
				close(wait)
			}
			if err := <-done; err != nil {
				t.Fatal(err)
			}
		}
		client.Close()
		server.Wait()
	})
}

// TestCancel: a call that the client gives up is ended.
func TestCancel(t *testing.T) {
	started, ended := make(chan struct{}), make(chan error, 1)
	f := answering()
	f.search = func(ctx context.Context, _ memoir.Query) (memoir.Results, error) {
		close(started)
		<-ctx.Done()
		ended <- ctx.Err()
		return memoir.Results{}, ctx.Err()
	}
	client := connect(t, f)
	ctx, cancel := context.WithCancel(t.Context())
	go client.CallTool(ctx, &mcp.CallToolParams{Name: "memory_search", Arguments: map[string]any{"query": "a"}})
	<-started
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the search ended with %v", err)
	}
}
