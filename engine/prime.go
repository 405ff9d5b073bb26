package engine

import (
	"cmp"
	"context"
	"errors"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/prime"
)

// PrimeOptions say what a session is given at its start.
type PrimeOptions struct {
	Message   string // the user's first message; "" when there is none
	MaxTokens int    // estimated size of the text; 0 means 2,000
	Shared    bool   // leaves out what is private: MEMORY.md, USER.md, what contacts say of the user, and entries marked so
}

// Types for the start and the end of a session.
type (
	// Primed is what an agent is given at the start of a session.
	Primed = prime.Primed
	// Flush says whether a session has to keep what it holds before it is compacted.
	Flush = prime.Flush
)

// Prime returns what an agent is given at the start of a session, from the
// notes as they are: who the user is, standing instructions, preferences, what
// currently holds, recent decisions, open points, today and yesterday, and what
// the message calls for. Without notes the text is ""; where the folder of the notes is not
// there, and nothing else has any, there is an error.
func (e *Engine) Prime(ctx context.Context, opts PrimeOptions) (Primed, error) {
	if err := e.calls.begin("read the notes"); err != nil {
		return Primed{}, err
	}
	defer e.calls.end()
	if !e.agreed() {
		return Primed{Parts: []prime.Part{}, Left: []prime.Part{}}, nil
	}
	return choose(ctx, e.primeOptions(ctx, opts))
}

// agreed reports whether sessions may be given these notes unasked.
func (e *Engine) agreed() bool { return e.consent == nil || e.consent() == nil }

// choose returns what a session is given. When that is nothing, it tells a folder without
// notes from one that cannot be read.
func choose(ctx context.Context, opts prime.Options) (Primed, error) {
	var failed error
	notice := func(n *prime.Notes) {
		read := n.Read
		n.Read = func(path string) (string, error) {
			text, err := read(path)
			skip := (*memoir.SkipError)(nil)
			if err != nil && !errors.Is(err, memoir.ErrNotFound) && !errors.As(err, &skip) {
				failed = cmp.Or(failed, err)
			}
			return text, err
		}
	}
	notice(&opts.Notes)
	if opts.Project != nil {
		notice(opts.Project)
	}
	p, err := prime.Choose(ctx, opts)
	if err == nil && p.Text == "" && len(p.Left) == 0 {
		err = failed
	}
	return p, err
}

func (e *Engine) primeOptions(ctx context.Context, opts PrimeOptions) prime.Options {
	return prime.Options{
		Notes: e.primeNotes(ctx), Now: e.now(), Message: opts.Message, MaxTokens: opts.MaxTokens, Shared: opts.Shared,
	}
}

func (e *Engine) primeNotes(ctx context.Context) prime.Notes {
	return prime.Notes{Whose: e.whose, Shelves: e.shelves, Read: func(path string) (string, error) {
		doc, err := e.indexer.Read(ctx, memoir.DocID(path))
		return doc.Text, err
	}}
}

// Flush says whether a session that has used so many tokens of its window has
// to keep what it holds now, and what to ask the agent for then. A caller asks
// once before each compaction.
func (e *Engine) Flush(window, used int) Flush {
	return prime.FlushDue(window, used, e.shelves, e.now())
}
