package hub

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// maxRedirects is more than the two that the hub and its delivery network need.
const maxRedirects = 8

// answer is the last response of a chain of redirects, with what the hub said
// on the way.
type answer struct {
	*http.Response
	commit string // X-Repo-Commit
	sha256 string // X-Linked-ETag, where it is a SHA-256; ""
	size   int64  // X-Linked-Size; -1 when unknown

	cancel context.CancelCauseFunc // of the request
}

func (a *answer) close() {
	a.cancel(nil)
	_ = a.Body.Close()
}

// resumption asks for the rest of a file, if the file is still the same.
type resumption struct {
	offset int64
	etag   string // strong
}

// open requests a file and follows redirects. It returns a response of status
// 200 or 206, which the caller closes. Any other status is an error.
func (c *Client) open(ctx context.Context, ref Ref, file, method string, from resumption) (*answer, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	a := &answer{size: -1, cancel: cancel}
	at := c.base.JoinPath(ref.Owner, ref.Name, "resolve", ref.Revision, file)
	for range maxRedirects {
		resp, err := c.ask(ctx, method, at, from)
		if err != nil {
			err = networkError(ctx, at, err)
			cancel(nil)
			return nil, err
		}
		if c.isBase(at) {
			a.note(resp.Header)
		}
		next, err := location(at, resp)
		if err == nil && next == nil {
			err = check(resp)
		}
		if err == nil && next == nil {
			a.Response = resp
			return a, nil
		}
		_ = resp.Body.Close()
		if err != nil {
			cancel(nil)
			return nil, err
		}
		at = next
	}
	cancel(nil)
	return nil, fmt.Errorf("more than %d redirects: %w", maxRedirects, ErrAnswer)
}

func (c *Client) ask(ctx context.Context, method string, at *url.URL, from resumption) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, at.String(), nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", "memoir")
	if c.opts.Token != "" && c.isBase(at) && (at.Scheme == "https" || isThisMachine(at)) {
		req.Header.Set("Authorization", "Bearer "+c.opts.Token)
	}
	if from.offset > 0 {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", from.offset))
		req.Header.Set("If-Range", from.etag)
	}
	return c.http.Do(req)
}

// isBase reports whether an address is on the base server. Only that one gets
// the token, and only that one is believed about a file.
func (c *Client) isBase(at *url.URL) bool {
	return at.Scheme == c.base.Scheme && at.Host == c.base.Host
}

func isThisMachine(at *url.URL) bool {
	ip := net.ParseIP(at.Hostname())
	return at.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

// note records what the hub says about the file, in this response or an earlier
// one.
func (a *answer) note(h http.Header) {
	if v := h.Get("X-Repo-Commit"); v != "" {
		a.commit = v
	}
	if v := strings.Trim(strings.TrimPrefix(h.Get("X-Linked-ETag"), "W/"), `"`); isSHA256(v) {
		a.sha256 = strings.ToLower(v)
	}
	if n, err := strconv.ParseInt(h.Get("X-Linked-Size"), 10, 64); err == nil && n >= 0 {
		a.size = n
	}
}

func isSHA256(s string) bool {
	return len(s) == 64 && strings.Trim(s, "0123456789abcdefABCDEF") == ""
}

// location returns the target of a redirect, or nil when resp is no redirect.
func location(at *url.URL, resp *http.Response) (*url.URL, error) {
	switch resp.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
	default:
		return nil, nil
	}
	next, err := at.Parse(resp.Header.Get("Location"))
	switch {
	case err != nil || resp.Header.Get("Location") == "" || next.Hostname() == "":
		return nil, fmt.Errorf("%s redirects to nowhere: %w", at.Host, ErrAnswer)
	case at.Scheme == "https" && next.Scheme != "https", next.Scheme != "https" && next.Scheme != "http":
		return nil, fmt.Errorf("%s redirects to %s, which is not safe: %w", at.Host, next.Scheme, ErrAnswer)
	}
	next.User = nil // send no credentials from the address
	return next, nil
}

// statusError is an answer that was refused.
type statusError struct {
	err   error
	wait  time.Duration // that the server asks for; 0 when it does not say
	again bool          // another attempt may help
}

func (e *statusError) Error() string { return e.err.Error() }
func (e *statusError) Unwrap() error { return e.err }

// check returns an error unless a response is a file.
func check(resp *http.Response) error {
	host := resp.Request.URL.Host
	switch s := resp.StatusCode; {
	case s == http.StatusOK || s == http.StatusPartialContent || s == http.StatusRequestedRangeNotSatisfiable:
		if kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); kind == "text/html" && s != http.StatusRequestedRangeNotSatisfiable {
			return fmt.Errorf("%s answers with a web page, as proxies and login pages do: %w", host, ErrAnswer)
		}
		return nil
	case s == http.StatusNotFound || s == http.StatusGone:
		return fmt.Errorf("%s answers %d: %w", host, s, ErrNotFound)
	case s == http.StatusUnauthorized || s == http.StatusForbidden:
		if gated := resp.Header.Get("X-Error-Code") == "GatedRepo"; gated {
			return fmt.Errorf("%s gives it only to those who accepted its terms: %w", host, ErrDenied)
		}
		return fmt.Errorf("%s answers %d: %w", host, s, ErrDenied)
	case s == http.StatusTooManyRequests:
		return &statusError{fmt.Errorf("%s answers %d: %w", host, s, ErrBusy), retryAfter(resp.Header), true}
	case s >= 500:
		return &statusError{fmt.Errorf("%s answers %d: %w", host, s, ErrAnswer), retryAfter(resp.Header), true}
	default:
		return fmt.Errorf("%s answers %d: %w", host, s, ErrAnswer)
	}
}

// retryAfter reads the header of that name (RFC 9110, 10.2.3).
func retryAfter(h http.Header) time.Duration {
	text := h.Get("Retry-After")
	if seconds, err := strconv.Atoi(text); err == nil && seconds >= 0 && seconds < 1<<20 {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, time.Until(at))
	}
	return 0
}

// networkError reports a failed connection without its address, which may be
// signed.
func networkError(ctx context.Context, at *url.URL, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var inner *url.Error
	if errors.As(err, &inner) {
		err = inner.Err
	}
	if errors.Is(err, io.EOF) {
		err = errors.New("it closed the connection")
	}
	return fmt.Errorf("%s: %w: %w", at.Host, ErrInterrupted, err)
}
