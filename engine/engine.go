// Package engine is the memory itself: it keeps the index of some notes, answers searches
// over them, and writes down what it is told.
//
// [New] makes an [Engine] from a store, sources and, to search by meaning, an embedder.
// [Engine.Sync] and [Engine.EmbedPending] index what there is, or [Engine.Maintain] does
// both for a process that lives on. [Engine.Search] finds. With [Config.Writing]
// [Engine.Remember] keeps what is told, and [Engine.Undo] takes it back.
//
// There is one engine for each workspace. Engines may share an embedder, never a store or
// a folder of state. [Engine.Close] closes the store; a source that watches its folder is
// closed by who opened it.
package engine

import (
	"context"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/indexing"
	"github.com/memoir-ai/memoir/internal/layout"
	"github.com/memoir-ai/memoir/internal/remember"
	"github.com/memoir-ai/memoir/internal/search"
	"github.com/memoir-ai/memoir/tune"
)

// Config is what an [Engine] is made of. It needs a Store and at least one
// Source. The zero value of everything else is the documented default.
type Config struct {
	Store    memoir.Store
	Sources  []memoir.Source
	Embedder memoir.Embedder // nil: search by words only
	// Reads is an embedder that reads what is told, as the model inside the binary does,
	// when Embedder does not. nil: then only the words of a text count.
	Reads memoir.Embedder

	// Open opens the embedder of another space, with which the index was made.
	// That embedder answers searches while the vectors of Embedder's space are
	// computed. It is called when the first search needs it. nil: until then
	// searches use words alone.
	Open func(context.Context, memoir.Space) (memoir.Embedder, error)
	// Agent is the name of the agent that the index belongs to, for the filter
	// agent:.
	Agent string
	// Vectors has vectors that were computed elsewhere; nil: there are none.
	Vectors memoir.VectorSource
	// Lease makes sure that only one of the processes that share an index
	// computes its missing vectors. nil: this engine alone uses the index.
	Lease memoir.Lease
	// OnBattery reports whether the machine saves power: then [Engine.Maintain] computes
	// missing vectors only while they are a few. It may be called every few seconds, by
	// several goroutines. nil: it never does.
	OnBattery func() bool
	// Cache bounds the vectors that are kept for texts that may come back.
	Cache tune.Cache

	Chunking tune.Chunks
	Ranking  tune.Rank

	// Reranker orders the first passages of an answer anew; nil: the order
	// stays.
	Reranker memoir.Reranker
	Rerank   tune.Rerank

	// Writing says where the engine may write; the zero value: nowhere.
	Writing Writing
	// Whose says whose notes these are, in the frame round what [Engine.Prime] and
	// [Engine.Recall] give an agent; "" means the user's own.
	Whose string
	// Consent says why the user has not agreed to these notes, which others may have
	// written. As long as it returns an error they are found, but [Engine.Prime] and
	// [Engine.Recall] give nothing of them, and a change of them ends with that error. It
	// must be quick and safe for concurrent use. nil: the notes need no consent.
	Consent func() error

	// SyncBudget is how long a search may wait for changed files to be indexed
	// before it answers from the index as it is. 0 means that a search never syncs,
	// nil [DefaultSyncBudget].
	SyncBudget *time.Duration
	// EmbedTimeout bounds the embedding of one query. 0 means [DefaultEmbedTimeout],
	// a negative one is refused.
	EmbedTimeout time.Duration

	// Now returns the current time, in the user's location. Ages and "last week"
	// in a question are counted from it. nil: [time.Now].
	Now func() time.Time
	// Answered is called with every answer of [Engine.Search], after it is made.
	// It must not block or change what it is given. nil: nothing is called.
	Answered func(memoir.Query, memoir.Results)
	// Changed is called after every change that this engine makes to the index,
	// with the documents that were indexed, new or changed, and those that were
	// removed. It must not block, and may be called by several goroutines at
	// once. nil: nothing is called.
	Changed func(indexed, removed []memoir.DocID)
	// Synced is told of every look at all documents that ended, by [Engine.Sync] and
	// [Engine.Maintain]: what it did, how long it took, and the error that it ended with;
	// nil: nobody is. No other sync goes on meanwhile.
	Synced func(stats memoir.SyncStats, took time.Duration, err error)
	// Outdated says why this engine must leave the index to others that share it, such as
	// that it was made from older settings. As long as it returns an error, documents are
	// neither compared with the index nor embedded, and searches say why; what is told to
	// this engine is indexed nevertheless. It is asked before each look, by several
	// goroutines at once. nil: the engine never must.
	Outdated func() error
	// Logger receives errors that do not stop the work; nil discards them.
	Logger *slog.Logger
}

// The defaults of [Config].
const (
	DefaultSyncBudget   = 500 * time.Millisecond
	DefaultEmbedTimeout = time.Second
)

// An Engine keeps the index of its sources and answers searches over it. It
// is safe for concurrent use.
type Engine struct {
	store    memoir.Store
	sources  []memoir.Source
	embedder memoir.Embedder
	reads    memoir.Embedder
	answered func(memoir.Query, memoir.Results)
	indexer  *indexing.Indexer
	searcher *search.Searcher
	asking   search.Config    // what searcher was made from
	keeper   *remember.Keeper // nil: nothing is written
	shelves  layout.Shelves
	now      func() time.Time
	whose    string       // as in [Config]
	consent  func() error // as in [Config]
	calls    calls
	telling  chan struct{} // has a token for each text that is being kept
	readable sync.Map      // paths of notes that were written to and that a source reads
	// stopEmbedding ends all waiting for vectors, with the cause.
	stopEmbedding context.CancelCauseFunc
}

// validate refuses missing parts, including nil pointers in an interface.
func (cfg *Config) validate() error {
	switch {
	case isNil(cfg.Store):
		return fmt.Errorf("no store: %w", memoir.ErrInvalid)
	case len(cfg.Sources) == 0:
		return fmt.Errorf("no source: %w", memoir.ErrInvalid)
	case slices.ContainsFunc(cfg.Sources, func(s memoir.Source) bool { return isNil(s) }):
		return fmt.Errorf("a source is nil: %w", memoir.ErrInvalid)
	case cfg.Embedder != nil && isNil(cfg.Embedder):
		return fmt.Errorf("the embedder is a nil %T: %w", cfg.Embedder, memoir.ErrInvalid)
	case cfg.Reranker != nil && isNil(cfg.Reranker):
		return fmt.Errorf("the reranker is a nil %T: %w", cfg.Reranker, memoir.ErrInvalid)
	case cfg.SyncBudget != nil && *cfg.SyncBudget < 0:
		return fmt.Errorf("the time to index changed files is %v, and must be 0 or more: %w", *cfg.SyncBudget, memoir.ErrInvalid)
	case cfg.EmbedTimeout < 0:
		return fmt.Errorf("the time to embed a query is %v, and must be more than 0: %w", cfg.EmbedTimeout, memoir.ErrInvalid)
	case cfg.Writing.Dir != "" && cfg.Writing.State == "":
		return fmt.Errorf("a folder to write to without one for its history: %w", memoir.ErrInvalid)
	}
	return nil
}

func isNil(part any) bool {
	v := reflect.ValueOf(part)
	return part == nil || v.Kind() == reflect.Pointer && v.IsNil()
}

// New makes an Engine from its parts. The caller owns the store until
// [Engine.Close]. New reads nothing yet.
func New(cfg Config) (*Engine, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	syncBudget := DefaultSyncBudget
	if cfg.SyncBudget != nil {
		syncBudget = *cfg.SyncBudget
	}
	if cfg.EmbedTimeout == 0 {
		cfg.EmbedTimeout = DefaultEmbedTimeout
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	closing, stopEmbedding := context.WithCancelCause(context.Background())
	e := &Engine{telling: make(chan struct{}, tellers), store: cfg.Store, sources: cfg.Sources, embedder: cfg.Embedder, reads: cfg.Reads, answered: cfg.Answered, stopEmbedding: stopEmbedding,
		shelves: layout.Shelves(cfg.Writing.Files), now: cfg.Now, whose: cfg.Whose, consent: cfg.Consent}
	var err error
	if e.indexer, err = indexing.New(indexing.Config{
		Store: cfg.Store, Sources: cfg.Sources, Embedder: cfg.Embedder, Vectors: cfg.Vectors, Cache: cfg.Cache, Lease: cfg.Lease, OnBattery: cfg.OnBattery,
		Chunking: cfg.Chunking, Shelves: layout.Shelves(cfg.Writing.Files), Budget: syncBudget, Logger: cfg.Logger, Changed: cfg.Changed, Synced: cfg.Synced, Outdated: cfg.Outdated,
		Closing: closing, Begin: e.calls.beginAside, End: e.calls.endAside,
	}); err != nil {
		return nil, err
	}
	e.asking = search.Config{
		Store: cfg.Store, Documents: e.indexer, Notes: e.indexer, Embedder: cfg.Embedder, Open: cfg.Open, Agent: cfg.Agent, Kinds: kinds(cfg.Sources),
		Ranking: cfg.Ranking, Weigh: e.weigh, ChunkTokens: e.indexer.ChunkTokens(), Reranker: cfg.Reranker, Rerank: cfg.Rerank,
		Syncs: syncBudget > 0, EmbedTimeout: cfg.EmbedTimeout, Now: cfg.Now, Logger: cfg.Logger,
	}
	if e.searcher, err = search.New(e.asking); err != nil {
		return nil, err
	}
	if cfg.Writing.Dir == "" {
		return e, nil
	}
	if e.keeper, err = e.open(cfg.Writing, cfg.Now, cfg.Consent); err != nil {
		return nil, err
	}
	return e, nil
}

// kinds returns the kinds that documents can have.
func kinds(sources []memoir.Source) []memoir.Kind {
	kinds := []memoir.Kind{memoir.KindNote, memoir.KindSession, memoir.KindCollection}
	for _, src := range sources {
		if k := src.Kind(); !slices.Contains(kinds, k) {
			kinds = append(kinds, k)
		}
	}
	return kinds
}

// sessions reports whether a source has sessions.
func (e *Engine) sessions() bool {
	return slices.ContainsFunc(e.sources, func(src memoir.Source) bool { return src.Kind() == memoir.KindSession })
}

// notes returns the sources whose documents may be changed.
func (e *Engine) notes() (notes []memoir.Source) {
	for _, src := range e.sources {
		if !src.Kind().ReadOnly() {
			notes = append(notes, src)
		}
	}
	return notes
}

// Space returns the embedding space of the engine's embedder, the zero value without one.
func (e *Engine) Space() memoir.Space {
	if e.embedder == nil {
		return memoir.Space{}
	}
	return e.embedder.Space()
}

// Stats counts what is indexed.
func (e *Engine) Stats(ctx context.Context) (memoir.StoreStats, error) {
	if err := e.calls.begin("count the index"); err != nil {
		return memoir.StoreStats{}, err
	}
	defer e.calls.end()
	return e.store.Stats(ctx, e.Space())
}
