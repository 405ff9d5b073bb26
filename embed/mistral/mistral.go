// Package mistral is the [memoir.Embedder] of Mistral's API
// (docs.mistral.ai/api/endpoint/embeddings). Its models read documents and
// queries alike.
//
// The texts leave the machine.
package mistral

import (
	"context"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/remote"
)

// The defaults of [Options].
const (
	DefaultBaseURL = "https://api.mistral.ai/v1"
	DefaultModel   = "mistral-embed"
)

// The limits of a request are 512 inputs, and 16,384 tokens in all of them
// together. The server names them when they are exceeded (error 3210). The
// reference does not.
const (
	maxTexts  = 512
	maxTokens = 16_384
)

// maxTextTokens is how many tokens of a text both models read (docs.mistral.ai,
// models).
const maxTextTokens = 8192

// Options says which model to use. The zero value with a key is complete.
type Options struct {
	BaseURL string // up to the part before /embeddings; "" means [DefaultBaseURL]
	APIKey  string // needed
	Model   string // "" means [DefaultModel]
	// Dimensions is the length of the vectors. 0 means the model's own.
	// codestral-embed can be asked for up to 3072. An unknown model is asked once,
	// by [New].
	Dimensions int
	remote.Options
}

// Embedder computes vectors by asking Mistral. It implements [memoir.Embedder]
// and is safe for concurrent use.
type Embedder struct{ *remote.Embedder }

var _ memoir.Embedder = (*Embedder)(nil)

// knownModel returns the length of a model's vectors, and the greatest length
// that it can be asked for. 0 means that this is not known.
func knownModel(name string) (dimensions, most int) {
	switch name {
	case "mistral-embed", "mistral-embed-2312":
		return 1024, 0
	case "codestral-embed", "codestral-embed-2505":
		return 1536, 3072
	}
	return 0, 0
}

// New checks the options and returns the embedder. For the known models, and
// when the dimensions are given, it sends nothing. A wrong option gives
// [memoir.ErrInvalid], a missing key [memoir.ErrUnavailable], both with a hint.
func New(ctx context.Context, opts Options) (*Embedder, error) {
	remote.SetDefault(&opts.BaseURL, DefaultBaseURL)
	remote.SetDefault(&opts.Model, DefaultModel)
	key, err := remote.NeedKey("mistral", opts.APIKey, "MISTRAL_API_KEY")
	if err != nil {
		return nil, err
	}
	dimensions, tell := opts.Dimensions, opts.Dimensions > 0
	if own, most := knownModel(opts.Model); own > 0 {
		if dimensions, tell, err = remote.Shorten("mistral", opts.Model, opts.Dimensions, own, func(n int) bool { return n <= most }); err != nil {
			return nil, err
		}
	}
	e, err := remote.Open(ctx, remote.Config{
		Options: opts.Options, Provider: "mistral", BaseURL: opts.BaseURL, Path: []string{"embeddings"},
		Key: key, Header: remote.Bearer(key), Model: opts.Model, Dimensions: dimensions,
		Limits: remote.Limits{Texts: maxTexts, Tokens: maxTokens, TextTokens: maxTextTokens},
		Encode: func(_ memoir.Task, texts []string) any {
			body := request{Model: opts.Model, Input: texts}
			if tell {
				body.OutputDimension = dimensions
			}
			return body
		},
		Decode: remote.DecodeData,
		Unit:   true, // shortened vectors are not
	})
	if err != nil {
		return nil, err
	}
	return &Embedder{e}, nil
}

// request is the body of POST /embeddings.
type request struct {
	Model           string   `json:"model"`
	Input           []string `json:"input"`
	OutputDimension int      `json:"output_dimension,omitempty"`
}
