package openai

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
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/cenkalti/backoff/v5"
	"github.com/memoir-ai/memoir"
)

// How often a request is sent, and how long a server may ask to wait. A query
// has somebody waiting, who is answered by words meanwhile.
const (
	documentTries = 5
	queryTries    = 2
	maxWait       = time.Minute
	maxElapsed    = 5 * time.Minute
)

// Limits of what is read from a server, and of what is shown of an error.
const (
	bytesPerValue  = 32
	maxOverhead    = 1 << 20
	maxErrorBytes  = 64 << 10
	maxErrorLetter = 300
)

// retry sends a batch until it is answered, refused, or not worth another attempt.
func (e *Embedder) retry(ctx context.Context, task memoir.Task, batch []input) ([][]float32, error) {
	waits := backoff.NewExponentialBackOff()
	waits.InitialInterval = e.opts.RetryWait
	waits.Multiplier = 2
	waits.MaxInterval = maxWait / 2
	tries := uint(documentTries)
	if task == memoir.TaskQuery {
		tries = queryTries
	}
	elapsed := maxElapsed
	if deadline, ok := ctx.Deadline(); ok {
		elapsed = min(elapsed, max(time.Until(deadline), 1)) // no use in a wait that cannot end; 0 means no limit
	}
	vectors, err := backoff.Retry(ctx, func() ([][]float32, error) { return e.send(ctx, batch) },
		backoff.WithBackOff(waits), backoff.WithMaxTries(tries), backoff.WithMaxElapsedTime(elapsed))
	if err == nil {
		return vectors, nil
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("ask %s: %w", e.endpoint.Host, context.Cause(ctx))
	}
	var permanent *backoff.PermanentError // of the last attempt it is not taken off
	if errors.As(err, &permanent) {
		err = permanent.Unwrap()
	}
	return nil, err
}

// send makes one attempt. An error that is not a [backoff.PermanentError] is worth another.
func (e *Embedder) send(ctx context.Context, batch []input) ([][]float32, error) {
	ctx, cancel := context.WithTimeout(ctx, e.opts.Timeout)
	defer cancel()
	req, err := e.request(ctx, batch)
	if err != nil {
		return nil, backoff.Permanent(err)
	}
	resp, err := e.client.Do(req)
	if err != nil {
		return nil, e.networkError(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, e.statusError(resp)
	}
	limit := int64(len(batch)*e.space.Dimensions*bytesPerValue + maxOverhead)
	body, err := io.ReadAll(io.LimitReader(resp.Body, limit+1))
	switch {
	case err != nil:
		return nil, e.networkError(err)
	case int64(len(body)) > limit:
		return nil, backoff.Permanent(fmt.Errorf("answer of more than %d bytes for %d texts: %w", limit, len(batch), memoir.ErrUnavailable))
	}
	vectors, err := parseVectors(body, len(batch), e.space.Dimensions)
	if err != nil {
		return nil, backoff.Permanent(fmt.Errorf("answer of %s: %s: %w", e.endpoint.Host, e.clean(err.Error()), memoir.ErrUnavailable))
	}
	return vectors, nil
}

func (e *Embedder) request(ctx context.Context, batch []input) (*http.Request, error) {
	body := struct {
		Model      string   `json:"model"`
		Input      []string `json:"input"`
		Dimensions int      `json:"dimensions,omitempty"`
	}{Model: e.opts.Model}
	for _, in := range batch {
		body.Input = append(body.Input, in.text)
	}
	if e.sendDimensions {
		body.Dimensions = e.space.Dimensions
	}
	data, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.endpoint.String(), bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "memoir")
	if e.opts.APIKey != "" {
		req.Header.Set("Authorization", "Bearer "+e.opts.APIKey)
	}
	return req, nil
}

// networkError is a request that got no whole answer.
type networkError struct {
	text  string
	cause error
}

func (n *networkError) Error() string   { return n.text }
func (n *networkError) Unwrap() []error { return []error{memoir.ErrUnavailable, n.cause} }

// networkError says what broke without the address, whose query may hold a
// secret. Who cannot be reached at all is not tried again: an index run can be
// repeated, and a search must not wait for a server that is off.
func (e *Embedder) networkError(err error) error {
	var withURL *url.Error
	if errors.As(err, &withURL) {
		err = withURL.Err
	}
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("no answer within %v: %w", e.opts.Timeout, err)
	}
	out := &networkError{fmt.Sprintf("ask %s: %s", e.endpoint.Host, e.clean(err.Error())), err}
	var dial *net.OpError
	if errors.As(err, &dial) && dial.Op == "dial" {
		return backoff.Permanent(memoir.WithHint(out, "start the server, or check openai.baseURL"))
	}
	return out
}

// statusError is an answer other than 200.
type statusError struct {
	code int
	text string
	wait *backoff.RetryAfterError // as the server asks; nil when it does not
}

func (s *statusError) Error() string { return s.text }

// Unwrap gives callers the sentinel and backoff the wait.
func (s *statusError) Unwrap() []error {
	if s.wait != nil {
		return []error{memoir.ErrUnavailable, s.wait}
	}
	return []error{memoir.ErrUnavailable}
}

// blamesInput reports whether a smaller or another input may be taken.
func (s *statusError) blamesInput() bool {
	return s.code == http.StatusBadRequest || s.code == http.StatusRequestEntityTooLarge || s.code == http.StatusUnprocessableEntity
}

// statusError reads the answer and says whether it is final.
func (e *Embedder) statusError(resp *http.Response) error {
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorBytes)) // what there is will do
	code, message := parseError(body)
	s := &statusError{code: resp.StatusCode, text: fmt.Sprintf("%s answered %d %s", e.endpoint.Host, resp.StatusCode, http.StatusText(resp.StatusCode))}
	if message != "" {
		s.text += ": " + e.clean(message)
	}
	again := code != "insufficient_quota" &&
		(s.code == http.StatusTooManyRequests || s.code == http.StatusRequestTimeout || s.code >= 500 && s.code != http.StatusNotImplemented)
	if wait, ok := retryAfter(resp.Header.Get("Retry-After"), time.Now()); ok && again {
		if wait > maxWait {
			s.text += fmt.Sprintf("; it asks to wait %v", wait.Round(time.Second))
			again = false
		}
		s.wait = &backoff.RetryAfterError{Duration: wait}
	}
	if again {
		return s
	}
	return backoff.Permanent(memoir.WithHint(s, hint(s.code, resp.Header.Get("Location"))))
}

// hint returns the next step for an answer that is final.
func hint(code int, location string) string {
	switch {
	case code == http.StatusUnauthorized || code == http.StatusForbidden:
		return "check openai.apiKey"
	case code == http.StatusNotFound:
		return "check openai.baseURL and openai.model"
	case code >= 300 && code < 400:
		if u, err := url.Parse(location); err == nil && u.Host != "" {
			return fmt.Sprintf("if %q is to be trusted, set openai.baseURL to it", u.Scheme+"://"+u.Host)
		}
		return "check openai.baseURL"
	case code == http.StatusTooManyRequests:
		return "check the account's quota, then run: memoir index"
	}
	return "check openai.baseURL and openai.model"
}

// retryAfter reads the header of that name: seconds or a date (RFC 9110, 10.2.3).
func retryAfter(value string, now time.Time) (time.Duration, bool) {
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second, true
	}
	if date, err := http.ParseTime(value); err == nil {
		return max(0, date.Sub(now)), true
	}
	return 0, false
}

// parseError returns code and message of an error's body: OpenAI's object, the
// plain string of others, or the beginning of whatever it is.
func parseError(body []byte) (code, message string) {
	var outer struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
	}
	if json.Unmarshal(body, &outer) != nil {
		return "", string(body)
	}
	var inner struct {
		Message string `json:"message"`
		Code    any    `json:"code"` // a string, a number or null
	}
	if json.Unmarshal(outer.Error, &inner) == nil && inner.Message != "" {
		code, _ = inner.Code.(string)
		return code, inner.Message
	}
	if json.Unmarshal(outer.Error, &message) == nil && message != "" {
		return "", message
	}
	return "", outer.Message
}

// clean makes what a server says fit for a line of a log: without the key,
// without control characters, short.
func (e *Embedder) clean(message string) string {
	if e.opts.APIKey != "" {
		message = strings.ReplaceAll(message, e.opts.APIKey, "[key]")
	}
	message = strings.Join(strings.FieldsFunc(message, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
	message = strings.ToValidUTF8(message, "\ufffd")
	if letters := []rune(message); len(letters) > maxErrorLetter {
		message = string(letters[:maxErrorLetter]) + "…"
	}
	return message
}
