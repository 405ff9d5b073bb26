package memoir

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"reflect"
	"slices"
	"time"

	"github.com/memoir-ai/memoir/internal/chunk"
	"github.com/memoir-ai/memoir/internal/rank"
)

// Config is what an [Engine] is made of. Store and at least one Source are
// required; the zero value of everything else is the documented default.
type Config struct {
	Store    Store
	Sources  []Source
	Embedder Embedder // nil: search by words only

	// Open opens the embedder of another space, the one that an index was made
	// with, so that it answers searches while the vectors of Embedder's space
	// are computed. It is called when the first search needs it; nil: words
	// answer alone until then.
	Open func(context.Context, Space) (Embedder, error)
	// Agent is the name of the agent whose index it is, for the filter agent:.
	Agent string
	// Vectors knows vectors that were computed elsewhere; nil: nobody does.
	Vectors VectorSource
	// Cache bounds the vectors that are kept for texts that come back.
	Cache CacheLimits

	Chunking ChunkOptions
	Ranking  RankOptions

	// Reranker orders the first passages of an answer anew; nil: nobody does.
	Reranker Reranker
	Rerank   RerankOptions

	// SyncBudget is how long a search may wait for changed files to be indexed
	// before it answers from what is there. 0 means [DefaultSyncBudget];
	// negative means that a search never syncs.
	SyncBudget time.Duration
	// EmbedTimeout bounds the embedding of one query. 0 means [DefaultEmbedTimeout],
	// a negative one is refused.
	EmbedTimeout time.Duration

	// Now tells the time that "last week" in a question, and age, are counted
	// from, in the user's own location; nil: [time.Now].
	Now func() time.Time
	// Answered is told of every answer that [Engine.Search] gives, after it is
	// made; nil: nobody is. It must not block, nor change what it is given.
	Answered func(Query, Results)
	// Logger receives what went wrong without stopping the work; nil discards it.
	Logger *slog.Logger
}

// The defaults of [Config].
const (
	DefaultSyncBudget   = 500 * time.Millisecond
	DefaultEmbedTimeout = time.Second
)

// ChunkOptions says how documents are cut into chunks.
type ChunkOptions struct {
	MaxTokens     int // estimated tokens of one chunk; 0 means 180
	OverlapTokens int // shared with the chunk before; 0 means 40, negative none
}

// The defaults of [ChunkOptions], chosen by measurement (docs/design/chunking.md).
const (
	DefaultMaxTokens     = 180
	DefaultOverlapTokens = 40
)

func (o ChunkOptions) options() chunk.Options {
	if o.MaxTokens == 0 {
		o.MaxTokens = DefaultMaxTokens
	}
	if o.OverlapTokens == 0 {
		o.OverlapTokens = min(DefaultOverlapTokens, o.MaxTokens/4)
	}
	return chunk.Options{MaxTokens: o.MaxTokens, OverlapTokens: max(o.OverlapTokens, 0)}
}

// RankOptions says how the two ranked lists become one.
type RankOptions struct {
	// Fusion is "convex", "weighted-sum" (OpenClaw's) or "rrf"; "" means [DefaultFusion].
	Fusion string
	// TextWeight and VectorWeight are scaled to the sum of 1. Both 0 means
	// [DefaultTextWeight] and [DefaultVectorWeight].
	TextWeight, VectorWeight float64
	// CandidateMultiplier is how many candidates each list gives for one hit
	// asked for, at first; 0 means [DefaultCandidateMultiplier]. Convex fusion takes
	// at least 32, and more until the answer is sure; the others at least 200.
	CandidateMultiplier int
	// LinkWeight is how much of its score a passage among the first gives to
	// the notes that it links to, 0 to 1, with convex fusion; 0 means
	// [DefaultLinkWeight], negative none.
	LinkWeight float64
	// Signals are what counts beside the lists and links.
	Signals SignalOptions
}

// The defaults of [RankOptions], chosen by measurement (docs/design/fusion.md).
const (
	DefaultFusion              = "convex"
	DefaultTextWeight          = 0.45
	DefaultVectorWeight        = 0.55
	DefaultCandidateMultiplier = 4
	DefaultLinkWeight          = 0.75
)

func (o RankOptions) withDefaults() RankOptions {
	if o.Fusion == "" {
		o.Fusion = DefaultFusion
	}
	if o.TextWeight == 0 && o.VectorWeight == 0 {
		o.TextWeight, o.VectorWeight = DefaultTextWeight, DefaultVectorWeight
	}
	if o.CandidateMultiplier == 0 {
		o.CandidateMultiplier = DefaultCandidateMultiplier
	}
	if o.LinkWeight == 0 {
		o.LinkWeight = DefaultLinkWeight
	}
	o.Signals = o.Signals.withDefaults()
	return o
}

func (o RankOptions) validate() error {
	switch rank.Fusion(o.Fusion) {
	case rank.Convex, rank.WeightedSum, rank.RRF:
	default:
		return fmt.Errorf("fusion %q is not one of convex, weighted-sum, rrf: %w", o.Fusion, ErrInvalid)
	}
	weights := o.TextWeight + o.VectorWeight
	if o.TextWeight < 0 || o.VectorWeight < 0 || o.CandidateMultiplier < 0 || math.IsNaN(weights) || math.IsInf(weights, 0) {
		return fmt.Errorf("weights and candidate multiplier must be finite and not negative: %w", ErrInvalid)
	}
	if o.LinkWeight > 1 || math.IsNaN(o.LinkWeight) {
		return fmt.Errorf("link weight %v is above 1: %w", o.LinkWeight, ErrInvalid)
	}
	return o.Signals.validate()
}

// indexVersion grows whenever the same document and options would give other
// chunks, terms or names than before, so that every index follows by itself.
const indexVersion = 10

// An Engine keeps the index of its sources and answers searches over it. It
// is safe for concurrent use.
type Engine struct {
	store    Store
	sources  []Source
	embedder Embedder
	chunking chunk.Options
	ranking  RankOptions
	recipe   string
	cfg      Config
	log      *slog.Logger
	syncing  chan struct{} // holds one token while a sync runs
	former   former
	queries  *queryVectors
	recent   recentScores
	reranks  *reranks
	calls    calls
	// embedding is done when the engine closes, and stopEmbedding says why.
	embedding     context.Context
	stopEmbedding context.CancelCauseFunc
}

// validate refuses parts that are missing, also those that are a nil pointer of
// a type that would be one.
func (cfg *Config) validate() error {
	switch {
	case isNil(cfg.Store):
		return fmt.Errorf("no store: %w", ErrInvalid)
	case len(cfg.Sources) == 0:
		return fmt.Errorf("no source: %w", ErrInvalid)
	case slices.ContainsFunc(cfg.Sources, func(s Source) bool { return isNil(s) }):
		return fmt.Errorf("a source is nil: %w", ErrInvalid)
	case cfg.Embedder != nil && isNil(cfg.Embedder):
		return fmt.Errorf("the embedder is a nil %T: %w", cfg.Embedder, ErrInvalid)
	case cfg.Reranker != nil && isNil(cfg.Reranker):
		return fmt.Errorf("the reranker is a nil %T: %w", cfg.Reranker, ErrInvalid)
	case cfg.EmbedTimeout < 0:
		return fmt.Errorf("the vector of a query within %v: the time must be more than 0: %w", cfg.EmbedTimeout, ErrInvalid)
	}
	return nil
}

func isNil(part any) bool {
	v := reflect.ValueOf(part)
	return part == nil || v.Kind() == reflect.Pointer && v.IsNil()
}

// New makes an Engine of its parts. The caller keeps ownership of the store
// until [Engine.Close]. Nothing is read yet.
func New(cfg Config) (*Engine, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	if c := cfg.Chunking; c.MaxTokens < 0 || c.MaxTokens > 0 && c.MaxTokens < 16 || c.OverlapTokens > 0 && c.MaxTokens > 0 && c.OverlapTokens >= c.MaxTokens {
		return nil, fmt.Errorf("chunks of %d tokens with %d of overlap: the size must be 16 or more and the overlap smaller: %w", c.MaxTokens, c.OverlapTokens, ErrInvalid)
	}
	cfg.Ranking = cfg.Ranking.withDefaults()
	if err := cfg.Ranking.validate(); err != nil {
		return nil, err
	}
	rerank, err := cfg.Rerank.withDefaults()
	if err != nil {
		return nil, err
	}
	if cfg.SyncBudget == 0 {
		cfg.SyncBudget = DefaultSyncBudget
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
	chunking := cfg.Chunking.options()
	embedding, stopEmbedding := context.WithCancelCause(context.Background())
	return &Engine{
		recipe: fmt.Sprintf("%d %d/%d", indexVersion, chunking.MaxTokens, chunking.OverlapTokens),
		store:  cfg.Store, sources: cfg.Sources, embedder: cfg.Embedder,
		chunking: chunking, ranking: cfg.Ranking,
		cfg: cfg, log: cfg.Logger, syncing: make(chan struct{}, 1),
		queries:   newQueryVectors(cfg.EmbedTimeout),
		reranks:   &reranks{reranker: cfg.Reranker, RerankOptions: rerank},
		embedding: embedding, stopEmbedding: stopEmbedding,
	}, nil
}

// Space returns the embedding space of the engine's embedder, the zero value without one.
func (e *Engine) Space() Space {
	if e.embedder == nil {
		return Space{}
	}
	return e.embedder.Space()
}

// Stats counts what is indexed.
func (e *Engine) Stats(ctx context.Context) (StoreStats, error) {
	if err := e.calls.begin("count the index"); err != nil {
		return StoreStats{}, err
	}
	defer e.calls.end()
	return e.store.Stats(ctx, e.Space())
}
