package app

import (
	"context"
	"fmt"
	"sync"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/remote"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/models"
)

// OpenEmbedder opens the provider of [Choose]. It returns nil without an error
// when that is none. It asks a server only if the length of its vectors is not
// known otherwise.
func OpenEmbedder(ctx context.Context, settings *config.Loaded, opts Options) (memoir.Embedder, error) {
	if settings.Provider == "none" {
		return nil, nil
	}
	if opts.Embedder != nil {
		return opts.Embedder(ctx)
	}
	choice := config.Choose(settings)
	if choice.Provider == "local" {
		return models.OpenEmbedder(ctx, settings)
	}
	if err := permit(settings, choice.Provider); err != nil {
		return nil, err
	}
	e, err := openRemote(ctx, settings, choice.Provider)
	if err != nil || !settings.Remote(choice.Provider).Batch {
		return e, err
	}
	return withJobs(e, settings, opts)
}

// jobsFile returns the path of the file that names the jobs of an index.
func jobsFile(index string) string { return index + ".jobs" }

// withJobs adds the provider's batch jobs. Only an App that holds the index
// alone submits and collects jobs. Others leave running jobs alone.
func withJobs(e memoir.Embedder, settings *config.Loaded, opts Options) (memoir.Embedder, error) {
	provider, ok := e.(interface {
		WithJobs(file string, readOnly bool) (*remote.Batcher, error)
	})
	if !ok {
		return e, nil
	}
	return opened(provider.WithJobs(jobsFile(settings.IndexPath()), !opts.Exclusive))
}

// permit refuses to send notes to another machine when only a file that came
// with the notes asks for it.
func permit(settings *config.Loaded, provider string) error {
	return permitSetting(settings, "provider", provider, settings.LeavesMachine(provider))
}

// permitSetting is permit for the setting that chose a provider.
func permitSetting(settings *config.Loaded, setting, provider string, leaves bool) error {
	if settings.AllowRemote || settings.Origin(setting).Layer != config.LayerWorkspace || !leaves {
		return nil
	}
	return memoir.WithHint(fmt.Errorf("the workspace's own file chooses %s, which sends notes to another machine: %w", provider, memoir.ErrUnavailable),
		"if that is right, set allowRemote = true in your own settings, or MEMOIR_ALLOW_REMOTE=true")
}

// missing stands for a provider that cannot be opened with these settings, so that every
// search reports it and answers by words.
type missing struct{ err error }

// Space returns the zero space: there are no vectors.
func (missing) Space() memoir.Space { return memoir.Space{} }

// Embed returns why there are none.
func (m missing) Embed(context.Context, memoir.Task, []string) ([][]float32, error) {
	return nil, m.err
}

// later stands for a provider that could not be opened yet, because its server
// did not answer, time was too short or its model was not there. Whoever needs a vector tries again, so
// that a long-running process recovers by itself.
type later struct {
	open func(context.Context) (memoir.Embedder, error)
	turn chan struct{} // holds one token while somebody opens it

	mu     sync.Mutex      // guards the fields below
	opened memoir.Embedder // nil until it was opened
	err    error           // error of the last attempt to open it
}

func newLater(err error, open func(context.Context) (memoir.Embedder, error)) *later {
	return &later{open: open, turn: make(chan struct{}, 1), err: err}
}

// state returns the provider, or the reason why there is none yet.
func (l *later) state() (memoir.Embedder, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.opened, l.err
}

// Space returns the space of the vectors, or the zero space until there is a
// provider. It does not wait.
func (l *later) Space() memoir.Space {
	if e, _ := l.state(); e != nil {
		return e.Space()
	}
	return memoir.Space{}
}

// Embed opens the provider if need be, and asks it.
func (l *later) Embed(ctx context.Context, task memoir.Task, texts []string) ([][]float32, error) {
	e, err := l.get(ctx)
	if err != nil {
		return nil, err
	}
	return e.Embed(ctx, task, texts)
}

// Unwrap implements [memoir.Wrapper]. The provider's abilities are known once
// it is open.
func (l *later) Unwrap() any {
	if e, _ := l.state(); e != nil {
		return e
	}
	return nil
}

// get returns the provider, which one caller at a time tries to open.
func (l *later) get(ctx context.Context) (memoir.Embedder, error) {
	if e, _ := l.state(); e != nil {
		return e, nil
	}
	select {
	case l.turn <- struct{}{}:
		defer func() { <-l.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if e, _ := l.state(); e != nil {
		return e, nil
	}
	e, err := l.open(ctx)
	if err != nil {
		e = nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.opened, l.err = e, err
	return e, err
}
