package eval

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/memoir-ai/memoir"
)

// A Subject is what is measured: questions, and how they are asked.
type Subject struct {
	Questions []Question
	// Ask sets what is special to a question's query, beside its text. It may be
	// nil.
	Ask func(*Question, *memoir.Query)
	// Passages turns a hit into passages to score: a single one, or one for each
	// expected place that the hit shows.
	Passages func(*Question, memoir.Hit) []Passage
}

// PassageOf returns a hit as a passage of the named document.
func PassageOf(document string, h memoir.Hit) Passage {
	return Passage{Document: document, StartLine: h.StartLine, EndLine: h.EndLine, Text: h.Text}
}

// A Run holds the answers and scores of asking all questions once.
type Run struct {
	Documents int // in the index
	Scores    []QuestionScore
	Passages  [][]Passage // of each question
	Indexing  time.Duration
	Degraded  int    // questions that were answered with a part missing
	Reason    string // of the first of them
}

// A Memory answers the questions: one engine, or several joined.
type Memory interface {
	Search(ctx context.Context, q memoir.Query) (memoir.Results, error)
	Stats(ctx context.Context) (memoir.StoreStats, error)
}

// Run asks all questions and scores the answers. It does not call for a sync
// itself. All questions share the fields of query. progress may be nil.
func (s *Subject) Run(ctx context.Context, memory Memory, query memoir.Query, progress memoir.Progress) (*Run, error) {
	stats, err := memory.Stats(ctx)
	if err != nil {
		return nil, err
	}
	run := &Run{Documents: stats.Documents}
	for i := range s.Questions {
		if err := s.ask(ctx, memory, query, &s.Questions[i], run); err != nil {
			return nil, fmt.Errorf("question %s: %w", s.Questions[i].ID, err)
		}
		if progress != nil {
			progress(i+1, len(s.Questions))
		}
	}
	return run, nil
}

// ask asks one question and scores the answer.
func (s *Subject) ask(ctx context.Context, memory Memory, query memoir.Query, q *Question, run *Run) error {
	query.Text = q.Text
	if s.Ask != nil {
		s.Ask(q, &query)
	}
	start := time.Now()
	res, err := searchDeep(ctx, memory, query)
	latency := time.Since(start)
	// A question without text, which the engine refuses, scores 0.
	if err != nil && strings.TrimSpace(q.Text) != "" {
		return err
	}
	if len(res.Degraded) > 0 {
		if run.Degraded++; run.Degraded == 1 {
			run.Reason = res.Degraded[0].Reason
		}
	}
	answer := Answer{Ranked: s.named(q, res.Hits)}
	if strings.TrimSpace(q.Text) != "" {
		few := query
		few.Limit = ShownLimit
		if res, err = memory.Search(ctx, few); err != nil {
			return err
		}
		answer.Shown = s.named(q, res.Hits)
	}
	if answer.Within, err = s.within(ctx, memory, query, q); err != nil {
		return err
	}
	score := Score(q, answer)
	score.Latency = latency
	run.Scores = append(run.Scores, score)
	run.Passages = append(run.Passages, answer.Ranked)
	return nil
}

// named returns the passages of some hits. They include the passages that a hit
// names because they have the same words.
func (s *Subject) named(q *Question, hits []memoir.Hit) []Passage {
	passages := make([]Passage, 0, len(hits))
	for _, h := range hits {
		passages = append(passages, s.Passages(q, h)...)
		for _, c := range h.AlsoIn {
			c.Text = "" // it is named and not shown again
			passages = append(passages, s.Passages(q, memoir.Hit{Chunk: c})...)
		}
	}
	return passages
}

// within asks for an answer of [EvidenceBudget] characters, if the question's
// evidence is known.
func (s *Subject) within(ctx context.Context, memory Memory, query memoir.Query, q *Question) (shown []Passage, err error) {
	if len(q.Evidence) == 0 {
		return nil, nil
	}
	query.Limit, query.MaxChars = 0, EvidenceBudget
	res, err := memory.Search(ctx, query)
	if err != nil {
		return nil, err
	}
	for _, h := range res.Hits {
		h.StartLine, h.EndLine, h.Text = h.SnippetStart, h.SnippetEnd, h.Snippet
		shown = append(shown, s.Passages(q, h)...)
	}
	return shown, nil
}

// searchDeep raises the limit until the passages come from enough notes to be
// scored. A larger limit only appends, so the first passages stay the same.
func searchDeep(ctx context.Context, memory Memory, query memoir.Query) (memoir.Results, error) {
	for {
		res, err := memory.Search(ctx, query)
		if err != nil {
			return res, err
		}
		documents := map[string]bool{}
		for _, h := range res.Hits {
			documents[h.Scope.Name(h.Doc)] = true
		}
		all := len(documents) < query.Limit && len(res.Hits) < query.Limit*memoir.PassagesPerNote
		if all || len(documents) >= MinDocuments || query.Limit == memoir.MaxLimit {
			return res, nil
		}
		query.Limit = min(4*query.Limit, memoir.MaxLimit)
	}
}
