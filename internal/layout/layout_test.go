package layout_test

import (
	"testing"
	"time"

	"github.com/memoir-ai/memoir/internal/layout"
)

func TestRoles(t *testing.T) {
	for _, tt := range []struct {
		file                    string
		curated, host, expected bool
	}{
		{"MEMORY.md", true, false, true},
		{"USER.md", true, false, true},
		{"memory", false, false, true},
		{"SOUL.md", false, true, false},
		{"AGENTS.md", false, true, false},
		{"memory.md", false, false, false},
		{"memory/MEMORY.md", false, false, false},
		{"docs/SOUL.md", false, false, false},
		{"memory/2026-03-02.md", false, false, false},
		{"", false, false, false},
	} {
		if got := layout.Curated(tt.file); got != tt.curated {
			t.Errorf("Curated(%q) = %t, want %t", tt.file, got, tt.curated)
		}
		if got := layout.Host(tt.file); got != tt.host {
			t.Errorf("Host(%q) = %t, want %t", tt.file, got, tt.host)
		}
		if got := layout.Expected(tt.file); got != tt.expected {
			t.Errorf("Expected(%q) = %t, want %t", tt.file, got, tt.expected)
		}
	}
}

func TestObeyed(t *testing.T) {
	for file, want := range map[string]bool{
		"AGENTS.md": true, "agents.md": true, "CLAUDE.md": true, "sub/deep/Claude.MD": true, "GEMINI.md": true, "memory/SOUL.md": true, "skills/x/SKILL.md": true,
		"TOOLS.md": true, "tools.md": true, "CLAUDE.local.md": true, "a/cla\u200cude.md": true, "memory/copilot-instructions.md": true,
		"notes/tools.md": false, "memory/identity.md": false, "MEMORY.md": false, "USER.md": false, "memory/claude.markdown": false, "claude.md/x.md": false, "my-agents.md": false, "": false,
	} {
		if got := layout.Obeyed(file); got != want {
			t.Errorf("Obeyed(%q) = %t, want %t", file, got, want)
		}
	}
	for _, file := range []string{"CLAUDE.md", "sub/claude.md", "memory/SOUL.md"} {
		if err := (layout.Shelves{layout.Learning: file}).CheckType(layout.Learning); err == nil {
			t.Errorf("%s is a shelf", file)
		}
	}
}

func TestPrivate(t *testing.T) {
	for file, want := range map[string]bool{
		"MEMORY.md": true, "memory.md": true, "Memory.MD": true, "USER.md": true, "User.md": true, "us\u200ber.md": true,
		"MEMORY (conflicted copy 2026-03-02).md": true, "user (conflicted copy) (conflicted copy).md": true, "USER.sync-conflict-20260302-101112-ABCDEF7.md": true,
		"memory/USER.md": false, "memory/memory.md": false, "users.md": false, "USER.md.md": false, "memory": false, "SOUL.md": false, "notes (conflicted copy).md": false, "": false,
	} {
		if got := layout.Private(file); got != want {
			t.Errorf("Private(%q) = %t, want %t", file, got, want)
		}
	}
}

func TestLog(t *testing.T) {
	tokyo := time.FixedZone("Tokyo", 9*60*60)
	late := time.Date(2026, 3, 1, 23, 30, 0, 0, time.UTC)
	if got := layout.Log(late.In(tokyo)); got != "memory/2026-03-02.md" {
		t.Errorf("Log = %q, want the day of the time's own location", got)
	}
	day, ok := layout.Date(layout.Log(late))
	if want := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC); !ok || !day.Equal(want) {
		t.Errorf("Date of Log = %v, %t, want %v", day, ok, want)
	}
}
