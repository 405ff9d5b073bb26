package search

import (
	"context"
	"slices"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/analyze"
)

// fewestWords is how many words a text has at least for a passage with all of them to tell
// it. One by itself is in much else.
const fewestWords = 2

// Telling returns the documents of a kind, the likeliest first and n at most, of which one
// passage has all words of a text that say something. It answers from the index as it is.
func (e *Searcher) Telling(ctx context.Context, text string, kind memoir.Kind, n int) (docs []memoir.DocID, err error) {
	query := memoir.Query{Text: text, Literal: true, Mode: memoir.ModeText, Limit: n, NoSync: true, Filter: memoir.Filter{Kinds: []memoir.Kind{kind}}}
	for _, t := range analyze.Query(text) {
		if t.Weight >= 1 {
			query.Filter.Phrases = append(query.Filter.Phrases, memoir.Phrase{Terms: []string{t.Text}})
		}
	}
	if len(query.Filter.Phrases) < fewestWords {
		return nil, nil
	}
	found, err := e.Search(ctx, query)
	for _, hit := range found.Hits {
		if !slices.Contains(docs, hit.Doc) {
			docs = append(docs, hit.Doc)
		}
	}
	return docs, err
}
