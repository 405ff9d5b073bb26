package hub_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir/internal/hub"
)

func TestParseRef(t *testing.T) {
	tests := []struct {
		text, want string // OWNER/NAME REVISION; "" is ErrInvalid
	}{
		{"BAAI/bge-small-en-v1.5", "BAAI/bge-small-en-v1.5 main"},
		{"BAAI/bge-small-en-v1.5@v2", "BAAI/bge-small-en-v1.5 v2"},
		{"https://hub.example/a/b", "a/b main"},
		{"https://hub.example/a/b/", "a/b main"},
		{"https://hub.example/a/b/tree/5c38ec7c405ec4b44b94cc5a9bb96e735b38267a", "a/b 5c38ec7c405ec4b44b94cc5a9bb96e735b38267a"},
		{"https://elsewhere.example/a/b", ""},
		{"https://hub.example.evil/a/b", ""},
		{"http://hub.example/a/b", ""},
		{"", ""}, {"a", ""}, {"a/b/c", ""}, {"/b", ""}, {"a/", ""},
		{"../x", ""}, {"a/../b", ""}, {"a/..", ""}, {"./b", ""}, {"a/b@../c", ""}, {"a/b@", ""}, {"a/b..c", ""},
		{`a\b`, ""}, {`C:/x`, ""}, {"a/b\x00c", ""}, {"a/b?x=1", ""}, {"a/b#c", ""}, {"a/b%2e%2e", ""}, {"模型/e5", ""},
		{"a/" + strings.Repeat("b", 200), ""},
	}
	for _, tt := range tests {
		r, err := hub.ParseRef(tt.text, "https://hub.example/")
		got := ""
		if err == nil {
			got = r.String() + " " + r.Revision
		} else if !errors.Is(err, hub.ErrInvalid) {
			t.Errorf("%q: got %v, want %v", tt.text, err, hub.ErrInvalid)
		}
		if got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.text, got, tt.want)
		}
	}
}

func FuzzParseRef(f *testing.F) {
	f.Add("a/b@main")
	f.Add("https://hub.example/a/b/tree/x")
	f.Fuzz(func(t *testing.T, text string) {
		r, err := hub.ParseRef(text, "https://hub.example")
		if err != nil {
			return
		}
		if again, err := hub.ParseRef(r.String()+"@"+r.Revision, ""); err != nil || again != r {
			t.Errorf("%q: got %+v and then %+v, error %v", text, r, again, err)
		}
	})
}

func TestNew(t *testing.T) {
	for _, base := range []string{"ftp://a", "huggingface.co", "https://", "://", "http://a b"} {
		if _, err := hub.New(hub.Options{BaseURL: base}); !errors.Is(err, hub.ErrInvalid) {
			t.Errorf("%q: got %v, want %v", base, err, hub.ErrInvalid)
		}
	}
}

// Every model of the catalogue has a name that can be asked for, and hashes
// that are hashes.
func TestCatalogue(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range hub.Catalogue() {
		r, err := hub.ParseRef(m.Ref.String()+"@"+m.Ref.Revision, hub.DefaultBaseURL)
		if err != nil || r != m.Ref || seen[m.Name] {
			t.Errorf("%s: got %+v, error %v", m.Name, r, err)
		}
		seen[m.Name] = true
		if m.Weights != "" && (len(m.Weights) != 64 || !m.Ref.Pinned() || m.Bytes == 0) {
			t.Errorf("%s: a hash of %d digits at revision %s, %d bytes", m.Name, len(m.Weights), m.Ref.Revision, m.Bytes)
		}
		if m.Dimensions == 0 || m.Languages == "" || m.Licence == "" {
			t.Errorf("%s: not described", m.Name)
		}
	}
}
