package layout_test

import (
	"testing"
	"time"

	"github.com/memoir-ai/memoir/internal/layout"
)

func TestDate(t *testing.T) {
	for _, tt := range []struct{ path, want string }{
		{"memory/2026-03-02.md", "2026-03-02"},
		{"2026-03-02", "2026-03-02"},
		{"memory/2026-03-02-slug.md", "2026-03-02"},
		{"memory/2026-03-02-1430.md", "2026-03-02"},
		{"memory/2026-03-02 standup.md", "2026-03-02"},
		{"日记/2026-03-02会议.md", "2026-03-02"},
		{"journals/2026_03_02.md", "2026-03-02"},
		{"memory/dreaming/light/2026-03-02.md", "2026-03-02"},
		{"2026/03/02.md", "2026-03-02"},
		{"log/2026/03/02-talk.md", "2026-03-02"},
		{"2024-02-29.md", "2024-02-29"},

		{"", ""},
		{".", ""},
		{".md", ""},
		{"MEMORY.md", ""},
		{"memory/notes-2026-03-02.md", ""}, // not at the start
		{"2026-03-02/plan.md", ""},
		{"2025-02-29.md", ""},
		{"2026-13-01.md", ""},
		{"2026-03-021.md", ""},
		{"2026-03_02.md", ""},
		{"20260302.md", ""},
		{"0000-00-00.md", ""},
		{"1899-12-31.md", ""},
		{"2026/03/32.md", ""},
		{"2026/03/022.md", ""},
		{"03/02.md", ""},
		{"2026-03-é2.md", ""},
		{"２０２６-03-02.md", ""},
	} {
		day, ok := layout.Date(tt.path)
		got := ""
		if ok {
			got = day.Format(time.DateOnly)
		}
		if got != tt.want {
			t.Errorf("FromPath(%q) = %q, want %q", tt.path, got, tt.want)
		}
	}
}

func FuzzFromPath(f *testing.F) {
	for _, s := range []string{"memory/2026-03-02.md", "2026/03/02.md", "////", "2026-03-\xff2.md"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, path string) {
		day, ok := layout.Date(path)
		if ok != !day.IsZero() || ok && (day.Location() != time.UTC || !day.Equal(day.Truncate(24*time.Hour))) {
			t.Errorf("FromPath(%q) = %v, %v", path, day, ok)
		}
	})
}

func TestIsLog(t *testing.T) {
	for path, want := range map[string]bool{
		"memory/2026-03-02.md": true, "memory/2026_03_02.md": true, "2026/03/02.md": true, "journal/2026-03-02.txt": true,
		"memory/2026-03-02-launch.md": false, "memory/2026-03-02 talk.md": false, "memory/2026-03-02-1430.md": false, "2026/03/02-launch.md": false,
		"memory/2026-02-30.md": false, "memory/02.md": false, "memory/contacts.md": false, "": false,
	} {
		if got := layout.IsLog(path); got != want {
			t.Errorf("%q: got %t, want %t", path, got, want)
		}
	}
}
