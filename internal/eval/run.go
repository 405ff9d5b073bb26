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
	// Ask fills in what a question's query has of its own, beside its text; nil:
	// nothing.
	Ask func(*Question, *memoir.Query)
	// Passages returns what a hit is to the question: one passage, or one for
	// each place that was expected.
	Passages func(*Question, memoir.Hit) []Passage
}

// PassageOf is a hit as a passage, under the name of a document.
func PassageOf(document string, h memoir.Hit) Passage {
	return Passage{Document: document, StartLine: h.StartLine, EndLine: h.EndLine, Text: h.Text}
}

// A Run is what asking all questions once gave.
type Run struct {
	Documents int // in the index
	Scores    []QuestionScore
	Passages  [][]Passage // of each question
	Indexing  time.Duration
	Degraded  int    // questions that were answered with a part missing
	Reason    string // of the first of them
}

// A Memory is what is asked: an engine, or several as one.
type Memory interface {
	Search(ctx context.Context, q memoir.Query) (memoir.Results, error)
	Stats(ctx context.Context) (memoir.StoreStats, error)
}

// Run asks every question of an index as it is and scores the answers. Query is
// what all questions have in common. progress may be nil.
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

// named returns what hits are to a question, with the passages that they name as
// having the same words.
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

// within asks for as much as evidence may have room for, where it is known.
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

// searchDeep asks for more notes until the passages come from enough of them to be
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
