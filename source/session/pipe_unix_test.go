//go:build unix

package session_test

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/memoir-ai/memoir/source/session"
)

// A pipe is not waited for.
func TestPipe(t *testing.T) {
	dir := write(t, map[string]string{"projects/p/x": ""})
	if err := unix.Mkfifo(filepath.Join(dir, "projects", "p", "a.jsonl"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := open(t, session.Options{Agent: "claude-code", Dir: dir})
	if diff := cmp.Diff([]string{"sessions/claude-code/p/a.jsonl: not an ordinary file"}, ids(t, s)); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
	if _, err := s.Read(t.Context(), "sessions/claude-code/p/a.jsonl"); err == nil {
		t.Error("a pipe was read")
	}
}
