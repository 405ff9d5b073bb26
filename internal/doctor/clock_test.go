package doctor

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/statedir"
)

// TestClock: a disk with another clock is named, and so is an earlier process with one.
func TestClock(t *testing.T) {
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.Local)
	for _, tt := range []struct {
		name          string
		dated, synced time.Duration // from now
		want          Health
		detail        string
	}{
		{"as it should be", 0, -time.Hour, Healthy, "2026-03-02 09:00:00, as the disk has it"},
		{"coarse steps", -2 * time.Second, time.Second, Healthy, "as the disk has it"},
		{"the disk is ahead", time.Hour, 0, Warning, "1h0m0s apart"},
		{"the disk is behind", -time.Minute, 0, Warning, "-1m0s apart"},
		{"the clock was set back", 0, 48 * time.Hour, Warning, "2026-03-04 09:00:00, later than now"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			settings := &config.Loaded{Settings: config.Settings{Workspace: filepath.Join(dir, "notes"), StateDir: dir, Agent: "main"}}
			if err := statedir.Make(settings.IndexPath()); err != nil {
				t.Fatal(err)
			}
			if err := statedir.WriteSync(settings.IndexPath(), statedir.SyncNote{At: now.Add(tt.synced).UTC()}); err != nil {
				t.Fatal(err)
			}
			var d Diagnosis
			d.clock(now, now.Add(tt.dated), settings)
			if len(d.Checks) != 1 || d.Checks[0].Health != tt.want || !strings.Contains(d.Checks[0].Detail, tt.detail) {
				t.Errorf("got %+v", d.Checks)
			}
		})
	}
}
