package llamacpp

import (
	"context"
	"fmt"
	"net/http"
	"path"
	"strings"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/remote"
)

// A Model is one that a server has.
type Model struct {
	Name       string // of the file, without its folder
	Dimensions int    // of its hidden layer; 0 is not known
}

// Models asks a server for its models (GET /v1/models).
func Models(ctx context.Context, opts Options) ([]Model, error) {
	remote.SetDefault(&opts.BaseURL, DefaultBaseURL)
	client, err := remote.NewClient("llamacpp", opts.BaseURL, opts.APIKey, remote.Bearer(opts.APIKey), opts.Options)
	if err != nil {
		return nil, err
	}
	var answer struct {
		Data []struct {
			ID   string `json:"id"` // the path of the model's file, or the name that --alias gives it
			Meta struct {
				Embd int `json:"n_embd"`
			} `json:"meta"`
		} `json:"data"`
	}
	if err := client.Call(ctx, remote.Request{Method: http.MethodGet, Path: []string{"models"}}, &answer); err != nil {
		return nil, fmt.Errorf("llamacpp: %w", err)
	}
	var models []Model
	for _, d := range answer.Data {
		name := d.ID
		if strings.HasSuffix(name, ".gguf") { // otherwise it is a name, which requests need as it is
			name = path.Base(strings.ReplaceAll(name, `\`, "/"))
		}
		if name != "" {
			models = append(models, Model{name, d.Meta.Embd})
		}
	}
	return models, nil
}

// Probe asks whether an address is llama.cpp's server (GET /health), which
// models it has, and whether it gives vectors. A server that was not started
// with --embeddings lists its model, but refuses to give vectors.
func Probe(ctx context.Context, opts Options) (models []Model, embeds bool, err error) {
	remote.SetDefault(&opts.BaseURL, DefaultBaseURL)
	client, err := remote.NewClient("llamacpp", opts.BaseURL, opts.APIKey, remote.Bearer(opts.APIKey), opts.Options)
	if err != nil {
		return nil, false, err
	}
	var health struct {
		Status string `json:"status"`
	}
	if err := client.Call(ctx, remote.Request{Method: http.MethodGet, Path: []string{"health"}}, &health); err != nil {
		return nil, false, fmt.Errorf("llamacpp: %w", err)
	}
	if health.Status == "" {
		return nil, false, fmt.Errorf("llamacpp: %s is another server: %w", opts.BaseURL, memoir.ErrUnavailable)
	}
	if models, err = Models(ctx, opts); err != nil || len(models) == 0 {
		return nil, false, err
	}
	opts.Model, opts.Dimensions = models[0].Name, 0
	e, err := New(ctx, opts)
	if err != nil {
		return models, false, nil
	}
	models[0].Dimensions = e.Space().Dimensions
	return models, true, nil
}
