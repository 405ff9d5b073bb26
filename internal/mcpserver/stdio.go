package mcpserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/lines"
	"github.com/memoir-ai/memoir/internal/wire"
)

// maxMessage is the size of the largest incoming message. Many queries of 100
// kB would fit.
const maxMessage = 4 << 20 // bytes

// byteOrderMark is what some clients write before their first message.
const byteOrderMark = "\ufeff"

// stdio returns a transport of one message a line. The SDK's own transport ends
// the conversation at the first line that it cannot decode. This one answers
// such a line and goes on.
func stdio(in io.ReadCloser, out io.Writer) mcp.Transport {
	w := &lineWriter{w: out, ids: newIDs()}
	return draining{&mcp.IOTransport{
		Reader: &messageReader{lines: lines.New(in, maxMessage), Closer: in, answer: w, ids: w.ids},
		Writer: w,
	}}
}

// lineWriter keeps the lines of several writers whole. Closing it does not
// close the underlying writer, which belongs to the caller.
type lineWriter struct {
	ids *ids
	mu  sync.Mutex
	w   io.Writer
}

func (w *lineWriter) Write(p []byte) (int, error) {
	line := w.ids.show(p)
	w.mu.Lock()
	defer w.mu.Unlock()
	n, err := w.w.Write(line)
	return min(n, len(p)), err
}

func (w *lineWriter) Close() error { return nil }

// messageReader passes on well-formed messages, each with its line end, and
// answers every other line itself.
type messageReader struct {
	lines *lines.Reader
	io.Closer
	answer io.Writer
	ids    *ids
	rest   []byte // of the message being read
}

// Read implements [io.Reader]. It is for one goroutine.
func (r *messageReader) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		line, err := r.line()
		if err != nil {
			return 0, err
		}
		if line == nil {
			continue
		}
		if refusal := check(line); refusal != nil {
			var a asker
			_, _ = a.Write(line) // which returns no error
			if err := r.refuse(a.asked(), refusal); err != nil {
				return 0, err
			}
			continue
		}
		r.rest = append(r.ids.hide(line), '\n')
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// line returns the next line without its end and the blanks around it. It
// returns nil when the line is empty, or was refused because it is too long.
func (r *messageReader) line() ([]byte, error) {
	var a asker
	r.lines.TooLong = &a
	line, err := r.lines.Next()
	if errors.Is(err, lines.ErrTooLong) {
		return nil, r.refuse(a.asked(), &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest,
			Message: fmt.Sprintf("the message is longer than %d bytes; send less at once", maxMessage)})
	}
	if line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte(byteOrderMark))); len(line) == 0 {
		return nil, err
	}
	return line, nil
}

// check returns why a line is not a message, or nil when it is one.
func check(line []byte) *jsonrpc.Error {
	switch {
	case !json.Valid(line):
		return &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: "the line is not valid JSON; send one message a line"}
	case line[0] == '[':
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "batches are not supported; send one message a line"}
	}
	if _, err := jsonrpc.DecodeMessage(line); err != nil {
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "the line is not a JSON-RPC 2.0 message: " + err.Error()}
	}
	if err := wire.CheckObject(line); err != nil {
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: err.Error() + "; " + memoir.Hint(err)}
	}
	var has map[string]json.RawMessage
	if err := json.Unmarshal(line, &has); err == nil && string(has["id"]) == "null" && has["method"] != nil && !bytes.HasPrefix(has["method"], []byte(`"notifications/`)) {
		// The SDK takes it for a notification, and whoever sent it would wait for an answer.
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "the id of the request is null; give it a number or a string"}
	}
	return nil
}

// refuse answers a line with the id of the request in it, or null, as JSON-RPC
// requires, where there is none.
func (r *messageReader) refuse(id json.RawMessage, reason *jsonrpc.Error) error {
	data, err := json.Marshal(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   *jsonrpc.Error  `json:"error"`
	}{"2.0", id, reason})
	if err != nil {
		return err
	}
	_, err = r.answer.Write(append(data, '\n'))
	return err
}
