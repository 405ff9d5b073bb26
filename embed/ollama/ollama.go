// Package ollama is the [memoir.Embedder] of Ollama's own API, POST /api/embed
// (docs.ollama.com/api/embed), with the prompts that the model was trained
// with. A server on this machine keeps the texts on it.
package ollama

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/internal/prompt"
	"github.com/memoir-ai/memoir/embed/remote"
)

// The defaults of [Options].
const (
	DefaultBaseURL = "http://127.0.0.1:11434"
	DefaultModel   = "embeddinggemma"
)

// The server computes a few texts at a time. More requests would only wait
// there instead of here.
const (
	maxTexts      = 64
	concurrency   = 2
	maxTextTokens = 32_000 // beyond what any model reads: the server cuts to its model
)

// Options says which server and model to use. The zero value is a server on
// this machine.
type Options struct {
	BaseURL string // "" means [DefaultBaseURL]
	APIKey  string // of a server behind a gateway; "" sends none
	Model   string // "" means [DefaultModel]
	// Dimensions is the length of the vectors, for a model that can shorten them.
	// 0 means the model's own length, which [New] asks the server for.
	Dimensions int
	// QueryPrefix and DocumentPrefix replace the prompts that the model is known
	// to want before a text. nil leaves these as they are.
	QueryPrefix, DocumentPrefix *string
	KeepAlive                   string // how long the model stays loaded, as Ollama takes it ("30m", "-1"); "" is the server's
	remote.Options
}

// Embedder computes vectors by asking Ollama. It implements [memoir.Embedder]
// and is safe for concurrent use.
type Embedder struct{ *remote.Embedder }

var _ memoir.Embedder = (*Embedder)(nil)

// New checks the options, asks the server for one vector to learn its length
// (unless Dimensions says it) and returns the embedder. The deadline is that of
// ctx. A wrong option gives [memoir.ErrInvalid], a server that does not answer
// [memoir.ErrUnavailable], both with a hint.
func New(ctx context.Context, opts Options) (*Embedder, error) {
	remote.SetDefault(&opts.BaseURL, DefaultBaseURL)
	opts.Model = strings.TrimSuffix(opts.Model, ":latest")
	remote.SetDefault(&opts.Model, DefaultModel)
	remote.SetDefault(&opts.Concurrency, concurrency)
	prompts := prompt.Of(opts.Model).Replace(opts.QueryPrefix, opts.DocumentPrefix)
	opts.APIKey = strings.TrimSpace(opts.APIKey)
	e, err := remote.Open(ctx, remote.Config{
		Options: opts.Options, Provider: "ollama", BaseURL: opts.BaseURL, Path: []string{"api", "embed"},
		Key: opts.APIKey, Header: remote.Bearer(opts.APIKey), Model: opts.Model, Dimensions: opts.Dimensions,
		QueryPrefix: prompts.Query, DocumentPrefix: prompts.Document,
		Limits: remote.Limits{Texts: maxTexts, Bytes: 4 << 20, TextTokens: maxTextTokens},
		Unit:   true, // of models that Ollama runs without normalising
		Encode: func(_ memoir.Task, texts []string) any {
			return request{Model: opts.Model, Input: texts, Truncate: true, Dimensions: opts.Dimensions, KeepAlive: opts.KeepAlive}
		},
		Decode: decode,
	})
	if err != nil {
		return nil, err
	}
	return &Embedder{e}, nil
}

// request is the body of POST /api/embed.
type request struct {
	Model      string   `json:"model"`
	Input      []string `json:"input"`
	Truncate   bool     `json:"truncate"`
	Dimensions int      `json:"dimensions,omitempty"`
	KeepAlive  string   `json:"keep_alive,omitempty"`
}

// decode reads {"embeddings":[[…]]}, in the order of the input.
func decode(body []byte) ([][]float32, error) {
	var answer struct {
		Embeddings []json.RawMessage `json:"embeddings"`
	}
	if err := remote.Unmarshal(body, &answer); err != nil {
		return nil, err
	}
	return remote.Vectors(answer.Embeddings)
}
