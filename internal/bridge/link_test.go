package bridge_test

import (
	"errors"
	"io/fs"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir/internal/bridge"
)

// TestLink: a link comes from this user's server, and no other call does. What is no link of
// a server is refused, whoever answers with it.
func TestLink(t *testing.T) {
	answer := ""
	path, stop := served(t, bridge.Linked(func() string { return answer }, http.NotFoundHandler()))
	for _, good := range []string{"http://127.0.0.1:7077/?ticket=A", "https://notes.example.com:7077/w/日记/?ticket=B", "http://[::1]:1/?ticket=C"} {
		answer = good
		if got, err := bridge.Link(t.Context(), path); err != nil || !strings.HasSuffix(got, good[len(good)-9:]) {
			t.Errorf("%s: %s, %v", good, got, err)
		}
	}
	if !bridge.Served(path) {
		t.Error("nobody serves")
	}
	for _, bad := range []string{
		"", "/?ticket=A", "//evil.example/?ticket=A", "javascript:alert(1)//?ticket=A", "file:///etc/passwd?ticket=A", "http:///?ticket=A",
		"http://127.0.0.1:7077@evil.example/?ticket=A", "http://127.0.0.1:7077/", "http://127.0.0.1:7077/x?ticket=A", "http://127.0.0.1:7077/?x=1&ticket=A",
		"http://127.0.0.1:7077/?ticket=A\n-x", "http://127.0.0.1/?ticket=" + strings.Repeat("A", 1<<20),
	} {
		answer = bad
		if got, err := bridge.Link(t.Context(), path); err == nil {
			t.Errorf("%.60q was taken for %.60q", bad, got)
		}
	}
	stop()
	if _, err := bridge.Link(t.Context(), path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a server: %v", err)
	}
	if bridge.Served(path) || bridge.Served(filepath.Join(t.TempDir(), "none.sock")) {
		t.Error("a socket without a server is served")
	}
}
