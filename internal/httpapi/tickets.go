package httpapi

import (
	"crypto/rand"
	"net/http"
	"sync"
	"time"
)

// Tickets let a browser in. A ticket is part of a link. It works once and only
// for a short time, and gives the browser a cookie that lasts as long as the
// server. Tickets are safe for concurrent use. [NewTickets] makes them.
type Tickets struct {
	now func() time.Time

	mu      sync.Mutex
	tickets map[Digest]time.Time // until when
	cookies map[Digest]bool
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

// TicketLink is a link that lets a browser in, once.
type TicketLink struct {
	Path string `json:"path"` // with the ticket, to be opened within two minutes
}

func ticketRoutes() []route {
	return []route{{
		method: "POST", pattern: "/v1/tickets", summary: "Make a link that lets a browser in, once: for the owner alone", permission: MayWrite, private: true,
		out: TicketLink{}, handle: newTicket,
	}}
}

func newTicket(r *request) (any, error) {
	tickets := r.api.opts.Guard.Tickets
	if r.who.name != owner.name || tickets == nil {
		return nil, &problem{status: http.StatusForbidden, code: "permission", message: "links are the owner's", action: "memoir ui"}
	}
	r.w.Header().Set("Cache-Control", "no-store")
	return TicketLink{Path: "/?ticket=" + tickets.New()}, nil
}

// redeem exchanges a ticket for a cookie. It returns false when the ticket is
// not valid.
func (t *Tickets) redeem(w http.ResponseWriter, r *http.Request, ticket string) bool {
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
	t.cookies[DigestOf(value)] = true
	http.SetCookie(w, &http.Cookie{Name: cookieName, Value: value, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: r.TLS != nil})
	return true
}

// known reports whether a request has a cookie that was given out.
func (t *Tickets) known(r *http.Request) bool {
	c, err := r.Cookie(cookieName)
	if err != nil {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.cookies[DigestOf(c.Value)]
}
