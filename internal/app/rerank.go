package app

import (
	"context"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/remote"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/models"
	"github.com/memoir-ai/memoir/rerank/endpoint"
)

// OpenReranker opens the reranker that the settings name. It returns nil
// without an error when that is none. It asks no server before the first
// search.
func OpenReranker(ctx context.Context, settings *config.Loaded) (memoir.Reranker, error) {
	s := settings.Rerank
	switch s.Provider {
	case "none":
		return nil, nil
	case "local":
		return models.OpenReranker(ctx, settings)
	}
	if err := permitRerank(settings); err != nil {
		return nil, err
	}
	r, err := endpoint.New(endpoint.Options{
		Provider: s.Provider, BaseURL: s.BaseURL, APIKey: s.APIKey, Model: s.Model, Options: remote.Options{Timeout: s.Timeout},
	})
	if err != nil {
		return nil, err
	}
	return r, nil
}

// permitRerank refuses to send passages to another machine when only a file
// that came with the notes asks for it.
func permitRerank(settings *config.Loaded) error {
	return permitSetting(settings, "rerank.provider", settings.Rerank.Provider, settings.Rerank.Leaves())
}

// reranker opens the reranker, or returns a stand-in for one that cannot be
// opened.
func (a *App) reranker(ctx context.Context) memoir.Reranker {
	r, err := OpenReranker(ctx, a.Settings)
	if a.RerankerErr = err; err != nil {
		return noReranker{err}
	}
	return r
}

// noReranker stands for a reranker that could not be opened, so that every
// search reports it.
type noReranker struct{ err error }

// Rerank returns why there are no scores.
func (n noReranker) Rerank(context.Context, string, []string) ([]float64, error) { return nil, n.err }
