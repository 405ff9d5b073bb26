package app

import (
	"context"

	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/hook"
)

// Drain does the work that hooks left for a workspace, as [hook.Queue.KeepAll] does.
func Drain(ctx context.Context, settings *config.Loaded) (waited bool, ended map[string]bool, err error) {
	return hook.Queue(hook.Dir(settings.KeptDir())).KeepAll(ctx, hook.Keeping{
		Workspace: settings.Workspace, State: settings.NotebookDir(),
		States:    func() []string { return forgottenFor(settings) },
		Remote:    func() (engine.Remote, error) { return Remote(settings) },
		Consent:   Consent(settings),
		Forgotten: func() (func(agent, id string) bool, error) { return ForgottenSessions(settings) },
	})
}

// forgottenFor returns the folders with the marks of what must not come back into the notes
// of a memory: its own, and that of the user's own memory, which a session knows, too.
func forgottenFor(settings *config.Loaded) []string {
	states := []string{settings.NotebookDir()}
	if own := settings.OwnPlace(); own != "" && own != settings.Workspace {
		if theirs, err := settings.Of(own, settings.Agent); err == nil {
			states = append(states, theirs.NotebookDir())
		}
	}
	return states
}
