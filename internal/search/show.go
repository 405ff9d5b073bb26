package search

import (
	"context"
	"slices"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/analyze"
	"github.com/memoir-ai/memoir/internal/show"
)

// show writes the snippets of an answer. It leaves out neighbours that cannot
// be read.
func (s *search) show(ctx context.Context, res *memoir.Results) {
	whole := make([]string, len(res.Hits))
	for i, h := range res.Hits {
		whole[i] = h.Text
	}
	show.Snippets(res, show.Options{
		Terms: slices.Concat(s.terms, s.together), MaxTokens: s.query.MaxTokens, MaxChars: s.query.MaxChars, Brief: s.query.Brief, ChunkTokens: s.searcher.cfg.ChunkTokens,
		Read: func(ids []memoir.ChunkID) (chunks []memoir.Chunk) {
			if err := s.inView(ctx, func() (err error) {
				chunks, err = s.index.Chunks(ctx, ids)
				return err
			}); err != nil {
				s.searcher.cfg.Logger.Warn("read the neighbours of passages", "err", err)
			}
			return chunks
		},
	})
	lowered := false
	for i := range res.Hits {
		h := &res.Hits[i]
		if h.Relevance > lackingRelevance && s.rests(h, whole[i]) {
			h.Relevance, lowered = lackingRelevance, true
		}
		if h.Text != whole[i] { // the entry that they are about may be cut away
			h.Later, h.Earlier = "", ""
		}
	}
	if lowered {
		res.Nothing = nothing(res.Hits)
	}
}

// rests reports whether a hit was narrowed to entries that hold no word of the query, when
// those that better hits show held one. A word of the headings does not tell of an entry.
func (s *search) rests(h *memoir.Hit, whole string) bool {
	if h.Text == whole {
		return false
	}
	above := analyze.Document(nil, titles(&h.Chunk))
	holds := func(text string) bool {
		terms := analyze.Document(nil, text)
		return slices.ContainsFunc(s.terms, func(t analyze.Term) bool {
			return t.Weight >= 1 && slices.Contains(terms, t.Text) && !slices.Contains(above, t.Text)
		})
	}
	return holds(whole) && !holds(h.Text)
}
