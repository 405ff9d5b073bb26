package search

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/dustin/go-humanize/english"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/ability"
	"github.com/memoir-ai/memoir/explain"
	"github.com/memoir-ai/memoir/internal/analyze"
	"github.com/memoir-ai/memoir/internal/rank"
	"github.com/memoir-ai/memoir/internal/script"
	"github.com/memoir-ai/memoir/internal/trace"
)

// search carries one search through its steps.
type search struct {
	searcher    *Searcher
	index       memoir.View  // the view that this search uses; nil outside inView
	query       memoir.Query // with the filters from its text, once those are read
	asked       understood   // its text, as understood
	exact       exact
	today       time.Time // as midnight
	terms       []analyze.Term
	identifiers []string                   // of the terms, those that few chunks hold
	rare        bool                       // one word of the question says something, and few chunks hold it
	noDays      bool                       // everything of some days is asked for, and there is nothing of them
	counts      memoir.WordCounts          // of the identifiers and other single words, or by vectors alone of all terms
	mentions    []reading                  // what the notes say of the owner of what is asked for
	together    []analyze.Term             // adjacent words of it, written as one, and what it names, written otherwise
	written     analyze.Variants           // what it names in other ways of writing
	forms       map[memoir.ChunkID]float64 // how far chunks are raised that hold a day or a number of the query in any form
	learned     []memoir.Term              // further terms, learned from the first chunks
	signals     []signal
	weights     rank.Weights
	code        rank.Weights // for chunks that are source code
	prose       bool         // the query is a question in prose, for words and vectors
	weakened    bool         // the weights are those beside the best match of the words
	successions []succession
	updates     []succession // possible ones: the newer may update the older
	languages   languages
	noWords     bool            // the store cannot search words
	filled      float64         // share of the texts that have a vector of the space, 0 to 1
	noNames     bool            // the store cannot look up the names of notes
	vector      []float32       // of the query; nil: search by words only
	space       memoir.Space    // of vector
	embedder    memoir.Embedder // that made vector
	degraded    []memoir.Degradation

	given []float32 // a vector of the query in the embedder's space; nil: compute it
	bare  bool      // leave the order as it is before reranking

	calibration memoir.Calibration // of the space
	size        int                // chunks in the index
	revision    uint64             // of the index; 0: not known
	textScale   float64            // see textScore
	reach       float64            // the highest BM25 that the query could reach; 0 where no chunk holds a word of it
}

// A candidate is a chunk that may be a hit, with what both lists say of it.
type candidate struct {
	memoir.ChunkMeta
	chunk     memoir.Chunk // the zero value until its text is read
	lists     rank.Candidate
	share     float64 // of the highest BM25 that the query could reach
	cosine    float64
	weights   rank.Weights
	score     float64 // fused with links and signals, in steps of a millionth
	link      explain.Link
	signals   []explain.Signal
	exact     explain.Exact
	rerank    explain.Rerank
	stays     stay           // of one that was superseded
	successor string         // citation of what holds in its place; "": it holds
	later     *candidate     // the newer one that may update it
	earlier   *candidate     // the older one that it may update
	alsoIn    []memoir.Chunk // other passages with the same words; read together with chunk

	read  bool    // its text was read for what of the query it holds
	held  float64 // the share of the query's weight that it holds; see covered
	every bool    // and whether that is each of its words
}

func (s *search) degrade(part, reason, action string) {
	s.degraded = append(s.degraded, memoir.Degradation{Part: part, Reason: reason, Action: action})
}

// run returns the candidates in the order of the answer.
func (s *search) run(ctx context.Context) ([]*candidate, error) {
	for _, c := range s.asked.conditions {
		if err := pathsFit(c.filter.Paths); err != nil {
			return nil, err
		}
	}
	if err := s.prepare(ctx); err != nil {
		return nil, err
	}
	all, err := s.ranked(ctx)
	if d, ok := memoir.As[ability.Degrader](s.searcher.cfg.Store); ok {
		s.degraded = append(s.degraded, d.Degradations()...) // includes what the store has met just now
	}
	return all, err
}

// syncs reports whether the search indexes changed files.
func (s *search) syncs() bool { return !s.query.NoSync && s.searcher.cfg.Syncs }

// prepare brings the index up to date and embeds the query, both at once.
func (s *search) prepare(ctx context.Context) error {
	if s.query.Mode == memoir.ModeVector && s.asked.text != "" {
		s.noWords = true
	}
	embedded := make(chan embedded, 1)
	go func() { embedded <- s.embedQuery(ctx) }()
	if s.syncs() {
		stage := trace.Begin(ctx, "freshen")
		s.degraded = append(s.degraded, s.searcher.cfg.Documents.Freshen(ctx, s.embedding())...)
		stage.End(0, "")
	}
	v := <-embedded
	if v.former && s.tookOver(ctx) {
		v = s.embedQuery(ctx)
	}
	if v.unfilled {
		if stats, err := s.searcher.cfg.Store.Stats(ctx, s.searcher.space()); err == nil && stats.Pending > 0 {
			v.degraded = append(v.degraded, s.searcher.pendingTexts(stats))
		}
	}
	s.vector, s.space, s.embedder, s.degraded = v.vector, v.space, v.embedder, append(s.degraded, v.degraded...)
	if err := ctx.Err(); err != nil {
		return err
	}
	if s.vector != nil {
		s.look(ctx, v.embedder)
	}
	if s.vector == nil {
		s.noWords = false // words are better than no answer
	}
	return nil
}

// embedding returns the function that lets missing vectors be computed before
// the answer. It returns nil when they should not be, for example because the
// provider was late.
func (s *search) embedding() func(context.Context) (context.Context, context.CancelFunc, bool) {
	if s.query.Mode == memoir.ModeText || s.searcher.cfg.Embedder == nil {
		return nil
	}
	return func(ctx context.Context) (context.Context, context.CancelFunc, bool) {
		return s.searcher.queries.inTime(ctx, s.searcher.space())
	}
}

// embedded is the vector of the query, or the reason why there is none.
type embedded struct {
	vector   []float32
	space    memoir.Space
	embedder memoir.Embedder
	former   bool // space is the previous one, not the engine's own
	unfilled bool // no text has a vector yet, and a process is computing them
	degraded []memoir.Degradation
}

func (s *search) embedQuery(ctx context.Context) embedded {
	e, q := s.searcher, s.asked.text
	if s.query.Mode == memoir.ModeText || q == "" {
		return embedded{}
	}
	if s.given != nil {
		return embedded{vector: s.given, space: e.space(), embedder: e.cfg.Embedder}
	}
	if e.cfg.Embedder == nil {
		if s.query.Mode == memoir.ModeVector {
			return embedded{degraded: []memoir.Degradation{{Part: "vectors", Reason: "no embedding provider is configured", Action: "memoir config"}}}
		}
		return embedded{}
	}
	by := e.answering(ctx)
	if by.embedder == nil {
		return embedded{former: by.former, degraded: by.degraded}
	}
	if e.unfilled(ctx, by.embedder.Space()) {
		return embedded{unfilled: true, degraded: by.degraded} // waiting for the model would be in vain
	}
	if readable := script.Of(by.embedder); !readable.Reads(q) {
		return embedded{degraded: append(by.degraded, cannotRead(readable, by.embedder.Space(), q))}
	}
	stage := trace.Begin(ctx, "embed")
	vector, err := e.queries.embed(ctx, by.embedder, memoir.TaskQuery, q)
	stage.End(len(vector), "dimensions")
	switch {
	case err != nil:
		e.cfg.Logger.Warn("embed query", "err", err)
		return embedded{degraded: append(by.degraded, memoir.Degradation{Part: "vectors", Reason: "the query could not be embedded: " + err.Error(), Action: cmp.Or(memoir.Hint(err), "memoir config")})}
	case isZero(vector):
		return embedded{degraded: append(by.degraded, memoir.Degradation{Part: "vectors", Reason: "the query has no meaning to the model (a zero vector)", Action: "use other words"})}
	}
	return embedded{vector: vector, space: by.embedder.Space(), embedder: by.embedder, former: by.former, degraded: by.degraded}
}

// unfilled reports whether no text has a vector of the space yet, while a
// process is computing them.
func (e *Searcher) unfilled(ctx context.Context, space memoir.Space) bool {
	if filling, _ := e.cfg.Documents.Filling(); !filling || space == (memoir.Space{}) {
		return false
	}
	stats, err := e.cfg.Store.Stats(ctx, space)
	return err == nil && stats.Texts == stats.Pending
}

// tookOver reports whether the engine's own space has begun to answer in the
// meantime. The sync before this search may have completed it. Or another
// process may have dropped the space that the query was embedded for.
func (s *search) tookOver(ctx context.Context) bool {
	own := s.searcher.space()
	stats, err := s.searcher.cfg.Store.Stats(ctx, own)
	return err == nil && (stats.Serving == own || stats.Complete())
}

// look looks up how the space's cosines are distributed, and reports when some
// texts have no vector yet.
func (s *search) look(ctx context.Context, embedder memoir.Embedder) {
	stats, err := s.searcher.cfg.Store.Stats(ctx, s.space)
	if err == nil && stats.Pending > 0 {
		s.degraded = append(s.degraded, s.searcher.pendingTexts(stats))
	}
	s.filled = 1
	if err == nil && stats.Texts > 0 {
		s.filled = 1 - float64(stats.Pending+stats.Failed)/float64(stats.Texts)
	}
	s.calibration, s.size, s.revision = stats.Calibration, stats.Chunks, stats.Revision
	if k, ok := memoir.As[ability.Calibrator](embedder); ok && k.Calibration() != (memoir.Calibration{}) {
		s.calibration = k.Calibration()
	}
}

func (s *search) mode() memoir.Mode {
	switch {
	case s.vector == nil:
		return memoir.ModeText
	case s.noWords:
		return memoir.ModeVector
	}
	return memoir.ModeHybrid
}

// Bounds of how many candidates each list gives, at first and in all. Convex
// fusion asks for more until the answer is certain; for six hits the first are
// mostly enough (docs/design/fusion.md). The other fusions order what they get.
const (
	minCandidates       = 32
	minUnsureCandidates = 200
	maxCandidates       = 4096
)

// find returns the candidates in the order before reranking.
func (s *search) find(ctx context.Context) ([]*candidate, error) {
	s.weigh()
	if s.vector != nil {
		if err := s.lookUpLanguages(ctx); err != nil {
			return nil, err
		}
	}
	if s.vector == nil || len(s.query.Hidden) > 0 {
		// With a vector, look has counted, what is hidden too. It is no error if the words are damaged.
		if index, err := s.index.Terms(ctx, nil, memoir.Filter{}, 0); err == nil {
			s.size = index.Counts.Chunks
		}
	}
	s.lookUpTerms(ctx)
	forms, err := s.lookUpVariants(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.lowerLogs(ctx); err != nil {
		return nil, err
	}
	convex := rank.Fusion(s.searcher.cfg.Ranking.Fusion) == rank.Convex
	if convex && s.searcher.cfg.Ranking.Signals.FeedbackWeight > 0 {
		if err := s.learn(ctx); err != nil {
			return nil, err
		}
	}
	all, err := s.gather(ctx, s.needed(), s.settled)
	if err == nil {
		err = s.weighEntries(ctx, all)
	}
	if err == nil {
		all, err = s.includeExact(ctx, all, forms)
	}
	if err == nil {
		all, err = s.succeed(ctx, all)
	}
	if err == nil {
		all, err = s.update(ctx, all)
	}
	if err == nil && convex {
		stage := trace.Begin(ctx, "links")
		all, err = s.follow(ctx, all)
		stage.End(len(all), "passages")
	}
	if err != nil {
		return nil, err
	}
	if convex {
		s.placeNearest(all)
		s.placeAcross(all)
	}
	all = s.applySignals(all)
	s.lift(all)
	return collapse(all), nil
}

// gather returns the candidates in the order of their fused scores. With convex
// fusion it collects more until settled says that the distinct ones are, given
// the highest scores that other chunks can have. needed is how many of them
// matter.
func (s *search) gather(ctx context.Context, needed int, settled func([]*candidate, frontier) bool) ([]*candidate, error) {
	opts := s.searcher.cfg.Ranking
	least := minCandidates
	if rank.Fusion(opts.Fusion) != rank.Convex {
		least, needed = minUnsureCandidates, 0
	}
	for depth := min(max(least, s.query.Limit*opts.CandidateMultiplier), maxCandidates); ; depth = min(4*depth, maxCandidates) {
		all, unseen, err := s.candidates(ctx, s.query.Filter, depth, needed)
		if err != nil {
			return nil, err
		}
		s.order(all)
		if rank.Fusion(opts.Fusion) != rank.Convex || depth == maxCandidates || settled(collapse(all), unseen) {
			return all, nil
		}
	}
}

// needed returns how many of the first distinct candidates can matter at most.
func (s *search) needed() int {
	n := max(s.query.Limit*memoir.PassagesPerNote, s.searcher.reranks.top())
	if *s.searcher.cfg.Ranking.LinkWeight > 0 {
		n = max(n, linkSources)
	}
	return max(n, s.pool())
}

// settled reports whether enough candidates are certain. Then no other chunk
// can enter the answer, nor be among the first chunks whose links are followed,
// whose days are compared or that are reranked. unseen holds the highest scores
// that other chunks can have. Chunks that the query names exactly are not
// counted, because they are candidates at any depth.
func (s *search) settled(distinct []*candidate, unseen frontier) bool {
	if unseen == (frontier{}) {
		return true
	}
	if *s.searcher.cfg.Ranking.LinkWeight > 0 && (len(distinct) < linkSources || distinct[linkSources-1].score <= unseen.fused) {
		return false
	}
	highest := max(unseen.fused, unseen.adjusted)
	sure, others, quota := 0, 0, s.quota()
	for _, f := range distinct {
		if f.Labels.Has(memoir.LabelScrap) {
			continue // its place depends on the others
		}
		// Links only raise a score, so its value without them is the least that
		// it can be.
		if s.adjusted(f, nil) <= highest {
			continue
		}
		sure++
		if s.exact.holders[f.ChunkID] == 0 && !s.exact.named[noteOf(f.ChunkID)] {
			others++
			quota.take(f.ChunkID)
		}
	}
	if sure < s.pool() || len(s.exact.chunks) > 0 && others == 0 {
		return false
	}
	return highest < s.query.MinScore || quota.full() && others >= s.searcher.reranks.top()
}

// reason says why an answer is empty.
func (s *search) reason(ctx context.Context, all []*candidate) string {
	if len(all) > 0 && all[0].score > 0 {
		return fmt.Sprintf("%d %s found, the best with a score of %.2f; the minimum score is %.2f", len(all), english.PluralWord(len(all), "passage was", "passages were"), all[0].score, s.query.MinScore)
	}
	stats, err := s.searcher.cfg.Store.Stats(ctx, s.searcher.space())
	switch {
	case err == nil && stats.Documents == 0:
		return "the index is empty: no notes were found in the workspace"
	case !passesAll(s.query.Filter):
		return cmp.Or(s.excluded(ctx), "nothing that passes the filter matches")
	case len(s.terms) == 0 && s.vector == nil:
		return "the query holds no searchable word"
	}
	if s.vector != nil {
		return "no note holds any of the words of the query, and none is near to it in meaning"
	}
	return "no note holds any of the words of the query"
}
