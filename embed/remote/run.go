package remote

import (
	"context"
	"sync"

	"github.com/memoir-ai/memoir"
)

// maxCuts is how often a text that is too long is halved.
const maxCuts = 6

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
func (e *Embedder) ask(ctx context.Context, task memoir.Task, batch []input) (vectors [][]float32, err error) {
	tries := documentTries
	if task == memoir.TaskQuery {
		tries = queryTries
	}
	err = e.client.retry(ctx, tries, len(batch) > 1, func() error {
		vectors, err = e.once(ctx, task, batch)
		return err
	})
	return vectors, err
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
