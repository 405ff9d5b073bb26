package hook

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/notebook"
)

// Keeping is what it takes to write summaries that wait to the notes of a workspace.
type Keeping struct {
	Workspace string                        // its folder
	State     string                        // the folder of its history
	States    func() []string               // the folders with the marks of what was forgotten, as in [Keep]
	Remote    func() (engine.Remote, error) // what the notes are a copy of; nil: they are what there is
	Consent   func() error                  // as in [notebook.Options]
	Forgotten func() (forgotten, error)     // reports which sessions were forgotten, as of now
}

// forgotten reports whether a session of an agent was forgotten.
type forgotten = func(agent, session string) bool

// KeepAll does the work that hooks left: it writes the summaries to notes. It reports
// whether there was any work, and which sessions have ended. The caller indexes the changes.
func (q Queue) KeepAll(ctx context.Context, k Keeping) (waited bool, ended map[string]bool, err error) {
	if err := q.Adopt(time.Now()); err != nil {
		return false, nil, fmt.Errorf("look for what hooks left: %w", err)
	}
	if q.Len() == 0 {
		return false, nil, nil
	}
	ended = map[string]bool{}
	remote, err := k.Remote()
	if err != nil {
		return true, nil, err
	}
	notes, err := notebook.Open(k.Workspace, k.State, notebook.Options{Remote: remote, Consent: k.Consent})
	if err != nil {
		return true, nil, err
	}
	err = q.Drain(ctx, func(item Item) error {
		if item.Ended() {
			ended[item.Session] = true
		}
		if !item.Summary() {
			return nil
		}
		return k.keep(ctx, notes, item)
	})
	if err != nil && !errors.Is(err, context.Canceled) {
		err = fmt.Errorf("keep what hooks left: %w", err)
	}
	return true, ended, err
}

// keep keeps a summary, unless its session is forgotten by then. To forget is to mark first and
// to look for notes then, so keep looks again, for a mark that came in between.
func (k Keeping) keep(ctx context.Context, notes *notebook.Notebook, item Item) error {
	gone := func() (bool, error) {
		forgotten, err := k.Forgotten()
		return err == nil && forgotten(item.Agent, item.Session), err
	}
	if gone, err := gone(); gone || err != nil {
		return err
	}
	if err := Keep(ctx, notes, item, k.States()...); err != nil {
		return err
	}
	if gone, err := gone(); !gone || err != nil {
		return err
	}
	return Drop(context.WithoutCancel(ctx), notes, item) // nothing would look for it again
}
