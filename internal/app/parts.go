package app

import (
	"context"
	"fmt"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/gemini"
	"github.com/memoir-ai/memoir/embed/llamacpp"
	"github.com/memoir-ai/memoir/embed/mistral"
	"github.com/memoir-ai/memoir/embed/ollama"
	"github.com/memoir-ai/memoir/embed/openai"
	"github.com/memoir-ai/memoir/embed/remote"
	"github.com/memoir-ai/memoir/embed/voyage"
	"github.com/memoir-ai/memoir/internal/config"
)

// openRemote opens a provider that is used over HTTP.
func openRemote(ctx context.Context, settings *config.Loaded, provider string) (memoir.Embedder, error) {
	s := settings.Remote(provider)
	if s == nil {
		return nil, fmt.Errorf("provider %q: %w", provider, memoir.ErrInvalid)
	}
	opts := remote.Options{Timeout: s.Timeout}
	query, document := prefixes(settings, provider)
	switch provider {
	case "openai":
		return opened(openai.New(ctx, openai.Options{
			BaseURL: s.BaseURL, APIKey: s.APIKey, Model: s.Model, Dimensions: s.Dimensions,
			QueryPrefix: s.QueryPrefix, DocumentPrefix: s.DocumentPrefix, Options: opts,
		}))
	case "gemini":
		return opened(gemini.New(ctx, gemini.Options{BaseURL: s.BaseURL, APIKey: s.APIKey, Model: s.Model, Dimensions: s.Dimensions, Options: opts}))
	case "voyage":
		return opened(voyage.New(ctx, voyage.Options{BaseURL: s.BaseURL, APIKey: s.APIKey, Model: s.Model, Dimensions: s.Dimensions, Options: opts}))
	case "mistral":
		return opened(mistral.New(ctx, mistral.Options{BaseURL: s.BaseURL, APIKey: s.APIKey, Model: s.Model, Dimensions: s.Dimensions, Options: opts}))
	case "ollama":
		return opened(ollama.New(ctx, ollama.Options{
			BaseURL: s.BaseURL, APIKey: s.APIKey, Model: s.Model, Dimensions: s.Dimensions,
			QueryPrefix: query, DocumentPrefix: document, KeepAlive: s.KeepAlive, Options: opts,
		}))
	default: // llamacpp
		return opened(llamacpp.New(ctx, llamacpp.Options{
			BaseURL: s.BaseURL, APIKey: s.APIKey, Model: s.Model, Dimensions: s.Dimensions,
			QueryPrefix: query, DocumentPrefix: document, Options: opts,
		}))
	}
}

// opened keeps a nil pointer from becoming an embedder that is not nil.
func opened[E memoir.Embedder](e E, err error) (memoir.Embedder, error) {
	if err != nil {
		return nil, err
	}
	return e, nil
}

// prefixes returns the prefixes that somebody has set, even to "".
func prefixes(settings *config.Loaded, provider string) (query, document *string) {
	s := settings.Remote(provider)
	if settings.IsSet(provider + ".queryPrefix") {
		query = &s.QueryPrefix
	}
	if settings.IsSet(provider + ".documentPrefix") {
		document = &s.DocumentPrefix
	}
	return query, document
}
