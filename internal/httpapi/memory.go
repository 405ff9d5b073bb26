package httpapi

import (
	"context"
	"encoding/json"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/wire"
)

// A MemoryTool answers a call of Anthropic's memory tool. input is the JSON
// object that the model wrote. It passes each change of notes to changed. Its
// text, and that of its error, are for the model to read. It must be safe for
// concurrent use.
type MemoryTool func(ctx context.Context, input json.RawMessage, changed func(engine.Change)) (string, error)

// MemoryCommand is a call of Anthropic's memory tool (memory_20250818), as the model
// wrote it.
type MemoryCommand struct {
	Command    string `json:"command"`               // view, create, str_replace, insert, delete or rename
	Path       string `json:"path,omitempty"`        // of all but rename: /memories, or a path below it
	ViewRange  []int  `json:"view_range,omitempty"`  // of view: first and last line, -1 for the end
	FileText   string `json:"file_text,omitempty"`   // of create: all of the file
	OldStr     string `json:"old_str,omitempty"`     // of str_replace: a text that stands in one line alone
	NewStr     string `json:"new_str,omitempty"`     // of str_replace: what comes in its place
	InsertLine *int   `json:"insert_line,omitempty"` // of insert: the line before the text, 0 for the beginning
	InsertText string `json:"insert_text,omitempty"` // of insert
	OldPath    string `json:"old_path,omitempty"`    // of rename
	NewPath    string `json:"new_path,omitempty"`    // of rename
}

// MemoryResult is the answer for the model, with the names that a block of the
// type tool_result uses.
type MemoryResult struct {
	Content string `json:"content"`  // a text
	IsError bool   `json:"is_error"` // the text says why nothing was done
}

func memoryRoutes() []route {
	return []route{{
		method: "POST", pattern: "/v1/anthropic/memory", summary: "Answer a call of Anthropic's memory tool over the folder memories of the notes; all commands but view need the permission write, too",
		permission: MayRead, private: true, in: MemoryCommand{}, out: MemoryResult{}, handle: memoryCommand,
	}}
}

// memoryCommand passes a call on unchanged. The tool itself tells the model
// what is wrong with its values.
func memoryCommand(r *request) (any, error) {
	body, err := readBody(r.w, r.Request, "application/json")
	if err == nil {
		err = wire.CheckObject(body)
	}
	if err == nil && changes(body) {
		err = r.writing()
	}
	if err != nil {
		return nil, err
	}
	if r.api.opts.MemoryTool == nil {
		return nil, memoir.WithHint(memoir.ErrUnavailable, "use the other requests; GET /v1/openapi.json lists them")
	}
	text, err := r.api.opts.MemoryTool(r.Context(), body, func(c engine.Change) {
		if ev := changeEvent(c); len(ev.Paths) > 0 {
			r.changed(ev)
		}
	})
	if err != nil {
		if r.Context().Err() != nil {
			return nil, r.Context().Err()
		}
		return MemoryResult{Content: err.Error(), IsError: true}, nil
	}
	return MemoryResult{Content: text}, nil
}

// changes reports whether a call of the memory tool may change notes: every
// command may that is not known to only view.
func changes(input json.RawMessage) bool {
	var c struct {
		Command string `json:"command"`
	}
	return json.Unmarshal(input, &c) != nil || c.Command != "view"
}
