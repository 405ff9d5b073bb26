package statedir_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/memoir-ai/memoir/internal/statedir"
)

// TestHolder: who holds a lock says so, and nobody is named who does not hold it.
func TestHolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.lock")
	if h, held := statedir.HeldBy(path); held {
		t.Errorf("a lock that is not there is held by %+v", h)
	}
	l, ok, err := statedir.TryAcquire(path)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	if h, held := statedir.HeldBy(path); !held || h.PID != 0 {
		t.Errorf("got %+v, %v of a holder that has not signed", h, held)
	}
	l.Sign()
	h, held := statedir.HeldBy(path)
	if host, _ := os.Hostname(); !held || h.PID != os.Getpid() || h.Host != host || time.Since(h.Since) > time.Hour {
		t.Errorf("got %+v, %v", h, held)
	}
	if err := l.Release(); err != nil {
		t.Fatal(err)
	}
	if h, held := statedir.HeldBy(path); held || h.PID != 0 {
		t.Errorf("a lock that is free is held by %+v", h)
	}
	if err := os.WriteFile(path, []byte("{\"pid\":\x00"), 0o600); err != nil {
		t.Fatal(err)
	}
	if l, ok, err = statedir.TryAcquire(path); err != nil || !ok {
		t.Fatal(ok, err)
	}
	defer l.Release() //nolint:errcheck // it ends with the test
	if h, held := statedir.HeldBy(path); !held || h.PID != 0 {
		t.Errorf("got %+v, %v of what cannot be read", h, held)
	}
}

// TestSyncNote: the last sync is told, a long error cut, and what is broken counts as none.
func TestSyncNote(t *testing.T) {
	index := filepath.Join(t.TempDir(), "main.sqlite")
	if _, ok := statedir.ReadSync(index); ok {
		t.Error("there is one before there was a sync")
	}
	want := statedir.SyncNote{At: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC), TookMs: 12, Files: 3, Added: 1, Skipped: 2, PID: 7, Error: strings.Repeat("é", 4000), Action: strings.Repeat("a", 4000)}
	if err := statedir.WriteSync(index, want); err != nil {
		t.Fatal(err)
	}
	got, ok := statedir.ReadSync(index)
	if !ok || len(got.Error) > 1024 || !strings.HasPrefix(want.Error, got.Error) || got.Error == "" {
		t.Fatalf("got %+v, %v", got, ok)
	}
	if len(got.Action) > 1024 || got.Action == "" {
		t.Errorf("the action has %d bytes", len(got.Action))
	}
	want.Error, got.Error, want.Action, got.Action = "", "", "", ""
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	short := statedir.SyncNote{At: want.At}
	if err := statedir.WriteSync(index, short); err != nil {
		t.Fatal(err)
	}
	if got, ok := statedir.ReadSync(index); !ok || got != short {
		t.Errorf("got %+v, %v after a longer one", got, ok)
	}
	if err := os.WriteFile(index+statedir.SyncSuffix, []byte(`{"at":`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, ok := statedir.ReadSync(index); ok {
		t.Error("half of a note was read")
	}
	if err := os.Remove(index + statedir.SyncSuffix); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(t.TempDir(), "elsewhere"), index+statedir.SyncSuffix); err != nil {
		t.Skip(err)
	}
	if err := statedir.WriteSync(index, short); err == nil {
		t.Error("it was written through a link")
	}
}
