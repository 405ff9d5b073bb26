package memoir

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/dustin/go-humanize/english"
)

// Verdict says where a passage was lost on the way into an answer.
type Verdict string

// The verdicts, in the order in which they are looked for.
const (
	VerdictHit          Verdict = "hit"           // it is in the answer
	VerdictAbsent       Verdict = "absent"        // no source has the document
	VerdictSkipped      Verdict = "skipped"       // the source does not give it: ignored, too large, a link, …
	VerdictUnsynced     Verdict = "unsynced"      // the index does not have it yet as it is
	VerdictNoPassage    Verdict = "no-passage"    // the line belongs to no passage
	VerdictFiltered     Verdict = "filtered"      // the filter leaves it out
	VerdictUnmatched    Verdict = "unmatched"     // neither words nor vectors find it
	VerdictBelowMinimum Verdict = "below-minimum" // its score is lower than the minimum
	VerdictBelowLimit   Verdict = "below-limit"   // enough others are better
)

// VectorState says whether a passage can be found by meaning.
type VectorState string

// The states of a passage's vector.
const (
	VectorReady   VectorState = "ready"
	VectorPending VectorState = "pending" // not computed yet
	VectorNone    VectorState = "none"    // it says too little to have one: a rule, the header of a session
	VectorFailed  VectorState = "failed"  // the provider could not take the text
	VectorUnused  VectorState = ""        // the query was not searched by vectors
)

// Why says why a passage is or is not among the hits of a query.
type Why struct {
	Query   string
	Mode    Mode // what was searched, as in [Results]
	Doc     DocID
	Line    int // that was asked about; 0 is the best passage of the document
	Verdict Verdict
	Reason  string // the verdict in a sentence
	// Rank is the passage's place in the order of all that were found, from 1;
	// 0 when it has none. Found counts them; beyond some thousands neither is known.
	Rank, Found int
	Limit       int  // hits that were asked for
	Passage     *Hit // the passage with its scores explained; nil when it has none
	Last        *Hit // the last hit of the answer; nil when there is none
	// Missing are the query's words that the passage, with its title, headings
	// and date, does not hold.
	Missing  []MissingWord
	Vector   VectorState
	Try      []Remedy // what would find it, the simplest first; empty for a hit
	Degraded []Degradation
}

// MissingWord is a word of the query that a passage does not hold.
type MissingWord struct {
	Word string
	Near []string // words that it holds and that are spelled much like it, nearest first
}

// Remedy is something that would bring a passage into the answer.
type Remedy struct {
	Action string // a command, a flag or a step, for people
	Rank   int    // the place that the passage then has, as tried; 0: not tried
}

// Why answers why the passage that holds a line of a document, counted from 1,
// was or was not found; line 0 asks for the document's best passage. It asks
// the query as [Engine.Search] does, files indexed first included. An error
// means that the question makes no sense (there is no such line) or that
// nothing could answer.
func (e *Engine) Why(ctx context.Context, q Query, id DocID, line int) (Why, error) {
	if err := e.calls.begin("search"); err != nil {
		return Why{}, err
	}
	defer e.calls.end()
	q, err := q.withDefaults(e.kinds())
	if err != nil {
		return Why{}, err
	}
	if line < 0 {
		return Why{}, fmt.Errorf("line %d: lines are counted from 1: %w", line, ErrInvalid)
	}
	q.Explain = true
	answer, err := e.search(ctx, q)
	if err != nil {
		return Why{}, err
	}
	w := inquiry{engine: e, query: q, answer: answer, out: Why{
		Query: answer.Query, Mode: answer.Mode, Doc: id, Line: line, Limit: q.Limit, Degraded: answer.Degraded,
	}}
	if n := len(answer.Hits); n > 0 {
		w.out.Last = &answer.Hits[n-1]
	}
	if err := w.run(ctx); err != nil {
		return Why{}, err
	}
	return w.out, nil
}

// inquiry carries one question why through its steps.
type inquiry struct {
	engine *Engine
	query  Query
	answer Results
	out    Why

	searcher searcher
	chunks   []IndexedChunk // that hold the line
	filtered string         // the filter that leaves the passage out, "" when none does
}

func (w *inquiry) verdict(v Verdict, format string, args ...any) {
	w.out.Verdict, w.out.Reason = v, fmt.Sprintf(format, args...)
}

func (w *inquiry) try(format string, args ...any) {
	w.out.Try = append(w.out.Try, Remedy{Action: fmt.Sprintf(format, args...)})
}

// run looks for the passage where it can be lost, one step after the other.
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
	if err := w.searcher.inView(ctx, func() (err error) {
		w.filtered, err = w.searcher.leavesOut(ctx, f.ChunkID)
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

// read reads the document and makes sure that the index has it as it is.
func (w *inquiry) read(ctx context.Context) (doc Document, ok bool, err error) {
	known, err := w.known(ctx)
	if err != nil {
		return doc, false, err
	}
	doc, err = w.engine.readAny(ctx, w.out.Doc)
	var skip *SkipError
	switch {
	case errors.Is(err, ErrNotFound) && known != nil:
		w.verdict(VerdictUnsynced, "the note is gone, and the index does not know it yet")
		w.try("memoir index")
	case errors.Is(err, ErrNotFound):
		w.verdict(VerdictAbsent, "there is no such note in the workspace")
		w.try(`memoir search "some words of the note", which prints its path`)
	case errors.As(err, &skip):
		w.verdict(VerdictSkipped, "the note is not indexed: %s", skip.Reason)
		w.try("memoir config --docs, for include, exclude and maxFileBytes; then memoir index")
	case err != nil:
		return doc, false, fmt.Errorf("read %s: %w", w.out.Doc, err)
	case known == nil:
		w.verdict(VerdictUnsynced, "the note is not in the index yet")
		w.try("memoir index")
	case !w.engine.indexed(known, doc.Hash):
		w.verdict(VerdictUnsynced, "the note has changed since it was indexed")
		if known.Recipe == w.engine.recipe && sameFile(known, &doc.DocumentMeta) { // a sync does not see it
			w.try("memoir rebuild")
		} else {
			w.try("memoir index")
		}
	default:
		return doc, true, nil
	}
	return doc, false, nil
}

// known returns what the index has of the document, nil when it has nothing.
func (w *inquiry) known(ctx context.Context) (*DocumentMeta, error) {
	for meta, err := range w.engine.store.Documents(ctx) {
		if err != nil {
			return nil, fmt.Errorf("list the index: %w", err)
		}
		if meta.ID == w.out.Doc {
			return &meta, nil
		}
	}
	return nil, nil
}

// locate finds the chunks that hold the line. They are cut as for the index,
// so that their places in the document are those of the indexed ones.
func (w *inquiry) locate(doc Document) (ok bool, err error) {
	index, _ := w.engine.analyse(doc)
	all := index.Chunks
	if w.out.Line == 0 {
		w.chunks = all
	} else if _, err := excerpt(doc.ID, doc.Text, w.out.Line, w.out.Line); err != nil {
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
	w.verdict(VerdictNoPassage, "no passage holds line %d: it is blank or part of the front matter", w.out.Line)
	near := slices.MinFunc(all, func(a, b IndexedChunk) int { return a.distance(w.out.Line) - b.distance(w.out.Line) })
	w.try("ask for %s, the nearest passage", near.Citation())
	return false, nil
}

// distance returns how many lines a line is away from the chunk.
func (c *Chunk) distance(line int) int { return max(c.StartLine-line, line-c.EndLine, 0) }

// holds reports whether a chunk is one of those asked about.
func (w *inquiry) holds(id ChunkID) bool {
	return slices.ContainsFunc(w.chunks, func(c IndexedChunk) bool { return c.ChunkID == id })
}

// rank orders everything that the query finds and returns the best of the
// chunks asked about, with its place in [Why.Rank]. One beyond the deepest
// list is scored by itself.
func (w *inquiry) rank(ctx context.Context) (*found, error) {
	q := w.query
	q.Limit, q.MinScore, q.NoSync = maxLimit, 0, true
	w.searcher = w.engine.searcher(q)
	s := &w.searcher
	all, err := s.run(ctx)
	if err != nil {
		return nil, err
	}
	if end := slices.IndexFunc(all, func(f *found) bool { return f.score == 0 }); end >= 0 {
		all = all[:end]
	}
	w.out.Found = len(all)
	for i, f := range all {
		for _, p := range append([]Chunk{{ChunkMeta: f.ChunkMeta}}, f.alsoIn...) {
			if w.holds(p.ChunkID) {
				w.out.Rank, f.ChunkMeta, f.chunk = i+1, p.ChunkMeta, w.chunk(p.ChunkID)
				return f, nil
			}
		}
	}
	var ids []ChunkID
	for _, c := range w.chunks {
		ids = append(ids, c.ChunkID)
	}
	var rest []*found
	if err := s.inView(ctx, func() (err error) {
		rest, _, err = s.candidates(ctx, Filter{Chunks: ids}, len(ids)+1, 0)
		return err
	}); err != nil {
		return nil, err
	}
	for i := range rest {
		rest[i].lists.TextRank, rest[i].lists.VectorRank = 0, 0 // they are in no list of the whole index
	}
	s.order(rest)
	best := &found{ChunkMeta: w.chunks[0].ChunkMeta}
	if len(rest) > 0 {
		best = rest[0]
	}
	best.chunk = w.chunk(best.ChunkID)
	return best, nil
}

// chunk returns one of the chunks asked about.
func (w *inquiry) chunk(id ChunkID) Chunk {
	i := slices.IndexFunc(w.chunks, func(c IndexedChunk) bool { return c.ChunkID == id })
	return w.chunks[i].Chunk
}

// vector returns whether the chunk has a vector of the space that was searched.
func (w *inquiry) vector(ctx context.Context, id ChunkID) (VectorState, error) {
	s := &w.searcher
	if s.vector == nil {
		return VectorUnused, nil
	}
	var matches []Match
	err := s.inView(ctx, func() (err error) {
		matches, err = s.searchVector(ctx, Filter{Chunks: []ChunkID{id}}, 1)
		return err
	})
	if err != nil || len(matches) > 0 {
		return VectorReady, err
	}
	for _, c := range w.chunks {
		if c.ChunkID != id {
			continue
		}
		if c.EmbedHash == "" {
			return VectorNone, nil
		}
		// What comes after all but the last digit of a hash is that hash.
		before := c.EmbedHash[:len(c.EmbedHash)-1]
		texts, err := w.engine.store.PendingTexts(ctx, s.space, endOfTime, before, 1)
		if err != nil {
			return VectorPending, fmt.Errorf("look for the vector: %w", err)
		}
		if len(texts) == 1 && texts[0].Hash == c.EmbedHash && texts[0].Attempts > 0 {
			return VectorFailed, nil
		}
	}
	return VectorPending, nil
}

// judge says what became of a chunk that the index has.
func (w *inquiry) judge(ctx context.Context, f *found) {
	s := &w.searcher
	s.query.Limit, s.query.MaxTokens, s.query.MaxChars = 1, 0, 0
	alone := Results{Hits: s.hits([]*found{f})}
	s.show(ctx, &alone)
	if len(alone.Hits) == 1 {
		w.out.Passage = &alone.Hits[0]
	}
	for i, h := range w.answer.Hits {
		if slices.ContainsFunc(h.AlsoIn, func(c Chunk) bool { return w.holds(c.ChunkID) }) {
			w.out.Rank = i + 1
			w.verdict(VerdictHit, "hit %d of %d has the same words and names it", i+1, len(w.answer.Hits))
			return
		}
		if w.holds(h.ChunkID) {
			w.out.Rank, w.out.Passage = i+1, &w.answer.Hits[i]
			w.verdict(VerdictHit, "it is hit %d of %d", i+1, len(w.answer.Hits))
			return
		}
	}
	switch {
	case w.filtered != "":
		w.out.Rank = 0
		w.verdict(VerdictFiltered, "%s leaves it out", w.filtered)
	case f.score == 0:
		w.verdict(VerdictUnmatched, "%s", w.unmatched())
	case f.score < w.answer.Threshold:
		w.verdict(VerdictBelowMinimum, "its score is %.3f, and the minimum %.3f", f.score, w.answer.Threshold)
	case w.out.Rank == 0:
		w.verdict(VerdictBelowLimit, "more than %d %s better", w.out.Found, english.PluralWord(w.out.Found, "passage is", "passages are"))
	case w.answer.Truncated && w.out.Rank <= w.query.Limit:
		w.verdict(VerdictBelowLimit, "it is number %d of %d, and the budget of the answer held %d", w.out.Rank, w.out.Found, len(w.answer.Hits))
	default:
		w.verdict(VerdictBelowLimit, "it is number %d of %d, and %d were asked for", w.out.Rank, w.out.Found, w.query.Limit)
	}
}

// unmatched says why neither list finds a chunk.
func (w *inquiry) unmatched() string {
	words := "it holds none of the query's words"
	if w.searcher.noWords {
		words = "words were not searched"
	}
	switch w.out.Vector {
	case VectorReady:
		return words + ", and is not near to it in meaning"
	case VectorNone:
		return words + ", and says too little to be found by meaning"
	case VectorPending:
		return words + ", and has no vector yet"
	case VectorFailed:
		return words + ", and has no vector, which the provider could not give"
	}
	return words + ", and vectors were not searched"
}
