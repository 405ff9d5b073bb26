package ollama

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/memoir-ai/memoir/embed/remote"
)

// maxModels bounds how many models of a server are looked at. maxShown bounds,
// in bytes, what the server says of one model: licences and templates are long.
const (
	maxModels = 100
	maxShown  = 4 << 20
)

// A Model is an embedding model that a server has.
type Model struct {
	Name       string // as the setting takes it, without ":latest"
	Dimensions int    // 0 is not known
}

// Models asks a server for its embedding models, by GET /api/tags and POST
// /api/show for each. It loads none of them.
func Models(ctx context.Context, opts Options) ([]Model, error) {
	remote.SetDefault(&opts.BaseURL, DefaultBaseURL)
	opts.APIKey = strings.TrimSpace(opts.APIKey)
	client, err := remote.NewClient("ollama", opts.BaseURL, opts.APIKey, remote.Bearer(opts.APIKey), opts.Options)
	if err != nil {
		return nil, err
	}
	var tags struct {
		Models []struct {
			Name    string `json:"name"`
			Details struct {
				Family string `json:"family"`
			} `json:"details"`
		} `json:"models"`
	}
	if err := client.Call(ctx, remote.Request{Method: http.MethodGet, Path: []string{"api", "tags"}}, &tags); err != nil {
		return nil, fmt.Errorf("ollama: %w", err)
	}
	var models []Model
	for _, m := range tags.Models[:min(len(tags.Models), maxModels)] {
		var shown show
		request := remote.Request{Path: []string{"api", "show"}, JSON: map[string]string{"model": m.Name}, MaxAnswer: maxShown}
		if err := client.Call(ctx, request, &shown); err != nil {
			return nil, fmt.Errorf("ollama: %w", err)
		}
		if shown.embeds(m.Name, m.Details.Family) {
			models = append(models, Model{strings.TrimSuffix(m.Name, ":latest"), shown.dimensions()})
		}
	}
	return models, nil
}

// show has the parts of the answer to /api/show that are used.
type show struct {
	Capabilities []string       `json:"capabilities"`
	ModelInfo    map[string]any `json:"model_info"`
}

// embeds reports whether a model is made for vectors. Servers from before April
// 2025 do not say so. Then its family and its name decide.
func (s show) embeds(name, family string) bool {
	if len(s.Capabilities) > 0 {
		return slices.Contains(s.Capabilities, "embedding")
	}
	return strings.Contains(family, "bert") || strings.Contains(name, "embed")
}

func (s show) dimensions() int {
	architecture, _ := s.ModelInfo["general.architecture"].(string)
	n, _ := s.ModelInfo[architecture+".embedding_length"].(float64)
	if n < 0 || n > remote.MaxDimensions {
		return 0
	}
	return int(n)
}
