package app

import (
	"fmt"
	"os"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/local"
	"github.com/memoir-ai/memoir/embed/local/weights"
	"github.com/memoir-ai/memoir/embed/openai"
	"github.com/memoir-ai/memoir/internal/config"
)

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
