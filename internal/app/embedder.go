package app

import (
	"context"
	"fmt"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/config"
)

// OpenEmbedder opens the configured provider. It returns nil without an error
// when none is configured. Nothing is sent over a network yet.
func OpenEmbedder(ctx context.Context, settings *config.Loaded, opts Options) (memoir.Embedder, error) {
	if settings.Provider == "none" {
		return nil, nil
	}
	if opts.Embedder != nil {
		return opts.Embedder(ctx)
	}
	switch settings.Provider {
	case "local":
		return openLocal(ctx, settings)
	case "openai":
		return openOpenAI(settings)
	}
	return nil, fmt.Errorf("provider %q: %w", settings.Provider, memoir.ErrInvalid)
}

// missing stands for a provider that could not be opened, so that every
// search says so and answers by words.
type missing struct{ err error }

// Space returns the zero space: there are no vectors.
func (missing) Space() memoir.Space { return memoir.Space{} }

// Embed returns why there are none.
func (m missing) Embed(context.Context, memoir.Task, []string) ([][]float32, error) {
	return nil, m.err
}
