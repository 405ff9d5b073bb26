package citation_test

import (
	"strings"
	"testing"

	"github.com/memoir-ai/memoir/internal/citation"
)

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		in       string
		path     string
		from, to int
		ok       bool
	}{
		{"a.md#L3-L9", "a.md", 3, 9, true},
		{"a.md#L3", "a.md", 3, 3, true},
		{"a.md:3-9", "a.md", 3, 9, true},
		{"a.md:3", "a.md", 3, 3, true},
		{"a.md#3-9", "a.md", 3, 9, true},
		{"a.md:L3-9", "a.md", 3, 9, true},
		{"记忆/三月.md:12", "记忆/三月.md", 12, 12, true},
		{"a:1:2", "a:1", 2, 2, true},
		{"10:30", "10", 30, 30, true},
		{"a\nb.md:3", "a\nb.md", 3, 3, true},
		{"a.md:9-3", "a.md", 9, 3, true},
		{"a.md:0", "a.md", 0, 0, true},
		{"a.md:3-99999999999999999999", "a.md", 3, 0, true},
		{"a.md", "", 0, 0, false},
		{"a.md:", "", 0, 0, false},
		{"a.md:-3", "", 0, 0, false},
		{":3", "", 0, 0, false},
		{"a.md#L3-", "", 0, 0, false},
		{"", "", 0, 0, false},
	} {
		path, from, to, ok := citation.Parse(tt.in)
		if path != tt.path || from != tt.from || to != tt.to || ok != tt.ok {
			t.Errorf("Parse(%q) = %q, %d, %d, %t; want %q, %d, %d, %t", tt.in, path, from, to, ok, tt.path, tt.from, tt.to, tt.ok)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("a.md#L3-L9")
	f.Add("a:1:2-")
	f.Fuzz(func(t *testing.T, s string) {
		path, from, to, ok := citation.Parse(s)
		if ok && (path == "" || !strings.HasPrefix(s, path) || from < 0 || to < 0) || !ok && path != "" {
			t.Errorf("Parse(%q) = %q, %d, %d, %t", s, path, from, to, ok)
		}
	})
}
