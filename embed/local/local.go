// Package local embeds text on this machine, with the model inside the binary
// (package embed/local/weights) or one read from a file. It needs no network,
// no key and no library. It computes nothing before the first text.
package local

import (
	"context"
	"fmt"
	"sync"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/bert"
	"github.com/memoir-ai/memoir/internal/modelfile"
	"github.com/memoir-ai/memoir/internal/reader"
	"github.com/memoir-ai/memoir/internal/reader/weights"
)

// Options say how an [Embedder] uses the machine. The zero value uses all of it.
type Options struct {
	// DocumentWorkers is the highest number of goroutines with which one call
	// embeds documents; 0 means GOMAXPROCS.
	DocumentWorkers int
}

// An Embedder runs a model on this machine. It is safe for concurrent use.
type Embedder struct {
	file        *modelfile.File
	space       memoir.Space
	calibration memoir.Calibration
	prefix      map[memoir.Task]string
	tokenizer   modelfile.Tokenizer
	encoder     func() (*bert.Encoder, error)
	documents   func() (*bert.Encoder, error) // for documents; nil: encoder
	reader      func() (*reader.Reader, error)
	maxTokens   int
}

// New returns the embedder of a model file that memoir model convert has
// written. The file is read in place: its bytes must not change while the
// embedder is in use. An empty file gives [memoir.ErrUnavailable], a model that
// reranks [memoir.ErrInvalid].
func New(file []byte, opts Options) (*Embedder, error) {
	e, err := open(file, opts)
	if err == nil && e.file.Info().Reranks {
		return nil, memoir.WithHint(fmt.Errorf("the model %s reranks and gives no vectors: %w", e.space.Model, memoir.ErrInvalid),
			"memoir model use "+e.space.Model+" makes it rerank; memoir model use inside goes back for vectors")
	}
	return e, err
}

// open opens any model file.
func open(file []byte, opts Options) (*Embedder, error) {
	if len(file) == 0 {
		return nil, memoir.WithHint(fmt.Errorf("meaning needs a provider or an installed model, for this memoir has none inside: %w", memoir.ErrUnavailable),
			"memoir model pull multilingual-e5-small && memoir model use multilingual-e5-small, or set provider in .memoir.toml")
	}
	f, err := modelfile.Parse(file)
	if err != nil {
		return nil, memoir.WithHint(fmt.Errorf("open the model: %w", err), "install memoir again, or convert the model again: memoir model convert")
	}
	tokenizer, err := f.Tokenizer()
	if err != nil {
		return nil, fmt.Errorf("open the model's tokenizer: %w", err)
	}
	info := f.Info()
	e := &Embedder{
		file: f,
		space: memoir.Space{
			Provider: "local", Model: info.Name, Dimensions: info.Hidden,
			// The checksum covers everything else that changes the vectors:
			// weights, tokenizer, prefixes.
			Version: f.Checksum()[:12],
		},
		calibration: memoir.Calibration{Unrelated: info.UnrelatedCosine},
		prefix:      map[memoir.Task]string{memoir.TaskDocument: info.DocumentPrefix, memoir.TaskQuery: info.QueryPrefix},
		tokenizer:   tokenizer,
		encoder: sync.OnceValues(func() (*bert.Encoder, error) {
			return bert.New(f, bert.Options{})
		}),
		maxTokens: info.MaxTokens,
	}
	e.reader = sync.OnceValues(func() (*reader.Reader, error) {
		encoder, err := e.encoder()
		if err != nil {
			return nil, err
		}
		return reader.New(f, encoder, weights.File())
	})
	if opts.DocumentWorkers > 0 {
		e.documents = sync.OnceValues(func() (*bert.Encoder, error) {
			encoder, err := e.encoder()
			if err != nil {
				return nil, err
			}
			return encoder.With(opts.DocumentWorkers), nil
		})
	}
	return e, nil
}

// Space returns the model's space. Its version is the beginning of the file's checksum.
func (e *Embedder) Space() memoir.Space { return e.space }

// Checksum returns the SHA-256 that the file states, in hexadecimal.
func (e *Embedder) Checksum() string { return e.file.Checksum() }

// Scripts returns the scripts that the model reads, as its file states them;
// nil means all.
func (e *Embedder) Scripts() []string { return e.file.Info().Scripts }

// Calibration returns how the model's cosines are distributed, as measured
// when the file was made.
func (e *Embedder) Calibration() memoir.Calibration { return e.calibration }

// Reads reports whether something was learned for this encoder, so that [Embedder.Reader]
// gives what reads texts. It opens nothing.
func (e *Embedder) Reads() bool { return reader.Belongs(e.file, weights.File()) }

// Reader returns what reads texts with the same encoder, or an error when nothing
// was learned for this one.
func (e *Embedder) Reader() (*reader.Reader, error) { return e.reader() }

// Embed returns a vector of length 1 for each text. A text is cut at the
// model's limit of tokens, prefix included.
func (e *Embedder) Embed(ctx context.Context, task memoir.Task, texts []string) ([][]float32, error) {
	open := e.encoder
	if task == memoir.TaskDocument && e.documents != nil {
		open = e.documents
	}
	encoder, err := open()
	if err != nil {
		return nil, fmt.Errorf("open the model: %w", err)
	}
	ids := make([][]int32, len(texts))
	for i, text := range texts {
		ids[i] = e.tokenizer.Encode(nil, e.prefix[task]+text, e.maxTokens)
	}
	vectors, err := encoder.Embed(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("embed with %s: %w", e.space.Model, err)
	}
	return vectors, nil
}
