package bridge_test

import (
	"errors"
	"io"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/bridge"
)

// TestStopped: a call to a server that has stopped ends, whether the server has heard of it
// or not, and what was not heard is never carried out. A server that only takes long is waited for.
func TestStopped(t *testing.T) {
	stopped, resumed := make(chan struct{}), make(chan struct{})
	m := &memory{answer: engine.Primed{Text: "it took long"}}
	h := bridge.Handler(m, "d", false, bridge.Greeting{})
	var greetings atomic.Int32 // the first two are those of joining
	slow := make(chan struct{})
	path, stop := served(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-stopped:
			<-resumed
		default:
		}
		switch r.URL.Path {
		case "/prime":
			<-slow
		case "/hello":
			if greetings.Add(1) == 4 {
				close(slow)
			}
		case "/stats": // it is heard, and then the server stops
			_, _ = io.Copy(io.Discard, r.Body)
			close(stopped)
			<-resumed
			return
		}
		h.ServeHTTP(w, r)
	}))
	c, told := joined(t, path, "d"), joined(t, path, "d")
	if p, err := c.Prime(t.Context(), engine.PrimeOptions{}); err != nil || p.Text != "it took long" {
		t.Errorf("a slow server answers %+v, %v", p, err)
	}
	m.asked = nil
	var gone *bridge.Gone
	if _, err := c.Stats(t.Context()); !errors.As(err, &gone) || !gone.Sent {
		t.Errorf("a server that stops in a call: %v", err)
	}
	if _, err := told.Remember(t.Context(), engine.Statement{Text: "x"}); !errors.As(err, &gone) || gone.Sent {
		t.Errorf("a server that has stopped: %v", err)
	}
	close(resumed)
	stop()
	if m.asked != nil {
		t.Errorf("the server did, when it ran again, what was done elsewhere: %+v", m.asked)
	}
}
