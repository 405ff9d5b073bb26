// Package voyage is the [memoir.Embedder] of Voyage AI's API
// (docs.voyageai.com/reference/embeddings-api). Documents and queries are told
// apart by input type.
//
// The texts leave the machine.
package voyage

import (
	"context"
	"slices"
	"strings"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/remote"
)

// The defaults of [Options].
const (
	DefaultBaseURL = "https://api.voyageai.com/v1"
	DefaultModel   = "voyage-3.5"
)

// maxTexts is how many texts a request may have, as documented.
const maxTexts = 1000

// Options says which model to use. The zero value with a key is complete.
type Options struct {
	BaseURL string // up to the part before /embeddings; "" means [DefaultBaseURL]
	APIKey  string // needed
	Model   string // "" means [DefaultModel]
	// Dimensions is the length of the vectors. Models that can choose have 256,
	// 512, 1024 and 2048. 0 means the model's own. An unknown model is asked once,
	// by [New].
	Dimensions int
	remote.Options
}

// Embedder computes vectors by asking Voyage AI. It implements
// [memoir.Embedder] and is safe for concurrent use.
type Embedder struct{ *remote.Embedder }

var _ memoir.Embedder = (*Embedder)(nil)

// model is what the documentation says of one: docs.voyageai.com/docs/embeddings
// for lengths, the reference of the API for the tokens of a request.
type model struct {
	dimensions  int
	shortens    bool // can be asked for 256, 512, 1024 and 2048
	textTokens  int
	batchTokens int
}

func knownModel(name string) model {
	switch name {
	case "voyage-4-lite", "voyage-3.5-lite":
		return model{1024, true, 32_000, 1_000_000}
	case "voyage-4", "voyage-3.5":
		return model{1024, true, 32_000, 320_000}
	case "voyage-4-large", "voyage-3-large", "voyage-code-3":
		return model{1024, true, 32_000, 120_000}
	case "voyage-finance-2", "voyage-multilingual-2", "voyage-3":
		return model{1024, false, 32_000, 120_000}
	case "voyage-3-lite":
		return model{512, false, 32_000, 120_000}
	case "voyage-law-2":
		return model{1024, false, 16_000, 120_000}
	case "voyage-code-2":
		return model{1536, false, 16_000, 120_000}
	}
	return model{textTokens: 16_000, batchTokens: 120_000}
}

// New checks the options and returns the embedder. For the known models, and
// when the dimensions are given, it sends nothing. A wrong option gives
// [memoir.ErrInvalid], a missing key [memoir.ErrUnavailable], both with a hint.
func New(ctx context.Context, opts Options) (*Embedder, error) {
	remote.SetDefault(&opts.BaseURL, DefaultBaseURL)
	opts.Model = strings.TrimPrefix(opts.Model, "voyage/")
	remote.SetDefault(&opts.Model, DefaultModel)
	key, err := remote.NeedKey("voyage", opts.APIKey, "VOYAGE_API_KEY")
	if err != nil {
		return nil, err
	}
	known := knownModel(opts.Model)
	dimensions, tell := opts.Dimensions, opts.Dimensions > 0
	if known.dimensions > 0 {
		if dimensions, tell, err = remote.Shorten("voyage", opts.Model, opts.Dimensions, known.dimensions,
			func(n int) bool { return known.shortens && slices.Contains([]int{256, 512, 2048}, n) }); err != nil {
			return nil, err
		}
	}
	e, err := remote.Open(ctx, remote.Config{
		Options: opts.Options, Provider: "voyage", BaseURL: opts.BaseURL, Path: []string{"embeddings"},
		Key: key, Header: remote.Bearer(key), Model: opts.Model, Dimensions: dimensions,
		Limits: remote.Limits{Texts: maxTexts, Tokens: known.batchTokens, Bytes: 8 << 20, TextTokens: known.textTokens},
		Encode: func(task memoir.Task, texts []string) any {
			body := request{Model: opts.Model, Input: texts, InputType: "document", Truncation: true}
			if task == memoir.TaskQuery {
				body.InputType = "query"
			}
			if tell {
				body.OutputDimension = dimensions
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
	Model           string   `json:"model"`
	Input           []string `json:"input"`
	InputType       string   `json:"input_type"`
	Truncation      bool     `json:"truncation"`
	OutputDimension int      `json:"output_dimension,omitempty"`
}

// jobs are Voyage's batches (docs.voyageai.com/docs/batch-inference). They are
// like OpenAI's, but name model and options once for all texts. One may have up
// to 100,000 texts. It gets far fewer, so that its result is a file of moderate
// size.
func jobs(model string, dimensions int, tell bool) *remote.JobAPI {
	params := map[string]any{"model": model, "input_type": "document", "truncation": true}
	if tell {
		params["output_dimension"] = dimensions
	}
	return remote.FileJobs{
		MaxTexts: 5000,
		Line: func(item remote.Item) any {
			return map[string]any{"custom_id": item.ID, "body": map[string][]string{"input": {item.Text}}}
		},
		Batch: func(file string) any {
			return map[string]any{"input_file_id": file, "endpoint": "/v1/embeddings", "completion_window": "12h", "request_params": params}
		},
	}.API()
}
