package endpoint

// A shape is how one kind of server is asked, and how it answers.
type shape struct {
	baseURL  string // up to the part before /rerank
	model    string // "" needs none
	variable string // that people have the key in; "" needs none
	most     int    // passages of a request
	body     func(model, query string, passages []string) any
}

// shapes is by the provider's name.
func shapes() map[string]shape {
	return map[string]shape{
		// docs.cohere.com/reference/rerank
		"cohere": {"https://api.cohere.com/v2", "rerank-v3.5", "COHERE_API_KEY", 1000, func(model, query string, passages []string) any {
			return request{Model: model, Query: query, Documents: passages}
		}},
		// api.jina.ai/redoc
		"jina": {"https://api.jina.ai/v1", "jina-reranker-v2-base-multilingual", "JINA_API_KEY", 1000, func(model, query string, passages []string) any {
			return request{Model: model, Query: query, Documents: passages, ReturnDocuments: new(bool)}
		}},
		// docs.voyageai.com/reference/reranker-api
		"voyage": {"https://api.voyageai.com/v1", "rerank-2.5-lite", "VOYAGE_API_KEY", 1000, func(model, query string, passages []string) any {
			return request{Model: model, Query: query, Documents: passages, ReturnDocuments: new(bool)}
		}},
		// github.com/huggingface/text-embeddings-inference: 32 texts at most unless
		// the server was started with --max-client-batch-size.
		"tei": {"http://127.0.0.1:8080", "", "", 32, func(_, query string, passages []string) any {
			return textsRequest{Query: query, Texts: passages, Truncate: true}
		}},
		// github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md
		"llamacpp": {"http://127.0.0.1:8080/v1", "", "", 1000, func(model, query string, passages []string) any {
			return request{Model: model, Query: query, Documents: passages}
		}},
	}
}

// request is the body that most servers read.
type request struct {
	Model           string   `json:"model,omitempty"`
	Query           string   `json:"query"`
	Documents       []string `json:"documents"`
	ReturnDocuments *bool    `json:"return_documents,omitempty"`
}

// textsRequest is the body that text-embeddings-inference reads.
type textsRequest struct {
	Query    string   `json:"query"`
	Texts    []string `json:"texts"`
	Truncate bool     `json:"truncate"` // else it refuses what is too long
}

// results is an answer in any of the forms: the list under "results" (Cohere,
// Jina, llama.cpp), under "data" (Voyage), or alone (text-embeddings-inference).
type results []result

type result struct {
	Index          *int     `json:"index"`
	RelevanceScore *float64 `json:"relevance_score"`
	Score          *float64 `json:"score"`
}
