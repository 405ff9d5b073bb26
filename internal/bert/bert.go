// Package bert runs BERT encoders (Devlin et al., arXiv 1810.04805) such as
// multilingual-e5-small on the processor: token ids in, one vector per text out,
// or of a cross-encoder one number per pair of texts.
//
// The weights are read in place from the model file. A panel of 32 outputs at a
// time is unpacked into a buffer and multiplied with all rows of a batch. So
// starting costs nothing, and the work memory is small. If the processor
// multiplies bytes faster than float32, the panel and the rows are rounded to 8
// bits. Attention, norms and activations stay in float32.
//
// Texts are packed into batches without padding. One goroutine computes a batch
// from the first layer to the last. Only if there are fewer batches than
// workers, as for a query, do several goroutines share its products. A text's
// vector has the same bits whichever batch it is computed in.
package bert

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/memoir-ai/memoir/internal/giveway"
	"github.com/memoir-ai/memoir/internal/modelfile"
	"github.com/memoir-ai/memoir/internal/vecmath"
)

// Options say how an encoder uses the machine. The zero value uses all of it.
type Options struct {
	// Workers is the highest number of goroutines that one call of Embed uses.
	// 0, or more than GOMAXPROCS, means GOMAXPROCS.
	Workers int
	// Kernels are the routines to compute with; nil means [vecmath.Best].
	Kernels *vecmath.Kernels
}

// Encoder turns token ids into vectors. It is safe for concurrent use.
type Encoder struct {
	model   *model
	kernels *vecmath.Kernels
	workers int
	scratch sync.Pool // of *scratch
}

// New returns an encoder over the weights of a model file, which it reads in
// place: the bytes that f refers to must not change while the encoder is in
// use.
func New(f *modelfile.File, opts Options) (*Encoder, error) {
	kernels := opts.Kernels
	if kernels == nil {
		var err error
		if kernels, err = vecmath.Best(); err != nil {
			return nil, fmt.Errorf("bert: %w", err)
		}
	}
	m, err := load(f)
	if err != nil {
		return nil, fmt.Errorf("bert: %w", err)
	}
	return newEncoder(m, kernels, opts.Workers), nil
}

func newEncoder(m *model, kernels *vecmath.Kernels, workers int) *Encoder {
	most := runtime.GOMAXPROCS(0)
	if workers <= 0 || workers > most {
		workers = most
	}
	return &Encoder{
		model:   m,
		kernels: kernels,
		workers: workers,
		scratch: sync.Pool{New: func() any { return new(scratch) }},
	}
}

// With returns an encoder over the same weights that computes with another number
// of workers, as [Options] has it.
func (e *Encoder) With(workers int) *Encoder {
	return newEncoder(e.model, e.kernels, workers)
}

// Dimensions returns the length of the vectors.
func (e *Encoder) Dimensions() int { return e.model.hidden }

// MaxTokens returns the highest number of ids of a text.
func (e *Encoder) MaxTokens() int { return e.model.positions }

// Kernels returns the routines that the encoder computes with.
func (e *Encoder) Kernels() *vecmath.Kernels { return e.kernels }

// Embed returns one vector of length 1 for each text, in order. The vectors of
// a model that reranks only serve to test it. A text is given as its token ids,
// including markers such as <s> and </s>: at least one id, at most MaxTokens,
// all known to the model. Otherwise Embed fails before it computes anything.
//
// Besides the vectors it needs work memory for each worker: 6.1 MB with 384
// dimensions and texts of at most 512 tokens, however many texts there are.
// When ctx is cancelled, it finishes the current layer and returns the
// context's error. Between two pieces of a layer it gives way as
// [giveway.From] of ctx has it.
func (e *Encoder) Embed(ctx context.Context, texts [][]int32) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	err := e.run(ctx, sequences{ids: texts}, func(text int, states []float32) (err error) {
		vectors[text], err = e.pool(states)
		return err
	})
	if err != nil || len(texts) == 0 {
		return nil, err
	}
	return vectors, nil
}

// sequences are what the encoder reads.
type sequences struct {
	ids     [][]int32
	seconds []int          // where the second text of each begins; nil: there is one text only
	kinds   [][2][]float32 // what is added to the states of its texts before the adapted layers
}

// run computes the last states of each text and passes them to done, from
// several goroutines.
func (e *Encoder) run(ctx context.Context, in sequences, done func(text int, states []float32) error) error {
	if err := e.check(in.ids); err != nil {
		return err
	}
	if len(in.ids) == 0 {
		return nil
	}
	batches := pack(in.ids, e.workers)
	workers := min(e.workers, len(batches))
	errs := make([]error, workers)
	var next atomic.Int64
	work := func(worker int) {
		s := e.scratch.Get().(*scratch)
		defer e.scratch.Put(s)
		s.split(e.workers / workers)
		for errs[worker] == nil {
			i := int(next.Add(1)) - 1
			if i >= len(batches) {
				return
			}
			errs[worker] = e.runBatch(ctx, s, in, batches[i], done)
		}
	}
	together(workers, func(worker int) { giveway.Run(ctx, func() { work(worker) }) })
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// together runs work(0) to work(n-1) at once, work(0) in this goroutine, and
// waits for all.
func together(n int, work func(i int)) {
	var wg sync.WaitGroup
	for i := 1; i < n; i++ {
		wg.Go(func() { work(i) })
	}
	work(0)
	wg.Wait()
}

func (e *Encoder) check(texts [][]int32) error {
	for i, ids := range texts {
		if len(ids) == 0 {
			return fmt.Errorf("bert: text %d has no tokens", i)
		}
		if len(ids) > e.model.positions {
			return fmt.Errorf("bert: text %d has %d tokens, the model reads %d", i, len(ids), e.model.positions)
		}
		for j, id := range ids {
			if id < 0 || int(id) >= e.model.words.Rows {
				return fmt.Errorf("bert: text %d: token %d has id %d, the model knows 0 to %d", i, j, id, e.model.words.Rows-1)
			}
		}
	}
	return nil
}
