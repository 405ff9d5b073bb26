package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/eval"
)

// evalSubject is what is measured: questions, and how to ask them with the
// settings in effect, or with others on top of them (nil: none).
type evalSubject struct {
	eval.Subject
	name     string
	modes    bool // the questions come in several modes
	settings func(overlay config.Flags) (*config.Loaded, error)
	index    func(ctx context.Context, e *engine.Engine, overlay config.Flags) error
}

// measure asks the questions of a subject, and again with other settings if
// that is wanted. Otherwise after is nil. Settings that cannot be are an error before
// anything is asked.
func (s *session) measure(ctx context.Context, flags evalFlags, subject *evalSubject) (before, after *eval.Run, err error) {
	if flags.overlay != nil {
		if _, err := subject.settings(flags.overlay); err != nil {
			return nil, nil, fmt.Errorf("with %s: %w", flags.compare, err)
		}
	}
	if before, err = s.evalRun(ctx, flags, subject, nil); err != nil || flags.overlay == nil {
		return before, nil, err
	}
	if after, err = s.evalRun(ctx, flags, subject, flags.overlay); err != nil {
		return nil, nil, fmt.Errorf("with %s: %w", flags.compare, err)
	}
	return before, after, nil
}

// evalRun indexes the notes of a subject and asks its questions.
func (s *session) evalRun(ctx context.Context, flags evalFlags, subject *evalSubject, overlay config.Flags) (run *eval.Run, err error) {
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
	start := time.Now()
	if err := subject.index(ctx, a.Engine, overlay); err != nil {
		return nil, err
	}
	indexing := time.Since(start)
	report, done := s.progress(subject.name+": asking", "questions")
	defer done()
	if run, err = subject.Run(ctx, a.Engine, query, report); err != nil {
		return nil, err
	}
	run.Indexing = indexing
	if run.Degraded > 0 {
		s.warn(fmt.Sprintf("%s: answered with a part missing: %s; the first: %s", subject.name, count(run.Degraded, "question"), run.Reason), "")
	}
	return run, nil
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
