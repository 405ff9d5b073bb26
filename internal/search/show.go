package search

import (
	"context"
	"slices"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/show"
)

// show writes the snippets of an answer. It leaves out neighbours that cannot
// be read.
func (s *search) show(ctx context.Context, res *memoir.Results) {
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
}
