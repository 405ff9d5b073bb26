package weaviate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/memoir-ai/memoir"
)

// The most bytes that are read of an answer.
const (
	maxAnswer = 256 << 20
	maxError  = 64 << 10
)

// client sends requests to one server. It is safe for concurrent use.
type client struct {
	base    *url.URL
	key     string
	timeout time.Duration // of one request
	http    *http.Client
}

func newClient(opts Options) (*client, error) {
	base, err := url.Parse(opts.URL)
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "" {
		return nil, memoir.WithHint(fmt.Errorf("the address of Weaviate has to start with https:// or http://: %w", memoir.ErrInvalid), "check weaviate.url")
	}
	if base.User != nil {
		return nil, memoir.WithHint(fmt.Errorf("the address of Weaviate holds a user: %w", memoir.ErrInvalid), "put the key into weaviate.apiKey")
	}
	if strings.ContainsFunc(opts.Key, func(r rune) bool { return r > unicode.MaxASCII || unicode.IsControl(r) }) {
		return nil, memoir.WithHint(fmt.Errorf("the key of Weaviate has a character that no key has: %w", memoir.ErrInvalid), "check weaviate.apiKey")
	}
	c := &client{base: base, key: opts.Key, timeout: opts.Timeout, http: &http.Client{
		// A redirect would take the notes and the key to somebody else.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	if transport, ok := http.DefaultTransport.(*http.Transport); ok {
		transport = transport.Clone()
		transport.MaxIdleConnsPerHost = 16
		c.http.Transport = transport
	}
	if c.timeout <= 0 {
		c.timeout = DefaultTimeout
	}
	return c, nil
}

// A statusError is an answer that is an error.
type statusError struct {
	status  int
	message string        // made safe by clean
	after   time.Duration // when the server wants to be asked again; less than 0: it does not say
}

func (e *statusError) Error() string {
	if e.message == "" {
		return fmt.Sprintf("Weaviate answers %d", e.status)
	}
	return fmt.Sprintf("Weaviate answers %d: %s", e.status, e.message)
}

// Unwrap makes every refusal an [memoir.ErrUnavailable].
func (e *statusError) Unwrap() error { return memoir.ErrUnavailable }

func hasStatus(err error, status int) bool {
	var e *statusError
	return errors.As(err, &e) && e.status == status
}

// A reader reads an answer itself, which it must not keep.
type reader interface{ read(answer []byte) error }

// answers are the buffers that answers are held in until they are read.
var answers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// maxKept is the size up to which the buffer of an answer is used again.
const maxKept = 4 << 20

// call sends a request, within its deadline, and reads the answer into out, which may
// be nil or a [reader]. What is sent may be JSON already, as bytes. Errors of the server
// and of the network wrap [memoir.ErrUnavailable].
func (c *client) call(ctx context.Context, method, path string, query url.Values, in, out any) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	body, encoded := in.([]byte)
	if in != nil && !encoded {
		var err error
		if body, err = json.Marshal(in); err != nil {
			return err
		}
	}
	timed, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	at := c.base.JoinPath(path)
	at.RawQuery = query.Encode()
	req, err := http.NewRequestWithContext(timed, method, at.String(), bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "memoir")
	if c.key != "" {
		req.Header.Set("Authorization", "Bearer "+c.key)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return c.broken(ctx, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		text, _ := io.ReadAll(io.LimitReader(resp.Body, maxError)) // part of the text is good enough
		return c.refused(resp, text)
	}
	answer := answers.Get().(*bytes.Buffer)
	answer.Reset()
	defer func() {
		if answer.Cap() <= maxKept {
			answers.Put(answer)
		}
	}()
	_, err = answer.ReadFrom(io.LimitReader(resp.Body, maxAnswer+1))
	switch {
	case err != nil:
		return c.broken(ctx, err)
	case answer.Len() > maxAnswer:
		return c.unusable(fmt.Errorf("it has more than %d bytes", maxAnswer))
	case out == nil:
		return nil
	}
	if own, ok := out.(reader); ok {
		err = own.read(answer.Bytes())
	} else {
		err = json.Unmarshal(answer.Bytes(), out)
	}
	if err != nil {
		return c.unusable(err)
	}
	return nil
}

// unusable says that an answer is not one that Weaviate would give.
func (c *client) unusable(err error) error {
	return memoir.WithHint(fmt.Errorf("the answer of %s cannot be used: %s: %w", c.base.Host, c.clean(err.Error()), memoir.ErrUnavailable),
		"check weaviate.url: Weaviate 1.39 or newer has to stand there")
}

// refused reads an answer that is an error.
func (c *client) refused(resp *http.Response, body []byte) error {
	var said struct {
		Error []struct {
			Message string `json:"message"`
		} `json:"error"`
		Message string `json:"message"`
	}
	message := string(body)
	if json.Unmarshal(body, &said) == nil {
		message = said.Message
		for _, e := range said.Error {
			message += " " + e.Message
		}
	}
	status := resp.StatusCode
	err := &statusError{status, c.clean(message), retryAfter(resp)}
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return memoir.WithHint(err, "check weaviate.apiKey")
	case status >= 300 && status < 400:
		return memoir.WithHint(err, "check weaviate.url: it leads somewhere else")
	}
	return memoir.WithHint(err, "memoir doctor")
}

// retryAfter returns for how long a server that has too much to do wants to be left alone.
// It is less than 0 when the server does not say so.
func retryAfter(resp *http.Response) time.Duration {
	if resp.StatusCode != http.StatusTooManyRequests && resp.StatusCode != http.StatusServiceUnavailable {
		return -1
	}
	text := resp.Header.Get("Retry-After")
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, time.Until(at))
	}
	return -1
}

// errSilent says that a request had no answer in the time of one.
var errSilent = errors.New("no answer")

// broken says what failed, without the address. When the caller's own context
// is done, it returns that error.
func (c *client) broken(ctx context.Context, err error) error {
	if own := ctx.Err(); own != nil {
		return fmt.Errorf("ask Weaviate: %w", own)
	}
	var withURL *url.Error
	if errors.As(err, &withURL) {
		err = withURL.Err
	}
	hint := "start Weaviate, or check weaviate.url; memoir doctor"
	if errors.Is(err, context.DeadlineExceeded) {
		return memoir.WithHint(fmt.Errorf("ask Weaviate at %s: %w within %v; without most of its nodes Weaviate does not answer: %w", c.base.Host, errSilent, c.timeout, memoir.ErrUnavailable), hint)
	}
	return memoir.WithHint(fmt.Errorf("ask Weaviate at %s: %s: %w", c.base.Host, c.clean(err.Error()), memoir.ErrUnavailable), hint)
}

// clean makes a server's message fit for one line: short, without the key and
// without control characters.
func (c *client) clean(message string) string {
	if c.key != "" {
		message = strings.ReplaceAll(message, c.key, "[key]")
	}
	message = strings.Join(strings.FieldsFunc(message, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
	message = strings.ToValidUTF8(message, "\ufffd")
	const letters = 300
	if r := []rune(message); len(r) > letters {
		message = string(r[:letters]) + "…"
	}
	return message
}

// An answer is the answer to a GraphQL query.
type answer struct {
	Data struct {
		Get map[string][]object
	} `json:"data"`
	Errors []struct {
		Message string `json:"message"`
	} `json:"errors"`
}

// An object is a hit of a query.
type object struct {
	Of         string `json:"of"`
	Data       string `json:"data"`
	Additional struct {
		ID       string    `json:"id"`
		Vector   []float32 `json:"vector"`
		Distance *float64  `json:"distance"` // 1 less the cosine, of what is near
	} `json:"_additional"`
}

// id returns the id of an object. ok is false when it is not a valid one.
func (o *object) id() (id uuid, ok bool) { return parseUUID(o.Additional.ID) }

// query asks by GraphQL. Errors that the answer names are errors, even though
// its status is 200.
func (c *client) query(ctx context.Context, text string) (a answer, err error) {
	err = patiently(ctx, func() error {
		a = answer{}
		if err := c.call(ctx, http.MethodPost, "/v1/graphql", nil, map[string]string{"query": text}, &a); err != nil {
			return err
		}
		if len(a.Errors) > 0 {
			return memoir.WithHint(fmt.Errorf("no answer by Weaviate: %s: %w", c.clean(a.Errors[0].Message), memoir.ErrUnavailable), "memoir doctor")
		}
		return nil
	})
	return a, err
}

// get asks for objects of one collection.
func (c *client) get(ctx context.Context, class, arguments, fields string) ([]object, error) {
	a, err := c.query(ctx, "{Get{"+class+"("+arguments+"){"+fields+"}}}")
	if err != nil {
		return nil, err
	}
	found, ok := a.Data.Get[class]
	if !ok {
		return nil, c.unusable(fmt.Errorf("it says nothing of %s", class))
	}
	return found, nil
}

// quote writes a string in the syntax of GraphQL, which is that of JSON.
func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // strings always marshal
	}
	return string(b)
}

// quoteAll writes a list of strings.
func quoteAll[T interface{ String() string }](list []T) string {
	var b strings.Builder
	for i, x := range list {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(quote(x.String()))
	}
	return "[" + b.String() + "]"
}
