package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/wire"
)

// tool is a tool as clients see it, and the function that answers its calls.
type tool struct {
	definition *mcp.Tool
	handle     mcp.ToolHandler
}

// newTool makes a tool from what clients see of it and from answer. answer gets
// checked arguments, and returns the structured content and a text that says
// the same to a model. The tool is marked as read-only. complete completes the
// hints of errors. Some agents show their model the structured content instead
// of the text, so it holds no more than the text does. It has no schema,
// because agents would pay for one in every session.
func newTool[Out any](name, description string, input *jsonschema.Schema, complete func(string) string,
	answer func(context.Context, arguments) (Out, string, error)) tool {
	no := false
	return tool{
		definition: &mcp.Tool{
			Name: name, Description: description,
			InputSchema: published(input),
			// A hint that equals its default is left out.
			Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: &no},
		},
		handle: func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			args, err := bind(input, req.Params.Arguments)
			if err != nil {
				return failure(name, err, complete), nil
			}
			out, text, err := answer(withClient(ctx, req.ClientInfo()), args)
			if err != nil {
				return failure(name, err, complete), nil
			}
			data, err := json.Marshal(out)
			if err != nil {
				return nil, fmt.Errorf("%s: encode the answer: %w", name, err)
			}
			return &mcp.CallToolResult{
				Content:           []mcp.Content{&mcp.TextContent{Text: text}},
				StructuredContent: json.RawMessage(data),
			}, nil
		},
	}
}

// loaded tells Claude Code that a tool is there from the first request on. Without it
// the model has to search for tools, also for those of a server that somebody added by
// claude mcp add. Clients keep it to themselves: no model is sent it.
func loaded() mcp.Meta { return mcp.Meta{"anthropic/alwaysLoad": true} }

// failure is the answer of a call that failed: a message and the next step,
// both for the model to read.
func failure(name string, err error, complete func(string) string) *mcp.CallToolResult {
	problem := wire.NewFailure(err).Error
	if memoir.Hint(err) == "" {
		problem.Action = nextStep(err, problem.Action)
	}
	return &mcp.CallToolResult{
		IsError: true,
		Content: []mcp.Content{&mcp.TextContent{
			Text: fmt.Sprintf("%s failed: %s\nNext step: %s", name, problem.Message, complete(problem.Action)),
		}},
	}
}

// objectSchema returns the schema of a tool's arguments in the given order. The
// first is required, and others than these are not allowed.
func objectSchema(properties ...property) *jsonschema.Schema {
	s := &jsonschema.Schema{
		Type:       "object",
		Properties: map[string]*jsonschema.Schema{},
		Required:   []string{properties[0].name},
		// The schema package writes "not anything" as false.
		AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
	}
	for _, p := range properties {
		s.Properties[p.name] = p.schema
		s.PropertyOrder = append(s.PropertyOrder, p.name)
	}
	return s
}

// property is a named argument.
type property struct {
	name   string
	schema *jsonschema.Schema
}

func textProperty(name, description string) property {
	return property{name, &jsonschema.Schema{Type: "string", Description: description}}
}

// enumProperty is one of some words.
func enumProperty(name, description string, values ...any) property {
	return property{name, &jsonschema.Schema{Type: "string", Description: description, Enum: values}}
}

// numberProperty is a number from lowest to highest.
func numberProperty(name, kind string, lowest, highest float64, description string) property {
	return property{name, &jsonschema.Schema{Type: kind, Description: description, Minimum: &lowest, Maximum: &highest}}
}

// published returns the schema that clients get, without the bounds of numbers,
// because clients pay for a schema in every session. A value out of bounds
// gives an error that names them.
func published(s *jsonschema.Schema) *jsonschema.Schema {
	short := *s
	short.Properties = map[string]*jsonschema.Schema{}
	for name, p := range s.Properties {
		q := *p
		q.Minimum, q.Maximum = nil, nil
		short.Properties[name] = &q
	}
	return &short
}

// cleaned returns lines of a note without what steers a terminal or the direction of
// writing, and without line ends that are none to a note. Everything else stays, and the
// lines as many as they were.
func cleaned(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && steers(r) }) {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		words := strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		b.WriteString(strings.Map(func(r rune) rune {
			if steers(r) {
				return ' '
			}
			return r
		}, words))
		b.WriteString(line[len(words):])
	}
	return b.String()
}

// steers reports whether a character is a control, a line end or one that turns the
// direction of writing round until another one.
func steers(r rune) bool {
	return r != '\t' && (unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp)) ||
		'\u202a' <= r && r <= '\u202e' || '\u2066' <= r && r <= '\u2069'
}

// indented writes lines of a note below a line of an answer. The indent keeps them from
// looking like one.
func indented(b *strings.Builder, text string) {
	for line := range strings.Lines(text) {
		b.WriteString("   " + strings.TrimRight(line, "\r\n") + "\n")
	}
}

// uncontrolled keeps what comes from file names and headings from breaking the
// lines of an answer.
func uncontrolled(s string) string {
	return strings.Map(func(r rune) rune {
		if steers(r) || r == '\t' {
			return ' '
		}
		return r
	}, s)
}
