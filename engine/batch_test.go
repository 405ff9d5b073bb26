package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/embedtest"
	"github.com/memoir-ai/memoir/engine"
)

// overnight is an embedder that takes the texts it is told to as a job.
type overnight struct {
	*embedtest.Counting
	takes string                                 // texts that hold it go into the job
	job   map[memoir.Hash]string                 // under way
	done  bool                                   // the job has ended
	err   error                                  // of both methods
	spoil func(memoir.Hash, []float32) []float32 // of what the job gives
}

func (o *overnight) Collect(ctx context.Context, keep func(map[memoir.Hash][]float32) error) error {
	if o.err != nil || !o.done {
		return o.err
	}
	vectors := map[memoir.Hash][]float32{}
	for hash, text := range o.job {
		v, err := (&embedtest.Embedder{}).Embed(ctx, memoir.TaskDocument, []string{text})
		if err != nil {
			return err
		}
		if v[0] = o.spoil(hash, v[0]); v[0] != nil {
			vectors[hash] = v[0]
		}
	}
	if err := keep(vectors); err != nil {
		return err
	}
	o.job = nil
	return nil
}

func (o *overnight) Submit(_ context.Context, texts []memoir.PendingText) (map[memoir.Hash]bool, error) {
	underway := map[memoir.Hash]bool{}
	if o.job == nil && !o.done {
		o.job = map[memoir.Hash]string{}
		for _, t := range texts {
			if strings.Contains(t.Text, o.takes) {
				o.job[t.Hash] = t.Text
			}
		}
	}
	for hash := range o.job {
		underway[hash] = true
	}
	return underway, o.err
}

func keepAll(_ memoir.Hash, v []float32) []float32 { return v }

func newOvernight() *overnight {
	return &overnight{Counting: embedtest.NewCounting(&embedtest.Embedder{}), takes: "ferry", spoil: keepAll}
}

// Texts of a job are found by their words and are not sent a second time. They
// get their vectors when the job is done. Other texts get theirs at once.
func TestBatchJobs(t *testing.T) {
	o := newOvernight()
	n := newNotes(t, engine.Config{Embedder: o}, "a.md", "The ferry leaves at nine.\n", "b.md", "Tea in the garden.\n", "c.md", "Tickets for the ferry: ask Ingrid.\n")
	n.sync()
	if got, want := n.embed(), (memoir.EmbedStats{Embedded: 1, Underway: 2}); got != want {
		t.Errorf("first run: got %+v, want %+v", got, want)
	}
	if res := n.search(memoir.Query{Text: "ferry", NoSync: true}); len(res.Hits) != 2 || len(res.Degraded) == 0 {
		t.Errorf("meanwhile: got %d hits, degraded %+v", len(res.Hits), res.Degraded)
	}
	if got, want := n.embed(), (memoir.EmbedStats{Underway: 2}); got != want {
		t.Errorf("second run: got %+v, want %+v", got, want)
	}
	o.done = true
	if got, want := n.embed(), (memoir.EmbedStats{Embedded: 2}); got != want {
		t.Errorf("third run: got %+v, want %+v", got, want)
	}
	if res := n.search(memoir.Query{Text: "ferry", NoSync: true}); len(res.Degraded) != 0 {
		t.Errorf("afterwards: degraded %+v", res.Degraded)
	}
	for _, text := range o.Texts() {
		if strings.Contains(text, "leaves at nine") {
			t.Errorf("a text of the job was sent again: %q", text)
		}
	}
}

// What a job gives none for is embedded at once by the run that learns of it.
func TestBatchJobWithGaps(t *testing.T) {
	o := newOvernight()
	n := newNotes(t, engine.Config{Embedder: o}, "a.md", "The ferry leaves at nine.\n", "c.md", "Tickets for the ferry: ask Ingrid.\n")
	n.sync()
	n.embed()
	lost := memoir.HashText("no such text")
	for hash := range o.job {
		lost = hash
	}
	o.spoil = func(hash memoir.Hash, v []float32) []float32 {
		if hash == lost {
			return nil
		}
		return v
	}
	o.done = true
	if got, want := n.embed(), (memoir.EmbedStats{Embedded: 2}); got != want || o.Calls() != 1 {
		t.Errorf("got %+v after %d calls, want %+v after 1", got, o.Calls(), want)
	}
}

func TestBatchJobErrors(t *testing.T) {
	o := newOvernight()
	n := newNotes(t, engine.Config{Embedder: o}, "a.md", "The ferry leaves at nine.\n")
	n.sync()
	n.embed()
	o.done = true
	o.spoil = func(_ memoir.Hash, v []float32) []float32 { return v[:1] }
	if _, err := n.engine.EmbedPending(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "1 dimensions, not 64") {
		t.Errorf("a vector of other dimensions: got %v", err)
	}
	o.err = memoir.WithHint(errors.New("the provider is away"), "wait")
	if _, err := n.engine.EmbedPending(t.Context(), nil); !errors.Is(err, o.err) || memoir.Hint(err) != "wait" {
		t.Errorf("got %v (%s)", err, memoir.Hint(err))
	}
}

// halfway is an embedder that stops in the middle of a call, and says how many
// texts a call should have.
type halfway struct {
	*embedtest.Counting
	err error
}

func (h *halfway) Texts() int { return 1000 }

func (h *halfway) Embed(ctx context.Context, task memoir.Task, texts []string) ([][]float32, error) {
	vectors, err := h.Counting.Embed(ctx, task, texts)
	if err == nil && h.err != nil {
		clear(vectors[len(vectors)/2:])
	}
	return vectors, errors.Join(err, h.err)
}

func TestWhatWasComputedBeforeAnErrorStays(t *testing.T) {
	h := &halfway{embedtest.NewCounting(&embedtest.Embedder{}), errors.New("the provider went away")}
	var files []string
	for i := range 200 {
		files = append(files, fmt.Sprintf("%d.md", i), fmt.Sprintf("Note number %d.\n", i))
	}
	n := newNotes(t, engine.Config{Embedder: h}, files...)
	n.sync()
	stats, err := n.engine.EmbedPending(t.Context(), nil)
	if want := (memoir.EmbedStats{Embedded: 100}); !errors.Is(err, h.err) || stats != want {
		t.Errorf("got %+v, %v, want %+v", stats, err, want)
	}
	h.err = nil
	if got, want := n.embed(), (memoir.EmbedStats{Embedded: 100}); got != want || h.Calls() != 2 {
		t.Errorf("got %+v after %d calls, want %+v after 2", got, h.Calls(), want)
	}
}
