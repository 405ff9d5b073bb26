package engine

import (
	"context"
	"errors"

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

// RecallOptions say what a message in the midst of a session calls for.
type RecallOptions struct {
	Message   string                 // what the user says
	MaxTokens int                    // of the text, estimated; 0 means 600
	MinScore  float64                // passages with a lower score, by their words alone, are left out
	Given     func(line string) bool // whether the session was given a line of such a text before; nil: none
}

// What a message is searched for with, and what comes of it. No passage holds half
// of the words of a longer one.
const (
	maxRecalled = 3   // passages
	maxAsked    = 600 // characters of the message
)

// opening returns the first characters of a message.
func opening(message string, most int) string {
	n := 0
	for i := range message {
		if n++; n > most {
			return message[:i]
		}
	}
	return message
}

// Recall returns what a message calls for: the entries whose triggers it holds, from
// the notes as they are, and those of the notes' passages that its words find. No vector is
// computed. An error says that passages could not be searched; the text has what the
// triggers call all the same.
func (e *Engine) Recall(ctx context.Context, opts RecallOptions) (Primed, error) {
	if err := e.calls.begin("recall"); err != nil {
		return Primed{}, err
	}
	defer e.calls.end()
	return recall(ctx, opts, e.searcher.Search, e.sessions(), e.primeOptions)
}

// recall is [Engine.Recall] with what searches, whether that finds sessions too, and
// the notes.
func recall(ctx context.Context, opts RecallOptions, search func(context.Context, memoir.Query) (memoir.Results, error), sessions bool,
	notes func(context.Context, PrimeOptions) prime.Options) (Primed, error) {
	query := memoir.Query{
		Text: opening(opts.Message, maxAsked), Literal: true, Mode: memoir.ModeText, Limit: maxRecalled, MinScore: opts.MinScore,
	}
	if sessions { // which would be given what they say themselves
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

// Flush says whether a session that has used so many tokens of its window has to keep
// what it holds now, and what to ask the agent then. A caller asks once before each
// compaction.
func (e *Engine) Flush(window, used int) Flush {
	return prime.FlushDue(window, used, e.shelves, e.now())
}
