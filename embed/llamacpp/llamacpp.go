// Package llamacpp is the [memoir.Embedder] of llama.cpp's server, started
// with --embeddings: POST /v1/embeddings in OpenAI's form, with the prompts
// that the model was trained with
// (github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md). A server
// on this machine keeps the texts on it.
package llamacpp

import (
	"context"
	"fmt"
	"strings"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/internal/prompt"
	"github.com/memoir-ai/memoir/embed/remote"
)

// DefaultBaseURL is where the server listens by default.
const DefaultBaseURL = "http://127.0.0.1:8080/v1"

// The server decodes a text in one physical batch, which has 512 tokens by
// default. It refuses longer texts. These are cut when it says so.
const (
	maxTexts      = 32
	concurrency   = 2
	maxTextTokens = 32_000
)

// Options says which server to use. The zero value is one on this machine with
// whatever model it was started with.
type Options struct {
	BaseURL string // up to the part before /embeddings; "" means [DefaultBaseURL]
	APIKey  string // as given to --api-key; "" sends none
	// Model is the name of the model. It names the vectors, and finds the model's
	// prompts. "" means the first model that the server lists. A server with one
	// model answers with that, whatever the name.
	Model      string
	Dimensions int // length of the vectors; 0 means that [New] asks the server
	// QueryPrefix and DocumentPrefix replace the prompts that the model is known
	// to want before a text. nil leaves these as they are.
	QueryPrefix, DocumentPrefix *string
	remote.Options
}

// Embedder computes vectors by asking llama.cpp's server. It implements
// [memoir.Embedder] and is safe for concurrent use.
type Embedder struct{ *remote.Embedder }

var _ memoir.Embedder = (*Embedder)(nil)

// New checks the options, asks the server for what they do not say (the name of
// the model, the length of its vectors) and returns the embedder. The deadline
// is that of ctx. A wrong option gives [memoir.ErrInvalid], a server that does
// not answer [memoir.ErrUnavailable], both with a hint.
func New(ctx context.Context, opts Options) (*Embedder, error) {
	remote.SetDefault(&opts.BaseURL, DefaultBaseURL)
	remote.SetDefault(&opts.Concurrency, concurrency)
	opts.APIKey = strings.TrimSpace(opts.APIKey)
	if opts.Model == "" {
		models, err := Models(ctx, opts)
		if err != nil {
			return nil, err
		}
		if len(models) == 0 {
			return nil, memoir.WithHint(fmt.Errorf("llamacpp: the server has no model: %w", memoir.ErrUnavailable), "start it with one: llama-server --embeddings -m FILE.gguf")
		}
		opts.Model = models[0].Name
	}
	prompts := prompt.Of(opts.Model).Replace(opts.QueryPrefix, opts.DocumentPrefix)
	e, err := remote.Open(ctx, remote.Config{
		Options: opts.Options, Provider: "llamacpp", BaseURL: opts.BaseURL, Path: []string{"embeddings"},
		Key: opts.APIKey, Header: remote.Bearer(opts.APIKey), Model: opts.Model, Dimensions: opts.Dimensions,
		QueryPrefix: prompts.Query, DocumentPrefix: prompts.Document,
		Limits: remote.Limits{Texts: maxTexts, Bytes: 4 << 20, TextTokens: maxTextTokens},
		Unit:   true, // of models that pool without normalising
		Encode: func(_ memoir.Task, texts []string) any {
			return request{Model: opts.Model, Input: texts}
		},
		Decode: remote.DecodeData,
	})
	if err != nil {
		return nil, err
	}
	return &Embedder{e}, nil
}

// request is the body of POST /v1/embeddings.
type request struct {
	Model string   `json:"model"`
	Input []string `json:"input"`
}
