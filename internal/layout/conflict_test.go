package layout_test

import (
	"testing"

	"github.com/memoir-ai/memoir/internal/layout"
)

func TestConflict(t *testing.T) {
	for file, want := range map[string]string{
		"MEMORY (conflicted copy).md":                                "MEMORY.md",
		"MEMORY (Ana's conflicted copy 2026-03-02).md":               "MEMORY.md",
		"MEMORY (Ana's conflicted copy 2026-03-02 (1)).md":           "MEMORY.md",
		"memory/a b (conflicted copy 2026-03-02 101112).md":          "memory/a b.md",
		"memory/projects (Ana-PC 的冲突副本 2026-03-02).md":               "memory/projects.md",
		"MEMORY.sync-conflict-20260302-101112-ABCDEF7.md":            "MEMORY.md",
		"memory/2026-03-02.sync-conflict-20260302-101112-ABCDEF7.md": "memory/2026-03-02.md",
		"USER_conflict-20260302-101112.md":                           "USER.md",
		"USER_nas_Mar-02-101112-2026_Conflict.md":                    "USER.md",
		"USER (SFConflict ana@example.org 2026-03-02-10-11-12).md":   "USER.md",
		"memory/learnings.Conflict.md":                               "memory/learnings.md",

		"MEMORY.md": "", "": "", "memory": "", "(conflicted copy).md": "", "MEMORY 2.md": "", "MEMORY (1).md": "",
		"memory/conflicted copy.md": "", "memory/conflict.md": "", "how to solve a sync-conflict.md": "", "memory (conflicted copy)/a.md": "",
		"MEMORY (conflict).md": "", "a.sync-conflict-2026-101112.md": "",
	} {
		if got := layout.Conflict(file); got != want {
			t.Errorf("Conflict(%q) = %q, want %q", file, got, want)
		}
	}
}
