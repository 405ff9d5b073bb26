package sqlite_test

import (
	"path/filepath"
	"testing"

	"github.com/memoir-ai/memoir"
)

// TestOneConnection: calls one after another share a connection. Each that is opened
// has to read the schema.
func TestOneConnection(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "index.db"))
	for range 5 {
		if _, err := s.Stats(t.Context(), memoir.Space{}); err != nil {
			t.Fatal(err)
		}
	}
	if got := s.Readers(); got != 1 {
		t.Errorf("%d connections are open, want 1", got)
	}
	err := s.View(t.Context(), func(memoir.View) error {
		_, err := s.Stats(t.Context(), memoir.Space{})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Readers(); got != 2 {
		t.Errorf("%d connections are open after one more was needed, want 2", got)
	}
}
