package app

import (
	"context"
	"fmt"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/sentinel"
)

// Consent returns the function that says why the notes of settings must not be written
// to: they are a project's, and the user has not agreed to them on this machine. It looks
// anew at each call.
func Consent(settings *config.Loaded) func() error {
	return func() error {
		if settings.Trusted() {
			return nil
		}
		const problem = "the notes in %s are not trusted on this machine, so nothing is written there"
		return memoir.WithHint(sentinel.As(fmt.Errorf(problem, settings.Workspace), memoir.ErrInvalid),
			"memoir trust, when you know who writes these notes")
	}
}

// stranger answers from the notes of a project alone, because the user has no memory
// yet. As long as the user has not agreed to them, it says whose the passages are.
type stranger struct {
	Asked
	trusted func() bool
}

// Remember keeps a statement if the user has agreed to the notes.
func (s stranger) Remember(ctx context.Context, st engine.Statement) (engine.Outcome, error) {
	out, err := s.Asked.Remember(ctx, st)
	if err != nil && !s.trusted() && st.Scope == "" {
		const hint = "memoir trust, when you know who writes these notes; or memoir init, which makes a memory of your own"
		err = memoir.WithHint(err, hint)
	}
	return out, err
}

// Search answers as [Asked.Search] does.
func (s stranger) Search(ctx context.Context, q memoir.Query) (memoir.Results, error) {
	res, err := s.Asked.Search(ctx, q)
	if !s.trusted() {
		for i := range res.Hits {
			if !res.Hits[i].Kind.ReadOnly() { // sessions and collections are the user's
				res.Hits[i].Scope = memoir.ScopeProject
			}
		}
	}
	return res, err
}
