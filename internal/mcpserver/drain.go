package mcpserver

import (
	"context"
	"encoding/json"
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
//
// It also keeps to the protocol where the SDK does not: a request that its
// client has cancelled is not answered any more, and an error has a code.
type draining struct{ mcp.Transport }

// Connect implements [mcp.Transport].
func (d draining) Connect(ctx context.Context) (mcp.Connection, error) {
	conn, err := d.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &drainingConn{Connection: conn, open: map[jsonrpc.ID]string{}, cancelled: map[jsonrpc.ID]bool{}, closed: make(chan struct{})}, nil
}

type drainingConn struct {
	mcp.Connection
	closeOnce sync.Once
	closed    chan struct{}

	mu        sync.Mutex
	open      map[jsonrpc.ID]string // the methods of requests without an answer
	cancelled map[jsonrpc.ID]bool   // those of them that the client has given up
	greeted   bool                  // the client has sent initialize
	drained   chan struct{}         // closed when open becomes empty; nil while nobody waits for that
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
	if req, ok := msg.(*jsonrpc.Request); ok && err == nil {
		c.note(req)
	}
	return msg, err
}

// note keeps what a request means for later answers.
func (c *drainingConn) note(req *jsonrpc.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case req.Method == "initialize":
		c.greeted = true
		c.open[req.ID] = req.Method
	case req.Method == "notifications/cancelled":
		var params struct {
			RequestID any `json:"requestId"`
		}
		if json.Unmarshal(req.Params, &params) != nil {
			return
		}
		if id, err := jsonrpc.MakeID(params.RequestID); err == nil && c.open[id] != "" {
			c.cancelled[id] = true
		}
	case req.IsCall() && req.Method != "subscriptions/listen": // a subscription stays open as long as the connection does
		c.open[req.ID] = req.Method
	}
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
	res, ok := msg.(*jsonrpc.Response)
	if !ok {
		return c.Connection.Write(ctx, msg)
	}
	c.mu.Lock()
	gone, greeted, method := c.cancelled[res.ID], c.greeted, c.open[res.ID]
	c.mu.Unlock()
	var err error
	if !gone {
		res.Error = coded(res.Error, method, greeted)
		err = c.Connection.Write(ctx, res)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.cancelled, res.ID)
	if delete(c.open, res.ID); len(c.open) == 0 && c.drained != nil {
		close(c.drained)
		c.drained = nil
	}
	return err
}

// coded gives an error without a code that of JSON-RPC. The SDK gives none to
// requests before initialize, and to a second initialize.
func coded(err error, method string, greeted bool) error {
	var known *jsonrpc.Error
	switch {
	case err == nil || errors.As(err, &known) && known.Code != 0:
		return err
	case !greeted:
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: err.Error() + "; send initialize first"}
	case method == "initialize":
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: err.Error()}
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: err.Error()}
}

// Close implements [mcp.Connection].
func (c *drainingConn) Close() error {
	c.closeOnce.Do(func() { close(c.closed) })
	return c.Connection.Close()
}
