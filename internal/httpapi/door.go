package httpapi

import (
	"cmp"
	"log/slog"
	"net/http"
)

// Door returns a handler that lets in whoever may read at all, before anything
// is opened for the request. It then passes the request to the handler that
// enter returns, which checks again what the caller may do. leave is called
// when the request is answered. An error of enter is answered as the API
// answers errors.
func Door(g Guard, log *slog.Logger, enter func(*http.Request) (h http.Handler, leave func(), err error)) http.Handler {
	log = cmp.Or(log, slog.New(slog.DiscardHandler))
	a := &api{opts: Options{Guard: g}, log: log, metrics: newMetrics(), bad: newLimiter()}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		refuse := func(err error) {
			a.outermost(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { a.refuse(w, r, err) })).ServeHTTP(w, r)
		}
		if a.brings(r) {
			a.outermost(http.HandlerFunc(a.ticket)).ServeHTTP(w, r)
			return
		}
		if err := g.fromHere(r); err != nil {
			refuse(err)
			return
		}
		if _, err := a.let(r, MayRead); err != nil {
			refuse(err)
			return
		}
		h, leave, err := enter(r)
		if err != nil {
			refuse(err)
			return
		}
		defer leave()
		h.ServeHTTP(w, r)
	})
}

// let returns who asks, or an error when the caller is not let in.
func (a *api) let(r *http.Request, needed Permission) (principal, error) {
	who, err := a.opts.Guard.admitted(r, a.bad)
	if err == nil && !who.may(needed) {
		err = lacking(who, needed)
	}
	return who, err
}

// refuse answers a caller who is not let in.
func (a *api) refuse(w http.ResponseWriter, r *http.Request, err error) {
	if problemOf(err).status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="memoir"`)
	}
	a.fail(w, r, err)
}
