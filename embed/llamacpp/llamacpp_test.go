package llamacpp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/llamacpp"
	"github.com/memoir-ai/memoir/embed/remote"
	"github.com/memoir-ai/memoir/embed/remote/remotetest"
)

func TestContract(t *testing.T) {
	remotetest.Run(t, remotetest.Provider{
		New: func(ctx context.Context, server string, opts remote.Options) (memoir.Embedder, error) {
			return llamacpp.New(ctx, llamacpp.Options{BaseURL: server + "/v1", APIKey: remotetest.Key, Model: "test", Dimensions: remotetest.Dimensions, Options: opts})
		},
		Path: "/v1/embeddings", Header: "Authorization", Value: "Bearer " + remotetest.Key,
		Read: func(body []byte) (remotetest.Sent, error) {
			var in struct {
				Model string   `json:"model"`
				Input []string `json:"input"`
			}
			err := json.Unmarshal(body, &in)
			if err == nil && (in.Model != "test") {
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
