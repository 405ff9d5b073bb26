package mcpserver

import (
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Handler serves many clients over streamable HTTP, in all revisions of the
// protocol. It keeps no sessions: each request stands for itself. Input and
// Output are not used. writes reports whether the author of a request may write
// notes. Handler lets everybody in; whatever stands before it decides who may
// come.
func Handler(reader Reader, opts Options, writes func(*http.Request) bool) http.Handler {
	reading := opts
	reading.Writer, reading.Memory, reading.Changed = nil, nil, nil // only one of them can take the token; the other one polls
	whole, less := New(reader, opts), New(reader, reading)
	choose := func(r *http.Request) *mcp.Server {
		if writes(r) {
			return whole
		}
		return less
	}
	h := mcp.NewStreamableHTTPHandler(choose, &mcp.StreamableHTTPOptions{Stateless: true, Logger: opts.Logger, DisableLocalhostProtection: true})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxMessage)
		h.ServeHTTP(w, r)
	})
}
