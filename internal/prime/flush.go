package prime

import (
	"fmt"
	"time"

	"github.com/memoir-ai/memoir/internal/layout"
)

// A Flush says whether a session must keep what it holds because it will soon
// be compacted, by OpenClaw's rules (https://docs.openclaw.ai/concepts/memory).
type Flush struct {
	Due       bool   `json:"due"`       // the session is to keep what it holds now
	Threshold int    `json:"threshold"` // tokens from which on it is due
	Prompt    string `json:"prompt"`    // what the agent is asked then; empty when it is not due
	Path      string `json:"path"`      // the day log that it keeps that in, below the workspace
}

// FlushDue returns the flush of a session that has used so many tokens of its
// window.
func FlushDue(window, used int, shelves layout.Shelves, now time.Time) Flush {
	f := Flush{Threshold: window - reserve(window) - soft(window), Path: shelves.File(layout.Journal, now)}
	f.Threshold = max(f.Threshold, 0)
	if f.Due = used >= f.Threshold && used > 0; f.Due {
		f.Prompt = fmt.Sprintf(flushPrompt, f.Path, now.Format("2006-01-02"), now.Format("2006-01-02 15:04 MST"))
	}
	return f
}

// reserve is how many tokens of a window are kept free: 20,000, or fewer in
// small windows.
func reserve(window int) int {
	switch {
	case window <= 8_000:
		return window / 2
	case window <= 16_000:
		return 8_000
	case window <= 24_000:
		return 16_000
	}
	return 20_000
}

// soft is how many tokens before that a flush is due.
func soft(window int) int {
	if window <= 8_000 {
		return 2_000
	}
	return 4_000
}

const flushPrompt = `This session will be compacted soon. Keep now what later sessions need: decisions with their reasons, facts, preferences, open points. One fact a call: memoir remember --type journal --key flush-%[2]s-N TEXT, or the tool memory_remember with type journal and such a key, so that a retry keeps nothing twice. It is added to %[1]s; change no other note. Leave out what is in memory already, small talk, code and secrets. When there is nothing to keep, answer NO_REPLY. It is %[3]s now.`
