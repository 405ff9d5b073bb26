package sqlite

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/rank"
)

// ranking is the answer to one query over the whole index, before any filter.
// The last one is kept: a search asks for the same words again, to score what
// only the vectors found.
type ranking struct {
	generation int64
	terms      []memoir.Term
	chunks     []rank.Scored // best first, ties by chunk id
}

// SearchText implements [memoir.Store]. Where the word index itself is broken
// the error wraps [memoir.ErrUnavailable]: vectors can still answer.
func (s *Store) SearchText(ctx context.Context, terms []memoir.Term, filter memoir.Filter, limit int) (matches []memoir.Match, err error) {
	terms = queryTerms(terms)
	err = s.read(ctx, "search words", func(c *conn) error {
		if len(terms) == 0 || limit <= 0 {
			return nil
		}
		sc, err := newScope(ctx, c, filter)
		if err != nil {
			return err
		}
		ranked, err := s.rank(ctx, c, terms)
		if err != nil {
			return err
		}
		var ids []int64
		var scores []float64
		for _, r := range ranked {
			if len(ids) == limit {
				break
			}
			if sc.holds(r.Chunk) {
				ids, scores = append(ids, r.Chunk), append(scores, r.Score)
			}
		}
		matches, err = matched(ctx, c, ids, scores)
		return err
	})
	return matches, err
}

// matched joins ids and scores with the chunks.
func matched(ctx context.Context, c *conn, ids []int64, scores []float64) ([]memoir.Match, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	chunks, err := loadChunks(ctx, c, ids)
	if err != nil {
		return nil, err
	}
	out := make([]memoir.Match, len(ids))
	for i, chunk := range chunks {
		out[i] = memoir.Match{Chunk: chunk, Score: scores[i]}
	}
	return out, nil
}

// rank ranks every chunk that holds a term.
func (s *Store) rank(ctx context.Context, c *conn, terms []memoir.Term) ([]rank.Scored, error) {
	generation, err := c.generation(ctx)
	if err != nil {
		return nil, err
	}
	if r := s.ranking.Load(); r != nil && r.generation == generation && slices.Equal(r.terms, terms) {
		return r.chunks, nil
	}
	corpus, err := readCorpus(ctx, c)
	if err != nil {
		return nil, err
	}
	query := make([]rank.QueryTerm, len(terms))
	files := map[int64]bool{}
	for i, t := range terms {
		found, err := occurrences(ctx, c, t.Text)
		if err != nil {
			return nil, wordsBroken(ctx, err)
		}
		query[i] = rank.QueryTerm{Weight: t.Weight, Occurrences: found}
		for _, o := range found {
			files[fileOf(o.Chunk)] = true
		}
	}
	places, err := readPlaces(ctx, c, files)
	if err != nil {
		return nil, err
	}
	chunks := s.bm25.Rank(corpus, query, places.of)
	if places.lost != nil {
		return nil, places.lost
	}
	slices.SortFunc(chunks, func(a, b rank.Scored) int {
		if a.Score != b.Score {
			return cmp.Compare(b.Score, a.Score)
		}
		return cmp.Or(strings.Compare(places.files[fileOf(a.Chunk)].path, places.files[fileOf(b.Chunk)].path), cmp.Compare(a.Chunk, b.Chunk))
	})
	s.ranking.Store(&ranking{generation, terms, chunks})
	return chunks, nil
}

// wordsBroken marks an error that says that the word index itself is broken.
func wordsBroken(ctx context.Context, err error) error {
	if structural(ctx, err) {
		return memoir.WithHint(fmt.Errorf("the word index is broken: %w: %w", memoir.ErrUnavailable, err), hintRebuild)
	}
	return err
}

func readCorpus(ctx context.Context, c *conn) (rank.Corpus, error) {
	var documents, chunks, terms int
	err := c.one(ctx, `SELECT (SELECT value FROM meta WHERE key = 'documents'), (SELECT value FROM meta WHERE key = 'chunks'),
		(SELECT value FROM meta WHERE key = 'terms')`, nil, &documents, &chunks, &terms)
	return rank.Corpus{
		Chunks:         chunks,
		Documents:      documents,
		ChunkLength:    float64(terms) / float64(max(chunks, 1)),
		DocumentLength: float64(terms) / float64(max(documents, 1)),
	}, err
}

// occurrences returns the chunks that hold a term, ascending.
func occurrences(ctx context.Context, c *conn, term string) ([]rank.Occurrence, error) {
	var list string
	// One row of "17b17b23t", chunk and first letter of the column: several
	// times faster than a row for each.
	err := c.one(ctx, "SELECT coalesce(group_concat(doc || substr(col, 1, 1), ''), '') FROM chunks_vocab WHERE term = ?", []any{term}, &list)
	if err != nil {
		return nil, err
	}
	var out []rank.Occurrence
	var id int64
	for i := range len(list) {
		if d := list[i]; '0' <= d && d <= '9' {
			id = 10*id + int64(d-'0')
			continue
		}
		field := strings.IndexByte(columns, list[i])
		if field < 0 {
			return nil, fmt.Errorf("%w: column %q in the word index", memoir.ErrCorrupt, list[i])
		}
		if len(out) == 0 || out[len(out)-1].Chunk != id {
			out = append(out, rank.Occurrence{Chunk: id})
		}
		out[len(out)-1].Count += rank.FieldWeights[field]
		id = 0
	}
	return out, nil
}

// columns are the first letters of the columns of chunks_fts, in the order of
// the fields.
const columns = "thdb"

// places knows documents by their ids.
type places struct {
	files map[int64]filePlace
	lost  error // set when a chunk of the word index is of no document
}

type filePlace struct {
	path    string
	terms   float64
	lengths []float64 // terms in the body, by ordinal
}

func (p *places) of(chunk int64) rank.Place {
	f := p.files[fileOf(chunk)]
	ordinal := int(chunk % maxChunks)
	if ordinal >= len(f.lengths) {
		p.lost = fmt.Errorf("%w: the word index holds chunk %d, which is of no document", memoir.ErrCorrupt, chunk)
		return rank.Place{Document: fileOf(chunk)}
	}
	return rank.Place{Document: fileOf(chunk), Length: f.lengths[ordinal], DocumentLength: f.terms}
}

func readPlaces(ctx context.Context, c *conn, files map[int64]bool) (*places, error) {
	ids := make([]int64, 0, len(files))
	for id := range files {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	p := &places{files: make(map[int64]filePlace, len(files))}
	err := c.each(ctx, "SELECT f.id, f.path, f.terms, f.lengths FROM json_each(?) j CROSS JOIN files f ON f.id = j.value",
		[]any{jsonArray(ids)}, func(scan func(...any) error) error {
			var id int64
			var f filePlace
			var lengths string
			if err := scan(&id, &f.path, &f.terms, &lengths); err != nil {
				return err
			}
			f.lengths = parseLengths(lengths)
			p.files[id] = f
			return nil
		})
	return p, err
}

// parseLengths reads "120 87 3 ".
func parseLengths(s string) []float64 {
	out := make([]float64, 0, strings.Count(s, " "))
	n := 0
	for i := range len(s) {
		if s[i] == ' ' {
			out, n = append(out, float64(n)), 0
		} else {
			n = 10*n + int(s[i]-'0')
		}
	}
	return out
}
