package engine

import (
	"context"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/prime"
)

// PrimeOptions say what a session is given at its start.
type PrimeOptions struct {
	Message   string // what the user said first; "" is nothing
	MaxTokens int    // of the text, estimated; 0 means 2,000
	Shared    bool   // leaves out what is private: MEMORY.md, USER.md, entries that say so
}

// The words of a session's start and end.
type (
	// Primed is what an agent is given at the start of a session.
	Primed = prime.Primed
	// Flush says whether a session has to keep what it holds before it is compacted.
	Flush = prime.Flush
)

// Prime returns what an agent is given at the start of a session, from the notes as
// they are: who the user is, standing instructions, preferences, what holds, recent
// decisions, open points, today and yesterday, and what the message calls for.
// Without notes the text is "".
func (e *Engine) Prime(ctx context.Context, opts PrimeOptions) (Primed, error) {
	if err := e.calls.begin("read the notes"); err != nil {
		return Primed{}, err
	}
	defer e.calls.end()
	return prime.Choose(ctx, prime.Options{
		Shelves: e.shelves, Now: e.now(), Message: opts.Message, MaxTokens: opts.MaxTokens, Shared: opts.Shared,
		Read: func(path string) (string, error) {
			doc, err := e.indexer.Read(ctx, memoir.DocID(path))
			return doc.Text, err
		},
	})
}

// Flush says whether a session that has used so many tokens of its window has to keep
// what it holds now, and what to ask the agent then. A caller asks once before each
// compaction.
func (e *Engine) Flush(window, used int) Flush {
	return prime.FlushDue(window, used, e.shelves, e.now())
}
