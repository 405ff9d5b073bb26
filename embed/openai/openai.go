// Package openai is the [memoir.Embedder] of any server that answers
// POST /embeddings as OpenAI's does: OpenAI itself, vLLM, llama.cpp, Ollama,
// LM Studio, text-embeddings-inference, gateways.
//
// The texts leave the machine for wherever BaseURL points, and for nowhere
// else: redirects are refused, and the key stands in no error.
package openai

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"
	"unicode"

	"github.com/memoir-ai/memoir"
)

// The defaults of [Options].
const (
	DefaultBaseURL   = "https://api.openai.com/v1"
	DefaultModel     = "text-embedding-3-small"
	DefaultTimeout   = 30 * time.Second
	DefaultMaxBatch  = 64
	DefaultMaxTokens = 8000 // OpenAI's models read 8,191
	DefaultRetryWait = 500 * time.Millisecond
)

// maxDimensions bounds the memory that an answer can take.
const maxDimensions = 1 << 16

// Options says which server and model to use. The zero value with a key is OpenAI's.
type Options struct {
	// BaseURL is the address up to the part before /embeddings; "" means
	// [DefaultBaseURL]. Over http:// texts and key travel readable: use it on
	// this machine and in networks that are trusted.
	BaseURL string
	APIKey  string // "" sends none; OpenAI's own server needs one
	Model   string // "" means [DefaultModel]
	// Dimensions is the length of the vectors. 0 is the model's own, which is
	// known for OpenAI's models and has to be said for others. OpenAI's third
	// generation is asked for shorter vectors if it is less than their own.
	Dimensions int
	// QueryPrefix and DocumentPrefix are put before each text, for models that
	// were trained with them: "query: " and "passage: " for the E5 family.
	QueryPrefix, DocumentPrefix string
	Timeout                     time.Duration // of one request; 0 means [DefaultTimeout]
	MaxBatch                    int           // texts in one request; 0 means [DefaultMaxBatch]
	MaxTokens                   int           // estimated tokens after which a text is cut; 0 means [DefaultMaxTokens]
	// RetryWait is the time before the second attempt, doubled with each
	// further one; 0 means [DefaultRetryWait].
	RetryWait time.Duration
	// HTTPClient sends the requests; nil means one with the defaults of
	// net/http. Its CheckRedirect is not used.
	HTTPClient *http.Client
}

// Embedder computes vectors by asking a server. It is safe for concurrent use.
type Embedder struct {
	opts           Options // without zero values
	endpoint       *url.URL
	client         *http.Client
	space          memoir.Space
	sendDimensions bool
}

var _ memoir.Embedder = (*Embedder)(nil)

// New checks the options and returns the embedder. It sends nothing: a memoir
// without network opens, and the space of the vectors is known before the
// first of them. That is why the dimensions of a model that is not known here
// have to be given. What is wrong with an option is [memoir.ErrInvalid], a
// missing key [memoir.ErrUnavailable], both with a hint.
func New(opts Options) (*Embedder, error) {
	if err := opts.complete(); err != nil {
		return nil, err
	}
	endpoint, err := parseEndpoint(opts.BaseURL)
	if err != nil {
		return nil, err
	}
	if opts.APIKey == "" && endpoint.Hostname() == "api.openai.com" {
		return nil, memoir.WithHint(fmt.Errorf("openai: no key for %s: %w", endpoint.Host, memoir.ErrUnavailable),
			"set openai.apiKey, or MEMOIR_OPENAI_API_KEY")
	}
	native, shortens := knownModel(opts.Model)
	dimensions := opts.Dimensions
	switch {
	case dimensions == 0 && native == 0:
		return nil, memoir.WithHint(fmt.Errorf("openai: the length of the vectors of model %q is not known: %w", opts.Model, memoir.ErrInvalid),
			"set openai.dimensions to what the model's description says")
	case dimensions == 0:
		dimensions = native
	case native > 0 && (dimensions > native || dimensions < native && !shortens):
		return nil, memoir.WithHint(fmt.Errorf("openai: model %q has no vectors of %d dimensions, its own have %d: %w", opts.Model, dimensions, native, memoir.ErrInvalid),
			"leave openai.dimensions unset")
	}
	return &Embedder{
		opts:           opts,
		endpoint:       endpoint,
		client:         clientOf(opts.HTTPClient),
		sendDimensions: native > 0 && dimensions != native,
		space: memoir.Space{
			Provider: "openai", Model: opts.Model, Version: version(opts.DocumentPrefix), Dimensions: dimensions,
		},
	}, nil
}

// complete fills in defaults and checks what does not depend on another option.
func (o *Options) complete() error {
	setDefault(&o.BaseURL, DefaultBaseURL)
	setDefault(&o.Model, DefaultModel)
	setDefault(&o.Timeout, DefaultTimeout)
	setDefault(&o.MaxBatch, DefaultMaxBatch)
	setDefault(&o.MaxTokens, DefaultMaxTokens)
	setDefault(&o.RetryWait, DefaultRetryWait)
	o.APIKey = strings.TrimSpace(o.APIKey)
	switch {
	case o.Timeout < 0 || o.MaxBatch < 0 || o.MaxTokens < 0 || o.RetryWait < 0 || o.Dimensions < 0:
		return fmt.Errorf("openai: an option is negative: %w", memoir.ErrInvalid)
	case o.Dimensions > maxDimensions:
		return fmt.Errorf("openai: %d dimensions are more than %d: %w", o.Dimensions, maxDimensions, memoir.ErrInvalid)
	case strings.ContainsFunc(o.APIKey, func(r rune) bool { return r > unicode.MaxASCII || unicode.IsControl(r) }):
		return memoir.WithHint(fmt.Errorf("openai: the key has a character that no key has: %w", memoir.ErrInvalid), "check openai.apiKey")
	}
	return nil
}

func setDefault[T comparable](p *T, value T) {
	var zero T
	if *p == zero {
		*p = value
	}
}

func parseEndpoint(base string) (*url.URL, error) {
	u, err := url.Parse(base)
	if err != nil {
		var parseErr *url.Error
		if errors.As(err, &parseErr) {
			err = parseErr.Err // without the address, which may hold a secret
		}
		return nil, fmt.Errorf("openai: base URL: %v: %w", err, memoir.ErrInvalid)
	}
	switch {
	case u.Scheme != "https" && u.Scheme != "http" || u.Host == "":
		return nil, fmt.Errorf("openai: base URL has to start with https:// or http://: %w", memoir.ErrInvalid)
	case u.User != nil:
		return nil, memoir.WithHint(fmt.Errorf("openai: base URL holds a user: %w", memoir.ErrInvalid), "put the key into openai.apiKey")
	}
	return u.JoinPath("embeddings"), nil
}

// knownModel returns the length of the vectors of OpenAI's own models, which
// gateways name with a prefix, and whether they can be asked for shorter ones.
func knownModel(model string) (dimensions int, shortens bool) {
	switch path.Base(model) {
	case "text-embedding-3-small":
		return 1536, true
	case "text-embedding-3-large":
		return 3072, true
	case "text-embedding-ada-002":
		return 1536, false
	}
	return 0, false
}

// version tells vectors apart that were made of other texts. The prefix of
// queries is no part of it: no stored vector depends on it. Nor is the server's
// address: a server that moves keeps its vectors.
func version(documentPrefix string) string {
	if documentPrefix == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(documentPrefix))
	return hex.EncodeToString(sum[:4])
}

// clientOf returns a client that follows no redirect: the answer to one is an
// error that says where it leads, and neither texts nor key go there.
func clientOf(given *http.Client) *http.Client {
	var c http.Client
	if given != nil {
		c = *given
	}
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &c
}

// Space implements [memoir.Embedder].
func (e *Embedder) Space() memoir.Space { return e.space }

// Embed implements [memoir.Embedder]. Texts go out in batches, one request at
// a time; a request that the server refuses is halved until the text it cannot
// take stands alone and gets a nil vector, as blank texts do. A query that
// stands alone gets the error instead. Limits (429), failures of the server
// (5xx) and broken connections are tried again, with growing waits or the one
// that the server asks for; a server that cannot be reached is not. Errors of
// the server and the network wrap [memoir.ErrUnavailable]. When ctx is done a
// wait ends at once.
func (e *Embedder) Embed(ctx context.Context, task memoir.Task, texts []string) ([][]float32, error) {
	r := run{Embedder: e, task: task, out: make([][]float32, len(texts))}
	for _, batch := range e.batches(task, texts) {
		if err := r.embed(ctx, batch); err != nil {
			return nil, fmt.Errorf("openai: %w", err)
		}
	}
	return r.out, nil
}

// run is one call of Embed.
type run struct {
	*Embedder
	task  memoir.Task
	out   [][]float32
	works bool // the server has answered a request with vectors
}

// embed sends a batch, in halves where it has to be.
func (r *run) embed(ctx context.Context, batch []input) error {
	vectors, err := r.retry(ctx, r.task, batch)
	var status *statusError
	switch {
	case err == nil:
		r.works = true
		for i, in := range batch {
			r.out[in.position] = vectors[i]
		}
		return nil
	case !errors.As(err, &status) || !status.blamesInput():
		return err
	case len(batch) == 1 && r.task == memoir.TaskQuery:
		return err
	}
	// A wrong model or setting is refused like a bad text is. A text that
	// nobody can object to tells them apart, before each text is tried alone.
	if !r.works {
		if _, probeErr := r.retry(ctx, r.task, []input{{text: "memoir"}}); probeErr != nil {
			return err
		}
		r.works = true
	}
	if len(batch) == 1 {
		return nil
	}
	half := len(batch) / 2
	if err := r.embed(ctx, batch[:half]); err != nil {
		return err
	}
	return r.embed(ctx, batch[half:])
}
