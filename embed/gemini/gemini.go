// Package gemini is the [memoir.Embedder] of Google's Gemini API: the method
// batchEmbedContents (ai.google.dev/api/embeddings). Documents and queries are
// told apart, by task type or by the prompts that newer models want instead.
//
// The texts leave the machine. The key travels in a header, never in an address.
package gemini

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/remote"
)

// The defaults of [Options].
const (
	DefaultBaseURL = "https://generativelanguage.googleapis.com/v1beta"
	DefaultModel   = "gemini-embedding-001"
)

// maxTexts is the limit of batchEmbedContents. The server says "at most 100
// requests can be in one batch"; the reference does not.
const maxTexts = 100

// Options says which model to use. The zero value with a key is complete.
type Options struct {
	BaseURL string // up to the part before /models; "" means [DefaultBaseURL]
	APIKey  string // needed by Google's own server
	Model   string // "" means [DefaultModel]; a leading "models/" is dropped
	// Dimensions is the length of the vectors, between 128 and the model's own. 0
	// means the model's own. An unknown model is asked once, by [New].
	Dimensions int
	remote.Options
}

// Embedder computes vectors by asking Google. It implements [memoir.Embedder]
// and is safe for concurrent use.
type Embedder struct{ *remote.Embedder }

var _ memoir.Embedder = (*Embedder)(nil)

// model is what the documentation says of one (ai.google.dev/gemini-api/docs/embeddings).
type model struct {
	dimensions int
	tokens     int  // of one text
	prompts    bool // the task is said in the text, not in a field
}

func knownModel(name string) model {
	switch {
	case name == "gemini-embedding-001":
		return model{dimensions: 3072, tokens: 2048}
	case strings.HasPrefix(name, "gemini-embedding-2"): // and its previews
		return model{dimensions: 3072, tokens: 8192, prompts: true}
	}
	return model{tokens: 2048}
}

// New checks the options and returns the embedder. For the known models, and
// when the dimensions are given, it sends nothing. A wrong option gives
// [memoir.ErrInvalid], a missing key [memoir.ErrUnavailable], both with a hint.
func New(ctx context.Context, opts Options) (*Embedder, error) {
	remote.SetDefault(&opts.BaseURL, DefaultBaseURL)
	opts.Model = strings.TrimPrefix(opts.Model, "models/")
	remote.SetDefault(&opts.Model, DefaultModel)
	key, err := remote.NeedKey("gemini", opts.APIKey, "GEMINI_API_KEY")
	if err != nil {
		return nil, err
	}
	known := knownModel(opts.Model)
	dimensions, tell := opts.Dimensions, opts.Dimensions > 0
	if known.dimensions > 0 {
		if dimensions, tell, err = remote.Shorten("gemini", opts.Model, opts.Dimensions, known.dimensions,
			func(n int) bool { return n >= 128 && n < known.dimensions }); err != nil {
			return nil, err
		}
	}
	cfg := remote.Config{
		Options: opts.Options, Provider: "gemini", BaseURL: opts.BaseURL, Path: []string{"models", opts.Model + ":batchEmbedContents"},
		Key: key, Header: http.Header{"X-Goog-Api-Key": {key}}, Model: opts.Model, Dimensions: dimensions,
		Limits: remote.Limits{Texts: maxTexts, Bytes: 4 << 20, TextTokens: known.tokens},
		Unit:   true, // only vectors of the full length arrive with length 1
		Decode: decode,
	}
	if known.prompts {
		cfg.QueryPrefix, cfg.DocumentPrefix = "task: search result | query: ", "title: none | text: "
	}
	one := func(task memoir.Task, text string) request {
		r := request{Model: "models/" + opts.Model, Content: content{[]part{{text}}}}
		if tell {
			r.OutputDimensionality = dimensions
		}
		if !known.prompts {
			r.TaskType = taskType(task)
		}
		return r
	}
	cfg.Encode = func(task memoir.Task, texts []string) any {
		body := batch{Requests: make([]request, len(texts))}
		for i, text := range texts {
			body.Requests[i] = one(task, text)
		}
		return body
	}
	cfg.Jobs = jobs(opts.Model, func(text string) request { return one(memoir.TaskDocument, text) })
	e, err := remote.Open(ctx, cfg)
	if err != nil {
		return nil, err
	}
	return &Embedder{e}, nil
}

func taskType(task memoir.Task) string {
	if task == memoir.TaskQuery {
		return "RETRIEVAL_QUERY"
	}
	return "RETRIEVAL_DOCUMENT"
}

// batch is the body of batchEmbedContents.
type batch struct {
	Requests []request `json:"requests"`
}

type request struct {
	Model                string  `json:"model"`
	Content              content `json:"content"`
	TaskType             string  `json:"taskType,omitempty"`
	OutputDimensionality int     `json:"outputDimensionality,omitempty"`
}

type content struct {
	Parts []part `json:"parts"`
}

type part struct {
	Text string `json:"text"`
}

// decode reads {"embeddings":[{"values":[…]}]}, in the order of the requests.
func decode(body []byte) ([][]float32, error) {
	var answer struct {
		Embeddings []struct {
			Values json.RawMessage `json:"values"`
		} `json:"embeddings"`
	}
	if err := remote.Unmarshal(body, &answer); err != nil {
		return nil, err
	}
	raws := make([]json.RawMessage, len(answer.Embeddings))
	for i, e := range answer.Embeddings {
		raws[i] = e.Values
	}
	return remote.Vectors(raws)
}
