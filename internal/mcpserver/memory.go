package mcpserver

import (
	"context"
	"encoding/json"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const memoryDescription = `Files below /memories that you keep across sessions, as Markdown notes (.md). View /memories before a task, and write down what later sessions need.`

// memoryTool is Anthropic's memory tool. call answers its commands with the
// texts of the reference implementation, even when they fail, so nothing is
// added to them.
func memoryTool(call func(ctx context.Context, input json.RawMessage) (string, error)) tool {
	number := func(name string) property { return property{name, &jsonschema.Schema{Type: "integer"}} }
	two := 2
	no, yes := false, true
	return tool{
		definition: &mcp.Tool{
			Name: "memory", Description: memoryDescription,
			InputSchema: objectSchema(
				enumProperty("command", "", "view", "create", "str_replace", "insert", "delete", "rename"),
				textProperty("path", "of all but rename, such as /memories/notes.md"),
				property{"view_range", &jsonschema.Schema{
					Type: "array", Items: &jsonschema.Schema{Type: "integer"}, MinItems: &two, MaxItems: &two,
					Description: "view: first and last line, -1 for the end",
				}},
				textProperty("file_text", "create"),
				textProperty("old_str", "str_replace: stands in one line alone"),
				textProperty("new_str", "str_replace"),
				number("insert_line"),
				textProperty("insert_text", "insert: behind insert_line, 0 for the beginning"),
				textProperty("old_path", "rename"),
				textProperty("new_path", "rename"),
			),
			Annotations: &mcp.ToolAnnotations{DestructiveHint: &yes, OpenWorldHint: &no},
		},
		handle: func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			text, err := call(ctx, req.Params.Arguments)
			if err != nil {
				text = err.Error()
			}
			return &mcp.CallToolResult{IsError: err != nil, Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil
		},
	}
}
