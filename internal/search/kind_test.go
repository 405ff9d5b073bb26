package search

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestListed(t *testing.T) {
	tests := map[string]struct {
		text string
		want []item
	}{
		"entries":                 {"- one\n- two\n", []item{{"one", 0, -1}, {"two", 0, -1}}},
		"numbers":                 {"1. one\n2) two", []item{{"one", 0, -1}, {"two", 0, -1}}},
		"below another":           {"- one\n  - two\n    - three\n- four", []item{{"one", 0, -1}, {"two", 2, 0}, {"three", 4, 1}, {"four", 0, -1}}},
		"below by a tab":          {"- one\n\t- two", []item{{"one", 0, -1}, {"two", 4, 0}}},
		"one column is not below": {"- one\n - two", []item{{"one", 0, -1}, {"two", 1, -1}}},
		"goes on":                 {"- one\nand more\n\n  and still", []item{{"one\nand more\nand still", 0, -1}}},
		"under a heading":         {"## Keys\n\n- one", []item{{"one", 0, -1}}},
		"prose first":             {"These are:\n- one", nil},
		"prose after":             {"- one\n\nThat is all.", nil},
		"prose":                   {"One. Two.", nil},
		"a mark alone":            {"-one", nil},
		"nothing":                 {"", nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, listed(tt.text), cmp.AllowUnexported(item{})); diff != "" {
				t.Errorf("listed(%q) (-want +got):\n%s", tt.text, diff)
			}
		})
	}
}

func TestUndated(t *testing.T) {
	text := "# 2026-03-02\n## Budget 2026\nThe rent rises on 2026-04-01.\n"
	if got, want := undated(text), "## Budget 2026\nThe rent rises on 2026-04-01.\n"; got != want {
		t.Errorf("undated = %q, want %q: only headings that are dates go", got, want)
	}
}

func TestYears(t *testing.T) {
	tests := map[string][]string{
		"memory/2026-03-02.md":   {"2026"},
		"memory/20260302.md":     {"20260302"},
		"memory/202603/notes.md": {"202603"},
		"archive/1999/a.md":      {"1999"},
		"ports/8080.md":          {},
		"v20.1/room-1203.md":     {},
	}
	for path, want := range tests {
		if diff := cmp.Diff(want, years(path)); diff != "" {
			t.Errorf("years(%q) (-want +got):\n%s", path, diff)
		}
	}
}
