package hook_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/memoir-ai/memoir/internal/hook"
	"github.com/memoir-ai/memoir/internal/mounttest"
)

// TestFullDisk: on a full disk every session is answered, what waits already stays whole,
// and with room again nothing of the attempts is left. The disk is one of 256 kB, in a
// process of its own.
func TestFullDisk(t *testing.T) {
	if !mounttest.Own(t) {
		return
	}
	dir := mounttest.Disk(t, "256k")
	m := newMachine(t)
	m.Dir = filepath.Join(dir, "hooks")
	m.ask(t, "claude-code", hook.PostCompact, `{"session_id":"s","compact_summary":"before"}`)
	m.ask(t, "claude-code", hook.Stop, `{"session_id":"s"}`)
	filler := filepath.Join(dir, "filler")
	if err := os.WriteFile(filler, make([]byte, 1<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("the disk is not full: %v", err)
	}
	q := hook.Queue(m.Dir)
	for _, agent := range hook.Agents() {
		for _, event := range hook.Events() {
			out, err := m.answer(t, agent, event, `{"session_id":"s","prompt":"tea","compact_summary":"`+strings.Repeat("x", 9000)+`"}`)
			if _, given := hook.Given(agent, event, []byte(out)); given != nil && event != hook.PreCompact {
				t.Errorf("%s %s: %v in %q", agent, event, given, out)
			}
			if hook.Takes(agent, event) && event != hook.PreCompact && !strings.Contains(out, "Ann") {
				t.Errorf("%s %s printed %q", agent, event, out)
			}
			if event == hook.PostCompact && !errors.Is(err, syscall.ENOSPC) && (err == nil || !strings.Contains(err.Error(), "no space")) {
				t.Errorf("%s %s: %v", agent, event, err)
			}
		}
	}
	if q.Len() != 2 {
		t.Errorf("%d items wait", q.Len())
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	for _, below := range []string{"queue", "sessions"} {
		entries, _ := os.ReadDir(filepath.Join(m.Dir, below)) // it need not be there
		for _, e := range entries {
			if strings.HasPrefix(e.Name(), ".") {
				t.Errorf("%s is left in %s", e.Name(), below)
			}
		}
	}
	m.ask(t, "claude-code", hook.PostCompact, `{"session_id":"s","compact_summary":"after"}`)
	told := map[string]int{}
	for _, item := range drained(t, q) {
		told[item.Kind+item.Text]++
	}
	if len(told) != 3 || told["summarybefore"] != 1 || told["summaryafter"] != 1 || told["session"] != 1 {
		t.Errorf("done were %v", told)
	}
}
