package ollama_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/ollama"
	"github.com/memoir-ai/memoir/embed/remote"
	"github.com/memoir-ai/memoir/embed/remote/remotetest"
)

func TestContract(t *testing.T) {
	remotetest.Run(t, remotetest.Provider{
		New: func(ctx context.Context, server string, opts remote.Options) (memoir.Embedder, error) {
			return ollama.New(ctx, ollama.Options{BaseURL: server, APIKey: remotetest.Key, Model: "test:latest", KeepAlive: "30m", Dimensions: remotetest.Dimensions, Options: opts})
		},
		Path: "/api/embed", Header: "Authorization", Value: "Bearer " + remotetest.Key,
		Read: func(body []byte) (remotetest.Sent, error) {
			var in struct {
				Model      string   `json:"model"`
				Input      []string `json:"input"`
				Truncate   bool     `json:"truncate"`
				KeepAlive  string   `json:"keep_alive"`
				Dimensions int      `json:"dimensions"`
			}
			err := json.Unmarshal(body, &in)
			if err == nil && (in.Model != "test" || !in.Truncate || in.KeepAlive != "30m" || in.Dimensions != remotetest.Dimensions) {
				err = fmt.Errorf("got %+v", in)
			}
			return remotetest.Sent{Texts: in.Input}, err
		},
		Answer: func(vectors []json.RawMessage) any {
			return map[string]any{"model": "test", "embeddings": vectors}
		},
	})
}
