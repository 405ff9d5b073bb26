package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/explain"
	"github.com/memoir-ai/memoir/internal/show"
)

// Why explains why the passage that holds a line of a document was or was not
// found. Lines count from 1; line 0 asks for the best passage of the document.
// Why runs the query as [Searcher.Search] does, and like it indexes changed
// files first. An error means that the question makes no sense, for example
// because there is no such line, or that no part could answer.
func (e *Searcher) Why(ctx context.Context, q memoir.Query, id memoir.DocID, line int) (memoir.Why, error) {
	q, err := complete(q, e.cfg.Kinds)
	if err != nil {
		return memoir.Why{}, err
	}
	if line < 0 {
		return memoir.Why{}, fmt.Errorf("line %d: lines are counted from 1: %w", line, memoir.ErrInvalid)
	}
	store, ok := e.cfg.Store.(memoir.Store)
	if !ok || e.cfg.Notes == nil {
		return memoir.Why{}, fmt.Errorf("why asks one memory: %w", memoir.ErrInvalid)
	}
	q.Explain = true
	answer, asked, err := e.answer(ctx, q)
	if err != nil {
		return memoir.Why{}, err
	}
	asked.NoSync = q.NoSync
	w := inquiry{by: e, store: store, query: asked, answer: answer, out: memoir.Why{
		Query: answer.Query, Mode: answer.Mode, Doc: id, Line: line, Limit: q.Limit, Degraded: answer.Degraded,
	}}
	if n := len(answer.Hits); n > 0 {
		w.out.Last = &answer.Hits[n-1]
	}
	if err := w.run(ctx); err != nil {
		return memoir.Why{}, err
	}
	return w.out, nil
}

// inquiry answers one question why, step by step.
type inquiry struct {
	by     *Searcher
	store  memoir.Store
	query  memoir.Query
	answer memoir.Results
	out    memoir.Why

	search   search
	ranked   []*candidate          // all that the query finds, as deep as it was searched
	chunks   []memoir.IndexedChunk // the chunks that hold the line
	filtered string                // the filter that leaves the passage out, "" when none does
}

func (w *inquiry) verdict(v explain.Verdict, format string, args ...any) {
	w.out.Verdict, w.out.Reason = v, fmt.Sprintf(format, args...)
}

// number writes a number for people.
func number(n int) string { return humanize.Comma(int64(n)) }

func (w *inquiry) try(format string, args ...any) {
	w.out.Try = append(w.out.Try, explain.Remedy{Action: fmt.Sprintf(format, args...)})
}

// run looks for the passage at each step where it can be lost.
func (w *inquiry) run(ctx context.Context) error {
	doc, ok, err := w.read(ctx)
	if err != nil || !ok {
		return err
	}
	if ok, err = w.locate(doc); err != nil || !ok {
		return err
	}
	f, err := w.rank(ctx)
	if err != nil {
		return err
	}
	if err := w.search.inView(ctx, func() (err error) {
		w.filtered, err = w.search.leavesOut(ctx, f.ChunkID)
		return err
	}); err != nil {
		return err
	}
	w.out.Missing = w.missing(f.ChunkID)
	if w.out.Vector, err = w.vector(ctx, f.ChunkID); err != nil {
		return err
	}
	w.judge(ctx, f)
	return w.advise(ctx, f)
}

// read reads the document and checks that the index has its current state.
func (w *inquiry) read(ctx context.Context) (doc memoir.Document, ok bool, err error) {
	known, err := w.known(ctx)
	if err != nil {
		return doc, false, err
	}
	doc, err = w.by.cfg.Notes.Read(ctx, w.out.Doc)
	var skip *memoir.SkipError
	switch {
	case errors.Is(err, memoir.ErrNotFound) && known != nil:
		w.verdict(explain.VerdictUnsynced, "the note is gone, and the index does not know it yet")
		w.try("memoir index")
	case errors.Is(err, memoir.ErrNotFound):
		w.verdict(explain.VerdictAbsent, "there is no such note in the workspace")
		w.try(`memoir search "some words of the note", which prints its path`)
	case errors.As(err, &skip):
		w.verdict(explain.VerdictSkipped, "the note is not indexed: %s", skip.Reason)
		w.try("%s", cmp.Or(memoir.Hint(err), "memoir config --docs, for include, exclude and maxFileBytes; then memoir index"))
	case err != nil:
		return doc, false, fmt.Errorf("read %s: %w", w.out.Doc, err)
	case known == nil:
		w.verdict(explain.VerdictUnsynced, "the note is not in the index yet")
		w.try("memoir index")
	default:
		current, seen := w.by.cfg.Notes.Current(known, &doc)
		if current {
			return doc, true, nil
		}
		w.verdict(explain.VerdictUnsynced, "the note has changed since it was indexed")
		if seen {
			w.try("memoir index")
		} else {
			w.try("memoir rebuild")
		}
	}
	return doc, false, nil
}

// known returns what the index has of the document, nil when it has nothing.
func (w *inquiry) known(ctx context.Context) (*memoir.DocumentMeta, error) {
	for meta, err := range w.store.Documents(ctx) {
		if err != nil {
			return nil, fmt.Errorf("list the index: %w", err)
		}
		if meta.ID == w.out.Doc {
			return &meta, nil
		}
	}
	return nil, nil
}

// locate finds the chunks that hold the line. It cuts the document in the way
// that it is indexed, so the chunks have the same ordinals as the indexed ones.
func (w *inquiry) locate(doc memoir.Document) (ok bool, err error) {
	all := w.by.cfg.Notes.Analyse(doc).Chunks
	if w.out.Line == 0 {
		w.chunks = all
	} else if _, err := show.Lines(doc.ID, doc.Text, w.out.Line, w.out.Line); err != nil {
		return false, err
	}
	for _, c := range all {
		if c.StartLine <= w.out.Line && w.out.Line <= c.EndLine {
			w.chunks = append(w.chunks, c)
		}
	}
	if len(w.chunks) > 0 {
		return true, nil
	}
	w.verdict(explain.VerdictNoPassage, "no passage holds line %d: it is blank or part of the front matter", w.out.Line)
	near := slices.MinFunc(all, func(a, b memoir.IndexedChunk) int {
		return distance(&a.Chunk, w.out.Line) - distance(&b.Chunk, w.out.Line)
	})
	w.try("ask for %s, the nearest passage", near.Citation())
	return false, nil
}

// distance returns how many lines a line is away from a chunk.
func distance(c *memoir.Chunk, line int) int { return max(c.StartLine-line, line-c.EndLine, 0) }

// holds reports whether a chunk is one of those asked about.
func (w *inquiry) holds(id memoir.ChunkID) bool {
	return slices.ContainsFunc(w.chunks, func(c memoir.IndexedChunk) bool { return c.ChunkID == id })
}

// rank orders everything that the query finds. It returns the best of the
// chunks asked about, and sets its place in [Why.Rank]. A chunk beyond the
// deepest list is scored by itself.
func (w *inquiry) rank(ctx context.Context) (*candidate, error) {
	q := w.query
	q.Limit, q.MinScore, q.NoSync = memoir.MaxLimit, 0, true
	w.search = w.by.ask(q)
	s := &w.search
	all, err := s.run(ctx)
	if err != nil {
		return nil, err
	}
	if end := slices.IndexFunc(all, func(f *candidate) bool { return f.score == 0 }); end >= 0 {
		all = all[:end]
	}
	w.out.Found, w.ranked = len(all), all
	for i, f := range all {
		for _, p := range append([]memoir.Chunk{{ChunkMeta: f.ChunkMeta}}, f.alsoIn...) {
			if w.holds(p.ChunkID) {
				w.out.Rank, f.ChunkMeta, f.chunk = i+1, p.ChunkMeta, w.chunk(p.ChunkID)
				return f, nil
			}
		}
	}
	var ids []memoir.ChunkID
	for _, c := range w.chunks {
		ids = append(ids, c.ChunkID)
	}
	var rest []*candidate
	if err := s.inView(ctx, func() (err error) {
		rest, _, err = s.candidates(ctx, memoir.Filter{Chunks: ids}, len(ids)+1, 0)
		return err
	}); err != nil {
		return nil, err
	}
	for _, f := range rest {
		f.unrank()
	}
	s.order(rest)
	best := &candidate{ChunkMeta: w.chunks[0].ChunkMeta}
	if len(rest) > 0 {
		best = rest[0]
	}
	best.chunk = w.chunk(best.ChunkID)
	return best, nil
}

// chunk returns one of the chunks asked about.
func (w *inquiry) chunk(id memoir.ChunkID) memoir.Chunk {
	i := slices.IndexFunc(w.chunks, func(c memoir.IndexedChunk) bool { return c.ChunkID == id })
	return w.chunks[i].Chunk
}

// before returns the hash just before another in the order of hashes, or "".
func before(h memoir.Hash) memoir.Hash {
	digits := []byte(h)
	for i := len(digits) - 1; i >= 0; i-- {
		switch digits[i] {
		case '0':
			digits[i] = 'f'
			continue
		case 'a':
			digits[i] = '9'
		default:
			digits[i]--
		}
		return memoir.Hash(digits)
	}
	return ""
}

// vector reports whether the chunk has a vector of the space that was searched.
func (w *inquiry) vector(ctx context.Context, id memoir.ChunkID) (explain.VectorState, error) {
	s := &w.search
	if s.vector == nil {
		return explain.VectorUnused, nil
	}
	var matches []memoir.Match
	err := s.inView(ctx, func() (err error) {
		matches, err = s.searchVector(ctx, s.vector, memoir.Filter{Chunks: []memoir.ChunkID{id}}, 1)
		return err
	})
	if err != nil || len(matches) > 0 {
		return explain.VectorReady, err
	}
	for _, c := range w.chunks {
		if c.ChunkID != id {
			continue
		}
		if len(c.EmbedHashes) == 0 {
			return explain.VectorNone, nil
		}
		for _, hash := range c.EmbedHashes {
			texts, err := w.store.PendingTexts(ctx, s.space, endOfTime, before(hash), 1)
			if err != nil {
				return explain.VectorPending, fmt.Errorf("look for the vector: %w", err)
			}
			if len(texts) == 1 && texts[0].Hash == hash && texts[0].Attempts > 0 {
				return explain.VectorFailed, nil
			}
		}
	}
	return explain.VectorPending, nil
}

// judge decides the verdict on a chunk that the index has.
func (w *inquiry) judge(ctx context.Context, f *candidate) {
	s := &w.search
	s.query.Limit, s.query.MaxTokens, s.query.MaxChars = 1, 0, 0
	alone := memoir.Results{Hits: s.hits([]*candidate{f})}
	s.show(ctx, &alone)
	if len(alone.Hits) > 0 {
		w.out.Passage = &alone.Hits[w.nearest(alone.Hits)]
	}
	for i, h := range w.answer.Hits {
		if slices.ContainsFunc(h.AlsoIn, func(c memoir.Chunk) bool { return w.holds(c.ChunkID) }) {
			w.out.Rank = i + 1
			w.verdict(explain.VerdictHit, "hit %d of %d has the same words and names it", i+1, len(w.answer.Hits))
			return
		}
		if w.holds(h.ChunkID) {
			i += w.nearest(w.answer.Hits[i:])
			w.out.Rank, w.out.Passage = i+1, &w.answer.Hits[i]
			w.verdict(explain.VerdictHit, "it is hit %d of %d", i+1, len(w.answer.Hits))
			return
		}
	}
	switch {
	case w.filtered != "":
		w.out.Rank = 0
		w.verdict(explain.VerdictFiltered, "%s leaves it out", w.filtered)
	case f.score == 0:
		w.verdict(explain.VerdictUnmatched, "%s", w.unmatched())
	case f.score < w.answer.Threshold:
		w.verdict(explain.VerdictBelowMinimum, "its score is %.3f, and the minimum %.3f", f.score, w.answer.Threshold)
	case w.out.Rank == 0:
		w.verdict(explain.VerdictBelowLimit, "more than %d %s better", w.out.Found, english.PluralWord(w.out.Found, "passage is", "passages are"))
	case w.answer.Truncated && w.out.Rank <= inAnswer(w.ranked, w.query.Limit):
		w.verdict(explain.VerdictBelowLimit, "it is number %s of %s, and the budget of the answer held %d", number(w.out.Rank), number(w.out.Found), len(w.answer.Hits))
	default:
		w.verdict(explain.VerdictBelowLimit, "it is number %s of %s; the answer of %s has the first %d", number(w.out.Rank), number(w.out.Found), english.Plural(w.query.Limit, "note", ""), len(w.answer.Hits))
	}
}

// nearest returns the place of the hit that holds the line asked about; that of the first
// when none does. A passage may be several hits, each narrowed to what was told on a day.
func (w *inquiry) nearest(hits []memoir.Hit) int {
	return max(slices.IndexFunc(hits, func(h memoir.Hit) bool {
		return w.holds(h.ChunkID) && h.StartLine <= w.out.Line && w.out.Line <= h.EndLine
	}), 0)
}

// unmatched says why neither list finds a chunk.
func (w *inquiry) unmatched() string {
	words := "it holds none of the query's words"
	if w.search.noWords {
		words = "words were not searched"
	}
	switch w.out.Vector {
	case explain.VectorReady:
		return words + ", and is not near to it in meaning"
	case explain.VectorNone:
		return words + ", and says too little to be found by meaning"
	case explain.VectorPending:
		return words + ", and has no vector yet"
	case explain.VectorFailed:
		return words + ", and has no vector, which the provider could not give"
	}
	return words + ", and vectors were not searched"
}
