package remote

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/lazyregexp"
)

// kind says how to react to a failure.
type kind int

const (
	final         kind = iota // give up: trying again would not help
	broken                    // try again: the connection or the server failed
	busy                      // try again, with fewer requests at a time
	timedOut                  // try again, perhaps with less
	refused                   // the server refuses this input, or every input
	batchTooLarge             // send fewer texts
	textTooLong               // send a shorter text
)

// failure is a request that did not give vectors.
type failure struct {
	text   string // clean
	kind   kind
	status int           // of the answer; 0 without one
	wait   time.Duration // as the server asks; 0 when it does not
	cause  error         // of a broken connection; may be nil
}

func (f *failure) Error() string { return f.text }

// Unwrap gives callers the sentinel and the cause.
func (f *failure) Unwrap() []error {
	if f.cause != nil {
		return []error{memoir.ErrUnavailable, f.cause}
	}
	return []error{memoir.ErrUnavailable}
}

// again reports whether the same request may succeed next time.
func (f *failure) again() bool { return f.kind == broken || f.kind == busy || f.kind == timedOut }

// mayBeSize reports whether the server may accept fewer or other texts.
func (f *failure) mayBeSize(texts int) bool {
	return f.kind == refused || f.kind == batchTooLarge || f.kind == textTooLong || f.kind == timedOut && texts > 1
}

// said is what the body of an error holds.
type said struct {
	message string
	code    string // of OpenAI: "insufficient_quota"; of Google: "RESOURCE_EXHAUSTED", "API_KEY_INVALID"
	wait    time.Duration
}

// statusError reads an answer that is an error.
func (c *Client) statusError(resp *http.Response) error {
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxError)) // part of the body is good enough
	s := parseError(body)
	f := &failure{kind: kindOf(resp.StatusCode, s), status: resp.StatusCode, text: fmt.Sprintf("%s answered %d %s", c.base.Host, resp.StatusCode, http.StatusText(resp.StatusCode))}
	if s.message != "" {
		f.text += ": " + c.clean(s.message)
	}
	if f.again() {
		wait, asked := waitOf(resp.Header, time.Now())
		if !asked {
			wait = s.wait
		}
		if wait > maxWait {
			f.text += fmt.Sprintf("; it asks to wait %v", wait.Round(time.Second))
			f.kind = final
		} else {
			f.wait = wait
		}
	}
	if f.again() {
		return f
	}
	return memoir.WithHint(f, c.hint(resp.StatusCode, s, resp.Header.Get("Location")))
}

// kindOf classifies an error by its status, and by its words where the status
// says too little: some servers answer 400 or even 500 to a text that is too
// long.
func kindOf(status int, s said) kind {
	sized := status == http.StatusBadRequest || status == http.StatusRequestEntityTooLarge ||
		status == http.StatusUnprocessableEntity || status == http.StatusInternalServerError
	switch {
	case s.code == "insufficient_quota" || s.code == "API_KEY_INVALID":
		return final
	case sized && matchesAny(batchLimits, s.message):
		return batchTooLarge
	case sized && matchesAny(textLimits, s.message):
		return textTooLong
	case status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable || status == 529: // Overloaded, of some gateways
		return busy
	case status == http.StatusRequestTimeout || status >= 500 && status != http.StatusNotImplemented:
		return broken
	case status == http.StatusRequestEntityTooLarge:
		return batchTooLarge
	case sized:
		return refused
	}
	return final
}

// How servers describe a limit of the batch. Each pattern is a phrase that one
// of them uses. A bare number proves nothing, because it may be part of a
// request's id.
var batchLimits = []func() *regexp.Regexp{
	lazyregexp.New(`(?i)tokens (per request|overall|in batch)`),                            // OpenAI, Mistral
	lazyregexp.New(`(?i)at most \d+ requests`),                                             // Gemini
	lazyregexp.New(`(?i)batch.?size\b.*\b(>|larger|exceed|maximum|limit|at most|invalid)`), // text-embeddings-inference, DashScope
	lazyregexp.New(`(?i)(too many|max(imum)?( of)?( \d+)?|at most \d+) (inputs|texts)`),    // Mistral and gateways
	lazyregexp.New(`(?i)(input|array|list|batch)\b.*\b(too many|at most|maximum|max) \d+ (items|elements|inputs|texts)`),
	lazyregexp.New(`(?i)max allowed tokens per submitted batch`), // Voyage
	lazyregexp.New(`(?i)request (body|payload|entity) (is )?too large|payload size exceeds`),
}

// How servers describe a text that is too long for the model.
var textLimits = []func() *regexp.Regexp{
	lazyregexp.New(`(?i)context (length|size|window)`),           // OpenAI, Ollama, llama.cpp
	lazyregexp.New(`(?i)too large to process|input token count`), // llama.cpp: its physical batch; Google
	lazyregexp.New(`(?i)(text|input|prompt|content|sequence)\b.*\b(is )?too (long|large)`),
	lazyregexp.New(`(?i)(exceed|longer|more|greater)\w* .*\btokens?\b`),
}

func matchesAny(patterns []func() *regexp.Regexp, text string) bool {
	for _, p := range patterns {
		if p().MatchString(text) {
			return true
		}
	}
	return false
}

// hint returns the next step for a final failure.
func (c *Client) hint(status int, s said, location string) string {
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden || s.code == "API_KEY_INVALID":
		return "check " + c.provider + ".apiKey"
	case status >= 300 && status < 400:
		if u, err := url.Parse(location); err == nil && u.Host != "" {
			return fmt.Sprintf("if %q is to be trusted, set %s.baseURL to it", u.Scheme+"://"+u.Host, c.provider)
		}
		return "check " + c.provider + ".baseURL"
	case status == http.StatusTooManyRequests || status == http.StatusPaymentRequired:
		return "check the account's quota, then try again"
	}
	return fmt.Sprintf("check %s.baseURL and %[1]s.model", c.provider)
}

// waitOf returns how long a server asks to wait: retry-after-ms as OpenAI
// writes it, Retry-After in seconds or as a date (RFC 9110, 10.2.3), or the
// reset of the limit that is used up.
func waitOf(h http.Header, now time.Time) (time.Duration, bool) {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms >= 0 && ms < 1e9 {
		return time.Duration(ms * float64(time.Millisecond)), true
	}
	value := h.Get("Retry-After")
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second, true
	}
	if date, err := http.ParseTime(value); err == nil {
		return max(0, date.Sub(now)), true
	}
	return resetOf(h)
}

// resetOf reads OpenAI's x-ratelimit-reset-requests and -tokens ("1s", "6m0s").
// These say when the whole limit is free again. Part of it is enough, so the
// wait is capped.
func resetOf(h http.Header) (wait time.Duration, ok bool) {
	for _, what := range []string{"Requests", "Tokens"} {
		if h.Get("X-Ratelimit-Remaining-"+what) != "0" {
			continue
		}
		if d, err := time.ParseDuration(h.Get("X-Ratelimit-Reset-" + what)); err == nil && d >= 0 {
			wait, ok = max(wait, min(d, maxWait/2)), true
		}
	}
	return wait, ok
}

// parseError reads an error response in its usual forms: the object of OpenAI
// and Google, Ollama's plain string, Mistral's flat object, and FastAPI's
// detail, which Voyage uses. Otherwise it returns the beginning of the body.
func parseError(body []byte) said {
	var outer struct {
		Error   json.RawMessage `json:"error"`
		Message json.RawMessage `json:"message"`
		Detail  json.RawMessage `json:"detail"`
	}
	if json.Unmarshal(body, &outer) != nil {
		return said{message: string(body)}
	}
	var inner struct {
		Message string `json:"message"`
		Code    any    `json:"code"` // a string, a number or null
		Status  string `json:"status"`
		Details []struct {
			Reason     string `json:"reason"`     // of google.rpc.ErrorInfo
			RetryDelay string `json:"retryDelay"` // of google.rpc.RetryInfo, "58s"
		} `json:"details"`
	}
	if json.Unmarshal(outer.Error, &inner) == nil && inner.Message != "" {
		s := said{message: inner.Message, code: inner.Status}
		if code, ok := inner.Code.(string); ok {
			s.code = code
		}
		for _, d := range inner.Details {
			if d.Reason != "" {
				s.code = d.Reason
			}
			if wait, err := time.ParseDuration(d.RetryDelay); err == nil && wait > 0 {
				s.wait = wait
			}
		}
		return s
	}
	for _, raw := range []json.RawMessage{outer.Error, outer.Message, outer.Detail} {
		if text := plain(raw); text != "" {
			return said{message: text}
		}
	}
	return said{}
}

// plain returns a string, or the messages in FastAPI's list of what is wrong.
func plain(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var list struct {
		Detail []struct {
			Msg string `json:"msg"`
		} `json:"detail"`
	}
	if json.Unmarshal(raw, &list.Detail) != nil && json.Unmarshal(raw, &list) != nil {
		return ""
	}
	var all []string
	for _, d := range list.Detail {
		all = append(all, d.Msg)
	}
	return strings.Join(all, "; ")
}
