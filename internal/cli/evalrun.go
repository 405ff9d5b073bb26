package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/evalset"
)

// evalSubject is what is measured: questions, and how to ask them with the
// settings in effect and with others laid over them (nil: none).
type evalSubject struct {
	name      string
	questions []evalset.Question
	modes     bool // questions have modes of their own
	settings  func(overlay config.Flags) (*config.Loaded, error)
	index     func(ctx context.Context, e *engine.Engine, overlay config.Flags) error
	// ask fills in what a question's query has of its own, beside its text.
	ask func(*evalset.Question, *memoir.Query)
	// passages returns what a hit is to the question: one passage, or one for
	// each place that was expected.
	passages func(*evalset.Question, memoir.Hit) []evalset.Passage
}

// passage is a hit as evalset takes it, under the name of a document.
func passage(document string, h memoir.Hit) evalset.Passage {
	return evalset.Passage{Document: document, StartLine: h.StartLine, EndLine: h.EndLine, Text: h.Text}
}

// evalRun is what asking all questions once gave.
type evalRun struct {
	documents int
	scores    []evalset.QuestionScore
	passages  [][]evalset.Passage // of each question
	indexing  time.Duration
	degraded  int    // questions that were answered with a part missing
	reason    string // of the first of them
}

// measure asks the questions of a subject, and again with other settings if
// asked for; else after is nil.
func (s *session) measure(ctx context.Context, flags evalFlags, subject *evalSubject) (before, after *evalRun, err error) {
	if before, err = s.evalRun(ctx, flags, subject, nil); err != nil || flags.overlay == nil {
		return before, nil, err
	}
	if after, err = s.evalRun(ctx, flags, subject, flags.overlay); err != nil {
		return nil, nil, fmt.Errorf("with %s: %w", flags.compare, err)
	}
	return before, after, nil
}

// evalRun indexes the notes of a subject and asks its questions.
func (s *session) evalRun(ctx context.Context, flags evalFlags, subject *evalSubject, overlay config.Flags) (run *evalRun, err error) {
	settings, err := subject.settings(overlay)
	if err != nil {
		return nil, err
	}
	query := memoir.Query{Mode: memoir.Mode(settings.Query.Mode), Limit: flags.depth, MinScore: settings.Query.MinScore, NoSync: true}
	if _, own := overlay["query.mode"]; flags.mode != "" && !own {
		query.Mode = memoir.Mode(flags.mode)
	}
	need := needs(query)
	if subject.modes {
		need = app.NeedAll
	}
	a, err := s.open(ctx, settings, app.Options{Need: need, Exclusive: true, Unlogged: true})
	if err != nil {
		return nil, err
	}
	defer closing(&err, a)
	if err := a.EmbedderErr(); err != nil {
		return nil, err
	}
	run = &evalRun{}
	start := time.Now()
	if err := subject.index(ctx, a.Engine, overlay); err != nil {
		return nil, err
	}
	run.indexing = time.Since(start)
	stats, err := a.Engine.Stats(ctx)
	if err != nil {
		return nil, err
	}
	run.documents = stats.Documents
	report, done := s.progress(subject.name+": asking", "questions")
	defer done()
	for i := range subject.questions {
		q := &subject.questions[i]
		query := query
		query.Text = q.Text
		subject.ask(q, &query)
		if err := run.ask(ctx, a.Engine, q, query, subject); err != nil {
			return nil, fmt.Errorf("question %s: %w", q.ID, err)
		}
		if report != nil {
			report(i+1, len(subject.questions))
		}
	}
	if run.degraded > 0 {
		s.warn(fmt.Sprintf("%s: answered with a part missing: %s; the first: %s", subject.name, count(run.degraded, "question"), run.reason), "")
	}
	return run, nil
}

// ask asks one question and scores the answer.
func (r *evalRun) ask(ctx context.Context, memory *engine.Engine, q *evalset.Question, query memoir.Query, subject *evalSubject) error {
	start := time.Now()
	res, err := searchDeep(ctx, memory, query)
	latency := time.Since(start)
	// A question without text, which the engine refuses, scores 0.
	if err != nil && strings.TrimSpace(q.Text) != "" {
		return err
	}
	if len(res.Degraded) > 0 {
		if r.degraded++; r.degraded == 1 {
			r.reason = res.Degraded[0].Reason
		}
	}
	passages := make([]evalset.Passage, 0, len(res.Hits))
	for _, h := range res.Hits {
		passages = append(passages, subject.passages(q, h)...)
		for _, c := range h.AlsoIn {
			c.Text = "" // it is named and not shown again
			passages = append(passages, subject.passages(q, memoir.Hit{Chunk: c})...)
		}
	}
	shown, err := subject.shown(ctx, memory, q, query)
	if err != nil {
		return err
	}
	score := evalset.Score(q, passages, shown)
	score.Latency = latency
	r.scores = append(r.scores, score)
	r.passages = append(r.passages, passages)
	return nil
}

// shown asks for as much as evidence may have room for, where it is known.
func (subject *evalSubject) shown(ctx context.Context, memory *engine.Engine, q *evalset.Question, query memoir.Query) (shown []evalset.Passage, err error) {
	if len(q.Evidence) == 0 {
		return nil, nil
	}
	query.Limit, query.MaxChars = 0, evalset.EvidenceBudget
	res, err := memory.Search(ctx, query)
	if err != nil {
		return nil, err
	}
	for _, h := range res.Hits {
		h.StartLine, h.EndLine, h.Text = h.SnippetStart, h.SnippetEnd, h.Snippet
		shown = append(shown, subject.passages(q, h)...)
	}
	return shown, nil
}

// evalIndex reads notes, by a sync or a rebuild, and computes missing vectors.
func (s *session) evalIndex(ctx context.Context, memory *engine.Engine, name string, read func(context.Context, memoir.Progress) (memoir.SyncStats, error)) error {
	report, done := s.progress(name+": reading", "documents")
	_, err := read(ctx, report)
	done()
	if err != nil {
		return err
	}
	report, done = s.progress(name+": computing vectors", "texts")
	defer done()
	_, err = memory.EmbedPending(ctx, report)
	return err
}

// searchDeep asks for more passages until they come from enough documents to
// be scored. A larger limit only appends, so the first passages stay the same.
func searchDeep(ctx context.Context, memory *engine.Engine, query memoir.Query) (memoir.Results, error) {
	for {
		res, err := memory.Search(ctx, query)
		if err != nil || len(res.Hits) < query.Limit || query.Limit == evalMaxDepth {
			return res, err
		}
		documents := map[memoir.DocID]bool{}
		for _, h := range res.Hits {
			documents[h.Doc] = true
		}
		if len(documents) >= evalset.MinDocuments {
			return res, nil
		}
		query.Limit = min(4*query.Limit, evalMaxDepth)
	}
}
