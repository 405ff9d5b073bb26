package app_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/statedir"
)

// The status of one process says what another did and does: the last sync, who computes
// vectors, and what is watched, seen and left out.
func TestStatusOfOthers(t *testing.T) {
	settings := load(t, "")
	dir := filepath.Dir(settings.Workspace)
	transcript := filepath.Join(dir, "claude", "projects", "p", "s.jsonl")
	if err := errors.Join(os.MkdirAll(filepath.Join(settings.Workspace, "memory"), 0o777), os.MkdirAll(filepath.Dir(transcript), 0o777),
		os.WriteFile(filepath.Join(settings.Workspace, "memory", "broken.md"), []byte{'a', 0xff}, 0o666),
		os.WriteFile(transcript, []byte(`{"type":"user","uuid":"1","message":{"content":"Who keeps the tide tables?"}}`+"\n"), 0o666)); err != nil {
		t.Fatal(err)
	}
	settings.Sessions.Enabled, settings.Sessions.Agents = true, []string{"claude-code"}
	settings.Sessions.Dirs = map[string]string{"claude-code": filepath.Join(dir, "claude")}
	status := func() app.Status {
		t.Helper()
		st, err := open(t, settings, app.Options{Need: app.NeedStatus, Embedder: embedder}).Status(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return st
	}
	before := status()
	if before.LastSync != nil || before.Filling || before.Listed != 2 || before.Unindexed != 2 || len(before.Sessions) != 1 || before.Sessions[0].Sessions != 0 {
		t.Errorf("before all: %+v", before)
	}
	a, err := app.Open(t.Context(), settings, app.Options{Exclusive: true, Embedder: embedder})
	if err != nil {
		t.Fatal(err)
	}
	var stats memoir.SyncStats
	stats, err = a.Engine.Sync(t.Context(), nil)
	if err := errors.Join(err, a.Close()); err != nil || stats.Added != 2 {
		t.Fatalf("got %+v, %v", stats, err)
	}
	lock, ok, err := statedir.TryAcquire(settings.IndexPath() + ".embed.lock")
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	defer lock.Release() //nolint:errcheck // it ends with the test
	lock.Sign()

	st := status()
	if !st.Filling || st.Holder.PID != os.Getpid() {
		t.Errorf("vectors are computed: %v, by %+v", st.Filling, st.Holder)
	}
	n := st.LastSync
	if n == nil || n.Added != 2 || n.PID != os.Getpid() || n.Error != "" || time.Since(n.At) > time.Hour {
		t.Errorf("the last sync: %+v", n)
	}
	if len(st.Sessions) != 1 || st.Sessions[0].Agent != "claude-code" || st.Sessions[0].Sessions != 1 || st.Sessions[0].Last.IsZero() {
		t.Errorf("sessions: %+v", st.Sessions)
	}
	if st.Unwatched == nil && st.Folders != 2 {
		t.Errorf("%d folders are watched, want 2", st.Folders)
	}
	lock.Release() //nolint:errcheck // looked at below
	if st := status(); st.Filling {
		t.Errorf("%+v computes vectors, who has ended", st.Holder)
	}
}

// TestStatusOnBattery: the status says when vectors wait for power, and only those that this
// machine would compute.
func TestStatusOnBattery(t *testing.T) {
	for name, tt := range map[string]struct {
		settings string
		on, want bool
	}{
		"on the battery":            {"", true, true},
		"plugged in":                {"", false, false},
		"allowed":                   {"embed.onBattery = true", true, false},
		"another machine's vectors": {"provider = \"gemini\"\nallowRemote = true", true, false},
		"a server on this machine":  {"provider = \"ollama\"", true, true},
	} {
		t.Run(name, func(t *testing.T) {
			settings := loadAs(t, tt.settings, "", nil)
			app.SetBattery(t, tt.on)
			a := open(t, settings, app.Options{Exclusive: true, Embedder: embedder})
			if _, err := a.Engine.Sync(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			st, err := a.Status(t.Context())
			if err != nil || st.Pending == 0 || st.OnBattery != tt.want {
				t.Errorf("got %v, %d texts are pending, error %v; want %v", st.OnBattery, st.Pending, err, tt.want)
			}
		})
	}
}
