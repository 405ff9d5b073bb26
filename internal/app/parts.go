package app

import (
	"context"
	"fmt"
	"os"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/local"
	"github.com/memoir-ai/memoir/embed/local/weights"
	"github.com/memoir-ai/memoir/embed/openai"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/store/memstore"
	"github.com/memoir-ai/memoir/store/sqlite"
)

// openStore opens the index, or an empty one in memory when only notes are read.
func openStore(ctx context.Context, settings *config.Loaded, need Need) (memoir.Store, error) {
	if need == NeedNotes {
		return memstore.New(), nil
	}
	if err := makeFolder(settings.IndexPath()); err != nil {
		return nil, err
	}
	return sqlite.Open(ctx, settings.IndexPath(), sqlite.Options{})
}

// openLocal opens the model file that is named, or the model inside the binary.
// The provider reads it in place, and nothing of it before the first text.
func openLocal(settings *config.Loaded) (memoir.Embedder, error) {
	if settings.Model == "" {
		return local.New(weights.File(), local.Options{})
	}
	file, err := os.ReadFile(settings.Model)
	if err != nil {
		return nil, memoir.WithHint(fmt.Errorf("open the model: %w", err), "memoir config")
	}
	return local.New(file, local.Options{})
}

// openOpenAI opens OpenAI's embeddings, or those of a server that speaks the same.
func openOpenAI(settings *config.Loaded) (memoir.Embedder, error) {
	o := settings.OpenAI
	return openai.New(openai.Options{
		BaseURL: o.BaseURL, APIKey: o.APIKey, Model: o.Model, Dimensions: o.Dimensions,
		QueryPrefix: o.QueryPrefix, DocumentPrefix: o.DocumentPrefix, Timeout: o.Timeout,
	})
}
