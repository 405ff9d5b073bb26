package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/vecmath"
	"github.com/memoir-ai/memoir/store/internal/rowfile"
	"github.com/memoir-ai/memoir/store/internal/vector"
)

// neighbour is a chunk and its distance from a query.
type neighbour struct {
	number int // in the contents
	cosine float64
}

// nearSearch finds the chunks nearest to a query. The 8-bit rows only say which
// chunks to measure; scores always come from the vectors of the table.
type nearSearch struct {
	*view
	contents *contents
	space    memoir.Space
	id       int64 // of the space
	query    vector.Query
	vector   []float32
	limit    int

	in       chunkSet
	known    *cosines
	near     []neighbour // all that was measured, the nearest first
	farthest float64     // largest difference between a row's score and the measured one
	last     int64       // the highest id of a vector that the view can see
}

// cosines are what was measured for a query. A view keeps them, because a
// search asks again: for more of the same list, and for chunks that the words
// have found.
type cosines struct {
	space  int64
	query  []float32
	search int // how many searches have used them
	byText map[int64]measured

	rows     *rowSet             // those read last, for all chunks
	found    []rowfile.Candidate // the best of them
	complete float64             // no row with at least this score is missing from found
}

// is reports whether it was measured for a query.
func (k *cosines) is(space int64, query []float32) bool {
	return k != nil && k.space == space && slices.Equal(k.query, query)
}

type measured struct {
	cosine float64
	search int // the last search that has the chunks of the text
}

// cosines returns what was measured for a query before.
func (v *view) cosines(space int64, query []float32) *cosines {
	last, other := v.measured[0], v.measured[1]
	switch {
	case last.is(space, query):
	case other.is(space, query):
		last, other = other, last
	default:
		last, other = &cosines{space: space, query: slices.Clone(query), byText: map[int64]measured{}}, last
	}
	v.measured = [2]*cosines{last, other}
	last.search++
	return last
}

// fewRows is how many vectors are measured without using 8-bit rows. That takes
// half a millisecond, so a small index needs no file beside it.
const fewRows = 256

// doubt is the part of the likely margin that no row is expected to reach.
const doubt = .85

// run returns the nearest chunks in scope: at least limit, or all.
func (s *nearSearch) run(ctx context.Context, in chunkSet) ([]neighbour, error) {
	s.in = in
	count := len(s.contents.texts)
	if in != nil {
		count = in.count()
	}
	s.known = s.cosines(s.id, s.vector)
	var err error
	if s.last, err = s.store.vectors.follow(ctx, s.conn, s.id, s.space.Dimensions); err != nil {
		return nil, err
	}
	// A row costs a hundredth of what a vector does.
	if few := s.store.fewRows; count <= few || few > 0 && count <= s.limit+len(s.contents.texts)/128 || s.space.Dimensions > rowfile.MaxDimensions {
		err = s.measureAll(ctx)
	} else {
		err = s.scan(ctx)
	}
	return s.near, err
}

// measureAll measures every chunk in scope.
func (s *nearSearch) measureAll(ctx context.Context) error {
	var texts []int64
	add := func(t int64) {
		if t != 0 && !s.recall(t) && !s.measureKept(t, nil) {
			texts = append(texts, t)
		}
	}
	for n := range s.in.all(len(s.contents.texts)) {
		add(s.contents.texts[n])
	}
	for _, u := range s.contents.further {
		if s.in.has(int(u.number)) {
			add(u.text)
		}
	}
	slices.Sort(texts)
	return s.measure(ctx, "SELECT v.id, v.text, v.vector FROM json_each(?2) j CROSS JOIN vectors v ON v.space = ?1 AND v.text = j.value", slices.Compact(texts), nil)
}

// scan measures the vectors that the 8-bit rows point to.
func (s *nearSearch) scan(ctx context.Context) error {
	kernels, err := vecmath.Best()
	if err != nil {
		return err
	}
	for range tries {
		rows, err := s.store.useRows(ctx, s.conn, s.space, s.id)
		if err != nil {
			return err
		}
		err = s.scanRows(ctx, kernels, rows)
		if errors.Is(err, errGone) {
			s.store.rows.discard(s.id, rows)
		}
		s.store.rows.release(rows)
		if !errors.Is(err, errGone) {
			return err
		}
	}
	return errReplaced
}

// scanRows measures the vectors that some of the rows point to.
func (s *nearSearch) scanRows(ctx context.Context, kernels *vecmath.Kernels, rows *rowSet) (err error) {
	q, ok := rows.NewQuery(kernels, s.vector)
	if !ok {
		return nil
	}
	sure, margin := rows.Margin(q)
	keep := s.wanted
	if s.in == nil {
		keep = func(int64) bool { return true } // texts without a chunk are skipped when they are measured
	}
	n := max(leastFound, 2*s.limit)
	found, complete := s.known.found, s.known.complete
	if s.in != nil || s.known.rows != rows || len(found) < min(n, rows.Rows()) {
		if found, err = rows.best(q, n, float32(math.Inf(-1)), keep); err != nil {
			return err
		}
		complete = completeFrom(found, n)
	}
	defer func() {
		if s.in == nil && err == nil {
			s.known.rows, s.known.found, s.known.complete = rows, found, complete
		}
	}()
	measured, next := 0, min(s.limit, len(found))
	for {
		if err := s.measureRows(ctx, found[measured:next]); err != nil {
			return err
		}
		measured = next
		if s.farthest > doubt*margin {
			margin = sure // the errors of these vectors are not random
		}
		floor := s.lowest() - margin
		for next < len(found) && float64(found[next].Score) >= floor {
			next++
		}
		switch {
		case next > measured:
		case floor >= complete:
			return nil
		case math.IsInf(floor, -1): // too many rows belong to vectors that are gone
			n = 4 * max(n, len(found)) // an earlier search may have found more than n
			if found, err = rows.best(q, n, float32(math.Inf(-1)), keep); err != nil {
				return err
			}
			complete = completeFrom(found, n)
		default:
			if found, err = rows.best(q, math.MaxInt, math.Nextafter32(float32(floor), -2), keep); err != nil {
				return err
			}
			complete = floor
		}
	}
}

// leastFound is how many rows of a scan are kept, so that a search which asks
// for more of the same list mostly needs no second scan.
const leastFound = 256

func completeFrom(found []rowfile.Candidate, n int) float64 {
	if len(found) < n {
		return math.Inf(-1)
	}
	// There may be more rows with exactly that score.
	return math.Nextafter(float64(found[n-1].Score), 2)
}

// wanted reports whether a text has a chunk in scope.
func (s *nearSearch) wanted(text int64) bool {
	for n := range s.contents.chunksByText().of(text) {
		if s.in.has(n) {
			return true
		}
	}
	return false
}

// lowest returns the lowest cosine with which a chunk still matters.
func (s *nearSearch) lowest() float64 {
	if len(s.near) < s.limit {
		return math.Inf(-1)
	}
	return s.near[s.limit-1].cosine
}

// measureRows measures the vectors of rows.
func (s *nearSearch) measureRows(ctx context.Context, rows []rowfile.Candidate) error {
	if len(rows) == 0 {
		return nil
	}
	ids := make([]int64, 0, len(rows))
	scores := make(map[int64]float64, len(rows))
	for _, r := range rows {
		if s.recall(r.Text) {
			continue
		}
		scores[r.ID] = float64(r.Score)
		if !s.measureKept(r.Text, scores) {
			ids = append(ids, r.ID)
		}
	}
	slices.Sort(ids)
	return s.measure(ctx, "SELECT v.id, v.text, v.vector FROM json_each(?2) j CROSS JOIN vectors v ON v.id = j.value AND v.space = ?1", ids, scores)
}

// recall adds the chunks of a text that was measured before, if this search has
// not added them yet.
func (s *nearSearch) recall(text int64) bool {
	m, ok := s.known.byText[text]
	if !ok || m.search == s.known.search {
		return ok
	}
	m.search = s.known.search
	s.known.byText[text] = m
	for n := range s.contents.chunksByText().of(text) {
		if s.in.has(n) {
			s.near = append(s.near, neighbour{n, m.cosine})
		}
	}
	return true
}

// measure measures vectors that a query lists; scores are those of their rows.
func (s *nearSearch) measure(ctx context.Context, query string, ids []int64, scores map[int64]float64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	defer s.order()
	if len(ids) == 0 {
		return nil
	}
	// A query that can be cancelled costs a goroutine, and these are short.
	return s.conn.each(context.WithoutCancel(ctx), query, []any{s.id, jsonArray(ids)}, func(scan func(...any) error) error {
		var id, text int64
		var blob sql.RawBytes
		if err := scan(&id, &text, &blob); err != nil {
			return err
		}
		values := decode(make([]float32, 0, len(blob)/4), blob)
		v := keptVector{id, values, vector.Squares(values)}
		if len(values) != s.space.Dimensions || math.IsNaN(v.squares) || math.IsInf(v.squares, 0) {
			return fmt.Errorf("%w: vector %d is not what was written", memoir.ErrCorrupt, id)
		}
		s.store.vectors.put(s.id, s.last, text, v)
		s.measureOne(text, v, scores)
		return nil
	})
}

// measureKept measures the vector of a text if the cache still has it.
func (s *nearSearch) measureKept(text int64, scores map[int64]float64) bool {
	v, ok := s.store.vectors.get(s.id, s.last, text)
	if ok {
		s.measureOne(text, v, scores)
	}
	return ok
}

// measureOne measures the vector of a text, and adds its chunks.
func (s *nearSearch) measureOne(text int64, v keptVector, scores map[int64]float64) {
	cosine, ok := s.query.CosineOf(v.values, v.squares)
	if !ok {
		return
	}
	if score, ok := scores[v.id]; ok {
		s.farthest = max(s.farthest, math.Abs(cosine-score))
	}
	s.known.byText[text] = measured{cosine: cosine}
	s.recall(text)
}

// order puts the nearest first, ties in the order of chunks. A chunk is as near as the
// nearest of its texts.
func (s *nearSearch) order() {
	slices.SortFunc(s.near, func(a, b neighbour) int {
		if a.cosine != b.cosine {
			return cmp.Compare(b.cosine, a.cosine)
		}
		return s.contents.compare(a.number, b.number)
	})
	if len(s.contents.further) == 0 {
		return
	}
	seen := make(map[int]bool, len(s.near))
	s.near = slices.DeleteFunc(s.near, func(n neighbour) bool {
		again := seen[n.number]
		seen[n.number] = true
		return again
	})
}

func sortedIDs[V any](set map[int64]V) []int64 {
	ids := make([]int64, 0, len(set))
	for id := range set {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}
