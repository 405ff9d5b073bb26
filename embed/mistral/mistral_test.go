package mistral_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/mistral"
	"github.com/memoir-ai/memoir/embed/remote"
	"github.com/memoir-ai/memoir/embed/remote/remotetest"
)

func TestContract(t *testing.T) {
	remotetest.Run(t, remotetest.Provider{
		New: func(ctx context.Context, server string, opts remote.Options) (memoir.Embedder, error) {
			return mistral.New(ctx, mistral.Options{BaseURL: server + "/v1", APIKey: remotetest.Key, Model: "test", Dimensions: remotetest.Dimensions, Options: opts})
		},
		Path: "/v1/embeddings", Header: "Authorization", Value: "Bearer " + remotetest.Key,
		Read: func(body []byte) (remotetest.Sent, error) {
			var in struct {
				Model     string   `json:"model"`
				Input     []string `json:"input"`
				Dimension int      `json:"output_dimension"`
			}
			err := json.Unmarshal(body, &in)
			if err == nil && (in.Model != "test" || in.Dimension != remotetest.Dimensions) {
				err = fmt.Errorf("got %+v", in)
			}
			return remotetest.Sent{Texts: in.Input}, err
		},
		Answer: func(vectors []json.RawMessage) any {
			var data []any
			for i, v := range vectors {
				data = append(data, map[string]any{"object": "embedding", "index": i, "embedding": v})
			}
			return map[string]any{"object": "list", "data": data, "model": "test"}
		},
	})
}

func TestDimensions(t *testing.T) {
	for _, tt := range []struct {
		model       string
		asked, want int
		ok          bool
	}{
		{"", 0, 1024, true},
		{"codestral-embed", 0, 1536, true},
		{"codestral-embed", 3072, 3072, true},
		{"codestral-embed", 4096, 0, false},
		{"mistral-embed", 512, 0, false},
	} {
		e, err := mistral.New(t.Context(), mistral.Options{APIKey: "k", Model: tt.model, Dimensions: tt.asked})
		if (err == nil) != tt.ok || err == nil && e.Space().Dimensions != tt.want || err != nil && !errors.Is(err, memoir.ErrInvalid) {
			t.Errorf("%s, %d: got %v, want %d", tt.model, tt.asked, err, tt.want)
		}
	}
	if _, err := mistral.New(t.Context(), mistral.Options{}); !errors.Is(err, memoir.ErrUnavailable) || !strings.Contains(memoir.Hint(err), "MISTRAL_API_KEY") {
		t.Errorf("without a key: got %v (%s)", err, memoir.Hint(err))
	}
}
