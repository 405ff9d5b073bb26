package engine

import (
	"context"
	"errors"
	"math"

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
// contains, from the notes as they are, and the passages that its words find.
// Nobody has asked for those, so that only passages are given which are likely to
// help, and none for a mere "ok thanks". It computes no vectors. An error says
// that passages could not be searched; even then the text has the entries that
// the triggers call.
func (e *Engine) Recall(ctx context.Context, opts RecallOptions) (Primed, error) {
	if err := e.calls.begin("recall"); err != nil {
		return Primed{}, err
	}
	defer e.calls.end()
	return recall(ctx, opts, e.searcher, e.sessions(), e.primeOptions)
}

// recall is [Engine.Recall], given what searches, whether it finds sessions too,
// and the notes.
func recall(ctx context.Context, opts RecallOptions, searcher *search.Searcher, sessions bool, notes func(context.Context, PrimeOptions) prime.Options) (Primed, error) {
	found, failed := helping(ctx, opts, searcher, sessions)
	o := prime.RecallOptions{Options: notes(context.WithoutCancel(ctx), PrimeOptions{Message: opts.Message, MaxTokens: opts.MaxTokens}), Given: opts.Given}
	for _, hit := range found {
		if hit.SnippetStart > 0 {
			o.Passages = append(o.Passages, prime.Passage{
				Scope: string(hit.Scope), Path: string(hit.Doc), StartLine: hit.SnippetStart, Text: hit.Snippet, Citation: hit.Citation(), Day: hit.Date,
			})
		}
	}
	p, err := prime.Recall(context.WithoutCancel(ctx), o)
	return p, errors.Join(failed, err)
}

// orderRelevance is the lowest relevance of a passage for a message that asks nothing.
// For a question it is that of a confident hit (docs/design/agents.md).
const orderRelevance = .5

// sharedWords is how many words that few passages hold a passage has of a message at
// least. One by itself is chance.
const sharedWords = 2

// helping returns the passages that are likely to help with a message.
func helping(ctx context.Context, opts RecallOptions, searcher *search.Searcher, sessions bool) ([]memoir.Hit, error) {
	message := opening(opts.Message, maxAsked)
	query := memoir.Query{Text: message, Literal: true, Mode: memoir.ModeText, Limit: maxRecalled}
	if sessions { // a session would be given back what it says itself
		query.Filter.Without = []memoir.Filter{{Kinds: []memoir.Kind{memoir.KindSession}}}
	}
	found, err := searcher.Search(ctx, query)
	if err != nil {
		return nil, err
	}
	shared, err := searcher.Shared(ctx, message, found.Hits)
	if err != nil {
		return nil, err
	}
	least, words := orderRelevance, sharedWords
	if querylang.Asks(message) {
		least = 0
	} else if v := judge.For("").Gate(message, judge.User, nil); v.Code != judge.New {
		words = math.MaxInt // thanks, assent, an order about what is at hand: only what it names can help
	}
	var helps []memoir.Hit
	for i, hit := range found.Hits {
		if hit.Confident() && hit.Relevance >= least && (shared[i].Named || shared[i].Words >= words) {
			helps = append(helps, hit)
		}
	}
	return helps, nil
}
