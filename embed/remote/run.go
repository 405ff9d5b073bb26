package remote

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/memoir-ai/memoir"
)

// How often a request is sent, and how long a server may ask to wait. A query
// has somebody waiting, who is answered by words meanwhile.
const (
	documentTries = 5
	queryTries    = 2
	maxWait       = time.Minute
	maxElapsed    = 5 * time.Minute
	maxCuts       = 6 // a text that is too long is halved this often
)

// run is one call of Embed.
type run struct {
	*Embedder
	task memoir.Task
	out  [][]float32 // each place is written by one goroutine
}

// all embeds the batches, each in its own time. The first error stops the rest.
func (r *run) all(ctx context.Context, batches [][]input) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var (
		wg    sync.WaitGroup
		once  sync.Once
		first error
	)
	for _, batch := range batches {
		wg.Go(func() {
			if err := r.embed(ctx, batch); err != nil {
				once.Do(func() { first = err })
				stop()
			}
		})
	}
	wg.Wait()
	return first
}

// embed embeds a batch, in halves where it has to be.
func (r *run) embed(ctx context.Context, batch []input) error {
	vectors, err := r.ask(ctx, r.task, batch)
	if err == nil {
		r.works.Store(true)
		for i, in := range batch {
			r.out[in.position] = vectors[i]
		}
		return nil
	}
	f := failureOf(err)
	if f == nil || ctx.Err() != nil || !f.mayBeSize(len(batch)) {
		return err
	}
	// A wrong model or setting is refused like a bad text is, and a server that
	// hangs is silent like one that has too much to do. A text that nobody can
	// object to tells them apart, before each text is tried alone.
	if !r.works.Load() && f.kind != batchTooLarge {
		if _, probeErr := r.ask(ctx, r.task, []input{{text: probe}}); probeErr != nil {
			return err
		}
		r.works.Store(true)
	}
	if len(batch) == 1 {
		return r.alone(ctx, batch[0], err)
	}
	if f.kind == batchTooLarge || f.kind == timedOut {
		r.learnMaxTexts(len(batch))
	}
	middle := len(batch) / 2
	if err := r.embed(ctx, batch[:middle]); err != nil {
		return err
	}
	return r.embed(ctx, batch[middle:])
}

// alone handles a text that was refused on its own. A text that is too long is
// cut until the model can read it; one that cannot be taken has no vector.
func (r *run) alone(ctx context.Context, in input, err error) error {
	for range maxCuts {
		if f := failureOf(err); f == nil || f.kind != textTooLong {
			break
		}
		in.text = half(in.text)
		var vectors [][]float32
		if vectors, err = r.ask(ctx, r.task, []input{in}); err == nil {
			r.out[in.position] = vectors[0]
			return nil
		}
	}
	if f := failureOf(err); r.task == memoir.TaskQuery || f == nil || !f.mayBeSize(1) {
		return err
	}
	return nil
}

// ask sends a batch until it is answered, refused, or not worth another attempt.
func (e *Embedder) ask(ctx context.Context, task memoir.Task, batch []input) ([][]float32, error) {
	waits := backoff.NewExponentialBackOff()
	waits.InitialInterval = e.cfg.RetryWait
	waits.Multiplier = 2
	waits.MaxInterval = maxWait / 2
	tries := documentTries
	if task == memoir.TaskQuery {
		tries = queryTries
	}
	start := time.Now()
	for try := 1; ; try++ {
		vectors, err := e.once(ctx, task, batch)
		switch f := failureOf(err); {
		case err == nil:
			return vectors, nil
		case ctx.Err() != nil && (f == nil || f.kind == timedOut || f.kind == broken):
			return nil, e.ended(ctx, err)
		case f == nil || !f.again() || try == tries || f.kind == timedOut && len(batch) > 1:
			return nil, err
		default:
			wait := max(waits.NextBackOff(), f.wait)
			// No use in a wait that cannot end; the server's error says more than the deadline's.
			if time.Since(start)+wait > maxElapsed || endsBefore(ctx, wait) {
				return nil, err
			}
			if sleep(ctx, wait) != nil {
				return nil, e.ended(ctx, err)
			}
		}
	}
}

// ended says that the caller's patience ended, not the server's.
func (e *Embedder) ended(ctx context.Context, err error) error {
	cause := context.Cause(ctx)
	if cause == context.DeadlineExceeded { // which is the server's doing
		return fmt.Errorf("ask %s: no answer in time: %w", e.client.base.Host, &failure{text: err.Error(), kind: timedOut, cause: cause})
	}
	return fmt.Errorf("ask %s: %w", e.client.base.Host, cause)
}

// once makes one attempt.
func (e *Embedder) once(ctx context.Context, task memoir.Task, batch []input) ([][]float32, error) {
	texts := make([]string, len(batch))
	for i, in := range batch {
		texts[i] = in.text
	}
	t, err := e.gate.enter(ctx)
	if err != nil {
		return nil, err
	}
	body, err := e.client.Send(ctx, Request{Path: e.cfg.Path, JSON: e.cfg.Encode(task, texts), MaxAnswer: MaxAnswer(len(batch), e.space.Dimensions)})
	f := failureOf(err)
	e.gate.leave(t, err == nil, f != nil && (f.kind == busy || f.kind == timedOut))
	if err != nil {
		if f != nil && f.wait > 0 {
			e.gate.close(f.wait)
		}
		return nil, err
	}
	vectors, err := e.decode(body, len(batch))
	if err != nil {
		return nil, e.client.Refuse(err)
	}
	return vectors, nil
}
