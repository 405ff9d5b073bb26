package engine

import (
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
// the message calls for. Without notes the text is "".
func (e *Engine) Prime(ctx context.Context, opts PrimeOptions) (Primed, error) {
	if err := e.calls.begin("read the notes"); err != nil {
		return Primed{}, err
	}
	defer e.calls.end()
	return prime.Choose(ctx, e.primeOptions(ctx, opts))
}

func (e *Engine) primeOptions(ctx context.Context, opts PrimeOptions) prime.Options {
	return prime.Options{
		Notes: e.primeNotes(ctx), Now: e.now(), Message: opts.Message, MaxTokens: opts.MaxTokens, Shared: opts.Shared,
	}
}

func (e *Engine) primeNotes(ctx context.Context) prime.Notes {
	return prime.Notes{Shelves: e.shelves, Read: func(path string) (string, error) {
		doc, err := e.indexer.Read(ctx, memoir.DocID(path))
		return doc.Text, err
	}}
}

// RecallOptions say what a message in the middle of a session calls for.
type RecallOptions struct {
	Message   string                 // the user's message
	MaxTokens int                    // estimated size of the text; 0 means 600
	MinScore  float64                // passages whose score by words is lower are left out
	Given     func(line string) bool // reports whether the session was already given a line; nil: it was given none
}

// How a message is searched for, and how much of the answer is used. No passage
// holds half of the words of a long message.
const (
	maxRecalled = 3   // passages
	maxAsked    = 600 // characters of the message
)

// opening returns the beginning of a message, at most that many characters.
func opening(message string, most int) string {
	n := 0
	for i := range message {
		if n++; n > most {
			return message[:i]
		}
	}
	return message
}

// Recall returns what a message calls for: the entries whose triggers it
// contains, from the notes as they are, and the passages that its words find.
// It computes no vectors. An error says that passages could not be searched;
// even then the text has the entries that the triggers call.
func (e *Engine) Recall(ctx context.Context, opts RecallOptions) (Primed, error) {
	if err := e.calls.begin("recall"); err != nil {
		return Primed{}, err
	}
	defer e.calls.end()
	return recall(ctx, opts, e.searcher.Search, e.sessions(), e.primeOptions)
}

// recall is [Engine.Recall], given the search, whether it finds sessions too,
// and the notes.
func recall(ctx context.Context, opts RecallOptions, search func(context.Context, memoir.Query) (memoir.Results, error), sessions bool,
	notes func(context.Context, PrimeOptions) prime.Options) (Primed, error) {
	query := memoir.Query{
		Text: opening(opts.Message, maxAsked), Literal: true, Mode: memoir.ModeText, Limit: maxRecalled, MinScore: opts.MinScore,
	}
	if sessions { // a session would be given back what it says itself
		query.Filter.Without = []memoir.Filter{{Kinds: []memoir.Kind{memoir.KindSession}}}
	}
	found, failed := search(ctx, query)
	o := prime.RecallOptions{Options: notes(context.WithoutCancel(ctx), PrimeOptions{Message: opts.Message, MaxTokens: opts.MaxTokens}), Given: opts.Given}
	for _, hit := range found.Hits {
		if hit.SnippetStart > 0 {
			o.Passages = append(o.Passages, prime.Passage{Scope: string(hit.Scope), Path: string(hit.Doc), StartLine: hit.SnippetStart, Text: hit.Snippet})
		}
	}
	p, err := prime.Recall(context.WithoutCancel(ctx), o)
	return p, errors.Join(failed, err)
}

// Flush says whether a session that has used so many tokens of its window has
// to keep what it holds now, and what to ask the agent for then. A caller asks
// once before each compaction.
func (e *Engine) Flush(window, used int) Flush {
	return prime.FlushDue(window, used, e.shelves, e.now())
}
