package sqlite

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/ability"
	"github.com/memoir-ai/memoir/internal/rank"
	"github.com/memoir-ai/memoir/store/internal/fts5"
)

// ranking is the answer to one query over the whole index, before any filter. A
// view keeps the last one, because a search asks for the same words again to
// score what only vectors have found.
type ranking struct {
	*rank.Ranking
	terms []memoir.Term
	all   *memoir.WordCounts // counts of the indexes that are ranked together; nil: only this one
}

var (
	_ memoir.Scorer       = (*view)(nil)
	_ ability.Snapshotter = (*view)(nil)
)

// Snapshot implements [ability.Snapshotter].
func (*view) Snapshot() {}

// SearchText implements [memoir.Scorer]. When the word index itself is broken
// the error wraps [memoir.ErrUnavailable]; vectors can still answer.
func (v *view) SearchText(ctx context.Context, terms []memoir.Term, filter memoir.Filter, limit int, all *memoir.WordCounts) ([]memoir.Match, error) {
	terms = queryTerms(terms)
	if len(terms) == 0 || limit <= 0 {
		return nil, ctx.Err()
	}
	k, in, err := v.scope(ctx, filter)
	if err != nil {
		return nil, err
	}
	ranked, err := v.rank(ctx, k, terms, all)
	if err != nil {
		return nil, err
	}
	var best []rank.Scored
	if len(filter.Chunks) > 0 {
		best = ranked.Among(slices.Collect(in.all(len(k.texts))), limit, k.before)
	} else {
		best = ranked.Top(limit, in.has, k.before)
	}
	numbers, scores := make([]int, len(best)), make([]float64, len(best))
	for i, s := range best {
		numbers[i], scores[i] = s.Chunk, s.Score
	}
	matches := k.matches(numbers, scores)
	for i := range matches {
		matches[i].Reach = ranked.Reach()
	}
	return matches, nil
}

// CountWords implements [memoir.Scorer].
func (v *view) CountWords(ctx context.Context, terms []memoir.Term, hidden []memoir.Filter) (memoir.WordCounts, error) {
	k, in, err := v.scope(ctx, memoir.Filter{Without: hidden})
	if err != nil {
		return memoir.WordCounts{}, err
	}
	c := k.collection()
	counts := k.totals(c, in)
	plain := map[string]string{} // by the encoded term
	var texts []string
	for _, t := range terms {
		if text := encodeTerm(t.Text); t.Text != "" && plain[text] == "" {
			plain[text], texts = t.Text, append(texts, text)
		}
	}
	err = v.read(ctx, k, texts, func(i int, _ int, postings func() ([]rank.Posting, error)) error {
		located, err := postings()
		if in != nil {
			all := located // of the store
			located = make([]rank.Posting, 0, len(all))
			for _, p := range all {
				if in.has(int(p.Chunk)) {
					located = append(located, p)
				}
			}
		}
		spread := c.Spread(located)
		counts.Holders[plain[texts[i]]] = memoir.Holders(spread)
		return err
	})
	return counts, err
}

// totals counts the chunks of a set and their words, but no terms. nil is the set of all.
func (k *contents) totals(c *rank.Collection, in chunkSet) memoir.WordCounts {
	counts := memoir.WordCounts{Holders: map[string]memoir.Holders{}}
	if in == nil {
		t := c.Totals()
		counts.Documents, counts.Chunks, counts.Words = t.Documents, t.Chunks, t.Terms
		return counts
	}
	for n := range in.all(len(k.texts)) {
		counts.Chunks++
		counts.Words += int(k.bodies[n].terms)
	}
	for _, f := range k.files {
		if in.any(f.first, f.first+f.chunks) {
			counts.Documents++
		}
	}
	return counts
}

// Terms implements [memoir.View]: the candidates are those that SearchText finds.
func (v *view) Terms(ctx context.Context, terms []memoir.Term, filter memoir.Filter, limit int) (memoir.Candidates, error) {
	var found memoir.Candidates
	var err error
	if found.Counts, err = v.CountWords(ctx, terms, nil); err != nil {
		return memoir.Candidates{}, err
	}
	if limit <= 0 {
		return found, nil
	}
	best, err := v.SearchText(ctx, terms, filter, limit, nil)
	if err != nil || len(best) == 0 {
		return found, err
	}
	k, err := v.contents(ctx)
	if err != nil {
		return memoir.Candidates{}, err
	}
	byNumber, byFile := map[int]int{}, map[int][]int{} // places in found.Chunks
	for i, m := range best {
		n, _ := k.numberOf(m.ChunkID)
		file := k.fileAt(n)
		c := memoir.Candidate{ChunkMeta: m.ChunkMeta, Length: int(k.bodies[n].terms), Held: make([]float32, len(terms)), DocumentHeld: make([]float32, len(terms))}
		for sibling := k.files[file].first; sibling < k.files[file].first+k.files[file].chunks; sibling++ {
			c.DocumentLength += int(k.bodies[sibling].terms)
		}
		found.Chunks = append(found.Chunks, c)
		byNumber[n], byFile[file] = i, append(byFile[file], i)
	}
	at := map[string][]int{} // the places of each encoded term in the query
	var texts []string
	for i, t := range terms {
		text := encodeTerm(t.Text)
		if t.Text != "" && at[text] == nil {
			texts = append(texts, text)
		}
		at[text] = append(at[text], i)
	}
	err = v.read(ctx, k, texts, func(i, _ int, postings func() ([]rank.Posting, error)) error {
		located, err := postings()
		for _, p := range located {
			for _, term := range at[texts[i]] {
				if c, ok := byNumber[int(p.Chunk)]; ok {
					found.Chunks[c].Held[term] = p.Count
				}
				for _, c := range byFile[k.fileAt(int(p.Chunk))] {
					found.Chunks[c].DocumentHeld[term] += p.Count
				}
			}
		}
		return err
	})
	return found, err
}

// rank scores every chunk that holds a term.
func (v *view) rank(ctx context.Context, k *contents, terms []memoir.Term, all *memoir.WordCounts) (*rank.Ranking, error) {
	if v.ranked != nil && v.ranked.all == all && slices.Equal(v.ranked.terms, terms) {
		return v.ranked.Ranking, nil
	}
	v.release()
	collection := k.collection()
	holders := map[string]memoir.Holders{} // by the encoded term
	if all != nil {
		collection = k.collectionAmong(rank.Totals{Documents: all.Documents, Chunks: all.Chunks, Terms: all.Words})
		for text, h := range all.Holders {
			holders[encodeTerm(text)] = h
		}
	}
	v.ranked = &ranking{collection.Rank(), terms, all}
	read := make([]memoir.Term, 0, len(terms))
	texts := make([]string, 0, len(terms))
	for _, t := range terms {
		if _, common := k.common.Load(t.Text); common && t.Light && all == nil {
			continue
		}
		read, texts = append(read, t), append(texts, t.Text)
	}
	err := v.read(ctx, k, texts, func(i int, rows int, postings func() ([]rank.Posting, error)) error {
		t, among := read[i], rows
		if all != nil {
			among = holders[t.Text].Chunks
		}
		if t.Light && v.ranked.Common(among) {
			if all == nil {
				k.common.Store(t.Text, true)
			}
			return ctx.Err()
		}
		located, err := postings()
		switch {
		case err != nil:
			return err
		case all != nil:
			v.ranked.AddAmong(t.Role(), t.Weight, located, rank.Spread(holders[t.Text]))
		default:
			v.ranked.AddAs(t.Role(), t.Weight, located)
		}
		return ctx.Err()
	})
	if err != nil {
		v.release()
		return nil, err
	}
	return v.ranked.Ranking, nil
}

// read reads the postings of encoded terms, one term after the other. It calls
// each with how many chunks hold the term, and with the postings, whose memory
// the next term reuses.
func (v *view) read(ctx context.Context, k *contents, texts []string, each func(i, rows int, postings func() ([]rank.Posting, error)) error) error {
	tables := wordTables{ctx, v.conn}
	index, err := k.words(tables)
	if err != nil {
		return v.wordsBroken(ctx, err)
	}
	lists := v.store.borrowLists()
	defer v.store.lists.Put(lists)
	lists.rows, err = index.Read(tables, texts, columnWeights(), lists.rows, func(i int, rows []fts5.Posting) error {
		return each(i, len(rows), func() (_ []rank.Posting, err error) {
			lists.numbers, err = k.locate(lists.numbers, rows)
			return lists.numbers, err
		})
	})
	return v.wordsBroken(ctx, err)
}

// columnWeights returns the weights of the columns of chunks_fts.
func columnWeights() []float64 {
	w := rank.FieldWeights
	return []float64{w[memoir.FieldBody], w[memoir.FieldTitle], w[memoir.FieldHeading], w[memoir.FieldDate]}
}

// release gives the memory of the last ranking back.
func (v *view) release() {
	if v.ranked != nil {
		v.ranked.Release()
		v.ranked = nil
	}
}

// postings is memory for the postings of one term.
type postings struct {
	rows    []fts5.Posting
	numbers []rank.Posting
}

// borrowLists returns memory for postings, which is given back to s.lists.
func (s *Store) borrowLists() *postings {
	if lists, ok := s.lists.Get().(*postings); ok {
		return lists
	}
	return &postings{}
}

// wordTables reads the tables behind chunks_fts.
type wordTables struct {
	ctx  context.Context
	conn *conn
}

// ftsVersion is the version of the format that fts5 reads.
const ftsVersion = 4

// words returns what is known of the word index.
func (k *contents) words(t wordTables) (*fts5.Index, error) {
	if x := k.opened.Load(); x != nil {
		return x, nil
	}
	var version int
	err := t.conn.one(t.ctx, "SELECT v FROM chunks_fts_config WHERE k = 'version'", nil, &version)
	if errors.Is(err, sql.ErrNoRows) {
		err = fmt.Errorf("%w: it does not say in which format it is", fts5.ErrFormat)
	}
	if err != nil {
		return nil, err
	}
	if version != ftsVersion {
		return nil, fmt.Errorf("%w: its format is version %d, this memoir knows %d", fts5.ErrFormat, version, ftsVersion)
	}
	x, err := fts5.Open(t)
	if err == nil {
		k.opened.Store(x)
	}
	return x, err
}

// Records implements [fts5.Source].
func (t wordTables) Records(from, to int64, f func(id int64, record []byte) (bool, error)) error {
	var id int64
	var block sql.RawBytes
	return t.conn.until(t.ctx, "SELECT id, block FROM chunks_fts_data WHERE id BETWEEN ? AND ?", []any{from, to}, func(scan func(...any) error) (bool, error) {
		if err := scan(&id, &block); err != nil {
			return false, err
		}
		return f(id, block)
	})
}

// Leaves implements [fts5.Source] with a single query, because half of the time
// of a short query goes into preparing it.
func (t wordTables) Leaves(keys [][]byte, segments []int64, f func(key, segment int, id int64, record []byte) error) error {
	texts := make([]string, len(keys))
	for i, k := range keys {
		texts[i] = hex.EncodeToString(k)
	}
	var key, segment int
	var id int64
	var block sql.RawBytes
	return t.conn.each(t.ctx, `SELECT k.key, s.key, d.id, d.block FROM json_each(?) k CROSS JOIN json_each(?) s CROSS JOIN chunks_fts_data d
		ON d.id = max(s.value, (s.value >> 37 << 37) + coalesce(
			(SELECT pgno >> 1 FROM chunks_fts_idx WHERE segid = s.value >> 37 AND term <= unhex(k.value) ORDER BY term DESC LIMIT 1), 0))`,
		[]any{jsonArray(texts), jsonArray(segments)}, func(scan func(...any) error) error {
			if err := scan(&key, &segment, &id, &block); err != nil {
				return err
			}
			return f(key, segment, id, block)
		})
}

// wordsBroken marks an error which says that the word index itself is broken.
func (v *view) wordsBroken(ctx context.Context, err error) error {
	if errors.Is(err, fts5.ErrFormat) {
		err = fmt.Errorf("%w: %w", memoir.ErrCorrupt, err)
	}
	return v.broken(ctx, "the word index", err)
}
