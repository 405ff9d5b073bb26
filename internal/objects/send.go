package objects

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"

	"github.com/memoir-ai/memoir"
)

// These bound what is read of an answer, in bytes.
const (
	maxPage  = 16 << 20
	maxError = 64 << 10
)

// attempts is how often a request is sent when it gets no answer, or gets an error of the
// server's own.
const attempts = 4

type request struct {
	method string
	name   string // "" for the bucket itself
	query  url.Values
	header http.Header
	body   []byte
	most   int64 // how many bytes the answer may have
}

type response struct {
	status int
	header http.Header
	body   []byte
	again  bool // an earlier attempt may have been carried out
}

// A statusError is an answer with an error status.
type statusError struct {
	status  int
	code    string // as S3 names it: "NoSuchKey"
	message string // made fit to show by clean
}

func (e *statusError) Error() string {
	text := fmt.Sprintf("the server answers %d", e.status)
	if e.code != "" {
		text += " " + e.code
	}
	if e.message != "" {
		text += ": " + e.message
	}
	return text
}

// Unwrap makes every refusal [memoir.ErrUnavailable], except that of an object that does
// not exist.
func (e *statusError) Unwrap() error {
	if e.status == http.StatusNotFound && e.code != "NoSuchBucket" {
		return fs.ErrNotExist
	}
	return memoir.ErrUnavailable
}

// send sends a request until it gets an answer. Errors of the server and of the network
// wrap [memoir.ErrUnavailable]. An object that does not exist wraps [fs.ErrNotExist].
func (b *Bucket) send(ctx context.Context, r request) (resp response, err error) {
	for n, wait := 1, b.opts.Wait; ; n, wait = n+1, 2*wait {
		again := resp.again
		var retry bool
		resp, retry, err = b.attempt(ctx, r)
		resp.again = again || retry
		if !retry || n == attempts || ctx.Err() != nil {
			return resp, err
		}
		select {
		case <-time.After(wait/2 + rand.N(wait)):
		case <-ctx.Done():
			return resp, fmt.Errorf("%w: %w", err, ctx.Err())
		}
	}
}

// attempt sends a request once. retry says whether another attempt may succeed.
func (b *Bucket) attempt(ctx context.Context, r request) (resp response, retry bool, err error) {
	if err := ctx.Err(); err != nil {
		return response{}, false, err
	}
	timed, cancel := context.WithTimeout(ctx, b.opts.Timeout)
	defer cancel()
	at := *b.base
	if r.name != "" {
		at.Path += b.prefix + r.name
	}
	at.RawPath, at.RawQuery = escape(at.Path, true), encode(r.query)
	req, err := http.NewRequestWithContext(timed, r.method, at.String(), bytes.NewReader(r.body))
	if err != nil {
		return response{}, false, err
	}
	for name, values := range r.header {
		req.Header[name] = values
	}
	req.Header.Set("User-Agent", "memoir")
	skew := time.Duration(b.skew.Load())
	b.sign(req, r.body, b.now().Add(skew))
	answer, err := b.http.Do(req)
	if err != nil {
		return response{}, true, b.broken(ctx, err)
	}
	defer answer.Body.Close()
	if answer.StatusCode < 200 || answer.StatusCode > 299 {
		body, _ := io.ReadAll(io.LimitReader(answer.Body, maxError)) // a part of the text is enough
		return b.refused(answer, body, skew)
	}
	body, err := io.ReadAll(io.LimitReader(answer.Body, r.most+1))
	switch {
	case err != nil:
		return response{}, true, b.broken(ctx, err)
	case int64(len(body)) > r.most:
		return response{}, false, fmt.Errorf("%w: it has more than %d bytes", ErrLarge, r.most)
	}
	return response{status: answer.StatusCode, header: answer.Header, body: body}, false, nil
}

// refused reads an answer with an error. skew is how far the date of the request was
// ahead of this machine's clock.
func (b *Bucket) refused(answer *http.Response, body []byte, skew time.Duration) (_ response, retry bool, err error) {
	code, message := parseError(body)
	failed := &statusError{answer.StatusCode, b.clean(code), b.clean(message)}
	switch status := answer.StatusCode; {
	case code == "RequestTimeTooSkewed":
		// The clock of this machine is wrong, so take the server's.
		there, dateErr := http.ParseTime(answer.Header.Get("Date"))
		ahead := there.Sub(b.now())
		if dateErr == nil {
			b.skew.Store(int64(ahead))
		}
		return response{}, dateErr == nil && (ahead-skew).Abs() > time.Minute, memoir.WithHint(failed, "set the clock of this machine")
	case status >= 500 || status == http.StatusTooManyRequests || status == http.StatusRequestTimeout || code == "OperationAborted":
		return response{}, true, memoir.WithHint(failed, "memoir doctor")
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return response{}, false, memoir.WithHint(failed, "check bucket.accessKey and bucket.secretKey, and what they allow")
	case status >= 300 && status < 400, code == "AuthorizationHeaderMalformed":
		return response{}, false, memoir.WithHint(failed, "check bucket.region and bucket.endpoint: the bucket is somewhere else")
	case code == "NoSuchBucket":
		return response{}, false, memoir.WithHint(failed, "make the bucket, or check its name")
	}
	return response{}, false, failed
}

// broken describes a request that failed, without its address. The caller's own end of
// time stays the error that it is.
func (b *Bucket) broken(ctx context.Context, err error) error {
	if own := ctx.Err(); own != nil {
		return own
	}
	var withURL *url.Error
	if errors.As(err, &withURL) {
		err = withURL.Err
	}
	what := b.clean(err.Error())
	if errors.Is(err, context.DeadlineExceeded) {
		what = fmt.Sprintf("no answer within %v", b.opts.Timeout)
	}
	return memoir.WithHint(fmt.Errorf("ask %s: %s: %w", b.base.Host, what, memoir.ErrUnavailable), "check bucket.endpoint, and whether this machine reaches it")
}

// unusable reports an answer that no S3 server would give.
func (b *Bucket) unusable(err error) error {
	return memoir.WithHint(fmt.Errorf("the answer of %s cannot be used: %s: %w", b.base.Host, b.clean(err.Error()), memoir.ErrUnavailable), "check bucket.endpoint: a server that speaks S3 has to stand there")
}

// clean makes a server's message fit for one line: short, without keys, without control
// characters.
func (b *Bucket) clean(message string) string {
	for _, secret := range []string{b.opts.Secret, b.opts.Token, b.opts.Key} {
		if secret != "" {
			message = strings.ReplaceAll(message, secret, "[key]")
		}
	}
	message = strings.Join(strings.FieldsFunc(message, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
	message = strings.ToValidUTF8(message, "\ufffd")
	const letters = 300
	if r := []rune(message); len(r) > letters {
		message = string(r[:letters]) + "…"
	}
	return message
}
