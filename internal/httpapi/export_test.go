package httpapi

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"time"
)

// ServeHasty is Serve with little patience.
func ServeHasty(ctx context.Context, l net.Listener, h http.Handler, patience time.Duration, conns int) error {
	return serve(ctx, l, h, "", "", nil, limits{header: patience, body: patience, answer: time.Minute, idle: time.Minute, conns: conns})
}

// Cookie returns a cookie that lets in as the owner, over the network.
func (t *Tickets) Cookie() string {
	w := httptest.NewRecorder()
	t.redeem(w, httptest.NewRequest(http.MethodGet, "/", http.NoBody), t.New(), false)
	return w.Result().Cookies()[0].String()
}

// A RouteInfo is what tests ask of a route.
type RouteInfo struct {
	Method, Pattern string
	Writes, Admin   bool
}

// Routes are all routes of the table.
func Routes() (all []RouteInfo) {
	for _, rt := range routes() {
		all = append(all, RouteInfo{rt.method, rt.pattern, rt.writes, rt.permission == MayAdmin})
	}
	return all
}
