package httpapi

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/memoir-ai/memoir/internal/lazyregexp"
	"golang.org/x/time/rate"
)

// The keys of values in a request's context.
type (
	principalKey struct{}
	requestIDKey struct{}
	routeKey     struct{}
)

// given is an id that a client may give to its request.
var given = lazyregexp.New(`^[A-Za-z0-9._-]{1,64}$`)

func requestID(r *http.Request) string {
	id, _ := r.Context().Value(requestIDKey{}).(string)
	return id
}

// outermost wraps all handlers. It gives the request an id, refuses requests
// for other servers and from other sites, sets the headers that keep browsers
// from doing more with an answer than show it, and logs and counts the result.
func (a *api) outermost(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		id := r.Header.Get("X-Request-Id")
		if !given().MatchString(id) {
			id = rand.Text()
		}
		route := new("other")
		ctx := context.WithValue(context.WithValue(r.Context(), requestIDKey{}, id), routeKey{}, route)
		r = r.WithContext(ctx)
		rec := &recorder{ResponseWriter: w}
		h := w.Header()
		h.Set("X-Request-Id", id)
		h.Set("Cache-Control", "no-store") // answers hold words of notes, which a browser would keep on its disk
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		defer func() {
			if p := recover(); p != nil {
				if p == http.ErrAbortHandler {
					panic(p)
				}
				if rec.status == 0 {
					a.fail(rec, r, fmt.Errorf("a fault in the server: %v", p))
				}
				a.log.Error("request panicked", "id", id, "panic", p)
			}
			took := time.Since(start)
			a.metrics.note(*route, rec.code(), took)
			a.log.Info("request", "id", id, "route", *route, "status", rec.code(), "ms", took.Milliseconds())
		}()
		if err := a.opts.Guard.fromHere(r); err != nil {
			a.fail(rec, r, err)
			return
		}
		next.ServeHTTP(rec, r)
	})
}

// recorder records the status of an answer.
type recorder struct {
	http.ResponseWriter
	status int
}

// WriteHeader implements [http.ResponseWriter].
func (r *recorder) WriteHeader(status int) {
	if r.status == 0 {
		r.status = status
	}
	r.ResponseWriter.WriteHeader(status)
}

// Write implements [http.ResponseWriter].
func (r *recorder) Write(p []byte) (int, error) {
	if r.status == 0 {
		r.status = http.StatusOK
	}
	return r.ResponseWriter.Write(p)
}

// Flush implements [http.Flusher].
func (r *recorder) Flush() { _ = http.NewResponseController(r.ResponseWriter).Flush() }

// Unwrap lets [http.ResponseController] reach the connection.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

func (r *recorder) code() int {
	if r.status == 0 {
		return http.StatusOK
	}
	return r.status
}

// guarded lets in callers that have the permission.
func (a *api) guarded(needed Permission, name string, next http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if route, ok := r.Context().Value(routeKey{}).(*string); ok {
			*route = name
		}
		if a.brings(r) {
			a.ticket(w, r)
			return
		}
		who, err := a.let(r, needed)
		if err != nil {
			a.refuse(w, r, err)
			return
		}
		if name != eventsRoute {
			if !a.metrics.running.enter(who) {
				a.fail(w, r, &problem{status: http.StatusServiceUnavailable, code: "busy", message: "too many requests at once", action: "try again in a moment", after: 1})
				return
			}
			defer a.metrics.running.leave(who)
		}
		next(w, r.WithContext(context.WithValue(r.Context(), principalKey{}, who)))
	})
}

// lacking says that a token lacks a permission, and which one has it beside what it had.
func lacking(who principal, p Permission) error {
	if p == MayAdmin {
		return &problem{
			status: http.StatusForbidden, code: "permission", message: "only an administrator's token opens this",
			action: "send that one; memoir token create NAME --allow admin makes one, on the server's machine",
		}
	}
	if len(who.permissions) == 0 { // no token is made without any
		return &problem{
			status: http.StatusForbidden, code: "permission", message: "the token is for other workspaces",
			action: "ask below /w/NAME/ of one that it opens; memoir token list, on the server's machine, names them",
		}
	}
	var allow []string
	for _, each := range Permissions() {
		if each == p || who.may(each) {
			allow = append(allow, string(each))
		}
	}
	return &problem{
		status: http.StatusForbidden, code: "permission", message: fmt.Sprintf("the token has no permission %q", p),
		action: "use another one; memoir token create NAME --allow " + strings.Join(allow, ",") + " makes one",
	}
}

// brings reports whether a request opens a page with a ticket.
func (a *api) brings(r *http.Request) bool {
	return a.opts.Guard.Tickets != nil && r.Method == http.MethodGet && r.URL.Query().Has("ticket") &&
		strings.HasSuffix(r.URL.Path, "/") && !strings.HasPrefix(r.URL.Path, "/v1/")
}

// ticket lets in a browser that brings a ticket, and leads it to the address
// without the ticket.
func (a *api) ticket(w http.ResponseWriter, r *http.Request) {
	here, mine := a.opts.Guard.place(r)
	if !mine() { // the ticket stays the owner's
		a.refuse(w, r, unauthorized("the link is for the user who runs this server"))
		return
	}
	if !a.opts.Guard.Tickets.redeem(w, r, r.URL.Query().Get("ticket"), here) {
		a.fail(w, r, &problem{status: http.StatusUnauthorized, code: "token", message: "the link was used already, or is too old", action: "memoir ui makes a new one"})
		return
	}
	// A browser that comes from a file, which is another site, would follow a
	// redirect without the new cookie (SameSite=Strict). A page of this server
	// leads it on with the cookie.
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	const onward = `<!doctype html><title>memoir</title><meta http-equiv="refresh" content="0; url=./"><a href="./">memoir</a>`
	_, _ = io.WriteString(w, onward+"\n") // an error means that the browser has gone
}

// answer writes the JSON of a body, or no body for nil.
func (r *request) answer(out any) {
	h := r.w.Header()
	if r.status == 0 {
		r.status = http.StatusOK
	}
	if out == nil {
		r.w.WriteHeader(r.status)
		return
	}
	h.Add("Vary", "Accept-Language")
	body, err := json.Marshal(inLanguage(languageOf(r.Request), out))
	if err != nil {
		r.api.fail(r.w, r.Request, fmt.Errorf("encode the answer: %w", err))
		return
	}
	h.Set("Content-Type", "application/json")
	r.w.WriteHeader(r.status)
	_, _ = r.w.Write(append(body, '\n')) // an error means that nobody reads the answer
}

// newLimiter returns a limiter of wrong tokens.
func newLimiter() *rate.Limiter { return rate.NewLimiter(badTokens, 2*int(badTokens)) }
