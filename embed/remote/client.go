package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"

	"github.com/memoir-ai/memoir"
)

// maxError is how many bytes of an error response are read.
const maxError = 64 << 10

// Client sends requests to one provider. Its errors can be shown to people. It
// is safe for concurrent use.
type Client struct {
	provider string
	base     *url.URL
	key      string
	header   http.Header
	http     *http.Client
	timeout  time.Duration
	wait     time.Duration // before the second attempt
}

// NewClient checks the address and the key; see [Config] for these.
func NewClient(provider, baseURL, key string, header http.Header, opts Options) (*Client, error) {
	base, err := parseBase(provider, baseURL)
	if err != nil {
		return nil, err
	}
	if strings.ContainsFunc(key, func(r rune) bool { return r > unicode.MaxASCII || unicode.IsControl(r) }) {
		return nil, memoir.WithHint(fmt.Errorf("%s: the key has a character that no key has: %w", provider, memoir.ErrInvalid), "check "+provider+".apiKey")
	}
	if opts.Timeout < 0 || opts.RetryWait < 0 {
		return nil, fmt.Errorf("%s: an option is negative: %w", provider, memoir.ErrInvalid)
	}
	SetDefault(&opts.Timeout, DefaultTimeout)
	SetDefault(&opts.RetryWait, DefaultRetryWait)
	return &Client{provider, base, key, header, clientOf(opts.HTTPClient), opts.Timeout, opts.RetryWait}, nil
}

func parseBase(provider, base string) (*url.URL, error) {
	u, err := url.Parse(base)
	if err != nil {
		var parseErr *url.Error
		if errors.As(err, &parseErr) {
			err = parseErr.Err // without the address, which may contain a secret
		}
		return nil, fmt.Errorf("%s: base URL: %v: %w", provider, err, memoir.ErrInvalid)
	}
	switch {
	case u.Scheme != "https" && u.Scheme != "http" || u.Host == "":
		return nil, fmt.Errorf("%s: base URL has to start with https:// or http://: %w", provider, memoir.ErrInvalid)
	case u.User != nil:
		return nil, memoir.WithHint(fmt.Errorf("%s: base URL holds a user: %w", provider, memoir.ErrInvalid), "put the key into "+provider+".apiKey")
	}
	return u, nil
}

// clientOf returns a client that follows no redirects. A redirect is an error
// that says where it leads.
func clientOf(given *http.Client) *http.Client {
	var c http.Client
	if given != nil {
		c = *given
	}
	if transport, ok := http.DefaultTransport.(*http.Transport); ok && c.Transport == nil {
		transport = transport.Clone()
		transport.MaxIdleConnsPerHost = 2 * DefaultConcurrency // the default would close all but two
		c.Transport = transport
	}
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &c
}

// A Request is a request that a [Client] sends.
type Request struct {
	Method      string // "" is POST
	Path        []string
	JSON        any    // the body, written as JSON; nil is none
	Raw         []byte // the body as it is, when JSON is nil
	ContentType string // of Raw
	MaxAnswer   int64  // bytes; more is an error
}

// Send makes one attempt and returns the body of an answer with status 200 or
// 201. Errors of the server and the network wrap [memoir.ErrUnavailable].
func (c *Client) Send(ctx context.Context, r Request) ([]byte, error) {
	var body []byte
	err := c.stream(ctx, r, func(answer io.Reader) (err error) {
		body, err = io.ReadAll(io.LimitReader(answer, r.MaxAnswer+1))
		return err
	})
	switch {
	case err != nil:
		return nil, err
	case int64(len(body)) > r.MaxAnswer:
		return nil, c.Refuse(fmt.Errorf("it has more than %d bytes", r.MaxAnswer))
	}
	return body, nil
}

// stream makes one attempt and calls read with the body of a successful
// response.
func (c *Client) stream(ctx context.Context, r Request, read func(io.Reader) error) error {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	req, err := c.request(ctx, r)
	if err != nil {
		return err
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return c.networkError(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusCreated {
		return c.statusError(resp)
	}
	if err := read(resp.Body); err != nil {
		return c.networkError(err)
	}
	return nil
}

// maxObject is the size of the largest response that describes something, in
// bytes.
const maxObject = 1 << 20

// Call makes one attempt and reads the answer, which is a JSON object of a
// megabyte at most, unless the request says otherwise.
func (c *Client) Call(ctx context.Context, r Request, answer any) error {
	SetDefault(&r.MaxAnswer, maxObject)
	body, err := c.Send(ctx, r)
	if err != nil {
		return err
	}
	if err := Unmarshal(body, answer); err != nil {
		return c.Refuse(err)
	}
	return nil
}

func (c *Client) request(ctx context.Context, r Request) (*http.Request, error) {
	body, kind := r.Raw, r.ContentType
	if r.JSON != nil {
		var err error
		if body, err = json.Marshal(r.JSON); err != nil {
			return nil, err
		}
		kind = "application/json"
	}
	SetDefault(&r.Method, http.MethodPost)
	req, err := http.NewRequestWithContext(ctx, r.Method, c.base.JoinPath(r.Path...).String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	for name, values := range c.header {
		req.Header[name] = values
	}
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "memoir")
	return req, nil
}

// Refuse reports a response that cannot be used. Trying again would not help.
func (c *Client) Refuse(err error) error {
	f := &failure{text: fmt.Sprintf("answer of %s: %s", c.base.Host, c.clean(err.Error())), kind: final}
	if hint := memoir.Hint(err); hint != "" {
		return memoir.WithHint(f, hint)
	}
	return f
}

// networkError reports a network failure without the address, whose query may
// contain a secret. A server that cannot be reached at all is not tried again:
// an index run can be repeated, and a search must not wait for a server that is
// off.
func (c *Client) networkError(err error) error {
	var withURL *url.Error
	if errors.As(err, &withURL) {
		err = withURL.Err
	}
	f := &failure{kind: broken, cause: err}
	if errors.Is(err, context.DeadlineExceeded) {
		f.kind = timedOut
		err = fmt.Errorf("no answer within %v: %w", c.timeout, err)
	}
	f.text = fmt.Sprintf("ask %s: %s", c.base.Host, c.clean(err.Error()))
	var dial *net.OpError
	if errors.As(err, &dial) && dial.Op == "dial" {
		f.kind = final
		return memoir.WithHint(f, "start the server, or check "+c.provider+".baseURL; memoir doctor finds local ones")
	}
	return f
}

// clean makes a server's message fit for one line: short, without the key and
// without control characters.
func (c *Client) clean(message string) string {
	if c.key != "" {
		message = strings.NewReplacer(c.key, "[key]", url.QueryEscape(c.key), "[key]").Replace(message)
	}
	message = strings.Join(strings.FieldsFunc(message, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
	message = strings.ToValidUTF8(message, "\ufffd")
	const letters = 300
	if r := []rune(message); len(r) > letters {
		message = string(r[:letters]) + "…"
	}
	return message
}
