package app

import (
	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/openai"
	"github.com/memoir-ai/memoir/internal/config"
)

// openOpenAI opens OpenAI's embeddings, or those of a server that speaks the same.
func openOpenAI(settings *config.Loaded) (memoir.Embedder, error) {
	o := settings.OpenAI
	return openai.New(openai.Options{
		BaseURL: o.BaseURL, APIKey: o.APIKey, Model: o.Model, Dimensions: o.Dimensions,
		QueryPrefix: o.QueryPrefix, DocumentPrefix: o.DocumentPrefix, Timeout: o.Timeout,
	})
}
