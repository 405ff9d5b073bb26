package config_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir/internal/config"
)

// Who reranks is asked at its own address with its own key, which is taken out
// of a variable for nobody else.
func TestRerankSettings(t *testing.T) {
	vars := map[string]string{"COHERE_API_KEY": "co", "JINA_API_KEY": "ji", "VOYAGE_API_KEY": "vo"}
	tests := []struct {
		name, user, workspace string
		want                  config.Rerank // Top and Timeout are the defaults
		leaves                bool
	}{
		{"nobody", "", "", config.Rerank{Provider: "none"}, false},
		{"nobody, with an address", `rerank.baseURL = "https://r.example"`, "", config.Rerank{Provider: "none"}, false},
		{"local", "rerank.provider = \"local\"\nrerank.model = \"mini\"", "", config.Rerank{Provider: "local", Model: "mini"}, false},
		{"cohere", `rerank.provider = "cohere"`, "", config.Rerank{Provider: "cohere", BaseURL: "https://api.cohere.com/v2", APIKey: "co"}, true},
		{"voyage", `rerank.provider = "voyage"`, "", config.Rerank{Provider: "voyage", BaseURL: "https://api.voyageai.com/v1", APIKey: "vo"}, true},
		{"a gateway", "rerank.provider = \"jina\"\nrerank.baseURL = \"http://10.0.0.2/v1\"", "", config.Rerank{Provider: "jina", BaseURL: "http://10.0.0.2/v1", APIKey: "ji"}, true},
		{"a key of its own", "rerank.provider = \"jina\"\nrerank.apiKey = \"mine\"", "", config.Rerank{Provider: "jina", BaseURL: "https://api.jina.ai/v1", APIKey: "mine"}, true},
		{"this machine", `rerank.provider = "tei"`, "", config.Rerank{Provider: "tei", BaseURL: "http://127.0.0.1:8080"}, false},
	}
	for _, tt := range tests {
		p := newPlace(t, tt.user, tt.workspace)
		for name, value := range vars {
			p.vars[name] = value
		}
		l, err := config.Load(p.env(p.work), nil)
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		tt.want.Top, tt.want.Timeout = 25, 2e9
		if diff := cmp.Diff(tt.want, l.Rerank); diff != "" || l.Rerank.Leaves() != tt.leaves {
			t.Errorf("%s: leaves the machine: %v, want %v; want -, got +:\n%s", tt.name, l.Rerank.Leaves(), tt.leaves, diff)
		}
	}
}
