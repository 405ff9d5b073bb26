package engine

import (
	"context"
	"fmt"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/remember"
)

// The words of upkeep.
type (
	// TidyOptions say what is looked for, and what is done.
	TidyOptions = remember.TidyOptions
	// A TidyFinding is something about the notes that could be better.
	TidyFinding = remember.TidyFinding
	// A Tidying says what was found, and what was done.
	Tidying = remember.Tidying
	// A TidySkip is a finding that was not done.
	TidySkip = remember.TidySkip
)

// Tidy looks at the notes for what could be better: the same words twice, the same in
// other words, entries that contradict each other, what is over, links that lead
// nowhere, secrets, what nobody asks for, what is asked for often, a MEMORY.md that says
// too much. Each finding has a proposal and its diff.
//
// With [TidyOptions.Apply] it does what is certain, or the findings that are named, in
// one change that one [Engine.Undo] takes back; masked secrets do not come back, and need
// [TidyOptions.Mask]. A finding whose notes have changed since, or cannot be written to,
// is skipped with the reason. What was looked at before and has not changed since is
// not read again.
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
