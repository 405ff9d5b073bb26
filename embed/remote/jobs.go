package remote

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/ability"
)

const (
	// minJob is the number of texts below which a job is not worth its hours.
	minJob = 200
	// jobTimeout is how long one request about a job may take: files go up and down.
	jobTimeout = 10 * time.Minute
	// jobPause is how long no job is submitted after one has failed as a whole.
	// Meanwhile texts are embedded at once.
	jobPause = 24 * time.Hour
)

// A JobAPI is how a provider handles texts for which it may take hours.
type JobAPI struct {
	MaxTexts int // of one job
	// Submit begins a job and returns its id.
	Submit func(ctx context.Context, c *Client, items []Item) (id string, err error)
	// Collect asks for the state of a job. dimensions bounds how much of the
	// answer is read.
	Collect func(ctx context.Context, c *Client, id string, dimensions int) (Outcome, error)
	// Delete removes what the provider keeps of a job that was collected.
	Delete func(ctx context.Context, c *Client, id string) error
}

// An Item is a text of a job, in the form that the model should read.
type Item struct {
	ID   string // of the text; says nothing of it
	Text string
}

// An Outcome is the state of a job.
type Outcome struct {
	Done    bool
	Vectors map[string][]float32 // by [Item.ID]; of a job that ended early some are missing
	Failure string               // why there are no vectors at all; "" when there are
}

// Batcher is an [Embedder] that submits many texts as jobs. It implements
// [ability.BatchEmbedder]. It is safe for concurrent use within one process; the
// caller keeps other processes from using the same file.
type Batcher struct {
	*Embedder
	file     jobFile
	readOnly bool
	client   *Client // patient
}

var _ ability.BatchEmbedder = (*Batcher)(nil)

// WithJobs returns the embedder with the provider's jobs. It remembers the jobs
// in a file, which holds ids and hashes but no text and no key. If the file
// cannot be read it counts as empty, and its texts are sent again. If anything
// but an ordinary file is in its place, such as a symbolic link, it is not
// read, and no job is submitted. With readOnly it submits and collects no jobs,
// and only keeps texts under way from being sent again. A provider without jobs
// gives [memoir.ErrInvalid].
func (e *Embedder) WithJobs(file string, readOnly bool) (*Batcher, error) {
	if e.cfg.Jobs == nil {
		return nil, fmt.Errorf("%s has no batch jobs: %w", e.cfg.Provider, memoir.ErrInvalid)
	}
	patient := *e.client
	patient.timeout = jobTimeout
	return &Batcher{Embedder: e, file: jobFile{path: file}, readOnly: readOnly, client: &patient}, nil
}

// Collect implements [ability.BatchEmbedder].
func (b *Batcher) Collect(ctx context.Context, keep func(map[memoir.Hash][]float32) error) (err error) {
	if b.readOnly {
		return nil
	}
	b.file.mu.Lock()
	defer b.file.mu.Unlock()
	state := b.file.read()
	for _, job := range slices.Clone(state.Jobs) {
		if job.Space == b.space.Key() {
			ended, err := b.collect(ctx, job, &state, keep)
			if err != nil {
				return fmt.Errorf("%s: batch job %s: %w", b.cfg.Provider, job.ID, err)
			}
			if !ended {
				continue
			}
		} // otherwise nobody wants the vectors any more
		state.Jobs = slices.DeleteFunc(state.Jobs, func(j batchJob) bool { return j.ID == job.ID })
		if err := b.file.write(state); err != nil {
			return err
		}
	}
	return nil
}

// collect asks for one job and reports whether it is over. Its result is kept
// before the job is forgotten, so that a crash loses nothing.
func (b *Batcher) collect(ctx context.Context, job batchJob, state *jobState, keep func(map[memoir.Hash][]float32) error) (ended bool, err error) {
	out, err := b.cfg.Jobs.Collect(ctx, b.client, job.ID, b.space.Dimensions)
	if f := failureOf(err); f != nil && (f.status == http.StatusNotFound || f.status == http.StatusGone) {
		return true, nil // somebody deleted the job; its texts are sent again
	}
	if err != nil || !out.Done {
		return false, err
	}
	vectors := map[memoir.Hash][]float32{}
	asked := toSet(job.Texts)
	for id, v := range out.Vectors {
		if hash := memoir.Hash(id); asked[hash] && b.check(v) == nil {
			vectors[hash] = v
		}
	}
	if len(vectors) == 0 {
		state.pause(b.client.clean(out.Failure))
	}
	if err := keep(vectors); err != nil {
		return false, err
	}
	// What is not deleted only takes space on the provider's disk.
	_ = b.cfg.Jobs.Delete(ctx, b.client, job.ID)
	return true, nil
}

// Submit implements [ability.BatchEmbedder].
func (b *Batcher) Submit(ctx context.Context, texts []memoir.PendingText) (map[memoir.Hash]bool, error) {
	b.file.mu.Lock()
	defer b.file.mu.Unlock()
	state := b.file.read()
	underway := map[memoir.Hash]bool{}
	for _, job := range state.Jobs {
		if job.Space == b.space.Key() {
			maps.Copy(underway, toSet(job.Texts))
		}
	}
	var fresh []Item
	for _, t := range texts {
		if !underway[t.Hash] && strings.TrimSpace(t.Text) != "" {
			text, _ := cut(b.cfg.DocumentPrefix+t.Text, b.cfg.Limits.TextTokens)
			fresh = append(fresh, Item{string(t.Hash), text})
		}
	}
	if b.readOnly || len(fresh) < minJob || time.Now().Before(state.PausedUntil) {
		return underway, nil
	}
	if err := b.file.check(); err != nil {
		return underway, err // a job that is not remembered would be paid for in vain
	}
	for items := range slices.Chunk(fresh, b.cfg.Jobs.MaxTexts) {
		id, err := b.cfg.Jobs.Submit(ctx, b.client, items)
		if f := failureOf(err); f != nil && !f.again() && ctx.Err() == nil && f.status > 0 {
			state.pause(f.text) // the provider takes no jobs: embed at once instead
			return underway, b.file.write(state)
		}
		if err != nil {
			return underway, fmt.Errorf("%s: begin a batch job: %w", b.cfg.Provider, err)
		}
		job := batchJob{ID: id, Space: b.space.Key(), Submitted: time.Now().UTC().Truncate(time.Second)}
		for _, item := range items {
			job.Texts = append(job.Texts, memoir.Hash(item.ID))
		}
		state.Jobs = append(state.Jobs, job)
		if err := b.file.write(state); err != nil {
			return underway, err
		}
		maps.Copy(underway, toSet(job.Texts))
	}
	return underway, nil
}

func toSet(hashes []memoir.Hash) map[memoir.Hash]bool {
	set := make(map[memoir.Hash]bool, len(hashes))
	for _, h := range hashes {
		set[h] = true
	}
	return set
}
