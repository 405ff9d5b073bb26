package httpapi

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/syserr"
	"github.com/memoir-ai/memoir/internal/token"
	"github.com/memoir-ai/memoir/internal/wire"
)

// problem is an error response in terms of RFC 9457.
type problem struct {
	status  int
	code    string // a word for programs; the same for the same cause
	message string
	action  string // the next step; "" when none is known
	after   int    // seconds after which to try again; 0: unknown
}

func (p *problem) Error() string { return p.message }

// Problem is the body of an error response: the members of RFC 9457, and the
// error as the commands print it with --json.
type Problem struct {
	Type      string       `json:"type"`      // "about:blank", or a URN of the code
	Title     string       `json:"title"`     // of the status
	Status    int          `json:"status"`    // of HTTP
	Detail    string       `json:"detail"`    // for people
	Code      string       `json:"code"`      // invalid, not-found, conflict, … : a word for programs
	RequestID string       `json:"requestId"` // as in the header X-Request-Id
	Error     wire.Problem `json:"error"`     // message and next step
}

// problemOf returns the response for an error.
func problemOf(err error) *problem {
	var p *problem
	if errors.As(err, &p) {
		return p
	}
	failure := wire.NewFailure(err).Error
	p = &problem{message: failure.Message, action: failure.Action}
	var tooLarge *http.MaxBytesError
	var skipped *memoir.SkipError
	switch {
	case errors.As(err, &tooLarge):
		p.status, p.code, p.message = http.StatusRequestEntityTooLarge, "too-large", "the body is too large"
		p.action = "send less than 8 MiB"
	case errors.As(err, &skipped):
		p.status, p.code = http.StatusConflict, "unreadable"
		if kept := (*engine.NotKeptError)(nil); !errors.As(err, &kept) {
			p.action = readableAgain(skipped.Reason, p.action)
		}
		if skipped.Temporary {
			p.status, p.code, p.action, p.after = http.StatusServiceUnavailable, "unavailable", "try again in a moment", 1
		}
	case errors.Is(err, token.ErrFull):
		p.status, p.code = http.StatusForbidden, "quota"
	case errors.Is(err, memoir.ErrInvalid):
		p.status, p.code = http.StatusBadRequest, "invalid"
		p.action = cmp.Or(memoir.Hint(err), "correct the request; GET /v1/openapi.json describes it")
	case errors.Is(err, memoir.ErrNotFound):
		p.status, p.code = http.StatusNotFound, "not-found"
		p.action = cmp.Or(p.action, "GET /v1/notes lists the notes, GET /v1/history the changes")
	case errors.Is(err, memoir.ErrConflict):
		p.status, p.code = http.StatusConflict, "conflict"
		p.action = cmp.Or(p.action, "read it again, and change what it holds now")
	case syserr.DiskFull(err):
		p.status, p.code = http.StatusInsufficientStorage, "full"
	case syserr.Refused(err): // a file or folder of the server's, not of who asks
		p.status, p.code = http.StatusServiceUnavailable, "denied"
	case errors.Is(err, memoir.ErrUnavailable), errors.Is(err, memoir.ErrClosed), errors.Is(err, context.DeadlineExceeded),
		errors.Is(err, fs.ErrNotExist): // the folder of notes is gone, such as a disk that is not mounted
		p.status, p.code, p.after = http.StatusServiceUnavailable, "unavailable", 1
	case errors.Is(err, memoir.ErrCorrupt), errors.Is(err, memoir.ErrForeign):
		p.status, p.code = http.StatusServiceUnavailable, "index"
	case errors.Is(err, context.Canceled):
		p.status, p.code = statusClosed, "cancelled"
	default:
		p.status, p.code = http.StatusInternalServerError, "internal"
	}
	return p
}

// readableAgain returns what can be done about a file that is not read. advice is what a
// person at a terminal is told.
func readableAgain(reason, advice string) string {
	if strings.Contains(reason, "UTF-8") {
		return "save the file as text in UTF-8, and ask again"
	}
	return cmp.Or(advice, "correct the file or the settings; GET /v1/status lists what is left out")
}

// TooMany refuses a request of a workspace that asks more often than its quota allows.
// wait is until the next one may come.
func TooMany(name string, perMinute int, wait time.Duration) error {
	return &problem{
		status: http.StatusTooManyRequests, code: "quota", after: max(1, int((wait+time.Second-1)/time.Second)),
		message: fmt.Sprintf("%s may ask %d times a minute", name, perMinute), action: "try again after the seconds of Retry-After, or have memoir admin quota " + name + " --requests raised",
	}
}

// statusClosed is the status when the client has gone; the number is nginx's.
const statusClosed = 499

// fail answers with a problem.
func (a *api) fail(w http.ResponseWriter, r *http.Request, err error) {
	p, l := problemOf(err), languageOf(r)
	h := w.Header()
	h.Add("Vary", "Accept-Language")
	if p.after > 0 {
		h.Set("Retry-After", strconv.Itoa(p.after))
	}
	h.Set("Content-Type", "application/problem+json")
	h.Del("ETag")
	w.WriteHeader(p.status)
	title := http.StatusText(p.status)
	if title == "" {
		title = "Client Closed Request"
	}
	// An error of writing means that nobody reads the answer.
	message := said(l, p.message)
	_ = json.NewEncoder(w).Encode(Problem{
		Type: "urn:memoir:" + p.code, Title: title, Status: p.status, Detail: message, Code: p.code,
		RequestID: requestID(r), Error: wire.Problem{Message: message, Action: l.Say(p.action)},
	})
	if p.status >= http.StatusInternalServerError {
		var kept *engine.NotKeptError
		if errors.As(err, &kept) {
			err = kept.Err // without the text that was told
		}
		a.log.Error("request failed", "id", requestID(r), "code", p.code, "err", err)
	}
}
