package search

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/analyze"
	"github.com/memoir-ai/memoir/internal/rank"
	"github.com/memoir-ai/memoir/internal/trace"
	"github.com/memoir-ai/memoir/tune"
)

// Config is what a [Searcher] is made of. What [New] does not give a default for
// is required.
type Config struct {
	Store     Index
	Documents Documents
	// Notes are what [Searcher.Why] asks beside a Store that is a whole [memoir.Store];
	// nil: it is not for this searcher.
	Notes    Notes
	Embedder memoir.Embedder // nil: search by words alone
	// Open opens the embedder of the space that an index was made with; nil: none can be.
	Open  func(context.Context, memoir.Space) (memoir.Embedder, error)
	Agent string        // whose index it is
	Kinds []memoir.Kind // of the documents that there may be
	// Joined says that several memories answer as one: a path may begin with the name of
	// one, as in "user:memory/".
	Joined bool

	Ranking tune.Rank
	// Weigh returns what the entries in passages say of their weight, and how often
	// they were found, for the salience seed; nil: front matter alone counts.
	Weigh       func(ctx context.Context, passages []memoir.Chunk) ([]memoir.Salience, error)
	ChunkTokens int // what a chunk may hold
	Reranker    memoir.Reranker
	Rerank      tune.Rerank

	Syncs        bool // a search indexes changed files first
	EmbedTimeout time.Duration
	Now          func() time.Time
	Logger       *slog.Logger
}

// An Index is what a search asks of a store.
type Index interface {
	// View is that of a [memoir.Store].
	View(ctx context.Context, f func(memoir.View) error) error
	// Stats is that of a [memoir.Store].
	Stats(ctx context.Context, space memoir.Space) (memoir.StoreStats, error)
}

// Documents is what a search asks of the side that reads and indexes notes. It is
// safe for concurrent use.
type Documents interface {
	// Freshen indexes changed files within a budget of time, and says what it did
	// not get done. Missing vectors are computed while the context that embedding
	// returns lasts; nil, or one that is not ok: none are.
	Freshen(ctx context.Context, embedding func(context.Context) (context.Context, context.CancelFunc, bool)) []memoir.Degradation
	// Filling reports whether missing vectors are computed without a search, and why
	// the last try to compute some failed, nil when it did not.
	Filling() (bool, error)
}

// Notes are documents as their sources have them, beside the index. It is safe for
// concurrent use.
type Notes interface {
	// Read returns a document as its source has it now.
	Read(ctx context.Context, id memoir.DocID) (memoir.Document, error)
	// Analyse cuts a document as for the index.
	Analyse(doc memoir.Document) memoir.IndexedDocument
	// Current reports whether the index has a document as it is, and if not,
	// whether the next sync will see that.
	Current(known *memoir.DocumentMeta, doc *memoir.Document) (current, seen bool)
}

// A Searcher answers questions over one index. It is safe for concurrent use.
type Searcher struct {
	cfg     Config
	former  former
	queries *queryVectors
	recent  recentScores
	reranks *reranks
}

// New makes a Searcher of its parts, or says what is wrong with the options.
func New(cfg Config) (*Searcher, error) {
	cfg.Ranking = rankingOf(cfg.Ranking)
	if err := checkRanking(cfg.Ranking); err != nil {
		return nil, err
	}
	rerank, err := rerankingOf(cfg.Rerank)
	if err != nil {
		return nil, err
	}
	return &Searcher{cfg: cfg, queries: newQueryVectors(cfg.EmbedTimeout), reranks: &reranks{reranker: cfg.Reranker, Rerank: rerank}}, nil
}

// Close ends what waits for the embedder.
func (e *Searcher) Close() { e.queries.close() }

// space returns the space of the embedder, the zero value without one.
func (e *Searcher) space() memoir.Space {
	if e.cfg.Embedder == nil {
		return memoir.Space{}
	}
	return e.cfg.Embedder.Space()
}

// Search answers a query, as the engine's method of that name says. What cannot
// take part is left out and named in [memoir.Results.Degraded]; an error means that
// nothing could answer.
//
// A larger limit appends hits and never reorders: with convex fusion the
// candidates grow until no chunk that was not looked at can enter the answer
// (the threshold algorithm of Fagin, Lotem and Naor, 2001).
func (e *Searcher) Search(ctx context.Context, q memoir.Query) (memoir.Results, error) {
	start := time.Now()
	q, err := complete(q, e.cfg.Kinds)
	if err != nil {
		return memoir.Results{}, err
	}
	s := e.ask(q)
	found, err := s.run(ctx)
	if errors.Is(err, memoir.ErrCorrupt) && s.syncs() {
		// Nothing is left to answer with. What the sync of a second search finds
		// damaged it heals.
		s = e.ask(q)
		found, err = s.run(ctx)
	}
	if err == nil && len(found) == 0 && s.syncs() && e.empty(ctx) {
		// The index was taken away between the look at the notes and the search.
		s = e.ask(q)
		found, err = s.run(ctx)
	}
	if err != nil {
		return memoir.Results{}, err
	}
	s.setThreshold(found)
	res := memoir.Results{Query: q.Text, Mode: s.mode(), Degraded: s.degraded, Hits: s.hits(found), Threshold: s.query.MinScore}
	if s.vector != nil {
		res.Space = s.space
	}
	if res.Nothing = nothing(res.Hits); res.Nothing != "" && q.Brief && !limited(q) {
		res.Hits = res.Hits[:min(len(res.Hits), unsureHits)]
	}
	stage := trace.Begin(ctx, "show")
	s.show(ctx, &res)
	stage.End(len(res.Hits), "hits")
	if len(res.Hits) == 0 {
		res.Reason = s.reason(ctx, found)
	}
	if q.Explain {
		res.Understood = s.asked.explain()
		res.Terms = s.storeTerms()
	}
	res.Took = time.Since(start)
	return res, nil
}

// empty reports whether nothing is indexed.
func (e *Searcher) empty(ctx context.Context) bool {
	stats, err := e.cfg.Store.Stats(ctx, memoir.Space{})
	return err == nil && stats.Documents == 0
}

// Near returns the chunks that a text is nearest to by word and by meaning, the
// nearest first, at most so many, in the index as it is. The text is words alone. Vector is the text's in
// the embedder's space; nil: it is computed.
func (e *Searcher) Near(ctx context.Context, text string, vector []float32, limit int) ([]memoir.Chunk, error) {
	q, err := complete(memoir.Query{Text: text, Literal: true, Limit: limit, NoSync: true}, e.cfg.Kinds)
	if err != nil {
		return nil, err
	}
	s := e.ask(q)
	s.given, s.bare = vector, true
	all, err := s.run(ctx)
	if err != nil {
		return nil, err
	}
	var near []memoir.Chunk
	for _, f := range all[:min(len(all), limit)] {
		if f.score > 0 {
			near = append(near, f.chunk)
		}
	}
	return near, nil
}

func (e *Searcher) ask(q memoir.Query) search {
	asked := e.understand(q)
	s := search{searcher: e, query: q, asked: asked, terms: analyze.Query(asked.text), together: analyze.WrittenTogether(asked.text), today: midnightOf(e.cfg.Now()),
		weights: rank.Weights{Text: e.cfg.Ranking.TextWeight, Vector: e.cfg.Ranking.VectorWeight}.Normalize()}
	s.signals = s.chooseSignals()
	return s
}
