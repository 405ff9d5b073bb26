package app

import (
	"context"
	"fmt"
	"strings"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/models"
)

// openSpace opens the embedder of the space that an index was made with: a
// model on this machine, or that of a remote provider which the settings still
// name or allow. Otherwise nothing is sent to the provider.
func openSpace(ctx context.Context, settings *config.Loaded, space memoir.Space) (memoir.Embedder, error) {
	open := openFormerRemote
	if space.Provider == "local" {
		open = openFormerModel
	}
	e, err := open(ctx, settings, space)
	if err == nil && (e == nil || e.Space() != space) {
		err = fmt.Errorf("the settings do not lead to the model %s of %s any more: %w", space.Model, space.Provider, memoir.ErrUnavailable)
	}
	if err != nil {
		return nil, memoir.WithHint(err, "memoir index")
	}
	return e, nil
}

// openLocalSpace returns a function that opens spaces of models on this machine as open
// does, and no other.
func openLocalSpace(open func(context.Context, memoir.Space) (memoir.Embedder, error)) func(context.Context, memoir.Space) (memoir.Embedder, error) {
	return func(ctx context.Context, space memoir.Space) (memoir.Embedder, error) {
		if space.Provider != "local" {
			return nil, fmt.Errorf("the model %s is not on this machine: %w", space.Model, memoir.ErrUnavailable)
		}
		return open(ctx, space)
	}
}

// openFormerModel opens the model with that name and checksum: the configured
// one, the one inside, or an installed one. It returns nil when there is none.
func openFormerModel(ctx context.Context, settings *config.Loaded, space memoir.Space) (memoir.Embedder, error) {
	installed, err := models.List(settings)
	if err != nil {
		return nil, err
	}
	for _, m := range append(installed, models.Describe(settings, settings.Model)) {
		if m.Err == nil && m.Info.Name == space.Model && strings.HasPrefix(m.Checksum, space.Version) {
			former := *settings
			former.Model = m.Name
			return models.OpenEmbedder(ctx, &former)
		}
	}
	return nil, nil
}

// openFormerRemote opens the model that the settings named earlier, at the
// server that they name now. It returns nil when texts may not be sent there.
func openFormerRemote(ctx context.Context, settings *config.Loaded, space memoir.Space) (memoir.Embedder, error) {
	former := *settings
	r := former.Remote(space.Provider)
	named := config.Choose(settings).Provider == space.Provider
	if r == nil || !named && !settings.AllowRemote && settings.LeavesMachine(space.Provider) {
		return nil, nil
	}
	if err := permit(settings, space.Provider); err != nil {
		return nil, err
	}
	r.Model, r.Dimensions = space.Model, space.Dimensions
	return openRemote(ctx, &former, space.Provider)
}
