package config

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Rerank says how the first passages of an answer are reranked.
type Rerank struct {
	Provider string // "none", "local" or the name of a kind of server
	Model    string // for local: the name of an installed model, or an absolute path
	BaseURL  string
	APIKey   string // secret, as [Remote.APIKey]
	Top      int    // how many of the first passages are reranked
	Timeout  time.Duration
}

// Leaves reports whether queries and passages are sent to another machine.
func (r Rerank) Leaves() bool { return r.BaseURL != "" && !IsThisMachine(r.BaseURL) }

// reranker is what is known of a server that reranks.
type reranker struct {
	name, baseURL string
	keys          []string // variables in which people usually have the key
}

func rerankers() []reranker {
	return []reranker{
		{"cohere", "https://api.cohere.com/v2", []string{"COHERE_API_KEY", "CO_API_KEY"}},
		{"jina", "https://api.jina.ai/v1", []string{"JINA_API_KEY"}},
		{"voyage", "https://api.voyageai.com/v1", []string{"VOYAGE_API_KEY"}},
		{"tei", "http://127.0.0.1:8080", nil},
		{"llamacpp", "http://127.0.0.1:8080/v1", nil},
	}
}

func rerankKeys() []Key {
	providers, addresses, variables := []string{"none", "local"}, []string{}, []string{}
	for _, r := range rerankers() {
		providers = append(providers, r.name)
		addresses = append(addresses, r.name+" "+r.baseURL)
		variables = append(variables, r.keys...)
	}
	return []Key{
		{Name: "rerank.provider", Default: "none", OneOf: providers, Doc: "Who reads the first results together with the query and orders them anew. none leaves the order; local is a model that memoir model pull installed and needs no network; tei (text-embeddings-inference) and llamacpp (started with --reranking) are servers of your own. A name is permission to send queries and passages there.",
			at: func(s *Settings) any { return &s.Rerank.Provider }},
		{Name: "rerank.model", Doc: "Model that reranks. For local the name of an installed one, or an absolute path; for cohere rerank-v3.5 when not set, for jina jina-reranker-v2-base-multilingual, for voyage rerank-2.5-lite, for the others what the server was started with.", yours: notPath,
			at: func(s *Settings) any { return &s.Rerank.Model }},
		{Name: "rerank.baseURL", Doc: fmt.Sprintf("Address of the server, up to the part before /rerank; when not set, the provider's: %s. Queries and passages are sent there.", strings.Join(addresses, ", ")), yours: never,
			at: func(s *Settings) any { return &s.Rerank.BaseURL }, want: "an address that starts with https:// or http://",
			ok: func(s *Settings) bool { return s.Rerank.BaseURL == "" || isWebAddress(s.Rerank.BaseURL) }},
		{Name: "rerank.apiKey", Secret: true, Doc: fmt.Sprintf("Key of the server; when not set, the provider's variable out of %s. Write \"${NAME}\" to take it from another variable instead of keeping it in a file.", strings.Join(variables, ", ")), yours: never,
			at: func(s *Settings) any { return &s.Rerank.APIKey }},
		{Name: "rerank.top", Default: "25", Doc: "How many of the first results are reranked, whatever number is asked for.",
			at: func(s *Settings) any { return &s.Rerank.Top }, want: "between 2 and 200",
			ok: func(s *Settings) bool { return s.Rerank.Top >= 2 && s.Rerank.Top <= 200 }},
		{Name: "rerank.timeout", Default: "2s", Doc: "How long reranking may take before the results stay in the order that they have.",
			at: func(s *Settings) any { return &s.Rerank.Timeout }, want: "more than 0",
			ok: func(s *Settings) bool { return s.Rerank.Timeout > 0 }},
	}
}

// rerank fills in the address of the chosen server, and its key from the usual
// variable.
func (l *loader) rerank() error {
	r := &l.out.Rerank
	at := slices.IndexFunc(rerankers(), func(k reranker) bool { return k.name == r.Provider })
	if at < 0 {
		r.BaseURL = "" // nothing is sent
		return nil
	}
	known := rerankers()[at]
	if r.BaseURL == "" {
		r.BaseURL = known.baseURL
		l.out.origins["rerank.baseURL"] = Origin{LayerDefault, "provider " + r.Provider}
	}
	if l.out.IsSet("rerank.apiKey") {
		return nil
	}
	for _, variable := range known.keys {
		if value := l.env.get(variable); value != "" {
			r.APIKey = value
			l.out.origins["rerank.apiKey"] = Origin{LayerEnv, variable}
			l.out.references["rerank.apiKey"] = variable
			break
		}
	}
	return nil
}
