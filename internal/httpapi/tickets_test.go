package httpapi_test

import (
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/memoir-ai/memoir/internal/httpapi"
)

// opened serves a page to browsers, and says whose the programs at the other end are.
func opened(t *testing.T, mine func(remote, local netip.AddrPort) bool) (*server, *httpapi.Tickets) {
	t.Helper()
	tickets := httpapi.NewTickets()
	return start(t, func(o *httpapi.Options) {
		o.Guard = httpapi.Guard{Tickets: tickets, Mine: mine}
		o.Handlers = map[string]http.Handler{"/": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })}
	}), tickets
}

func anybody(netip.AddrPort, netip.AddrPort) bool { return true }

// cookieOf opens a link with a ticket and returns the cookie that it gives.
func (s *server) cookieOf(ticket string) (cookie string, answer reply) {
	answer = s.ask("GET", "/?ticket="+ticket, "")
	cookie, _, _ = strings.Cut(answer.header.Get("Set-Cookie"), ";")
	return cookie, answer
}

// A program of this user that says nothing more is let in to nothing: it may be a proxy,
// which asks for others and need not say so.
func TestNobodyWithoutToken(t *testing.T) {
	s, _ := opened(t, anybody)
	for _, headers := range [][]string{nil, {"Cookie", "memoir="}, {"Cookie", "memoir=x"}, {"X-Real-IP", "127.0.0.1"}, {"Host", "localhost"}} {
		if got := s.ask("GET", "/v1/status", "", headers...); got.status != 401 || got.header.Get("WWW-Authenticate") == "" {
			t.Errorf("%v: %d %s", headers, got.status, got.body)
		}
	}
	if got := s.raw("GET /v1/status HTTP/1.0\r\nHost: " + s.addr + "\r\n\r\n"); got != "401" {
		t.Errorf("as a plain proxy asks: %s", got)
	}
}

// A link works once, and gives a cookie that nobody else has. The browser goes on by
// itself, so that the cookie is sent wherever the link stood.
func TestTicket(t *testing.T) {
	s, tickets := opened(t, anybody)
	ticket := tickets.New()
	for _, path := range []string{"/v1/status?ticket=", "/page.js?ticket="} {
		if got := s.ask("GET", path+ticket, ""); got.status != 401 {
			t.Errorf("%s: %d", path, got.status)
		}
	}
	cookie, first := s.cookieOf(ticket)
	if set := first.header.Get("Set-Cookie"); first.status != 200 || !strings.Contains(set, "SameSite=Strict") || !strings.Contains(set, "HttpOnly") {
		t.Errorf("%d %v", first.status, first.header)
	}
	if !strings.Contains(first.body, `content="0; url=./"`) || strings.Contains(first.body, ticket) || first.header.Get("Cache-Control") != "no-store" || !strings.HasPrefix(first.header.Get("Content-Type"), "text/html") {
		t.Errorf("it leads on by %s: %v", first.body, first.header)
	}
	if got := s.ask("GET", "/", "", "Cookie", cookie); got.status != 204 {
		t.Errorf("with the cookie: %d", got.status)
	}
	for _, other := range []string{ticket, "", "x"} {
		if cookie, again := s.cookieOf(other); again.status != 401 || cookie != "" {
			t.Errorf("the link with %q: %d", other, again.status)
		}
	}
}

// A ticket and a cookie of another user's program count for nothing, from whichever request
// on, and the ticket stays the owner's.
func TestTicketOfAnother(t *testing.T) {
	var mine atomic.Bool
	s, tickets := opened(t, func(remote, local netip.AddrPort) bool { return mine.Load() && remote != local })
	ticket := tickets.New()
	if cookie, got := s.cookieOf(ticket); got.status != 401 || cookie != "" {
		t.Errorf("another user's browser: %d", got.status)
	}
	mine.Store(true)
	cookie, got := s.cookieOf(ticket)
	if got.status != 200 {
		t.Fatalf("the owner's browser after it: %d %s", got.status, got.body)
	}
	client := &http.Client{Transport: &http.Transport{}} // one connection for all
	defer client.CloseIdleConnections()
	for _, now := range []bool{true, false, true} {
		want := map[bool]int{true: 200, false: 401}[now]
		mine.Store(now)
		req, err := http.NewRequestWithContext(t.Context(), "GET", s.url+"/v1/status", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Cookie", cookie)
		res, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != want {
			t.Errorf("mine %v: %d", now, res.StatusCode)
		}
	}
}

// A cookie that was given over loopback opens nothing over the network: the browser sends it
// to all ports of this machine, to those of other users, too.
func TestCookieStaysHere(t *testing.T) {
	tickets := httpapi.NewTickets()
	memory := memory{start(t, nil).engine}
	page := map[string]http.Handler{"/": http.NotFoundHandler()}
	h := httpapi.New(httpapi.Options{Memory: memory, Handlers: page, Guard: httpapi.Guard{Tickets: tickets, Mine: anybody}})
	proxied := httpapi.New(httpapi.Options{Memory: memory, Handlers: page, Guard: httpapi.Guard{Tickets: tickets}})
	const here, elsewhere = "127.0.0.1:40000", "192.0.2.1:40000"
	_, local := from(t, h, here, "/?ticket="+tickets.New(), "")
	_, other := from(t, h, elsewhere, "/?ticket="+tickets.New(), "")
	for _, x := range []struct {
		name, remote, cookie string
		h                    http.Handler
		want                 int
	}{
		{"here", here, local, h, 200}, {"here as IPv6", "[::1]:40000", local, h, 200}, {"here as both", "[::ffff:127.0.0.1]:40000", local, h, 200},
		{"from elsewhere", elsewhere, local, h, 401}, {"through a proxy", here, local, proxied, 401},
		{"elsewhere", elsewhere, other, h, 200}, {"elsewhere, sent here", here, other, h, 401}, {"elsewhere, through a proxy", here, other, proxied, 200},
	} {
		if got, _ := from(t, x.h, x.remote, "/v1/status", x.cookie); got != x.want {
			t.Errorf("%s: %d, want %d", x.name, got, x.want)
		}
	}
}

// No answer that may hold words of notes is kept by a browser: what is forgotten would stay
// there.
func TestNothingIsKept(t *testing.T) {
	s := start(t, func(o *httpapi.Options) {
		o.Handlers = map[string]http.Handler{"/mcp": http.NotFoundHandler()}
	})
	asked := []string{"GET /mcp", "GET /metrics", "GET /v1/nothing", "GET /healthz"}
	for _, rt := range httpapi.Routes() {
		asked = append(asked, rt.Method+" "+strings.ReplaceAll(rt.Pattern, "{path...}", "MEMORY.md"))
	}
	for _, request := range append(asked, "POST /v1/search") {
		method, path, _ := strings.Cut(request, " ")
		if got := s.ask(method, path, `{"query":"tea"}`); got.header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %d %q", request, got.status, got.header.Get("Cache-Control"))
		}
	}
}
