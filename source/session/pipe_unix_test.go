//go:build unix

package session_test

import (
	"os"
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

// Neither is one in the place of a database, or of what stands beside it.
func TestPipeForDatabase(t *testing.T) {
	for name, want := range map[string]string{"opencode.db": "opencode.db is", "opencode.db-wal": "opencode.db-wal is", "opencode.db-journal": "opencode.db-journal is"} {
		dir := write(t, map[string]string{"opencode.db": string(image(t, fixture(t, "opencode.sql")))})
		path := filepath.Join(dir, name)
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
		if err := unix.Mkfifo(path, 0o600); err != nil {
			t.Fatal(err)
		}
		s := open(t, session.Options{Agent: "opencode", Dir: dir})
		if diff := cmp.Diff([]string{"sessions/opencode: " + want + " not an ordinary file; links are not followed"}, ids(t, s)); diff != "" {
			t.Errorf("want -, got +:\n%s", diff)
		}
		if _, err := s.Read(t.Context(), "sessions/opencode/ses_1"); err == nil {
			t.Error("a pipe was read")
		}
	}
}
