package remember_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memoir-ai/memoir/internal/layout"
	"github.com/memoir-ai/memoir/internal/notebook"
	"github.com/memoir-ai/memoir/internal/remember"
)

// TestForgetSummaries: notes of a session's summaries are forgotten as a whole, also in the
// history; those of other sessions and agents stay, and what others say in one.
func TestForgetSummaries(t *testing.T) {
	day := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	summary := func(agent, word string) string {
		return layout.SummaryTitle(day, agent) + "\n\n## Compacted at 12:00\n\nThe hint is the " + word + ".\n\n### Of " + word + "\n\n```\n" + word + " --now\n```\n"
	}
	own := layout.Summary(day, "codex", "s7")
	copied := strings.TrimSuffix(own, ".md") + ".sync-conflict-20260302-101112-ABCDEF7.md"
	removed := layout.Summary(day.AddDate(0, 0, 1), "codex", "s7")
	mixed := layout.Summary(day.AddDate(0, 0, 2), "codex", "s7")
	nameless := layout.Summary(day, "codex", "")
	files := map[string]string{
		own: summary("codex", "whale"), copied: summary("codex", "whale"),
		mixed:    summary("codex", "whale") + "\n- Anna likes seals. <!-- session: s8 -->\n",
		nameless: summary("codex", "eel"), "memory/renamed.md": summary("codex", "eel"),
		layout.Summary(day, "codex", "s8"):       summary("codex", "dolphin"),
		layout.Summary(day, "claude-code", "s7"): summary("claude-code", "dolphin"),
		"memory/talk.md":                         summary("claude-code", "dolphin"),
		"memory/2026-03-01.md":                   "# Log\n\n- The dolphin came. <!-- session: s70 -->\n",
	}
	b := newBench(t, files, nil)
	_, err := b.opts.Notebook.Do(t.Context(), "agent", "summary of a session", func(d *notebook.Draft) error {
		return d.Append(removed, summary("codex", "whale"))
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(b.root, removed)); err != nil {
		t.Fatal(err)
	}
	target := remember.Target{Session: "sessions/codex/2026/rollout-s7.jsonl", Names: []string{"s7", ""}}
	for _, dry := range []bool{true, false} {
		out, err := b.keeper.Forget(t.Context(), target, dry)
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(out.Notes)
		slices.Sort(out.Unmarked)
		if want := []string{own, copied}; !slices.Equal(out.Notes, want) {
			t.Errorf("dry %v: got the notes %q, want %q", dry, out.Notes, want)
		}
		if want := []string{nameless, mixed, "memory/renamed.md"}; !slices.Equal(out.Unmarked, want) {
			t.Errorf("dry %v: named are %q, want %q", dry, out.Unmarked, want)
		}
	}
	notes := b.notes()
	for path, text := range files {
		switch now := notes[path]; {
		case path == own || path == copied:
			if now != "" {
				t.Errorf("%s stays: %q", path, now)
			}
		case path == mixed:
			if !strings.Contains(now, "Anna likes seals.") || strings.Contains(now, "hint") {
				t.Errorf("got %s %q", path, now)
			}
		case now != text:
			t.Errorf("got %s %q, want %q", path, now, text)
		}
	}
	history, err := os.ReadFile(filepath.Join(b.state, "history.jsonl"))
	if err != nil || strings.Contains(string(history), "whale") {
		t.Errorf("the history has %s, %v", history, err)
	}
}
