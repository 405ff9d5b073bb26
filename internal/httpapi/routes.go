package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A route is one kind of request with all that is said about it. Handlers,
// checks and the OpenAPI description are made from it.
type route struct {
	method, pattern string
	summary         string
	id              string // for programs that are generated; "": made of method and pattern
	permission      Permission
	writes          bool // it writes notes: it is refused where that is not allowed, and audited
	private         bool // only for callers who may see what is private
	params          []param
	headers         []string // headers that the route reads
	in, out, orOut  any      // zero values of the bodies; nil: there is none
	markdown        bool     // the body may be a text in Markdown, too
	handle          func(*request) (any, error)
}

// A param is a value in the query of a URL.
type param struct {
	name, about string
	kind        string // string, integer, number or boolean
	many        bool   // it may be repeated
	required    bool   // it may not be left out
}

// request is a request that the guard has let in.
type request struct {
	*http.Request
	api    *api
	who    principal
	w      http.ResponseWriter
	query  url.Values
	writes bool   // it asks to change notes
	wrote  Event  // the change; the zero value: none
	status int    // of the response; 0 means 200
	about  string // the workspace that an administrator asks about
}

// needs returns the permissions that a route requires.
func (rt *route) needs() []Permission {
	if rt.private && rt.permission != MayPrivate {
		return []Permission{rt.permission, MayPrivate}
	}
	return []Permission{rt.permission}
}

// private reports whether the caller may see what is private.
func (r *request) private() bool { return r.who.may(MayPrivate) }

// body reads the body into value.
func (r *request) body(value any) error { return decode(r.w, r.Request, value) }

// text returns a value of the query, "" when it is missing.
func (r *request) text(name string) string { return r.query.Get(name) }

// whole returns a whole number of the query between two bounds.
func (r *request) whole(name string, unset, least, most int) (int, error) {
	if !r.query.Has(name) {
		return unset, nil
	}
	n, err := strconv.Atoi(r.query.Get(name))
	if err != nil || n < least || n > most {
		return 0, invalid("correct the query of the URL", "%s=%s is not a whole number between %d and %d", name, r.query.Get(name), least, most)
	}
	return n, nil
}

// flag returns whether a value of the query is true.
func (r *request) flag(name string) (bool, error) {
	switch v := r.query.Get(name); v {
	case "", "false", "0":
		return false, nil
	case "true", "1":
		return true, nil
	default:
		return false, invalid("correct the query of the URL", "%s=%s is neither true nor false", name, v)
	}
}

// known refuses names in the query that the route does not have, and names that
// are repeated too often.
func (rt *route) known(query url.Values) error {
	for name, values := range query {
		i := slices.IndexFunc(rt.params, func(p param) bool { return p.name == name })
		switch {
		case i < 0 && len(rt.params) == 0:
			return invalid("leave it out", "%q in the URL means nothing here", name)
		case i < 0:
			var names []string
			for _, p := range rt.params {
				names = append(names, p.name)
			}
			return invalid("known are "+strings.Join(names, ", "), "%q in the URL means nothing here", name)
		case len(values) > 1 && !rt.params[i].many:
			return invalid("give it once", "%s is in the URL %d times", name, len(values))
		}
	}
	return nil
}

// routes are all routes with a JSON answer.
func routes() []route {
	return slices.Concat(searchRoutes(), noteRoutes(), readRoutes(), writeRoutes(), lookRoutes(), agentRoutes(), memoryRoutes(), adminRoutes())
}

// paths are the patterns of all routes, each once.
func paths() (all []string) {
	for _, rt := range routes() {
		if !slices.Contains(all, rt.pattern) {
			all = append(all, rt.pattern)
		}
	}
	return all
}

// deadline is how long a request may take.
const deadline = 60 * time.Second

// handler answers the requests of a route.
func (a *api) handler(rt route) http.Handler {
	name := rt.method + " " + rt.pattern
	return a.guarded(rt.permission, name, func(w http.ResponseWriter, hr *http.Request) {
		ctx, cancel := context.WithTimeout(hr.Context(), deadline)
		defer cancel()
		who, _ := hr.Context().Value(principalKey{}).(principal)
		query, err := url.ParseQuery(hr.URL.RawQuery)
		if err != nil {
			a.fail(w, hr, invalid("correct the query of the URL", "the query of the URL cannot be read"))
			return
		}
		r := &request{Request: hr.WithContext(ctx), api: a, who: who, w: w, query: query, writes: rt.writes}
		err = rt.known(query)
		if err == nil && rt.writes {
			err = r.writing()
		}
		if err == nil && rt.private && !r.private() {
			err = lacking(who, MayPrivate)
		}
		var out any
		if err == nil {
			out, err = rt.handle(r)
		}
		if r.writes {
			done := written(who.name, name, r.wrote, err)
			done.Status, done.Workspace = max(done.Status, r.status), r.about
			a.opts.Audit(done)
		}
		if err != nil {
			a.fail(w, hr, err)
			return
		}
		r.answer(out)
	})
}

// writing records that a request asks to change notes, which adds a line to the
// audit. It returns an error when the caller may not.
func (r *request) writing() error {
	r.writes = true
	if r.api.opts.ReadOnly {
		return readOnly()
	}
	if !r.who.may(MayWrite) {
		return lacking(r.who, MayWrite)
	}
	return nil
}

func readOnly() error {
	return &problem{status: http.StatusForbidden, code: "read-only", message: "this server changes no notes", action: "start it without --read-only"}
}

// refusing answers requests with a method that a path does not have.
func (a *api) refusing(path string) http.Handler {
	var methods []string
	needed := MayRead
	for _, rt := range routes() {
		if rt.pattern == path {
			methods = append(methods, rt.method)
			if rt.permission == MayAdmin {
				needed = MayAdmin
			}
		}
	}
	allow := strings.Join(methods, ", ")
	return a.guarded(needed, path, a.only(allow))
}

// only answers requests with a method that is none of those allowed.
func (a *api) only(allow string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Allow", allow)
		action := "use the method " + allow
		if strings.Contains(allow, ",") {
			action = "use one of the methods " + allow
		}
		a.fail(w, r, &problem{status: http.StatusMethodNotAllowed, code: "method", message: fmt.Sprintf("%s does not take %s", r.URL.Path, r.Method), action: action})
	}
}

// changed reports a change of notes.
func (r *request) changed(ev Event) {
	ev.Type = "written"
	r.wrote = ev
	r.api.opts.Events.Tell(ev)
}
