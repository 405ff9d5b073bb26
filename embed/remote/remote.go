// Package remote is what all providers over HTTP have in common, whether they
// return vectors or rerank passages. It packs texts into requests and sends as
// many at a time as the server copes with. It waits when the server asks for
// that, retries, and halves requests that the server refuses. It checks answers
// and errors before it trusts them.
//
// A provider says in a [Config] how to write its requests, how to read its
// answers and what its limits are. For all of them, redirects are refused, so
// that neither texts nor key go where nobody sent them, and no error contains
// the key.
package remote

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/memoir-ai/memoir"
)

// The defaults of [Options].
const (
	DefaultTimeout     = 30 * time.Second
	DefaultRetryWait   = 500 * time.Millisecond
	DefaultConcurrency = 8
)

// MaxDimensions is the highest length of a vector. It bounds the memory that an
// answer can take.
const MaxDimensions = 1 << 16

// Options are what a caller may set for any provider. The zero value is the
// documented defaults.
type Options struct {
	Timeout     time.Duration // of one request, and of all attempts for a query; 0 means [DefaultTimeout]
	RetryWait   time.Duration // before the second attempt, doubled with each further one; 0 means [DefaultRetryWait]
	Concurrency int           // most requests at a time; 0 means [DefaultConcurrency]
	// HTTPClient sends the requests; nil means one of its own with the defaults
	// of net/http. Its CheckRedirect is not used.
	HTTPClient *http.Client
}

// Limits are what one request may hold. 0 is no limit.
type Limits struct {
	Texts      int
	Tokens     int // estimated, of all texts together
	Bytes      int // of all texts together
	TextTokens int // estimated; a longer text is cut
}

// A Config describes a provider: all in which it differs from others.
type Config struct {
	Options
	Provider string // its name in settings; errors and hints begin with it
	// BaseURL is the address to which Path is added. Over http:// anybody on the
	// way can read texts and key.
	BaseURL string
	Path    []string    // of embedding requests
	Key     string      // taken out of error texts; "" is none
	Header  http.Header // of every request, with the key in it
	Model   string
	// Dimensions is the length of the vectors; 0 means that the server is asked
	// once, by [Open].
	Dimensions                  int
	QueryPrefix, DocumentPrefix string // put before each text
	Limits                      Limits
	// Unit says that the client scales the server's vectors to length 1.
	Unit bool
	// Encode returns the body of a request, to be written as JSON.
	Encode func(task memoir.Task, texts []string) any
	// Decode reads the vectors from the body of an answer, in the order of the
	// texts. The caller checks how many there are and what they contain.
	Decode func(body []byte) ([][]float32, error)
	// Jobs are the provider's batch jobs; nil when it has none.
	Jobs *JobAPI
}

// Embedder computes vectors by asking a server. It implements
// [memoir.Embedder] and [ability.Packer], and is safe for concurrent use.
type Embedder struct {
	cfg    Config
	client *Client
	gate   *gate
	space  memoir.Space

	works    atomic.Bool  // the server has answered a request with vectors
	maxTexts atomic.Int64 // of a request, as learnt from refusals; 0 is nothing learnt
}

// Open checks the configuration and returns the embedder. If the dimensions are
// given it sends nothing, so that memoir can open it without a network.
// Otherwise it sends one short text, within the deadline of ctx and the
// timeout. A wrong option gives [memoir.ErrInvalid], a server that does not
// answer [memoir.ErrUnavailable], both with a hint where there is a next step.
func Open(ctx context.Context, cfg Config) (*Embedder, error) {
	client, err := NewClient(cfg.Provider, cfg.BaseURL, cfg.Key, cfg.Header, cfg.Options)
	if err != nil {
		return nil, err
	}
	switch {
	case cfg.Concurrency < 0 || cfg.Dimensions < 0 || cfg.Limits.Texts < 0 || cfg.Limits.TextTokens < 0:
		return nil, fmt.Errorf("%s: an option is negative: %w", cfg.Provider, memoir.ErrInvalid)
	case cfg.Dimensions > MaxDimensions:
		return nil, fmt.Errorf("%s: %d dimensions are more than %d: %w", cfg.Provider, cfg.Dimensions, MaxDimensions, memoir.ErrInvalid)
	}
	SetDefault(&cfg.Concurrency, DefaultConcurrency)
	e := &Embedder{cfg: cfg, client: client, gate: newGate(cfg.Concurrency), space: memoir.Space{
		Provider: cfg.Provider, Model: cfg.Model, Version: version(cfg.DocumentPrefix), Dimensions: cfg.Dimensions,
	}}
	if cfg.Dimensions == 0 {
		if err := e.learnDimensions(ctx); err != nil {
			return nil, fmt.Errorf("%s: learn the length of its vectors: %w", cfg.Provider, err)
		}
	}
	return e, nil
}

// SetDefault gives *p a value when it has none.
func SetDefault[T comparable](p *T, value T) {
	var zero T
	if *p == zero {
		*p = value
	}
}

// version distinguishes vectors that were made of other texts. It does not
// include the prefix of queries, because no stored vector depends on it, nor
// the server's address, because a server that moves keeps its vectors.
func version(documentPrefix string) string {
	if documentPrefix == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(documentPrefix))
	return hex.EncodeToString(sum[:4])
}

// probe is a text that no server can object to.
const probe = "memoir"

func (e *Embedder) learnDimensions(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, e.client.timeout)
	defer cancel()
	vectors, err := e.ask(ctx, memoir.TaskQuery, []input{{text: probe}})
	if err != nil {
		return err
	}
	e.space.Dimensions = len(vectors[0])
	e.works.Store(true)
	return nil
}

// Space implements [memoir.Embedder].
func (e *Embedder) Space() memoir.Space { return e.space }

// Embed implements [memoir.Embedder]. It packs texts into requests and sends
// several at a time: few at first, more while all goes well, and half as many
// when the server says that it is too much.
//
// A request that the server refuses is halved until the text that it cannot
// take stands alone. That text gets a nil vector, as blank texts do; a text
// that is too long for the model is cut first. A query that stands alone gets
// the error instead.
//
// Limits (429), server failures (5xx) and broken connections are tried again,
// after growing waits or the wait that the server asks for. A server that
// cannot be reached is not tried again. All attempts for a query together take
// at most one timeout. Errors of the server and the network wrap
// [memoir.ErrUnavailable], and come with the vectors that were computed before.
// When ctx is done, a wait ends at once.
func (e *Embedder) Embed(ctx context.Context, task memoir.Task, texts []string) ([][]float32, error) {
	if task == memoir.TaskQuery {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, e.client.timeout)
		defer cancel()
	}
	r := &run{Embedder: e, task: task, out: make([][]float32, len(texts))}
	if err := r.all(ctx, e.pack(task, texts)); err != nil {
		return r.out, fmt.Errorf("%s: %w", e.cfg.Provider, err)
	}
	return r.out, nil
}

// packed is how many texts each request of a call should have.
const packed = 128

// Texts implements [ability.Packer]: it returns as many as fill the requests
// that may be sent at a time.
func (e *Embedder) Texts() int {
	each := packed
	if most := e.cfg.Limits.Texts; most > 0 {
		each = min(each, most)
	}
	return each * e.cfg.Concurrency
}

// Shorten checks the length asked for (0: none was) against a known model's own
// length. It returns the length to use, and whether the server must be told.
// allowed says which other lengths the model can give.
func Shorten(provider, model string, asked, own int, allowed func(int) bool) (dimensions int, tell bool, err error) {
	switch {
	case asked == 0 || asked == own:
		return own, false, nil
	case asked > 0 && allowed(asked):
		return asked, true, nil
	}
	return 0, false, memoir.WithHint(fmt.Errorf("%s: model %q has no vectors of %d dimensions, its own have %d: %w", provider, model, asked, own, memoir.ErrInvalid),
		"leave "+provider+".dimensions unset")
}

// Bearer returns the header that most providers take a key in; "" gives none.
func Bearer(key string) http.Header {
	if key == "" {
		return nil
	}
	return http.Header{"Authorization": {"Bearer " + key}}
}

// NeedKey returns the key without surrounding blanks, or an error that tells
// how to set one. variable is the environment variable that people use for it.
func NeedKey(provider, key, variable string) (string, error) {
	if key = strings.TrimSpace(key); key != "" {
		return key, nil
	}
	return "", memoir.WithHint(fmt.Errorf("%s: there is no key: %w", provider, memoir.ErrUnavailable),
		fmt.Sprintf("set the variable %s, or %s.apiKey", variable, provider))
}

// sleep waits, or until ctx is done.
func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// endsBefore reports whether ctx is over before a wait is.
func endsBefore(ctx context.Context, wait time.Duration) bool {
	deadline, ok := ctx.Deadline()
	return ok && time.Until(deadline) <= wait
}

// failureOf returns the failure within an error, nil when it is another error.
func failureOf(err error) *failure {
	var f *failure
	errors.As(err, &f)
	return f
}
