// Package openai is the [memoir.Embedder] of any server that answers
// POST /embeddings as OpenAI's does: OpenAI itself, vLLM, LM Studio,
// text-embeddings-inference, gateways. Ollama and llama.cpp's server have
// packages of their own, which know what their models want to read.
//
// The texts go to the server at BaseURL and nowhere else. Redirects are
// refused, and no error contains the key.
package openai

import (
	"context"
	"fmt"
	"net/url"
	"path"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/remote"
)

// The defaults of [Options].
const (
	DefaultBaseURL = "https://api.openai.com/v1"
	DefaultModel   = "text-embedding-3-small"
	// DefaultMaxBatch is for servers whose limit is not known: all but OpenAI's
	// own.
	DefaultMaxBatch = 64
)

// The limits of OpenAI's own server: 2,048 inputs and 300,000 tokens a
// request, 8,192 tokens an input (platform.openai.com/docs/api-reference/embeddings/create).
const (
	maxTexts      = 2048
	maxTokens     = 300_000
	maxTextTokens = 8000 // ada-002 reads 8,191; the rest is room for the estimate
	maxBytes      = 8 << 20
)

// Options says which server and model to use. The zero value with a key is OpenAI's.
type Options struct {
	// BaseURL is the address up to the part before /embeddings; "" means
	// [DefaultBaseURL]. Over http:// anybody on the way can read texts and key.
	// Use it only on this machine and in networks that you trust.
	BaseURL string
	APIKey  string // "" sends none; OpenAI's own server needs one
	Model   string // "" means [DefaultModel]
	// Dimensions is the length of the vectors. 0 means the model's own length.
	// That is known for OpenAI's models; other models are asked once, by [New].
	// OpenAI's third generation of models can give shorter vectors than their own,
	// and is asked for these.
	Dimensions int
	// QueryPrefix and DocumentPrefix are put before each text, for models that
	// were trained with prefixes. The E5 family wants "query: " and "passage: ".
	QueryPrefix, DocumentPrefix string
	MaxBatch                    int // texts in one request; 0 means OpenAI's 2,048, for others [DefaultMaxBatch]
	MaxTokens                   int // estimated tokens after which a text is cut; 0 means 8,000
	remote.Options
}

// Embedder computes vectors by asking a server. It implements
// [memoir.Embedder] and is safe for concurrent use.
type Embedder struct{ *remote.Embedder }

var _ memoir.Embedder = (*Embedder)(nil)

// New checks the options and returns the embedder. For OpenAI's models, and
// when the dimensions are given, it sends nothing, so that memoir can open it
// without a network. Otherwise it asks the server for one vector, within the
// deadline of ctx. A wrong option gives [memoir.ErrInvalid]. A missing key, or
// a server that does not answer, gives [memoir.ErrUnavailable]. Both come with
// a hint.
func New(ctx context.Context, opts Options) (*Embedder, error) {
	remote.SetDefault(&opts.BaseURL, DefaultBaseURL)
	remote.SetDefault(&opts.Model, DefaultModel)
	limits := remote.Limits{Texts: DefaultMaxBatch, Tokens: maxTokens / 3, Bytes: maxBytes, TextTokens: maxTextTokens}
	if u, err := url.Parse(opts.BaseURL); err == nil && u.Hostname() == "api.openai.com" {
		limits.Texts, limits.Tokens = maxTexts, maxTokens
		if opts.APIKey, err = remote.NeedKey("openai", opts.APIKey, "OPENAI_API_KEY"); err != nil {
			return nil, err
		}
	}
	if opts.MaxBatch < 0 || opts.MaxTokens < 0 || opts.Dimensions < 0 {
		return nil, fmt.Errorf("openai: an option is negative: %w", memoir.ErrInvalid)
	}
	if opts.MaxBatch > 0 {
		limits.Texts = opts.MaxBatch
	}
	if opts.MaxTokens > 0 {
		limits.TextTokens = opts.MaxTokens
	}
	dimensions, tell := opts.Dimensions, false
	if own, shortens := knownModel(opts.Model); own > 0 {
		var err error
		if dimensions, tell, err = remote.Shorten("openai", opts.Model, opts.Dimensions, own, func(n int) bool { return shortens && n < own }); err != nil {
			return nil, err
		}
	}
	e, err := remote.Open(ctx, remote.Config{
		Options: opts.Options, Provider: "openai", BaseURL: opts.BaseURL, Path: []string{"embeddings"},
		Key: opts.APIKey, Header: remote.Bearer(opts.APIKey), Model: opts.Model, Dimensions: dimensions,
		QueryPrefix: opts.QueryPrefix, DocumentPrefix: opts.DocumentPrefix, Limits: limits,
		Encode: func(_ memoir.Task, texts []string) any {
			body := request{Model: opts.Model, Input: texts}
			if tell {
				body.Dimensions = dimensions
			}
			return body
		},
		Decode: remote.DecodeData,
		Jobs:   jobs(opts.Model, dimensions, tell),
	})
	if err != nil {
		return nil, err
	}
	return &Embedder{e}, nil
}

// request is the body of POST /embeddings.
type request struct {
	Model      string   `json:"model"`
	Input      []string `json:"input"`
	Dimensions int      `json:"dimensions,omitempty"`
}

// jobs are OpenAI's batches (platform.openai.com/docs/api-reference/batch). One
// may have up to 50,000 texts. It gets far fewer, so that its result is a file
// of moderate size.
func jobs(model string, dimensions int, tell bool) *remote.JobAPI {
	if !tell {
		dimensions = 0
	}
	return remote.FileJobs{
		MaxTexts: 5000,
		Line: func(item remote.Item) any {
			return map[string]any{"custom_id": item.ID, "method": "POST", "url": "/v1/embeddings",
				"body": request{Model: model, Input: []string{item.Text}, Dimensions: dimensions}}
		},
		Batch: func(file string) any {
			return map[string]string{"input_file_id": file, "endpoint": "/v1/embeddings", "completion_window": "24h"}
		},
	}.API()
}

// knownModel returns the length of the vectors of OpenAI's own models, and
// whether they can be asked for shorter ones
// (platform.openai.com/docs/guides/embeddings). Gateways put a prefix before
// the names of these models.
func knownModel(model string) (dimensions int, shortens bool) {
	switch path.Base(model) {
	case "text-embedding-3-small":
		return 1536, true
	case "text-embedding-3-large":
		return 3072, true
	case "text-embedding-ada-002":
		return 1536, false
	}
	return 0, false
}
