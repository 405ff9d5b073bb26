package mcpserver

import (
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// At is the way to a server at an address, for a client that sends the headers
// with every request. It follows no redirect, because a token is for one
// address.
func At(address string, headers map[string]string) mcp.Transport {
	return &mcp.StreamableClientTransport{
		Endpoint: address, MaxRetries: -1, DisableStandaloneSSE: true,
		HTTPClient: &http.Client{
			Transport:     withHeaders(headers),
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

type withHeaders map[string]string

func (h withHeaders) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for name, value := range h {
		r.Header.Set(name, value)
	}
	return http.DefaultTransport.RoundTrip(r)
}
