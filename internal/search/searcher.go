// Package search is the side of an engine that reads the index: it makes terms and a
// vector of a question, collects and scores candidates, and shows the best as hits. It
// never writes, and asks for changed notes to be indexed through [Documents].
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

// Config is what a [Searcher] is made of. Everything is required that [New] has
// no default for.
type Config struct {
	Store     Index
	Documents Documents
	// Notes are the documents that [Searcher.Why] reads. Why also needs a Store
	// that is a whole [memoir.Store]. nil: this searcher cannot answer Why.
	Notes    Notes
	Embedder memoir.Embedder // nil: search by words alone
	// Open opens the embedder of the space that the index was made with; nil: it
	// cannot be opened.
	Open  func(context.Context, memoir.Space) (memoir.Embedder, error)
	Agent string        // the agent that the index belongs to
	Kinds []memoir.Kind // of the documents that the index may have
	// Joined says that several memories answer as one. A path may then begin
	// with the name of one, as in "user:memory/".
	Joined bool

	Ranking tune.Rank
	// Weigh returns the salience of the entries in chunks, and how often each
	// was found, for the salience seed. nil: only front matter counts.
	Weigh       func(ctx context.Context, passages []memoir.Chunk) ([]memoir.Salience, error)
	ChunkTokens int // size limit of a chunk
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

// Documents is the part of the indexing side that a search uses. It is safe for
// concurrent use.
type Documents interface {
	// Freshen indexes changed files within a time budget, and says what it could
	// not finish. It computes missing vectors while the context that embedding
	// returns lasts. It computes none when embedding is nil or returns false.
	Freshen(ctx context.Context, embedding func(context.Context) (context.Context, context.CancelFunc, bool)) []memoir.Degradation
	// Filling reports whether missing vectors are computed in the background,
	// and why the last attempt to compute some failed, or why they wait. The error
	// is nil when it did not fail and nothing waits.
	Filling() (bool, error)
}

// Notes reads documents from their sources, independent of the index. It is
// safe for concurrent use.
type Notes interface {
	// Read returns a document as its source has it now.
	Read(ctx context.Context, id memoir.DocID) (memoir.Document, error)
	// Analyse cuts a document in the way that it is indexed.
	Analyse(doc memoir.Document) memoir.IndexedDocument
	// Current reports whether the index has the current document. When it has
	// not, seen says whether the next sync will notice.
	Current(known *memoir.DocumentMeta, doc *memoir.Document) (current, seen bool)
}

// A Searcher answers questions over one index. It is safe for concurrent use.
type Searcher struct {
	cfg     Config
	former  former
	queries *queryVectors
	recent  recentScores
	reranks *reranks
	commons commons
}

// New makes a Searcher from its parts, or returns an error that says what is
// wrong with the options.
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

// Close ends all waiting for the embedder.
func (e *Searcher) Close() { e.queries.close() }

// space returns the space of the embedder, the zero value without one.
func (e *Searcher) space() memoir.Space {
	if e.cfg.Embedder == nil {
		return memoir.Space{}
	}
	return e.cfg.Embedder.Space()
}

// Search answers a query, as the engine's method of that name says. A part that
// cannot take part is left out and named in [memoir.Results.Degraded]. An error
// means that no part could answer.
//
// A larger limit appends hits and never changes their order. With convex
// fusion, candidates are added until no other chunk can enter the answer (the
// threshold algorithm of Fagin, Lotem and Naor, 2001).
func (e *Searcher) Search(ctx context.Context, q memoir.Query) (memoir.Results, error) {
	res, _, err := e.answer(ctx, q)
	return res, err
}

// answer does what Search does, and returns the query that was asked in the end.
func (e *Searcher) answer(ctx context.Context, q memoir.Query) (memoir.Results, memoir.Query, error) {
	start := time.Now()
	q, err := complete(q, e.cfg.Kinds)
	if err != nil {
		return memoir.Results{}, q, err
	}
	s := e.ask(q)
	found, err := s.run(ctx)
	if errors.Is(err, memoir.ErrCorrupt) && s.syncs() {
		// Nothing is left that could answer. The sync of a second search heals
		// the damage that the first one found.
		s = e.ask(q)
		found, err = s.run(ctx)
	}
	if err == nil && len(found) == 0 && s.syncs() && e.empty(ctx) {
		// The index was removed between the look at the notes and the search.
		s = e.ask(q)
		found, err = s.run(ctx)
	}
	if err != nil {
		return memoir.Results{}, q, err
	}
	text := q.Text
	q, s, found = e.byName(ctx, q, s, found)
	s.setThreshold(found)
	res := memoir.Results{Query: text, Mode: s.mode(), Degraded: s.degraded, Hits: s.hits(found), Threshold: s.query.MinScore}
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
	return res, q, nil
}

// empty reports whether nothing is indexed.
func (e *Searcher) empty(ctx context.Context) bool {
	stats, err := e.cfg.Store.Stats(ctx, memoir.Space{})
	return err == nil && stats.Documents == 0
}

// Near returns at most limit chunks of the index as it is, those nearest to a
// text by word and by meaning first. All of the text is words. vector is the
// text's in the embedder's space; nil: Near computes it.
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
	s := search{searcher: e, query: q, asked: asked, terms: analyze.Query(asked.subject), together: analyze.WrittenTogether(asked.subject), today: midnightOf(e.cfg.Now()),
		weights: rank.Weights{Text: e.cfg.Ranking.TextWeight, Vector: e.cfg.Ranking.VectorWeight}.Normalize()}
	s.signals = s.chooseSignals()
	if !q.Literal {
		written := analyze.VariantsOf(asked.subject, s.terms)
		s.together, s.written = append(s.together, written.Terms...), written
	}
	return s
}
