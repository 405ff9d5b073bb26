package mcpserver_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/embedtest"
	"github.com/memoir-ai/memoir/embed/local"
	"github.com/memoir-ai/memoir/embed/local/weights"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/mcpserver"
	"github.com/memoir-ai/memoir/source/mdfile"
	"github.com/memoir-ai/memoir/store/memstore"
)

var update = flag.Bool("update", false, "rewrite the files in testdata")

// childArgument makes the test binary a server on its standard input and output.
const childArgument = "serve"

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == childArgument {
		if err := mcpserver.Run(context.Background(), answering(), mcpserver.Options{}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// notes are the workspace of most tests.
var notes = map[string]string{
	"MEMORY.md": "# Memory\n\n- Prefers Postgres over MySQL\n- 喜欢用深色主题\n",
	"memory/2026-03-02.md": "# 2026-03-02\n\n## Decisions\n\n### Database\n\n" +
		"We moved the billing service to Postgres 17.\nThe pool is set with DB_POOL_MAX=40.\n\n## People\n\nJosé leads the café project. 🎉\n",
	"memory/projects/照明.md": "# 照明\r\n\r\n客厅换成了 3000K 的灯。\r\n",
	"memory/empty.md":       "",
}

// memory returns an engine over notes, indexed, that may write.
func memory(t *testing.T, notes map[string]string) *engine.Engine {
	t.Helper()
	return memoryIn(t, t.TempDir(), notes)
}

func memoryIn(t *testing.T, dir string, notes map[string]string) *engine.Engine {
	t.Helper()
	for name, text := range notes {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		written := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
		if err := os.Chtimes(path, written, written); err != nil {
			t.Fatal(err)
		}
	}
	source, err := mdfile.Open(dir, mdfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	model, err := local.New(weights.File(), local.Options{}) // reads what is told
	if err != nil {
		t.Fatal(err)
	}
	e, err := engine.New(engine.Config{
		Reads: model,
		Store: memstore.New(), Sources: []memoir.Source{source},
		Embedder: &embedtest.Embedder{Synonyms: map[string]string{"lamp": "灯"}},
		Writing:  engine.Writing{Dir: dir, State: t.TempDir()},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := e.Sync(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := e.EmbedPending(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	return e
}

// connect returns a client of a server over the reader.
func connect(t *testing.T, reader mcpserver.Reader) *mcp.ClientSession {
	t.Helper()
	writer, _ := reader.(mcpserver.Writer)
	return connectTo(t, mcpserver.New(reader, mcpserver.Options{Version: "1.2.3", Writer: writer}))
}

func connectTo(t *testing.T, s *mcp.Server) *mcp.ClientSession {
	t.Helper()
	here, there := mcp.NewInMemoryTransports()
	server, err := s.Connect(t.Context(), there, nil)
	if err != nil {
		t.Fatal(err)
	}
	client, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		client.Close()
		server.Wait()
	})
	return client
}

// call calls a tool; a protocol error fails the test.
func call(t *testing.T, client *mcp.ClientSession, tool, arguments string) *mcp.CallToolResult {
	t.Helper()
	res, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
	if err != nil {
		t.Fatalf("%s %.200s: %v", tool, arguments, err)
	}
	return res
}

// text returns the text of a result, which is one block.
func text(t *testing.T, res *mcp.CallToolResult) string {
	t.Helper()
	if len(res.Content) != 1 {
		t.Fatalf("got %d content blocks, want 1", len(res.Content))
	}
	block, ok := res.Content[0].(*mcp.TextContent)
	if !ok {
		t.Fatalf("got a %T, want text", res.Content[0])
	}
	return block.Text
}

// structured decodes the structured content of a result.
func structured[T any](t *testing.T, res *mcp.CallToolResult) T {
	t.Helper()
	if res.IsError {
		t.Fatalf("the tool failed: %s", text(t, res))
	}
	var v T
	data, err := json.Marshal(res.StructuredContent)
	if err == nil {
		err = json.Unmarshal(data, &v)
	}
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// golden compares got with a file of testdata, or writes it with -update.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want = bytes.ReplaceAll(want, []byte("\r\n"), []byte("\n"))
	if diff := cmp.Diff(string(got), string(want)); diff != "" {
		t.Errorf("%s (-got +want; -update rewrites it):\n%s", path, diff)
	}
}

// fake is a reader whose answers the test gives.
type fake struct {
	search func(context.Context, memoir.Query) (memoir.Results, error)
	get    func(context.Context, memoir.DocID, int, int) (memoir.Excerpt, error)
	nothing
}

// nothing is a reader without documents.
type nothing struct{}

func (nothing) Documents(context.Context) iter.Seq2[memoir.DocumentMeta, error] {
	return func(func(memoir.DocumentMeta, error) bool) {}
}

func (nothing) Stats(context.Context) (memoir.StoreStats, error) { return memoir.StoreStats{}, nil }

func (f *fake) Search(ctx context.Context, q memoir.Query) (memoir.Results, error) {
	return f.search(ctx, q)
}

func (f *fake) Get(ctx context.Context, id memoir.DocID, from, to int) (memoir.Excerpt, error) {
	return f.get(ctx, id, from, to)
}
