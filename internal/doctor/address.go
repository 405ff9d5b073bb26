package doctor

import (
	"bytes"
	"context"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memoir-ai/memoir/internal/mcpserver"
)

// reach connects with a server at an address, as the agent does.
func (l *live) reach(ctx context.Context) bool {
	l.said = &bytes.Buffer{}
	ctx, cancel := context.WithTimeout(ctx, callPatience)
	defer cancel()
	client := mcp.NewClient(&mcp.Implementation{Name: "memoir-doctor", Version: "1"}, nil)
	session, err := client.Connect(ctx, mcpserver.At(l.server.URL, l.server.Headers), nil)
	if err != nil {
		l.d.add("server", Broken, "memoir serve there, and a token that it knows: memoir token list, memoir token create", "%s does not answer: %v", address(l.server.URL), short(err, l.server.URL))
		return false
	}
	l.client = session
	if info := session.InitializeResult().ServerInfo; info != nil {
		l.d.add("server", Healthy, "", "%s %s answers", info.Name, info.Version)
	}
	return true
}

// address returns an address without what may be secret in it.
func address(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return "an address that is none"
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// short returns the message of an error without what may be secret in an address.
func short(err error, text string) string {
	return strings.ReplaceAll(err.Error(), text, address(text))
}
