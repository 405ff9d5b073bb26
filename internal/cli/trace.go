package cli

import (
	"context"
	"fmt"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/trace"
	"github.com/memoir-ai/memoir/internal/wire"
)

// searchTraced searches, and notes the stages of that when they are asked for.
func searchTraced(ctx context.Context, a *app.Memory, query memoir.Query, traced bool) (memoir.Results, []wire.Stage, error) {
	if !traced {
		res, err := a.Search(ctx, query)
		return res, nil, err
	}
	ctx, t := trace.With(ctx)
	res, err := a.Search(ctx, query)
	return res, wire.Stages(t.Stages()), err
}

// tracedAnswer returns the JSON form of results, with their stages when they are asked for.
func (s *session) tracedAnswer(res memoir.Results, stages []wire.Stage, traced bool) any {
	if traced {
		return wire.TracedAnswer{Answer: s.answer(res), Trace: stages}
	}
	return s.answer(res)
}

// printStages writes for people what an answer took. Like all that is not the answer it
// goes to standard error.
func (s *session) printStages(stages []wire.Stage) {
	s.say(s.err, "stage      began ms   took ms\n")
	for _, x := range stages {
		counted := ""
		if x.Of != "" {
			counted = fmt.Sprintf("%s: %d", x.Of, x.Count)
		}
		fmt.Fprintf(s.err, "%-9s %9.1f %9.1f  %s\n", x.Name, x.StartMs, x.TookMs, counted)
	}
}
