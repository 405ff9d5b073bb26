package sqlite

import (
	"net/url"
	"strings"
	"testing"
)

func TestFileURL(t *testing.T) {
	tests := []struct{ path, want string }{
		{"/home/a b/index.db", "file:///home/a%20b/index.db"},
		{"C:/Users/Ann/index.db", "file:///C:/Users/Ann/index.db"},
		{"//host/share/index.db", "file:////host/share/index.db"},
		{"/a?b#c%d/&=+;.db", "file:///a%3Fb%23c%25d/&=+;.db"},
		{"/笔记/é.db", "file:///%E7%AC%94%E8%AE%B0/%C3%A9.db"},
	}
	for _, tt := range tests {
		if got := fileURL(tt.path); got != tt.want {
			t.Errorf("fileURL(%q) = %q, want %q", tt.path, got, tt.want)
		}
	}
	for _, m := range []mode{reading, writing, creating, readOnly, immutable} {
		path, params, _ := strings.Cut(dsn("/a?mode=memory&/index.db", m), "?")
		q, err := url.ParseQuery(params)
		if err != nil || path != "file:///a%3Fmode=memory&/index.db" || q.Get("mode") != "rw" && q.Get("mode") != "ro" {
			t.Errorf("mode %d: path %q, parameters %v, %v; no file may be made but by memoir", m, path, q, err)
		}
	}
}

func TestPrefixEnd(t *testing.T) {
	for prefix, want := range map[string]string{"": "", "a": "b", "a/": "a0", "a\xff": "b", "\xff\xff": "", "é": "ê"} {
		if got := prefixEnd(prefix); got != want {
			t.Errorf("prefixEnd(%q) = %q, want %q", prefix, got, want)
		}
	}
}
