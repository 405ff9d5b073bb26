package cli_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memoir-ai/memoir/internal/cli"
	"github.com/memoir-ai/memoir/internal/prime"
	"github.com/memoir-ai/memoir/internal/remember"
	"github.com/memoir-ai/memoir/internal/wire"
)

// An mcpCall is a call that the reference shows, and what its structured content is.
type mcpCall struct {
	arguments string
	of        reflect.Type
	lacks     string // the member of it that the tool leaves out, where it says nothing or always
}

var mcpCalls = map[string]mcpCall{
	"memory_search":   {`{"query":"who pays for the taxi","maxResults":1}`, reflect.TypeFor[wire.Found](), ""},
	"memory_get":      {`{"path":"memory/2025-03-02.md","from":3,"lines":3}`, reflect.TypeFor[wire.Excerpt](), ""},
	"memory_remember": {`{"text":"The office moves to Oslo in June","type":"decision"}`, reflect.TypeFor[remember.Outcome](), "replaces"},
	"memory_prime":    {`{"message":"who keeps the receipts?","maxTokens":200}`, reflect.TypeFor[prime.Primed](), ""},
	"memory_forget":   {`{"entry":"memory/decisions.md#L3","dryRun":"yes"}`, reflect.TypeFor[remember.Forgetting](), "notes"},
}

// mcpPage writes the reference of the tools, as "memoir mcp" lists them in the
// workspace of the examples.
func mcpPage(t *testing.T, examples *ran) string {
	t.Helper()
	settle(t)
	client := mcpClient(t)
	tools, err := client.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# MCP\n\n`memoir mcp` serves these tools over standard input and output. The server says to agents:\n\n%s\n\n", quoted(client.InitializeResult().Instructions))
	b.WriteString("An answer has text for the model, and the same as structured content. A call that fails is a result with `isError`, whose text is what went wrong and the next step. The calls below are over the notes of the other examples.\n")
	for _, tool := range tools.Tools {
		call, ok := mcpCalls[tool.Name]
		if !ok {
			t.Fatalf("the server has the tool %s, of which the reference shows no call: add it to mcpCalls", tool.Name)
		}
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n", tool.Name, quoted(tool.Description))
		b.WriteString(hints(tool.Annotations))
		input := schemaOf(t, tool.InputSchema)
		b.WriteString("\n\n| argument | is | |\n|---|---|---|\n")
		for _, name := range arguments(input) {
			p := input.Properties[name]
			required := ""
			if slices.Contains(input.Required, name) {
				required = ", required"
			}
			fmt.Fprintf(&b, "| `%s` | %s%s | %s |\n", name, argumentType(p), required, cell(p.Description))
		}
		fmt.Fprintf(&b, "\nThe structured content is %s %s", article(shapeName(call.of)), jsonType(call.of, "json.md"))
		if call.lacks != "" {
			fmt.Fprintf(&b, "; `%s` is left out when it is empty", call.lacks)
		}
		b.WriteString(". A call and its text:\n")
		res := callFilled(t, client, tool.Name, call.arguments)
		settle(t)
		fmt.Fprintf(&b, "\n```json\n%s\n```\n\n```\n%s\n```\n", shown(t, []byte(call.arguments)), examples.maskText(contentOf(t, res)))
		data, err := json.Marshal(res.StructuredContent)
		if err != nil {
			t.Fatal(err)
		}
		value, err := parseJSON(string(data))
		if err != nil {
			t.Fatal(err)
		}
		fits(t, tool.Name, call.whole(t, value), call.of)
		data, err = json.Marshal(tool.InputSchema)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "\n<details><summary>JSON Schema of the input</summary>\n\n```json\n%s\n```\n\n</details>\n", shown(t, data))
	}
	resourcesAndPrompts(t, &b, client)
	return b.String()
}

// settle indexes what is there and measures the vectors, so that what is relevant does not
// depend on how far the server is.
func settle(t *testing.T) {
	t.Helper()
	if code := cli.Run(t.Context(), []string{"index"}, cli.Options{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: os.Stderr, Embedder: testEmbedder}); code != 0 {
		t.Fatalf("memoir index: exit status %d", code)
	}
}

// resourcesAndPrompts writes what the server offers beside tools.
func resourcesAndPrompts(t *testing.T, b *strings.Builder, client *mcp.ClientSession) {
	t.Helper()
	templates, err := client.ListResourceTemplates(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	b.WriteString("\n## Resources\n\n")
	for _, r := range templates.ResourceTemplates {
		fmt.Fprintf(b, "`%s`: %s Paths are completed.\n", r.URITemplate, r.Description)
	}
	b.WriteString("The list has the newest notes first, in pages. A note is given whole up to 1 MiB, by the rules of `memory_get`. Who subscribes to one is told when it changes, also when another process has indexed the change. Over HTTP that takes a client of revision 2026-07-28, by `subscriptions/listen`: `/mcp` has no sessions, so that an older one that subscribes is told nothing. It follows `GET /v1/events`.\n")
	prompts, err := client.ListPrompts(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	b.WriteString("\n## Prompts\n\n| prompt | argument | |\n|---|---|---|\n")
	for _, p := range prompts.Prompts {
		fmt.Fprintf(b, "| `%s` | `%s`: %s | %s |\n", p.Name, p.Arguments[0].Name, p.Arguments[0].Description, p.Description)
	}
	b.WriteString("\n## memory\n\nWith `--memory-tool` the server has the tool `memory`, too: `memory_20250818` of Anthropic, over the folder `memories/` of the notes. Its answers are those of Anthropic's SDK; " +
		"what it writes is searched, and taken back with `memoir undo`. A program that calls the model by itself uses the package `memorytool`.\n")
}

// callFilled calls a tool, again while the index is still filling.
func callFilled(t *testing.T, client *mcp.ClientSession, tool, arguments string) *mcp.CallToolResult {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; {
		res, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
		if err != nil {
			t.Fatal(err)
		}
		if text := contentOf(t, res); !strings.Contains(text, "still filling") || time.Now().After(deadline) {
			return res
		}
	}
}

// mcpClient runs "memoir mcp" in the current folder and connects to it.
func mcpClient(t *testing.T) *mcp.ClientSession {
	t.Helper()
	toServer, fromClient := io.Pipe()
	toClient, fromServer := io.Pipe()
	done := make(chan int, 1)
	go func() {
		done <- cli.Run(context.Background(), []string{"mcp"}, cli.Options{Stdin: toServer, Stdout: fromServer, Stderr: os.Stderr, Embedder: testEmbedder})
		fromServer.Close()
	}()
	client, err := mcp.NewClient(&mcp.Implementation{Name: "reference", Version: "1"}, nil).Connect(t.Context(), &mcp.IOTransport{Reader: toClient, Writer: fromClient}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		client.Close()
		fromClient.Close()
		if code := <-done; code != 0 {
			t.Errorf("memoir mcp ended with code %d", code)
		}
	})
	return client
}

// whole returns an answer with the member that the tool left out.
func (call mcpCall) whole(t *testing.T, answer any) any {
	t.Helper()
	o, ok := answer.(object)
	if call.lacks == "" || !ok || slices.ContainsFunc(o, func(m member) bool { return m.name == call.lacks }) {
		return answer
	}
	for _, f := range jsonFields(call.of) {
		if f.name == call.lacks && f.Type.Kind() == reflect.Slice {
			return append(o, member{f.name, []any{}})
		}
	}
	return append(o, member{call.lacks, nil})
}

func schemaOf(t *testing.T, raw any) *jsonschema.Schema {
	t.Helper()
	var s jsonschema.Schema
	data, err := json.Marshal(raw)
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	if err != nil {
		t.Fatal(err)
	}
	return &s
}

// arguments returns the names of arguments, the required ones first.
func arguments(s *jsonschema.Schema) []string {
	names := slices.Clone(s.Required)
	var others []string
	for name := range s.Properties {
		if !slices.Contains(names, name) {
			others = append(others, name)
		}
	}
	slices.Sort(others)
	return append(names, others...)
}

// argumentType says what an argument takes.
func argumentType(p *jsonschema.Schema) string {
	if len(p.Enum) > 0 {
		var list []string
		for _, v := range p.Enum {
			list = append(list, code(fmt.Sprint(v)))
		}
		return strings.Join(list, ", ")
	}
	return p.Type
}

// hints says what clients are told that a tool does.
func hints(a *mcp.ToolAnnotations) string {
	yes := func(hint *bool) bool { return hint == nil || *hint }
	var list []string
	for _, x := range []struct {
		name string
		set  bool
	}{{"readOnlyHint", a.ReadOnlyHint}, {"idempotentHint", a.IdempotentHint}, {"destructiveHint", !a.ReadOnlyHint && yes(a.DestructiveHint)}, {"openWorldHint", yes(a.OpenWorldHint)}} {
		list = append(list, fmt.Sprintf("`%s` %v", x.name, x.set))
	}
	return strings.Join(list, ", ") + "."
}

func contentOf(t *testing.T, res *mcp.CallToolResult) string {
	t.Helper()
	if len(res.Content) != 1 || res.IsError {
		t.Fatalf("got %+v, want one block of text", res)
	}
	text, ok := res.Content[0].(*mcp.TextContent)
	if !ok {
		t.Fatalf("got %T, want text", res.Content[0])
	}
	return strings.TrimRight(text.Text, "\n")
}

func shown(t *testing.T, data []byte) string {
	t.Helper()
	value, err := parseJSON(string(data))
	if err != nil {
		t.Fatal(err)
	}
	return show(value, "")
}

func article(word string) string {
	if strings.ContainsRune("AEIO", rune(word[0])) {
		return "an"
	}
	return "a"
}

func code(text string) string {
	if text == "" {
		return ""
	}
	return "`" + text + "`"
}

func quoted(text string) string { return "> " + strings.ReplaceAll(text, "\n", "\n> ") }
