package engine

import (
	"context"
	"fmt"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/remember"
)

// Types for upkeep.
type (
	// TidyOptions say what to look for, and what to apply.
	TidyOptions = remember.TidyOptions
	// A TidyFinding is something about the notes that could be better.
	TidyFinding = remember.TidyFinding
	// A Tidying says what was found, and what was applied.
	Tidying = remember.Tidying
	// A TidySkip is a finding that was not applied.
	TidySkip = remember.TidySkip
)

// Tidy looks for what could be better in the notes: the same words twice, the
// same in other words, entries that contradict each other, what is over, links
// that lead nowhere, secrets, entries that nobody asks for, entries that are
// asked for often, a MEMORY.md that says too much. Each finding has a proposal
// and its diff.
//
// With [TidyOptions.Apply] it applies the findings that are certain, or those
// that are named, in one change that one [Engine.Undo] takes back. Masking
// secrets cannot be taken back, and needs [TidyOptions.Mask]. A finding is
// skipped, with the reason, when its notes have changed since or cannot be
// written to. Tidy does not read again what it has checked before and has not
// changed since.
func (e *Engine) Tidy(ctx context.Context, opts TidyOptions) (Tidying, error) {
	k, err := e.keep("tidy")
	if err != nil {
		return Tidying{}, err
	}
	defer e.calls.end()
	out, err := k.Tidy(ctx, opts)
	if err != nil || !out.Masked {
		return out, err
	}
	if err := e.purge(ctx, out.Written); err != nil {
		return out, memoir.WithHint(fmt.Errorf("the notes are tidy, the index may hold what they said: %w", err), "end the programs that use the index, then memoir scan --fix")
	}
	return out, nil
}
