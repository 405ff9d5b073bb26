// Package indexing brings documents from their sources into the index. It
// compares what the sources list with what is indexed; it reads, cuts and
// analyses what changed, and commits it; and it computes the missing vectors.
package indexing

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/ability"
	"github.com/memoir-ai/memoir/internal/chunk"
	"github.com/memoir-ai/memoir/internal/layout"
	"github.com/memoir-ai/memoir/tune"
)

// Config is what an [Indexer] is made of.
type Config struct {
	Store    memoir.Store
	Sources  []memoir.Source
	Embedder memoir.Embedder     // nil: no vectors
	Vectors  memoir.VectorSource // nil: no vectors from elsewhere
	Cache    tune.Cache
	Chunking tune.Chunks
	Shelves  layout.Shelves
	Budget   time.Duration // time that a search may spend on changed files
	Lease    memoir.Lease  // nil: no other process computes vectors
	// OnBattery reports whether the machine saves power, so that work on many texts in
	// the background waits; nil: it never does.
	OnBattery func() bool
	Logger    *slog.Logger
	// Changed is called after every write to the index, with the documents that
	// were indexed and those that were removed. It must not block. nil: nothing
	// is called.
	Changed func(indexed, removed []memoir.DocID)
	// Synced is told how each sync of all documents ended and how long it took; nil:
	// nobody is.
	Synced func(stats memoir.SyncStats, took time.Duration, err error)
	// Outdated says why this process must leave the index to others, such as that it has
	// older settings than they have. It is asked before each sync; nil: it never must.
	Outdated func() error

	// Closing is done when no new work may begin and nothing may wait for
	// vectors any more. Its cause says why.
	Closing context.Context
	// Begin starts work in the background, which End ends. It returns an error
	// when the work must not begin.
	Begin func(doing string) error
	End   func()
}

// An Indexer keeps the index of its sources. It is safe for concurrent use.
type Indexer struct {
	store    memoir.Store
	sources  []memoir.Source
	embedder memoir.Embedder
	vectors  memoir.VectorSource
	cache    tune.Cache
	chunking chunk.Options
	shelves  layout.Shelves
	recipe   string
	budget   time.Duration
	log      *slog.Logger
	closing  context.Context
	begin    func(doing string) error
	end      func()
	syncing  chan struct{} // holds one token while a sync runs
	last     looked        // guarded by the token of syncing
	lease    memoir.Lease
	battery  func() bool
	changed  func(indexed, removed []memoir.DocID)
	synced   func(memoir.SyncStats, time.Duration, error)
	outdated func() error

	maintained maintenance
}

// New makes an Indexer from its parts, or returns an error that says what is
// wrong with the options.
func New(cfg Config) (*Indexer, error) {
	chunking, err := chunkingOf(cfg.Chunking)
	if err != nil {
		return nil, err
	}
	if cfg.Changed == nil {
		cfg.Changed = func([]memoir.DocID, []memoir.DocID) {}
	}
	if cfg.Synced == nil {
		cfg.Synced = func(memoir.SyncStats, time.Duration, error) {}
	}
	if cfg.Outdated == nil {
		cfg.Outdated = func() error { return nil }
	}
	if cfg.Lease == nil {
		cfg.Lease = ownLease{make(chan struct{}, 1)}
	}
	if cfg.OnBattery == nil {
		cfg.OnBattery = func() bool { return false }
	}
	return &Indexer{
		store: cfg.Store, sources: cfg.Sources, embedder: cfg.Embedder, vectors: cfg.Vectors, cache: cfg.Cache,
		chunking: chunking, shelves: cfg.Shelves, recipe: recipeOf(chunking, cfg.Shelves),
		budget: cfg.Budget, log: cfg.Logger, closing: cfg.Closing, begin: cfg.Begin, end: cfg.End,
		syncing: make(chan struct{}, 1), lease: cfg.Lease, battery: cfg.OnBattery, changed: cfg.Changed, synced: cfg.Synced, outdated: cfg.Outdated, maintained: maintenance{wake: make(chan struct{}, 1)},
	}, nil
}

// ownLease is a lease within one process.
type ownLease struct {
	taken chan struct{} // holds one token while the lease is taken
}

// Take implements [memoir.Lease].
func (l ownLease) Take(ctx context.Context, wait bool) (release func(), ok bool, err error) {
	if !wait {
		select {
		case l.taken <- struct{}{}:
			return func() { <-l.taken }, true, nil
		default:
			return nil, false, nil
		}
	}
	select {
	case l.taken <- struct{}{}:
		return func() { <-l.taken }, true, nil
	case <-ctx.Done():
		return nil, false, ctx.Err()
	}
}

// Wanted implements [memoir.Lease].
func (ownLease) Wanted() bool { return false }

// ChunkTokens returns how many tokens a chunk may hold.
func (x *Indexer) ChunkTokens() int { return x.chunking.MaxTokens }

// Read reads a document from the first source that has it. When none has it,
// the error wraps [memoir.ErrNotFound]. A source that says the document is not
// its own is asked only when all sources say so.
func (x *Indexer) Read(ctx context.Context, id memoir.DocID) (memoir.Document, error) {
	mayOwn := func(src memoir.Source) bool {
		o, ok := memoir.As[ability.Owner](src)
		return !ok || o.Owns(id)
	}
	all := !slices.ContainsFunc(x.sources, mayOwn)
	for _, src := range x.sources {
		if !all && !mayOwn(src) {
			continue
		}
		if doc, err := src.Read(ctx, id); !errors.Is(err, memoir.ErrNotFound) {
			return doc, err
		}
	}
	return memoir.Document{}, memoir.ErrNotFound
}

// Analyse cuts and analyses a document in the way that it is indexed.
func (x *Indexer) Analyse(doc memoir.Document) memoir.IndexedDocument {
	index, _ := x.analyse(doc)
	return index
}

// Current reports whether the index has the current document. When it has not,
// seen says whether the next sync will notice.
func (x *Indexer) Current(known *memoir.DocumentMeta, doc *memoir.Document) (current, seen bool) {
	return x.indexed(known, doc.Hash), known.Recipe != x.recipe || !sameFile(known, &doc.DocumentMeta)
}

// untilClosed returns a context that is also done when the engine closes, for
// work that may take long.
func (x *Indexer) untilClosed(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(x.closing, func() { cancel(context.Cause(x.closing)) })
	return ctx, func() {
		stop()
		cancel(nil)
	}
}
