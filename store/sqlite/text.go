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

// SearchText implements [memoir.View]. Where the word index itself is broken
// the error wraps [memoir.ErrUnavailable]: vectors can still answer.
func (v *view) SearchText(ctx context.Context, terms []memoir.Term, filter memoir.Filter, limit int) ([]memoir.Match, error) {
	terms = queryTerms(terms)
	if len(terms) == 0 || limit <= 0 {
		return nil, ctx.Err()
	}
	k, err := v.catalog(ctx)
	if err != nil {
		return nil, err
	}
	sc, err := newScope(ctx, v.conn, k, filter)
	if err != nil {
		return nil, err
	}
	ranked, err := v.store.rank(ctx, v.conn, k, terms)
	if err != nil {
		return nil, err
	}
	var numbers []int
	var scores []float64
	for _, r := range ranked {
		if len(numbers) == limit {
			break
		}
		if sc.holds(r.Chunk) {
			n, _ := k.number(r.Chunk)
			numbers, scores = append(numbers, n), append(scores, r.Score)
		}
	}
	return k.matches(numbers, scores), nil
}

// rank ranks every chunk that holds a term.
func (s *Store) rank(ctx context.Context, c *conn, k *catalog, terms []memoir.Term) ([]rank.Scored, error) {
	if r := s.ranking.Load(); r != nil && r.generation == k.generation && slices.Equal(r.terms, terms) {
		return r.chunks, nil
	}
	query := make([]rank.QueryTerm, len(terms))
	for i, t := range terms {
		found, err := occurrences(ctx, c, t.Text)
		if err != nil {
			return nil, wordsBroken(ctx, err)
		}
		query[i] = rank.QueryTerm{Weight: t.Weight, Occurrences: found}
	}
	var lost error
	chunks := s.bm25.Rank(k.corpus, query, func(chunk int64) rank.Place {
		n, ok := k.number(chunk)
		if !ok {
			lost = fmt.Errorf("%w: the word index holds chunk %d, which is of no document", memoir.ErrCorrupt, chunk)
			return rank.Place{Document: fileOf(chunk)}
		}
		f := k.files[k.fileAt(n)]
		return rank.Place{Document: f.id, Length: float64(k.lengths[n] &^ isCode), DocumentLength: float64(f.terms)}
	})
	if lost != nil {
		return nil, lost
	}
	slices.SortFunc(chunks, func(a, b rank.Scored) int {
		if a.Score != b.Score {
			return cmp.Compare(b.Score, a.Score)
		}
		x, _ := k.number(a.Chunk)
		y, _ := k.number(b.Chunk)
		return k.compare(x, y)
	})
	s.ranking.Store(&ranking{k.generation, terms, chunks})
	return chunks, nil
}

// wordsBroken marks an error that says that the word index itself is broken.
func wordsBroken(ctx context.Context, err error) error {
	if structural(ctx, err) {
		return memoir.WithHint(fmt.Errorf("the word index is broken: %w: %w", memoir.ErrUnavailable, err), hintRebuild)
	}
	return err
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
