package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/eval"
)

// evalOwn asks questions over the notes of the workspace and reports them.
func (s *session) evalOwn(ctx context.Context, flags evalFlags, report *evalReport) error {
	f, err := os.Open(flags.queries)
	if err != nil {
		return memoir.WithHint(fmt.Errorf("read the questions: %w", err), "memoir help eval")
	}
	defer f.Close()
	questions, err := eval.ReadQueries(f)
	if err != nil {
		return memoir.WithHint(fmt.Errorf("%s, %w", flags.queries, err), `write each line as {"query": "why SQLite", "expect": ["decisions.md"]}`)
	}
	if len(questions) == 0 {
		return memoir.WithHint(fmt.Errorf("%s holds no question: %w", flags.queries, memoir.ErrInvalid), "memoir help eval")
	}
	expected, err := s.expectations(ctx, questions)
	if err != nil {
		return err
	}
	subject := evalSubject{name: filepath.Base(flags.queries), Subject: eval.Subject{Questions: questions, Passages: expected.Passages}}
	before, after, err := s.evalWorkspace(ctx, flags, &subject)
	if err != nil {
		return err
	}
	return report.add(&subject, before, after)
}

// evalWorkspace measures a subject over the notes of the workspace. It updates
// and uses the workspace's index. If other settings need another index, it
// makes that in a folder of its own.
func (s *session) evalWorkspace(ctx context.Context, flags evalFlags, subject *evalSubject) (before, after *eval.Run, err error) {
	state := ""
	if changesIndex(flags.overlay) {
		settings, setErr := s.settings(nil)
		if setErr != nil {
			return nil, nil, setErr
		}
		home, remove, homeErr := evalHome(flags.keep, "workspace", settings.Workspace)
		if homeErr != nil {
			return nil, nil, homeErr
		}
		defer func() { err = errors.Join(err, remove()) }()
		state = filepath.Join(home, "state-"+overlayName(flags.overlay))
	}
	subject.settings = func(overlay config.Flags) (*config.Loaded, error) {
		more := maps.Clone(overlay)
		if overlay != nil && state != "" {
			more["stateDir"] = state
		}
		return s.settings(more)
	}
	subject.index = func(ctx context.Context, e *engine.Engine, _ config.Flags) error {
		return s.evalIndex(ctx, e, subject.name, e.Sync)
	}
	return s.measure(ctx, flags, subject)
}

// expectations looks up the passages that questions expect, and replaces them
// with their citations. It reports those that do not exist; they stay as they
// are and are never found.
func (s *session) expectations(ctx context.Context, questions []eval.Question) (_ eval.Places, err error) {
	settings, err := s.settings(nil)
	if err != nil {
		return nil, err
	}
	a, err := s.openMemory(ctx, config.Only(settings), app.Options{Need: app.NeedNotes})
	if err != nil {
		return nil, err
	}
	defer closing(&err, a)
	all, missing, first := eval.Places{}, 0, ""
	for i := range questions {
		q := &questions[i]
		for j, expected := range q.Relevant {
			x, err := excerptOf(ctx, a, "get", expected)
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if err != nil {
				missing++
				first = cmp.Or(first, fmt.Sprintf("question %s: %v", q.ID, err))
				continue
			}
			place := eval.Place{Doc: x.ID, From: x.StartLine, To: x.EndLine}
			if x.EndLine-x.StartLine+1 >= x.TotalLines {
				place.From, place.To = 0, 0
			}
			all[q.ID] = append(all[q.ID], place)
			q.Relevant[j] = place.Name()
		}
		slices.Sort(q.Relevant)
		q.Relevant = slices.Compact(q.Relevant)
	}
	if missing > 0 {
		s.warn(fmt.Sprintf("not there and never found: %s; the first: %s", count(missing, "expected place"), first), "correct the path")
	}
	return all, nil
}
