package httpapi

import (
	"crypto/rand"
	"net/http"
	"sync"
	"time"
)

// Tickets let a browser in. A ticket is part of a link. It works once and only
// for a short time, and gives the browser a cookie that lasts as long as the
// server. Cookies know no ports: a browser sends this one to every server at
// the same address. So one that was given over loopback counts over loopback
// alone, where [Guard.Mine] is asked, and nowhere else. [NewTickets] makes
// tickets, which are safe for concurrent use.
type Tickets struct {
	now func() time.Time

	mu      sync.Mutex
	tickets map[Digest]time.Time // until when
	cookies map[Digest]bool      // whether it was given over loopback
}

// NewTickets returns tickets of which none was given out.
func NewTickets() *Tickets {
	return &Tickets{now: time.Now, tickets: map[Digest]time.Time{}, cookies: map[Digest]bool{}}
}

const (
	ticketLife = 2 * time.Minute
	mostOpen   = 64 // of tickets, and of cookies; beyond that, any one is dropped
	cookieName = "memoir"
)

// New returns a ticket.
func (t *Tickets) New() string {
	ticket := rand.Text()
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	for d, until := range t.tickets {
		if now.After(until) || len(t.tickets) >= mostOpen {
			delete(t.tickets, d)
		}
	}
	t.tickets[DigestOf(ticket)] = now.Add(ticketLife)
	return ticket
}

// redeem exchanges a ticket for a cookie. It returns false when the ticket is
// not valid. here is whether the request came over loopback.
func (t *Tickets) redeem(w http.ResponseWriter, r *http.Request, ticket string, here bool) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	digest := DigestOf(ticket)
	until, ok := t.tickets[digest]
	if delete(t.tickets, digest); !ok || t.now().After(until) {
		return false
	}
	for d := range t.cookies {
		if len(t.cookies) >= mostOpen {
			delete(t.cookies, d)
		}
	}
	value := rand.Text()
	t.cookies[DigestOf(value)] = here
	http.SetCookie(w, &http.Cookie{
		Name: cookieName, Value: value, Path: "/",
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: r.TLS != nil,
	})
	return true
}

// known reports whether a request has a cookie that was given out, over loopback
// or not as the request comes now.
func (t *Tickets) known(r *http.Request, here bool) bool {
	c, err := r.Cookie(cookieName)
	if err != nil {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	local, ok := t.cookies[DigestOf(c.Value)]
	return ok && local == here
}
