package httpapi

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/time/rate"
)

// A Permission is something that a token allows.
type Permission string

// The permissions.
const (
	MayRead    Permission = "read"    // searches and notes but for what is private
	MayWrite   Permission = "write"   // what changes notes
	MayPrivate Permission = "private" // MEMORY.md, USER.md, what is marked private, and sessions, beside what the others allow
	MayAdmin   Permission = "admin"   // /v1/admin and nothing else; no notes, and not the owner's
)

// Permissions are all permissions in a workspace. [MayAdmin] is none of them.
func Permissions() []Permission { return []Permission{MayRead, MayWrite, MayPrivate} }

// A Guard decides who may ask what: whoever has a token of an agent, and the
// owner's browser, which has a cookie. Its zero value lets nobody in.
type Guard struct {
	// Hosts are names of the server besides those of loopback and the address at
	// which a request arrives, without a port. Requests for any other name are refused. That keeps out pages of other
	// sites whose name was made to point here (DNS rebinding).
	Hosts []string
	// Find returns the name and the permissions of an agent's token by its
	// digest; nil: agents have no tokens.
	Find func(Digest) (name string, permissions []Permission, ok bool)
	// Tickets exchange a link that works once for a cookie; nil: there are none.
	Tickets *Tickets
	// Mine reports whether the other end of a connection over loopback is a
	// program of this user. Tickets and cookies count only where it is. It never
	// lets anybody in by itself: a proxy that says nothing of itself is a program
	// of this user, too. Nil: a proxy is before the server, and nobody can tell.
	Mine func(remote, local netip.AddrPort) bool
}

// A Digest is the SHA-256 of a token, which is stored instead of the token.
// Tokens are random, so a slower hash is not needed.
type Digest [sha256.Size]byte

// DigestOf returns the digest of a token.
func DigestOf(token string) Digest { return sha256.Sum256([]byte(token)) }

// principal is who asks.
type principal struct {
	name        string
	permissions []Permission
}

func (p principal) may(s Permission) bool { return slices.Contains(p.permissions, s) }

// owner is the person that the memory belongs to. No token has this name.
var owner = principal{"owner", Permissions()}

// AsOwner passes requests on as the owner's. Use it only on a path that nobody
// else can reach.
func AsOwner(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), principalKey{}, owner)))
	})
}

// Owner reports whether a request that the guard has let in comes from the
// owner.
func Owner(ctx context.Context) bool {
	who, _ := ctx.Value(principalKey{}).(principal)
	return who.name == owner.name
}

// Allowed reports whether the author of a request that the guard has let in has
// a permission.
func Allowed(ctx context.Context, s Permission) bool {
	who, _ := ctx.Value(principalKey{}).(principal)
	return who.may(s)
}

// badTokens is how often a wrong token is checked: ten times a second, and a
// few more in a burst.
const badTokens rate.Limit = 10

// admitted returns who asks, or why the request is not let in.
func (g *Guard) admitted(r *http.Request, bad *rate.Limiter) (principal, error) {
	if auth := r.Header.Get("Authorization"); auth != "" {
		scheme, token, _ := strings.Cut(auth, " ")
		if token = strings.TrimLeft(token, " "); !strings.EqualFold(scheme, "Bearer") || token == "" {
			return principal{}, unauthorized("the header Authorization has no bearer token")
		}
		if p, ok := g.bearer(token); ok {
			return p, nil
		}
		if !bad.Allow() {
			return principal{}, &problem{status: http.StatusTooManyRequests, code: "rate", message: "too many wrong tokens", action: "try again in a moment", after: 1}
		}
		return principal{}, unauthorized("the token is not known here, or was revoked")
	}
	if g.Tickets != nil {
		here, mine := g.place(r)
		if g.Tickets.known(r, here) && mine() {
			return owner, nil
		}
	}
	return principal{}, unauthorized("this needs a token")
}

func (g *Guard) bearer(token string) (principal, bool) {
	if g.Find == nil {
		return principal{}, false
	}
	name, permissions, ok := g.Find(DigestOf(token))
	return principal{"token " + name, permissions}, ok
}

// place reports whether a request came over loopback, and whether it is from a
// program of this user, as far as that matters. The latter is looked up for
// each request, because sockets change hands.
func (g *Guard) place(r *http.Request) (here bool, mine func() bool) {
	remote, err := netip.ParseAddrPort(r.RemoteAddr)
	if g.Mine == nil || err != nil || !remote.Addr().Unmap().IsLoopback() {
		return false, func() bool { return true }
	}
	return true, func() bool {
		addr, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
		if !ok {
			return false
		}
		local, err := netip.ParseAddrPort(addr.String())
		return err == nil && g.Mine(remote, local)
	}
}

func unauthorized(message string) *problem {
	return &problem{
		status: http.StatusUnauthorized, code: "token", message: message,
		action: "send Authorization: Bearer TOKEN; memoir token create NAME makes one, and memoir ui opens the page",
	}
}

// fromHere returns an error for a request that is for another host name, or
// from a page of another site.
func (g *Guard) fromHere(r *http.Request) error {
	if !g.known(r.Host) && !reached(r) {
		return &problem{status: http.StatusForbidden, code: "host", message: fmt.Sprintf("%q is not a name of this server", r.Host), action: "use its address, or start it with --host NAME"}
	}
	foreign := &problem{status: http.StatusForbidden, code: "origin", message: "a page of another site may not ask", action: "open the page by memoir ui"}
	if origin := r.Header.Get("Origin"); origin != "" {
		u, err := url.Parse(origin)
		if err != nil || !strings.EqualFold(u.Host, r.Host) || u.Scheme != "http" && u.Scheme != "https" {
			return foreign
		}
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "none", "same-origin":
		return nil
	}
	// A link on another site may lead here, as long as it opens the page itself.
	if r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document" && !strings.HasPrefix(r.URL.Path, "/v1/") {
		return nil
	}
	return foreign
}

// reached reports whether a request is for the very address at which it arrived. No page of
// another site can have it sent: a name that was made to point here is a name, and no address.
func reached(r *http.Request) bool {
	addr, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return false
	}
	local, err := netip.ParseAddrPort(addr.String())
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(hostOf(r.Host))
	return err == nil && ip.Unmap() == local.Addr().Unmap().WithZone("")
}

// hostOf returns the name or address of a Host header without its port.
func hostOf(host string) string {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	return strings.TrimSuffix(strings.ToLower(strings.Trim(host, "[]")), ".")
}

// known reports whether a Host header names this server.
func (g *Guard) known(host string) bool {
	name := hostOf(host)
	if name == "localhost" {
		return true
	}
	if ip, err := netip.ParseAddr(name); err == nil && ip.IsLoopback() {
		return true
	}
	return slices.ContainsFunc(g.Hosts, func(h string) bool { return strings.EqualFold(strings.Trim(h, "[]"), name) })
}
