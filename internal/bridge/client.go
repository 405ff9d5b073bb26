package bridge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"math"
	"net"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/statedir"
)

type (
	statement    = engine.Statement
	primeOptions = engine.PrimeOptions
)

// A call that takes longer than quiet asks whether the server still runs. The server may
// take patience to respond. Together they are what a stopped server costs a call.
const (
	quiet    = 400 * time.Millisecond
	patience = 1200 * time.Millisecond
)

// A Client uses the memory of a server. It implements [Memory]. The errors of
// calls that the server did not answer are of type *[Gone]. It is safe for
// concurrent use.
type Client struct {
	Greeting

	path, digest string
	readOnly     bool
	http         *http.Client
	there        context.Context // done when the server counts as gone
	leave        context.CancelCauseFunc
}

// Join returns a client of the server at a socket, if the socket belongs to
// this user and the server has the memory that digest names. readOnly says that
// the client will write nothing. Join takes seconds at most. Its error says why
// there is no client: [fs.ErrNotExist] if no server runs.
func Join(ctx context.Context, path, digest string, readOnly bool) (*Client, error) {
	c := &Client{path: path, digest: digest, readOnly: readOnly}
	c.there, c.leave = context.WithCancelCause(context.WithoutCancel(ctx))
	// Each call has its own connection. A connection that is kept may break
	// between two calls, and then nobody knows whether the server has read the
	// second one.
	c.http = over(path)
	var err error
	c.Greeting, err = c.greet(ctx)
	return c, err
}

// Greet asks whether the server still runs. A server that does not respond
// within seconds counts as gone. Calls that take long ask so themselves.
func (c *Client) Greet(ctx context.Context) error {
	_, err := c.greet(ctx)
	return err
}

func (c *Client) greet(ctx context.Context) (Greeting, error) {
	to, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	hi, err := ask[Greeting](to, c, hello, nil)
	if err != nil && ctx.Err() == nil {
		c.leave(err)
	}
	return hi, err
}

// watch greets the server while a call runs, and ends the call when the server is gone.
// The caller calls stop, which waits for the last greeting.
func (c *Client) watch(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(quiet)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
			if c.Greet(ctx) != nil {
				return
			}
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

// Leave cancels the calls in progress.
func (c *Client) Leave() { c.leave(errors.New("it was left")) }

// Left returns a channel that is closed when the server counts as gone.
func (c *Client) Left() <-chan struct{} { return c.there.Done() }

// over returns a client of HTTP whose every request goes to the server at a socket.
func over(path string) *http.Client {
	return &http.Client{Transport: &http.Transport{DisableKeepAlives: true, ExpectContinueTimeout: math.MaxInt64, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		conn, err := dial(ctx, path)
		if err != nil {
			return nil, &Gone{Err: err}
		}
		return conn, nil
	}}}
}

// dial connects to the socket if it belongs to this user.
func dial(ctx context.Context, path string) (net.Conn, error) {
	if err := statedir.Check(path); err != nil {
		return nil, err
	}
	info, err := os.Lstat(path)
	if err == nil && info.Mode().Type() != fs.ModeSocket {
		err = fmt.Errorf("%s is no socket", path)
	}
	if err == nil {
		err = statedir.OwnFile(path, info)
	}
	if err != nil {
		return nil, err
	}
	return new(net.Dialer).DialContext(ctx, "unix", path)
}

// call makes one call.
func (c *Client) call(ctx context.Context, name string, arguments, value any) error {
	body, raw := arguments.(json.RawMessage)
	if !raw {
		var err error
		if body, err = json.Marshal(arguments); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	to, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(c.there, func() { cancel(context.Cause(c.there)) })()
	if name != hello {
		defer c.watch(to)()
	}
	sent := &sending{body: bytes.NewReader(body)}
	req, err := http.NewRequestWithContext(to, http.MethodPost, "http://memoir/"+name, sent)
	if err != nil {
		return err
	}
	req.ContentLength = int64(len(body))
	req.Header.Set("Expect", "100-continue")
	req.Header.Set(held, c.digest)
	if c.readOnly {
		req.Header.Set(reads, "1")
	}
	res, err := c.http.Do(req)
	if err != nil {
		return c.failed(ctx, sent, err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		said, err := io.ReadAll(io.LimitReader(res.Body, 1024))
		return &Gone{Err: errors.Join(errors.New(string(bytes.TrimSpace(said))), err), Sent: res.StatusCode == http.StatusInternalServerError}
	}
	data, err := io.ReadAll(res.Body)
	if err != nil {
		return c.failed(ctx, sent, err)
	}
	var came answer
	if err := json.Unmarshal(data, &came); err != nil {
		return &Gone{Err: err, Sent: true}
	}
	if came.Value != nil {
		if err := json.Unmarshal(came.Value, value); err != nil {
			return &Gone{Err: err, Sent: true}
		}
	}
	return came.Failure.error()
}

// failed returns the error of a call that broke off. If the caller has
// cancelled it, that is the caller's error.
func (c *Client) failed(ctx context.Context, sent *sending, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var gone *Gone
	if errors.As(err, &gone) {
		return gone
	}
	return &Gone{Err: err, Sent: sent.begun.Load()}
}

// sending is the body of a call, which goes out when the server has asked for it. A stopped
// server that runs again finds calls of which it has only the head, and carries out none.
type sending struct {
	body  *bytes.Reader
	begun atomic.Bool
}

func (s *sending) Read(p []byte) (int, error) {
	s.begun.Store(true)
	return s.body.Read(p)
}

func ask[Value any](ctx context.Context, c *Client, name string, arguments any) (value Value, err error) {
	err = c.call(ctx, name, arguments, &value)
	return value, err
}

// Search implements [Memory].
func (c *Client) Search(ctx context.Context, q memoir.Query) (memoir.Results, error) {
	return ask[memoir.Results](ctx, c, search, q)
}

// Get implements [Memory].
func (c *Client) Get(ctx context.Context, id memoir.DocID, from, to int) (memoir.Excerpt, error) {
	return ask[memoir.Excerpt](ctx, c, get, getArguments{id, from, to})
}

// Documents implements [Memory]. It receives all documents before it yields the
// first.
func (c *Client) Documents(ctx context.Context) iter.Seq2[memoir.DocumentMeta, error] {
	return func(yield func(memoir.DocumentMeta, error) bool) {
		all, err := ask[[]memoir.DocumentMeta](ctx, c, documents, nil)
		if err != nil {
			yield(memoir.DocumentMeta{}, err)
			return
		}
		for _, meta := range all {
			if !yield(meta, nil) {
				return
			}
		}
	}
}

// Stats implements [Memory].
func (c *Client) Stats(ctx context.Context) (memoir.StoreStats, error) {
	return ask[memoir.StoreStats](ctx, c, stats, nil)
}

// Remember implements [Memory].
func (c *Client) Remember(ctx context.Context, st engine.Statement) (engine.Outcome, error) {
	x, err := ask[outcomeAnswer](ctx, c, remember, st)
	return x.outcome(), err
}

// Prime implements [Memory].
func (c *Client) Prime(ctx context.Context, opts engine.PrimeOptions) (engine.Primed, error) {
	return ask[engine.Primed](ctx, c, prime, opts)
}

// Forget implements [Memory].
func (c *Client) Forget(ctx context.Context, target engine.Target, dryRun bool) (engine.Forgetting, error) {
	x, err := ask[forgettingAnswer](ctx, c, forget, forgetArguments{target, dryRun})
	return x.forgetting(), err
}

// Tool implements [Memory].
func (c *Client) Tool(ctx context.Context, input json.RawMessage) (string, error) {
	return ask[string](ctx, c, tool, input)
}
