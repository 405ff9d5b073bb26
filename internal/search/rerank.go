package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dustin/go-humanize/english"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/explain"
	"github.com/memoir-ai/memoir/internal/analyze"
	"github.com/memoir-ai/memoir/internal/name"
	"github.com/memoir-ai/memoir/internal/script"
	"github.com/memoir-ai/memoir/internal/trace"
	"github.com/memoir-ai/memoir/tune"
)

// reranks asks the reranker, and pauses after it was late.
type reranks struct {
	reranker memoir.Reranker // nil: nothing is reranked
	tune.Rerank

	mu    sync.Mutex // guards the fields below
	late  int        // late calls in a row
	until time.Time  // it is not asked before that
	known []answered // its last answers, the newest last
}

// answered is one answer of the reranker.
type answered struct {
	asked  memoir.Hash // of query and passages
	scores []float64
}

// keptAnswers is how many answers are kept. When a question is asked again, to
// get more hits or an explanation, it need not be reranked again.
const keptAnswers = 32

// top returns how many of the first passages must be settled before they are
// reranked.
func (r *reranks) top() int {
	if r.reranker == nil {
		return 0
	}
	return r.Top
}

// ask returns a score for each passage, within the deadline.
func (r *reranks) ask(ctx context.Context, query string, passages []string) ([]float64, error) {
	asked := memoir.HashText(query + "\x00" + strings.Join(passages, "\x00"))
	if scores := r.recall(asked); scores != nil {
		return scores, nil
	}
	if r.resting() {
		return nil, fmt.Errorf("the reranker did not answer in time; it is asked again in a moment: %w", memoir.ErrUnavailable)
	}
	within, cancel := context.WithTimeout(ctx, r.Timeout)
	defer cancel()
	scores, err := r.reranker.Rerank(within, query, passages)
	late := ctx.Err() == nil && within.Err() != nil
	if ctx.Err() == nil { // otherwise the caller gave up, which says nothing about the reranker
		r.note(late)
	}
	switch {
	case err != nil && late:
		return nil, memoir.WithHint(fmt.Errorf("the reranker gave no answer within %v: %w", r.Timeout, context.DeadlineExceeded), "raise rerank.timeout or lower rerank.top")
	case err != nil:
		return nil, err
	case len(scores) != len(passages):
		return nil, fmt.Errorf("the reranker gave %d %s for %d %s",
			len(scores), english.PluralWord(len(scores), "score", ""), len(passages), english.PluralWord(len(passages), "passage", ""))
	case slices.ContainsFunc(scores, func(s float64) bool { return math.IsNaN(s) || math.IsInf(s, 0) }):
		return nil, errors.New("the reranker gave a score that is not finite")
	}
	r.keep(answered{asked, scores})
	return scores, nil
}

// recall returns the scores of an earlier call, or nil when it is not
// remembered. The caller must not change them.
func (r *reranks) recall(asked memoir.Hash) []float64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	if i := slices.IndexFunc(r.known, func(a answered) bool { return a.asked == asked }); i >= 0 {
		return r.known[i].scores
	}
	return nil
}

func (r *reranks) keep(a answered) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.known) == keptAnswers {
		r.known = slices.Delete(r.known, 0, 1)
	}
	r.known = append(r.known, a)
}

func (r *reranks) resting() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return time.Now().Before(r.until)
}

// note records whether an answer was late.
func (r *reranks) note(late bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !late {
		r.late, r.until = 0, time.Time{}
		return
	}
	r.late++
	r.until = time.Now().Add(pauseAfter(r.late))
}

// rerank orders the first passages by the reranker's scores. Passages that hold
// exactly what the query names keep their places, and no other passage moves
// past them. Each place keeps its score, so that what follows stays below and a
// minimum score keeps its meaning. Without an answer of the reranker the order
// stays.
//
// How many passages are reranked depends neither on the limit nor on what the
// reranker says, so a larger limit only appends.
func (s *search) rerank(ctx context.Context, all []*candidate) ([]*candidate, error) {
	head := all[:min(len(all), s.searcher.reranks.top())]
	if i := slices.IndexFunc(head, func(f *candidate) bool { return f.score < s.query.MinScore || f.score == 0 }); i >= 0 {
		head = head[:i]
	}
	head = slices.Clone(head)
	done := false
	defer func() {
		for _, f := range head {
			if !done {
				f.rerank = explain.Rerank{}
			}
		}
	}()
	runs := s.runs(head)
	var passages []string
	for _, run := range runs {
		for _, f := range run {
			passages = append(passages, cmp.Or(f.chunk.EmbedText(), name.File(string(f.Doc))))
		}
	}
	if len(passages) == 0 {
		return all, nil
	}
	if readable := script.Of(s.searcher.reranks.reranker); !readable.Reads(s.asked.text) {
		s.degrade("rerank", fmt.Sprintf("the model that reranks does not read %s; the order is the one before", readable.Unread(s.asked.text)), "memoir model list")
		return all, nil
	}
	stage := trace.Begin(ctx, "rerank")
	raw, err := s.searcher.reranks.ask(ctx, s.asked.text, passages)
	stage.End(len(passages), "passages")
	if ctx.Err() != nil {
		return nil, ctx.Err() // nobody is waiting for an answer any more
	}
	if err != nil {
		s.searcher.cfg.Logger.Warn("rerank", "err", err)
		s.degrade("rerank", "the order is the one before reranking: "+err.Error(), cmp.Or(memoir.Hint(err), "memoir doctor"))
		return all, nil
	}
	for _, run := range runs {
		for i, f := range run {
			f.rerank.Raw = raw[i]
		}
		raw = raw[len(run):]
		slices.SortStableFunc(run, func(a, b *candidate) int { return cmp.Compare(b.rerank.Raw, a.rerank.Raw) })
	}
	done = true
	for i, f := range head {
		f.score = all[i].rerank.Score // the score of its new place
		all[i] = f
	}
	return all, nil
}

// runs returns the parts of the head that can be reordered, which lie between
// passages that hold exactly what the query names. It also notes the place of
// every passage.
func (s *search) runs(head []*candidate) (runs [][]*candidate) {
	var identifiers []string
	for _, t := range s.terms {
		if t.Kind == analyze.Identifier {
			identifiers = append(identifiers, t.Text)
		}
	}
	first := 0
	end := func(i int) {
		if i-first > 1 {
			runs = append(runs, head[first:i])
		}
		first = i + 1
	}
	for i, f := range head {
		f.rerank = explain.Rerank{Rank: i + 1, Score: f.score, Exact: f.exact.Phrases > 0 || f.exact.Name || holdsAny(&f.chunk, identifiers)}
		if f.rerank.Exact {
			end(i)
		}
	}
	end(len(head))
	return runs
}

// holdsAny reports whether a chunk holds one of the identifiers, in its lines
// or its headings.
func holdsAny(c *memoir.Chunk, identifiers []string) bool {
	if len(identifiers) == 0 {
		return false
	}
	terms := analyze.Document(nil, name.File(string(c.Doc))+"\n"+c.EmbedText())
	return slices.ContainsFunc(terms, func(t string) bool { return slices.Contains(identifiers, t) })
}
