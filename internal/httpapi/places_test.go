package httpapi_test

import (
	"net/http"
	"sync"
	"testing"

	"github.com/memoir-ai/memoir/internal/httpapi"
)

// TestShares: one token that asks without end, and never reads the answers, keeps nobody
// else out; who leaves makes room.
func TestShares(t *testing.T) {
	entered, release := make(chan struct{}), make(chan struct{})
	s := start(t, func(o *httpapi.Options) {
		o.Guard = httpapi.Guard{Tickets: httpapi.NewTickets(), Find: func(d httpapi.Digest) (string, []httpapi.Permission, bool) {
			return "greedy", httpapi.Permissions(), d == httpapi.DigestOf("greedy")
		}}
		o.Handlers = map[string]http.Handler{"/mcp": http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			entered <- struct{}{}
			<-release
		})}
	})
	ask := func(token, path string) int {
		return s.ask("GET", path, "", "Authorization", "Bearer "+token).status
	}
	var held sync.WaitGroup
	for range 128 {
		held.Go(func() { ask("greedy", "/mcp") })
		<-entered
	}
	if got := ask("greedy", "/v1/status"); got != http.StatusServiceUnavailable {
		t.Errorf("one more of the same token: %d", got)
	}
	if got := ask("secret", "/v1/status"); got != http.StatusOK {
		t.Errorf("the owner meanwhile: %d", got)
	}
	close(release)
	held.Wait()
	if got := ask("greedy", "/v1/status"); got != http.StatusOK {
		t.Errorf("after they have left: %d", got)
	}

	listen := func(token string) *http.Response {
		req, err := http.NewRequestWithContext(t.Context(), "GET", s.url+"/v1/events", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+token)
		res, err := (&http.Transport{}).RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { res.Body.Close() })
		return res
	}
	for range 32 {
		if got := listen("greedy"); got.StatusCode != http.StatusOK {
			t.Fatalf("a listener: %d", got.StatusCode)
		}
	}
	if got := listen("greedy"); got.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("one more listener of the same token: %d", got.StatusCode)
	}
	if got := listen("secret"); got.StatusCode != http.StatusOK {
		t.Errorf("the owner's listener: %d", got.StatusCode)
	}
}
