package engine

import (
	"context"
	"errors"

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
	// SummaryOptions say whether and how months are summarised.
	SummaryOptions = remember.SummaryOptions
	// Summaries say what was summarised.
	Summaries = remember.Summaries
	// A SummaryBill says what summaries have taken.
	SummaryBill = remember.SummaryBill
)

// What becomes of days that could be summarised.
const (
	SummaryDue     = remember.SummaryDue     // "due": the model would be asked
	SummaryWritten = remember.SummaryWritten // "written"
	SummaryEmpty   = remember.SummaryEmpty   // "empty": no line of the model's could be kept
	SummaryEdited  = remember.SummaryEdited  // "edited": somebody has changed the summary, which stays
	SummaryWaiting = remember.SummaryWaiting // "waiting": the tokens of the day do not suffice
)

// ReadSummaryBill returns what summaries have taken, given the folder of
// [Writing.State].
func ReadSummaryBill(dir string) (SummaryBill, error) { return remember.ReadSummaryBill(dir) }

// Summarise lets a language model write summaries of months that are over, and
// keeps only lines that quote what stands in the logs. One [Engine.Undo] takes
// back what one run wrote. What is summarised and has not changed since is not
// asked for again.
func (e *Engine) Summarise(ctx context.Context, opts SummaryOptions) (Summaries, error) {
	k, err := e.keep("summarise")
	if err != nil {
		return Summaries{}, err
	}
	defer e.calls.end()
	defer e.indexer.Wake()
	return k.Summarise(ctx, opts)
}

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
	if !out.Masked || err != nil && len(out.Written) == 0 {
		return out, err
	}
	return out, errors.Join(err, e.purgeMasked(ctx, "the notes are changed, but the index may still hold what they said", out.Written))
}
