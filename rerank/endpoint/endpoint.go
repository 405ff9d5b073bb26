// Package endpoint is the [memoir.Reranker] of servers that rerank over HTTP:
// Cohere, Jina AI, Voyage AI, text-embeddings-inference and llama.cpp's server
// started with --reranking. Other servers answer in one of the same forms. vLLM
// and LocalAI, for example, answer as Jina does.
//
// Query and passages go to the server at BaseURL and nowhere else. Package
// embed/remote sends them.
package endpoint

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/remote"
)

// settings is the table that hints name: rerank.baseURL, rerank.apiKey.
const settings = "rerank"

// Options says which server and model to use.
type Options struct {
	Provider string // "cohere", "jina", "voyage", "tei" or "llamacpp"
	// BaseURL is the address up to the part before /rerank; "" is the provider's
	// own, and for tei and llamacpp port 8080 of this machine. Over http:// texts
	// and key travel readable.
	BaseURL string
	APIKey  string // the servers of Cohere, Jina and Voyage need one
	Model   string // "" is the provider's default, or what the server was started with
	remote.Options
}

// A Reranker asks a server. It is safe for concurrent use.
type Reranker struct {
	provider, model string
	shape           shape
	client          *remote.Client
}

var _ memoir.Reranker = (*Reranker)(nil)

// New checks the options and returns the reranker. It sends nothing. A wrong
// option is [memoir.ErrInvalid]; a missing key is [memoir.ErrUnavailable] with a
// hint.
func New(opts Options) (*Reranker, error) {
	s, ok := shapes()[opts.Provider]
	if !ok {
		return nil, fmt.Errorf("rerank: provider %q: %w", opts.Provider, memoir.ErrInvalid)
	}
	remote.SetDefault(&opts.Model, s.model)
	key := strings.TrimSpace(opts.APIKey)
	remote.SetDefault(&opts.BaseURL, s.baseURL)
	if s.variable != "" && opts.BaseURL == s.baseURL {
		var err error
		if key, err = remote.NeedKey(settings, opts.APIKey, s.variable); err != nil {
			return nil, err
		}
	}
	client, err := remote.NewClient(settings, opts.BaseURL, key, remote.Bearer(key), opts.Options)
	if err != nil {
		return nil, err
	}
	return &Reranker{opts.Provider, opts.Model, s, client}, nil
}

// Model returns the name of the model that is asked for, "" for whichever the
// server has.
func (r *Reranker) Model() string { return r.model }

// Rerank implements [memoir.Reranker]. The scores are what the server gives:
// between 0 and 1, but logits from llama.cpp. A limit, a failure of the server
// or a broken connection is tried once more. Errors of the server and the
// network, and answers that cannot be used, wrap [memoir.ErrUnavailable].
func (r *Reranker) Rerank(ctx context.Context, query string, passages []string) ([]float64, error) {
	scores := make([]float64, 0, len(passages))
	for some := range slices.Chunk(passages, r.shape.most) {
		s, err := r.ask(ctx, query, some)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.provider, err)
		}
		scores = append(scores, s...)
	}
	return scores, nil
}

// overhead bounds what an answer has beside the passages, which some servers
// repeat, in bytes.
const overhead = 1 << 20

func (r *Reranker) ask(ctx context.Context, query string, passages []string) ([]float64, error) {
	most := int64(overhead)
	for _, p := range passages {
		most += 2 * int64(len(p))
	}
	var list results
	err := r.client.Ask(ctx, remote.Request{Path: []string{"rerank"}, JSON: r.shape.body(r.model, query, passages), MaxAnswer: most}, &list)
	if err != nil {
		return nil, err
	}
	scores, err := list.scores(len(passages))
	if err != nil {
		return nil, r.client.Refuse(err)
	}
	return scores, nil
}

// UnmarshalJSON reads any of the forms.
func (l *results) UnmarshalJSON(body []byte) error {
	if bytes.HasPrefix(bytes.TrimSpace(body), []byte("[")) {
		return json.Unmarshal(body, (*[]result)(l))
	}
	var outer struct {
		Results []result `json:"results"`
		Data    []result `json:"data"`
	}
	if err := json.Unmarshal(body, &outer); err != nil {
		return err
	}
	*l = append(outer.Results, outer.Data...)
	return nil
}

// scores returns the scores in the order of n passages, when there is one for each.
func (l results) scores(n int) ([]float64, error) {
	if len(l) != n {
		return nil, fmt.Errorf("%d %s for %d %s", len(l), english.PluralWord(len(l), "score", ""), n, english.PluralWord(n, "passage", ""))
	}
	scores, seen := make([]float64, n), make([]bool, n)
	for _, r := range l {
		score := r.RelevanceScore
		if score == nil {
			score = r.Score
		}
		switch {
		case r.Index == nil || score == nil:
			return nil, errors.New("a result without index or score")
		case *r.Index < 0 || *r.Index >= n:
			return nil, fmt.Errorf("a result for passage %d of %d", *r.Index, n)
		case seen[*r.Index]:
			return nil, fmt.Errorf("two results for passage %d", *r.Index)
		}
		scores[*r.Index], seen[*r.Index] = *score, true
	}
	return scores, nil
}
