package hook

import (
	"context"
	"fmt"
	"strings"

	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/entry"
	"github.com/memoir-ai/memoir/internal/layout"
	"github.com/memoir-ai/memoir/internal/notebook"
	"github.com/memoir-ai/memoir/internal/secret"
	"github.com/memoir-ai/memoir/internal/tag"
)

// Keep writes the summary of a session to a note of its own below memory/, with
// the day in its name. A second summary of the session is added to that note,
// but not the same one twice. Secrets are masked, and what memoir gave the
// session is left out, and so are entries that were forgotten; states are the folders in
// which these are marked. The history has the change, so it can be taken back.
func Keep(ctx context.Context, notes *notebook.Notebook, item Item, states ...string) error {
	masked, _ := secret.Mask(strings.TrimSpace(tag.WithoutOurs(strings.ToValidUTF8(item.Text, "\ufffd"))))
	at := item.At.Local()
	file := layout.Summary(at, item.Agent, item.Session)
	_, err := notes.Do(ctx, "agent", "summary of a session", func(d *notebook.Draft) error {
		text, err := Remaining(masked, states...)
		if err != nil || text == "" {
			return err
		}
		old, there, err := d.Read(file)
		if err != nil || strings.Contains(old, text) {
			return err
		}
		add := layout.SummaryTitle(at, item.Agent) + "\n"
		if there {
			add = ""
			if !strings.HasSuffix(old, "\n") && old != "" {
				add = "\n"
			}
		}
		return d.Append(file, add+fmt.Sprintf("\n## Compacted at %s\n\n%s\n", at.Format("15:04"), text))
	})
	if err != nil {
		return fmt.Errorf("keep the summary: %w", err)
	}
	return nil
}

// Drop removes the note of a session's summaries that Keep has written, with its history.
func Drop(ctx context.Context, notes *notebook.Notebook, item Item) error {
	file := layout.Summary(item.At.Local(), item.Agent, item.Session)
	_, err := notes.Forget(ctx, "forget", "forgot the summary of a session", func(d *notebook.Draft) error {
		if _, there, err := d.Read(file); err != nil || !there {
			return err
		}
		return d.Remove(file)
	}, func(note, lines string) string {
		if note == file {
			return ""
		}
		return lines
	})
	return err
}

// Remaining returns what is left of a summary without the entries that were forgotten; ""
// when that is headings alone. states are those of Keep.
func Remaining(summary string, states ...string) (text string, err error) {
	text = summary
	for _, state := range states {
		if text, err = engine.WithoutForgotten(state, text); err != nil {
			return "", err
		}
	}
	if text = strings.TrimSpace(text); text != summary && entry.Bare(text) {
		text = ""
	}
	return text, nil
}
