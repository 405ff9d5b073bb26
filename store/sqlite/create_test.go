package sqlite

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/memoir-ai/memoir/internal/regular"
)

// TestCreateBesideWriter: a process whose writer connects just when another makes the index
// turns the empty file to the write-ahead log. The tables stand in the log alone then, as
// long as that writer stays, and the index is there nevertheless.
func TestCreateBesideWriter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.db")
	f, err := regular.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	other, err := newPool(path, writing, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := other.close(); err != nil {
			t.Error(err)
		}
	}()
	if err := other.do(t.Context(), beginRead, func(*conn) error { return nil }); err != nil {
		t.Fatal(err)
	}
	s := newStore(path, Options{})
	if err := s.fill(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.attach(t.Context(), nil); err != nil {
		t.Fatalf("the index that was made: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
