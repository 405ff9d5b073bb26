package mcpserver

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// draining is a transport whose connection reports the end of the input only
// after all requests are answered. At the end of the input the SDK drops calls
// that still run. A client that writes its requests and closes would then get
// no answers.
type draining struct{ mcp.Transport }

// Connect implements [mcp.Transport].
func (d draining) Connect(ctx context.Context) (mcp.Connection, error) {
	conn, err := d.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &drainingConn{Connection: conn, open: map[jsonrpc.ID]bool{}, closed: make(chan struct{})}, nil
}

type drainingConn struct {
	mcp.Connection
	closeOnce sync.Once
	closed    chan struct{}

	mu      sync.Mutex
	open    map[jsonrpc.ID]bool // requests without an answer
	drained chan struct{}       // closed when open becomes empty; nil while nobody waits for that
}

// Read implements [mcp.Connection].
func (c *drainingConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	msg, err := c.Connection.Read(ctx)
	if errors.Is(err, io.EOF) {
		select {
		case <-c.idle():
		case <-c.closed:
		case <-ctx.Done():
		}
	}
	// A subscription stays open as long as the connection does.
	if req, ok := msg.(*jsonrpc.Request); ok && err == nil && req.IsCall() && req.Method != "subscriptions/listen" {
		c.mu.Lock()
		c.open[req.ID] = true
		c.mu.Unlock()
	}
	return msg, err
}

// idle returns a channel that is closed when no request is open.
func (c *drainingConn) idle() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	drained := make(chan struct{})
	if len(c.open) == 0 {
		close(drained)
	} else {
		c.drained = drained
	}
	return drained
}

// Write implements [mcp.Connection].
func (c *drainingConn) Write(ctx context.Context, msg jsonrpc.Message) error {
	err := c.Connection.Write(ctx, msg)
	if res, ok := msg.(*jsonrpc.Response); ok {
		c.mu.Lock()
		defer c.mu.Unlock()
		if delete(c.open, res.ID); len(c.open) == 0 && c.drained != nil {
			close(c.drained)
			c.drained = nil
		}
	}
	return err
}

// Close implements [mcp.Connection].
func (c *drainingConn) Close() error {
	c.closeOnce.Do(func() { close(c.closed) })
	return c.Connection.Close()
}
