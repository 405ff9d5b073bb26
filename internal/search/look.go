package search

import (
	"context"
	"fmt"
	"slices"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/ability"
	"github.com/memoir-ai/memoir/internal/trace"
)

// inView calls f while the search sees one state of the index.
func (s *search) inView(ctx context.Context, f func() error) error {
	if s.index != nil {
		return f()
	}
	return s.searcher.cfg.Store.View(ctx, func(v memoir.View) error {
		s.index = v
		if len(s.query.Hidden) > 0 {
			s.index = &visible{View: v, hidden: s.query.Hidden}
		}
		defer func() { s.index = nil }()
		return f()
	})
}

// ranked returns the candidates in the order of the answer. It reads the texts
// of those that the answer can show.
func (s *search) ranked(ctx context.Context) ([]*candidate, error) {
	all, err := s.looked(ctx)
	if err != nil || s.asked.text == "" || s.bare {
		return all, err
	}
	// The search holds no view while it waits for a reranker.
	if all, err = s.rerank(ctx, all); err != nil {
		return nil, err
	}
	return s.diversify(all), nil
}

// maxLooks is how often the index is looked at when it changes meanwhile. Who
// writes all the time could otherwise keep a search from its end.
const maxLooks = 3

// A look is what a search finds in one view.
type look struct {
	all      []*candidate // in the order before reranking
	lost     int          // passages that were found and could not be read
	outdated bool         // the index has changed since the view began
	whole    bool         // the view was a snapshot
}

// looked looks at the index, and again when it has changed meanwhile, with the
// same vector of the query. If no look sees it as it is at one moment, what the
// last one found is the answer, and says so.
func (s *search) looked(ctx context.Context) ([]*candidate, error) {
	before := s.clone()
	seen, err := s.lookOnce(ctx)
	if err != nil {
		return nil, err
	}
	for looks := 1; seen.outdated && looks < maxLooks && ctx.Err() == nil; looks++ {
		stage := trace.Begin(ctx, "again")
		last := *s
		*s = before.clone()
		now, err := s.lookOnce(ctx)
		stage.End(seen.lost, "passages")
		if err != nil && len(seen.all) == 0 {
			return nil, err
		}
		if err != nil { // the store is gone; what was found before is still an answer
			*s = last
			break
		}
		seen = now
	}
	return seen.all, s.judge(seen)
}

// judge says what is missing from what a look found. It returns an error when
// that is all.
func (s *search) judge(seen look) error {
	mend := "memoir rebuild"
	if seen.whole {
		mend = "memoir index" // such a store remembers what it has met
	}
	switch none := seen.lost > 0 && len(seen.all) == 0; {
	case seen.outdated && none:
		return memoir.WithHint(fmt.Errorf("%w: the %d passages that were found are gone: their notes have just changed", memoir.ErrUnavailable, seen.lost), "search again")
	case seen.outdated:
		s.degrade("documents", "notes have changed during the search, and what they say now may be missing", "search again")
	case none:
		return memoir.WithHint(fmt.Errorf("%w: none of %d passages that were found can be read", memoir.ErrCorrupt, seen.lost), mend)
	case seen.lost > 0:
		s.degrade("documents", fmt.Sprintf("%d passages that were found could not be read: the index is damaged", seen.lost), mend)
	}
	return nil
}

// clone returns a search that goes on from here apart from this one. What a
// search finds out it notes in itself, so one that begins again needs the
// search that it was.
func (s *search) clone() search {
	c := *s
	c.asked.conditions, c.asked.on = slices.Clone(s.asked.conditions), slices.Clip(s.asked.on)
	c.asked.told = slices.Clip(s.asked.told)
	c.signals, c.degraded = slices.Clip(s.signals), slices.Clip(s.degraded)
	return c
}

// lookOnce looks at the index once.
func (s *search) lookOnce(ctx context.Context) (seen look, err error) {
	err = s.inView(ctx, func() (err error) {
		if seen.all, err = s.ordered(ctx); err != nil {
			return err
		}
		stage := trace.Begin(ctx, "read")
		seen.all, seen.lost, err = s.readShown(ctx, seen.all)
		stage.End(s.readable(seen.all), "passages")
		if err == nil {
			err = s.nameSuccessors(ctx, seen.all[:s.readable(seen.all)])
		}
		if err == nil {
			s.mentions = s.mentionsOf(ctx, seen.all)
			_, seen.whole = memoir.As[ability.Snapshotter](s.index)
			seen.outdated = s.outdated(ctx, seen)
		}
		return err
	})
	return seen, err
}

// outdated reports whether the index has changed since the view began, in what
// the search has asked it for.
func (s *search) outdated(ctx context.Context, seen look) bool {
	if a, knows := memoir.As[ability.Ager](s.index); knows {
		return a.Outdated(ctx)
	}
	return seen.lost > 0 && !seen.whole
}

// ordered returns the candidates in the order before reranking.
func (s *search) ordered(ctx context.Context) (all []*candidate, err error) {
	if err := s.hashtagConditions(ctx); err != nil {
		return nil, err
	}
	if err := s.besideNow(ctx); err != nil {
		return nil, err
	}
	s.query.Filter = restrict(s.query.Filter, s.asked.conditions)
	if s.exact, err = s.lookUp(ctx); err != nil {
		return nil, err
	}
	if all, err = s.listDays(ctx); err != nil || len(all) > 0 {
		return all, err
	}
	if s.asked.text == "" {
		return s.list(ctx)
	}
	stage := trace.Begin(ctx, "find")
	all, err = s.find(ctx)
	stage.End(len(all), "passages")
	if err != nil {
		return nil, err
	}
	return all, s.nameTwins(ctx, all[:s.readable(all)])
}

// readable returns how many of the first candidates need more than their
// scores: those that can be shown, reranked or compared with each other.
func (s *search) readable(all []*candidate) int {
	if s.searcher.cfg.Ranking.Signals.MMR.Enabled {
		return len(all)
	}
	return min(len(all), max(inAnswer(all, s.query.Limit), s.searcher.reranks.top()))
}

// readShown reads the texts of the candidates that can be shown. When the index
// has lost some, the next ones take their places. It returns how many were lost.
func (s *search) readShown(ctx context.Context, all []*candidate) (_ []*candidate, lost int, err error) {
	gone := func(c memoir.Chunk) bool { return c.EndLine == 0 }
	for {
		shown := all[:s.readable(all)]
		if err := s.readTexts(ctx, shown); err != nil {
			return nil, 0, err
		}
		for _, f := range shown {
			f.alsoIn = slices.DeleteFunc(f.alsoIn, gone)
		}
		if !slices.ContainsFunc(shown, func(f *candidate) bool { return gone(f.chunk) }) {
			return all, lost, nil
		}
		rest := all[len(shown):]
		kept := slices.DeleteFunc(slices.Clone(shown), func(f *candidate) bool { return gone(f.chunk) })
		lost += len(shown) - len(kept)
		all = append(kept, rest...)
	}
}

// readTexts reads the texts of candidates, and of other chunks with the same
// words.
func (s *search) readTexts(ctx context.Context, candidates []*candidate) error {
	var ids []memoir.ChunkID
	wanted := map[memoir.ChunkID]*memoir.Chunk{}
	want := func(id memoir.ChunkID, c *memoir.Chunk) {
		if c.EndLine == 0 {
			ids, wanted[id] = append(ids, id), c
		}
	}
	for _, f := range candidates {
		want(f.ChunkID, &f.chunk)
		for j := range f.alsoIn {
			want(f.alsoIn[j].ChunkID, &f.alsoIn[j])
		}
	}
	if len(ids) == 0 {
		return nil
	}
	chunks, err := s.index.Chunks(ctx, ids)
	if err != nil {
		return fmt.Errorf("read passages: %w", err)
	}
	for _, c := range chunks {
		*wanted[c.ChunkID] = c
	}
	return nil
}
