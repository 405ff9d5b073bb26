package engine

import (
	"context"
	"errors"
	"slices"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/judge"
	"github.com/memoir-ai/memoir/internal/prime"
	"github.com/memoir-ai/memoir/internal/querylang"
	"github.com/memoir-ai/memoir/internal/search"
)

// RecallOptions say what a message in the middle of a session calls for.
type RecallOptions struct {
	Message   string                 // the user's message
	MaxTokens int                    // estimated size of the text; 0 means 600
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
// contains, from the notes as they are, and the passages that its words and its
// meaning find. Nobody has asked for those, so that only passages are given which
// are likely to help, and none for a mere "ok thanks". The embedder, if there is
// one, computes the vector of the message and none of passages. An error says
// that passages could not be searched; even then the text has the entries that
// the triggers call.
func (e *Engine) Recall(ctx context.Context, opts RecallOptions) (Primed, error) {
	if err := e.calls.begin("recall"); err != nil {
		return Primed{}, err
	}
	defer e.calls.end()
	if !e.agreed() {
		return Primed{Parts: []prime.Part{}, Left: []prime.Part{}}, nil
	}
	return recall(ctx, opts, e.searcher, e.reader(), e.sessions(), e.primeOptions)
}

// recall is [Engine.Recall], given what searches, what reads texts (nil: nothing),
// whether sessions are found too, and the notes.
func recall(ctx context.Context, opts RecallOptions, searcher *search.Searcher, reads judge.Reader, sessions bool, notes func(context.Context, PrimeOptions) prime.Options) (Primed, error) {
	found, failed := helping(ctx, opts, searcher, reads, sessions)
	o := prime.RecallOptions{Options: notes(context.WithoutCancel(ctx), PrimeOptions{Message: opts.Message, MaxTokens: opts.MaxTokens}), Given: opts.Given}
	for _, hit := range found {
		if hit.Scope == "" { // it was searched alone, and is called what it is called in both
			hit.Scope = memoir.Scope(o.Scope)
		}
		if hit.SnippetStart > 0 {
			o.Passages = append(o.Passages, prime.Passage{
				Scope: string(hit.Scope), Path: string(hit.Doc), StartLine: hit.SnippetStart, Text: hit.Snippet, Citation: hit.Citation(), Day: hit.Date,
			})
		}
	}
	p, err := prime.Recall(context.WithoutCancel(ctx), o)
	return p, errors.Join(failed, err)
}

// What a passage is given for. Its relevance is that of a confident hit at least, for a
// message that asks nothing orderRelevance. And it shares sharedWords words with the
// message that few passages hold, for one by itself is chance. To a question its meaning
// may be near enough by itself, from nearRelevance on; what is relevant only for the words
// that it holds has less (docs/design/agents.md).
const (
	orderRelevance = .5
	sharedWords    = 2
	nearRelevance  = .6
)

// A calling is a message for which passages are looked for, unasked.
type calling struct {
	searcher *search.Searcher
	asks     bool
	idle     bool // thanks, assent, an order about what is at hand: only what it names can help
}

// helping returns the passages that are likely to help with a message: those that its
// words find, then for a question those that its meaning finds as well. Where vectors
// cannot take part, words answer alone.
func helping(ctx context.Context, opts RecallOptions, searcher *search.Searcher, reads judge.Reader, sessions bool) ([]memoir.Hit, error) {
	query := memoir.Query{Text: opening(opts.Message, maxAsked), Literal: true, Mode: memoir.ModeText, Limit: maxRecalled}
	if sessions { // a session would be given back what it says itself
		query.Filter.Without = []memoir.Filter{{Kinds: []memoir.Kind{memoir.KindSession}}}
	}
	c := calling{searcher: searcher, asks: querylang.Asks(query.Text)}
	c.idle = !c.asks && idle(ctx, reads, query.Text)
	helps, err := c.find(ctx, query)
	if err != nil || !c.asks || len(helps) >= maxRecalled {
		return helps, err
	}
	query.Mode, query.NoSync = memoir.ModeHybrid, true
	near, err := c.find(ctx, query)
	if err != nil {
		return helps, nil // the words have answered
	}
	for _, hit := range near {
		known := func(h memoir.Hit) bool { return h.ChunkID == hit.ChunkID }
		if len(helps) < maxRecalled && !slices.ContainsFunc(helps, known) {
			helps = append(helps, hit)
		}
	}
	return helps, nil
}

// idle reports whether a message says nothing that is worth a note, or may say nothing.
func idle(ctx context.Context, reads judge.Reader, message string) bool {
	if reads == nil {
		return judge.Gate(message, judge.User, nil).Code != judge.New
	}
	read, err := reads.Texts(ctx, []string{message})
	return err == nil && len(read) == 1 && judge.Gate(message, judge.User, &read[0]).Code != judge.New
}

// find returns the hits of a query that are likely to help, none for one by meaning in
// which vectors took no part.
func (c *calling) find(ctx context.Context, query memoir.Query) ([]memoir.Hit, error) {
	found, err := c.searcher.Search(ctx, query)
	if err != nil || found.Mode != query.Mode {
		return nil, err
	}
	shared, err := c.searcher.Shared(ctx, query.Text, found.Hits)
	if err != nil {
		return nil, err
	}
	var helps []memoir.Hit
	for i, hit := range found.Hits {
		if c.helps(hit, shared[i], query.Mode == memoir.ModeHybrid) {
			helps = append(helps, hit)
		}
	}
	return helps, nil
}

// helps reports whether a hit is likely to help. meant says that vectors took part.
func (c *calling) helps(hit memoir.Hit, shared search.Shared, meant bool) bool {
	switch {
	case !hit.Confident(), !c.asks && hit.Relevance < orderRelevance:
		return false
	case shared.Named:
		return true
	case c.idle:
		return false
	}
	return shared.Words >= sharedWords || meant && hit.Relevance >= nearRelevance
}
