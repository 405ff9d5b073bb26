package mcpserver_test

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/mcpserver"
)

// conversation is a client that writes lines to a running server and reads its lines.
type conversation struct {
	t      *testing.T
	in     *io.PipeWriter
	out    *bufio.Reader
	done   chan error // what Run returned
	cancel context.CancelFunc
}

// start runs a server over pipes. It is called in a bubble of synctest, which
// fails when a goroutine is left behind.
func start(t *testing.T, reader mcpserver.Reader) *conversation {
	inReader, in := io.Pipe()
	out, outWriter := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	c := &conversation{t: t, in: in, out: bufio.NewReader(out), done: make(chan error, 1), cancel: cancel}
	go func() {
		err := mcpserver.Run(ctx, reader, mcpserver.Options{Version: "1.2.3", Input: inReader, Output: outWriter})
		outWriter.Close()
		c.done <- err
	}()
	return c
}

func (c *conversation) send(line string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		c.t.Fatal(err)
	}
}

func (c *conversation) receive() string {
	c.t.Helper()
	line, err := c.out.ReadString('\n')
	if err != nil {
		c.t.Fatalf("read an answer: %v", err)
	}
	return strings.TrimSuffix(line, "\n")
}

// ended checks that Run ended well and wrote nothing more.
func (c *conversation) ended() {
	c.t.Helper()
	rest, err := io.ReadAll(c.out)
	if err != nil || len(rest) > 0 {
		c.t.Errorf("behind the last answer: %q, %v", rest, err)
	}
	if err := <-c.done; err != nil {
		c.t.Errorf("Run returned %v", err)
	}
	c.cancel()
}

const initialize = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`

// meta is what each request of the stateless revision carries.
const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`

// Figures that differ between runs, or that the ranking may change.
var figures = regexp.MustCompile(`("tookMs":|"(?:s|textS|vectorS)core":|\| score )[0-9.e-]+`)

// TestConversations plays the files of testdata/conversations: a line that
// starts with > is sent, the lines with < are what came back, # is a comment.
// @meta stands for the fields of the stateless revision.
func TestConversations(t *testing.T) {
	files, err := filepath.Glob("testdata/conversations/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d conversations: %v", len(files), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txt")
		t.Run(name, func(t *testing.T) {
			script, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			reader := memory(t, notes)
			synctest.Test(t, func(t *testing.T) {
				golden(t, filepath.Join("conversations", name+".txt"), []byte(play(t, reader, string(script))))
			})
		})
	}
}

// play sends the script's lines and returns the script with what came back.
func play(t *testing.T, reader mcpserver.Reader, script string) string {
	c := start(t, reader)
	var b strings.Builder
	for line := range strings.Lines(script) {
		line = strings.TrimRight(line, "\r\n")
		sent, ok := strings.CutPrefix(line, "> ")
		if !ok && strings.HasPrefix(line, "<") {
			continue
		}
		fmt.Fprintln(&b, line)
		if !ok {
			continue
		}
		c.send(strings.ReplaceAll(sent, "@meta", meta))
		if strings.Contains(sent, `"method":"notifications/`) {
			continue
		}
		fmt.Fprintln(&b, "< "+figures.ReplaceAllString(c.receive(), "${1}0"))
	}
	c.in.Close()
	c.ended()
	return b.String()
}

// TestHostileLines: whatever a line holds, the next question is answered. Who asked in it is
// told by the id, where there is one, and does not wait for ever.
func TestHostileLines(t *testing.T) {
	ping := `{"jsonrpc":"2.0","id":"ping","method":"ping"}`
	lines := map[string]string{
		"half a message":            `{"jsonrpc":"2.0","id":7,`,
		"not UTF-8":                 "\xff\xfe{}",
		"NUL":                       "\x00",
		"deep":                      strings.Repeat("[", 200_000),
		"deep message":              `{"jsonrpc":"2.0","id":7,"method":"ping","params":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `}`,
		"two messages":              ping + ping,
		"too long":                  `{"jsonrpc":"2.0","id":7,"method":"` + strings.Repeat("x", 5<<20) + `"}`,
		"too long, and its id last": `{"method":"x","params":{"id":1,"a":["\"id\":2,\\",` + strings.Repeat(`"{[",`, 1<<20) + `{"id":3}]},"jsonrpc":"2.0","id" : "a \"潮\"" }`,
		"too long, an answer":       `{"jsonrpc":"2.0","id":7,"result":{"method":"` + strings.Repeat("x", 5<<20) + `"}}`,
		"too long, no request":      `{"jsonrpc":"2.0","method":"notifications/x","params":{"id":7,"x":"` + strings.Repeat("x", 5<<20) + `"}}`,
		"too long, and cut":         `{"jsonrpc":"2.0","id":7,"method":"x","params":{"x":"` + strings.Repeat("x", 5<<20) + `"}`,
		"too long, and its id, too": `{"jsonrpc":"2.0","method":"x","id":"` + strings.Repeat("x", 5<<20) + `"}`,
		"too long, and a list":      `["method","x","id",7,{"id":7,"method":"` + strings.Repeat("x", 5<<20) + `"}]`,
		"an id that is none":        `{"jsonrpc":"2.0","id":[7],"method":"ping"}`,
		"an old version":            `{"jsonrpc":"1.0","id":7,"method":"ping"}`,
		"a number":                  "42",
		"null":                      "null",
		"text":                      `"initialize"`,
		"HTTP":                      "GET / HTTP/1.1\r",
		// Of a name that comes twice, two readers may take different ones.
		"a method twice":       `{"jsonrpc":"2.0","id":7,"method":"ping","method":"tools/list"}`,
		"an id twice":          `{"jsonrpc":"2.0","id":7,"id":8,"method":"ping"}`,
		"an ID beside an id":   `{"jsonrpc":"2.0","id":7,"ID":1.5,"method":"ping"}`,
		"an argument twice":    `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"memory_search","arguments":{"query":"a","query":"b"}}}`,
		"twice, written apart": `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"memory_search","arguments":{"query":"a","Qu\u0065ry":"b"}}}`,
		"33 levels":            `{"jsonrpc":"2.0","id":7,"method":"ping","params":{"_meta":` + strings.Repeat("[", 31) + strings.Repeat("]", 31) + `}}`,
	}
	ids := map[string]string{
		"too long": "7", "too long, and its id last": `"a \"潮\""`, "deep message": "7", "a method twice": "7", "an argument twice": "7", "twice, written apart": "7", "33 levels": "7",
		"an old version": "7",
	}
	for name, line := range lines {
		t.Run(name, func(t *testing.T) {
			reader := memory(t, notes)
			synctest.Test(t, func(t *testing.T) {
				c := start(t, reader)
				c.send(initialize)
				c.receive()
				c.send(line)
				var refusal struct {
					JSONRPC string
					ID      json.RawMessage
					Error   struct {
						Code    int
						Message string
					}
				}
				got := c.receive()
				if err := json.Unmarshal([]byte(got), &refusal); err != nil || refusal.JSONRPC != "2.0" || string(refusal.ID) != cmp.Or(ids[name], "null") || refusal.Error.Message == "" ||
					!slices.Contains([]int{-32700, -32600}, refusal.Error.Code) {
					t.Errorf("got %s, want a refusal (%v)", got, err)
				}
				c.send("\n  \r\n" + ping)
				if got := c.receive(); !strings.Contains(got, `"id":"ping"`) {
					t.Errorf("after the line: %s", got)
				}
				c.in.Close()
				c.ended()
			})
		})
	}
}

// TestLastLineWithoutEnd: a client may close right behind its last request.
func TestLastLineWithoutEnd(t *testing.T) {
	reader := memory(t, notes)
	synctest.Test(t, func(t *testing.T) {
		c := start(t, reader)
		c.send(initialize)
		c.receive()
		io.WriteString(c.in, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"memory_get","arguments":{"path":"MEMORY.md"}}}`)
		c.in.Close()
		if got := c.receive(); !strings.Contains(got, "深色主题") {
			t.Errorf("got %s", got)
		}
		c.ended()
	})
}

// TestCloseBehindList: a client may write all it wants at once and close.
func TestCloseBehindList(t *testing.T) {
	for range 50 {
		var out strings.Builder
		in := strings.NewReader(initialize + "\n" + `{"jsonrpc":"2.0","id":"last","method":"tools/list"}` + "\n")
		if err := mcpserver.Run(t.Context(), answering(), mcpserver.Options{Input: io.NopCloser(in), Output: &out}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), `"id":"last"`) {
			t.Fatalf("the list is missing: %s", out.String())
		}
	}
}

// TestCloseBehindCalls: calls that run when the input ends are answered.
func TestCloseBehindCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		finish := make(chan struct{})
		c := start(t, &fake{search: func(ctx context.Context, q memoir.Query) (memoir.Results, error) {
			select {
			case <-finish:
				return memoir.Results{Query: q.Text}, nil
			case <-ctx.Done():
				return memoir.Results{}, ctx.Err()
			}
		}})
		c.send(initialize)
		c.receive()
		// A request that stays open for as long as the connection must not keep it open.
		c.send(`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},` + meta + `}}`)
		c.receive()
		for id := range 3 {
			c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":"call%d","method":"tools/call","params":{"name":"memory_search","arguments":{"query":"a"}}}`, id))
		}
		c.in.Close()
		synctest.Wait()
		close(finish)
		for range 3 {
			if got := c.receive(); !strings.Contains(got, `"id":"call`) || !strings.Contains(got, "Nothing found") {
				t.Errorf("got %s", got)
			}
		}
		c.cancel()
		io.Copy(io.Discard, c.out)
		if err := <-c.done; err != nil {
			t.Errorf("Run returned %v", err)
		}
	})
}

// TestHugeQuery: a query of a megabyte is answered.
func TestHugeQuery(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long")
	}
	client := connect(t, memory(t, notes))
	for _, query := range []string{strings.Repeat("Postgres ", 100_000), strings.Repeat("数据库", 100_000), strings.Repeat("x", 1<<20)} {
		res := call(t, client, "memory_search", fmt.Sprintf(`{"query":%q,"mode":"text"}`, query))
		if res.IsError || len(text(t, res)) > 100_000 {
			t.Errorf("%.20s: isError %v, %d bytes of text", query, res.IsError, len(text(t, res)))
		}
	}
}

// TestProcess speaks to another process over its standard input and output,
// and sees it end by itself when the client closes.
func TestProcess(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	server := exec.Command(program, childArgument)
	server.Stderr = os.Stderr
	client, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: server}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := text(t, call(t, client, "memory_search", `{"query":"数据库"}`)); !strings.Contains(got, `Nothing found for "数据库"`) {
		t.Errorf("got %q", got)
	}
	if err := client.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	if state := server.ProcessState; state == nil || !state.Success() {
		t.Errorf("the server ended with %v", state)
	}
}

// TestUnknown: what no model can mend by other values is a protocol error.
func TestUnknown(t *testing.T) {
	client := connect(t, &fake{})
	if _, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: "memory_forget"}); err == nil || !strings.Contains(err.Error(), "memory_forget") {
		t.Errorf("unknown tool: %v", err)
	}
}

// TestCancelled: when ctx is done, a call that runs is ended and Run returns,
// even though the client keeps the connection open.
func TestCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		started := make(chan struct{})
		var ended error
		c := start(t, &fake{search: func(ctx context.Context, _ memoir.Query) (memoir.Results, error) {
			close(started)
			<-ctx.Done()
			ended = ctx.Err()
			return memoir.Results{}, ended
		}})
		c.send(initialize)
		c.receive()
		c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"memory_search","arguments":{"query":"a"}}}`)
		<-started
		c.cancel()
		io.Copy(io.Discard, c.out) // the answer may or may not get out
		if err := <-c.done; err != nil {
			t.Errorf("Run returned %v", err)
		}
		if ended == nil {
			t.Error("the search was not cancelled")
		}
	})
}

// TestManyCalls: calls run side by side, and each answer is a line of its own.
func TestManyCalls(t *testing.T) {
	reader := memory(t, notes)
	synctest.Test(t, func(t *testing.T) {
		c := start(t, reader)
		c.send(initialize)
		c.receive()
		const calls = 100
		go func() {
			for i := range calls {
				fmt.Fprintf(c.in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"memory_search","arguments":{"query":"Postgres"}}}`+"\n", i+1)
				fmt.Fprintln(c.in, "bad")
			}
		}()
		seen := map[string]int{}
		for range 2 * calls {
			var answer struct{ ID any }
			if err := json.Unmarshal([]byte(c.receive()), &answer); err != nil {
				t.Fatal(err)
			}
			seen[fmt.Sprint(answer.ID)]++
		}
		if len(seen) != calls+1 || seen["<nil>"] != calls {
			t.Errorf("got answers to %d ids and %d refusals", len(seen)-1, seen["<nil>"])
		}
		c.in.Close()
		c.ended()
	})
}
