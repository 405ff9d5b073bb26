package sqlite

import (
	"context"
	"encoding/json"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/order"
	"github.com/memoir-ai/memoir/store/internal/fts5"
)

// newScope returns the chunks that pass a filter. The set takes one bit for
// each chunk of the index.
func (v *view) newScope(ctx context.Context, k *contents, f memoir.Filter) (in chunkSet, err error) {
	if len(f.Labels) > 0 {
		if in = k.bearers(f.Labels); in.count() == 0 {
			return in, nil
		}
	}
	if len(f.Kinds) > 0 { // from memory, because it hides sessions in every search of some callers
		in = in.and(k.ofKinds(f.Kinds))
	}
	if f.Prefix != "" || len(f.Paths) > 0 || len(f.Names) > 0 || f.From != "" || f.To != "" {
		files, err := v.ofFiles(ctx, k, f)
		if err != nil {
			return nil, err
		}
		in = in.and(files)
	}
	if len(f.Chunks) > 0 {
		listed := k.none()
		for _, id := range f.Chunks {
			if n, ok := k.numberOf(id); ok {
				listed.add(n)
			}
		}
		in = in.and(listed)
	}
	for _, p := range f.Phrases {
		held, err := v.holders(ctx, k, p, in)
		if err != nil {
			return nil, err
		}
		in = in.and(held)
	}
	for _, w := range f.Without {
		out, err := v.newScope(ctx, k, w)
		switch {
		case err != nil:
			return nil, err
		case out == nil:
			return k.none(), nil
		case in == nil:
			in = k.every()
		}
		in.remove(out)
	}
	return in, nil
}

// ofKinds returns the chunks of the documents of some kinds.
func (k *contents) ofKinds(kinds []memoir.Kind) chunkSet {
	in := k.none()
	for _, f := range k.files {
		if slices.Contains(kinds, f.meta.Kind) {
			in.addRange(f.first, f.first+f.chunks)
		}
	}
	return in
}

// ofFiles returns the chunks of the documents that pass a filter, of whatever kind.
func (v *view) ofFiles(ctx context.Context, k *contents, f memoir.Filter) (chunkSet, error) {
	var end any // NULL: no bound
	if e := prefixEnd(f.Prefix); e != "" {
		end = e
	}
	in := k.none()
	err := eachID(ctx, v.conn, `SELECT id FROM files
		WHERE path >= ?1 AND (?2 IS NULL OR path < ?2)
			AND NOT EXISTS (SELECT 1 FROM json_each(?3) WHERE instr(lower('/' || files.path), lower(value)) = 0)
			AND NOT EXISTS (SELECT 1 FROM json_each(?4)
				WHERE NOT EXISTS (SELECT 1 FROM names WHERE name = value AND file = files.id))
			AND (?5 = '' AND ?6 = '' OR date >= max(?5, '0') AND (?6 = '' OR date <= ?6))`,
		[]any{f.Prefix, end, jsonArray(f.Paths), jsonArray(f.Names), f.From, f.To}, func(id int64) {
			if i, ok := k.file(id); ok {
				in.addRange(k.files[i].first, k.files[i].first+k.files[i].chunks)
			}
		})
	return in, err
}

// holders returns the chunks that hold a phrase; nil means all. Chunks outside
// the scope may be missing.
func (v *view) holders(ctx context.Context, k *contents, p memoir.Phrase, scope chunkSet) (chunkSet, error) {
	held, err := v.holdersOf(ctx, k, p.Terms, p.Fields)
	if err != nil || held == nil || p.Text == "" {
		return held, v.wordsBroken(ctx, err)
	}
	inside, err := v.holdersOf(ctx, k, p.Inside, nil)
	if err != nil || inside == nil || inside.count() > memoir.MaxInside {
		return held, v.wordsBroken(ctx, err)
	}
	inside = scope.and(inside)
	inside.remove(held)
	var ids []int64
	for n := range inside.all(len(k.texts)) {
		ids = append(ids, k.chunk(n))
	}
	for page := range slices.Chunk(ids, textsAtOnce) {
		chunks, err := k.chunks(ctx, v.conn, page)
		if err != nil {
			return nil, err
		}
		for i := range chunks {
			if n, ok := k.numberOf(chunks[i].ChunkID); ok && p.In(&chunks[i]) {
				held.add(n)
			}
		}
	}
	return held, nil
}

// textsAtOnce is how many chunks are read into memory at once to search their
// texts.
const textsAtOnce = 128

// holdersOf returns the chunks that hold terms one after the other in one of
// some fields, or in any field when none is named. nil means all chunks.
func (v *view) holdersOf(ctx context.Context, k *contents, terms []string, fields []memoir.Field) (chunkSet, error) {
	words := strings.Fields(joinTerms(terms))
	if len(words) == 0 {
		return nil, nil
	}
	held := k.none()
	add := k.adder(held)
	if len(words) > 1 || len(fields) > 0 {
		return held, eachID(ctx, v.conn, "SELECT rowid FROM chunks_fts WHERE chunks_fts MATCH ?", []any{matchOf(words, fields)}, add)
	}
	// Reading the pages of the word index is many times faster.
	tables := wordTables{ctx, v.conn}
	index, err := k.words(tables)
	if err != nil {
		return nil, err
	}
	lists := v.store.borrowLists()
	defer v.store.lists.Put(lists)
	lists.rows, err = index.Read(tables, words, columnWeights(), lists.rows, func(_ int, rows []fts5.Posting) error {
		for _, row := range rows {
			add(row.Row)
		}
		return ctx.Err()
	})
	return held, err
}

// chunkSet is a set of numbers of chunks; nil is the set of all.
type chunkSet []uint64

// none returns an empty set.
func (k *contents) none() chunkSet { return make(chunkSet, (len(k.texts)+63)/64) }

// every returns the set of all chunks.
func (k *contents) every() chunkSet {
	s := k.none()
	s.addRange(0, len(k.texts))
	return s
}

// adder returns a function that adds a chunk by its id. It is fast when each
// chunk is of the same document as the one before, or of the next one.
func (k *contents) adder(s chunkSet) func(id int64) {
	at := 0
	return func(id int64) {
		var ok bool
		if at, ok = k.fileNear(at, fileOf(id)); !ok {
			return
		}
		if ordinal := int(id % maxChunks); ordinal < k.files[at].chunks {
			s.add(k.files[at].first + ordinal)
		}
	}
}

func (s chunkSet) add(n int) { s[n/64] |= 1 << (n % 64) }

// addRange adds the numbers from one up to another.
func (s chunkSet) addRange(from, to int) {
	for ; from < to && from%64 != 0; from++ {
		s.add(from)
	}
	for ; from+64 <= to; from += 64 {
		s[from/64] = ^uint64(0)
	}
	for ; from < to; from++ {
		s.add(from)
	}
}

func (s chunkSet) has(n int) bool { return s == nil || s[n/64]>>(n%64)&1 != 0 }

// and returns the intersection of two sets, in the memory of other.
func (s chunkSet) and(other chunkSet) chunkSet {
	switch {
	case s == nil:
		return other
	case other == nil:
		return s
	}
	for i := range other {
		other[i] &= s[i]
	}
	return other
}

// remove takes the numbers of another set out. Neither set may be the set of
// all.
func (s chunkSet) remove(other chunkSet) {
	for i := range s {
		s[i] &^= other[i]
	}
}

// count returns how many numbers are in a set other than that of all.
func (s chunkSet) count() int {
	n := 0
	for _, word := range s {
		n += bits.OnesCount64(word)
	}
	return n
}

// all yields the numbers in the set in ascending order. chunks is how many
// chunks there are.
func (s chunkSet) all(chunks int) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for n := 0; n < chunks; n++ {
			if s != nil && s[n/64]>>(n%64) == 0 {
				n |= 63
			} else if s.has(n) && !yield(n) {
				return
			}
		}
	}
}

// any reports whether a number from one up to another is in the set.
func (s chunkSet) any(from, to int) bool {
	for ; from < to; from++ {
		if s != nil && s[from/64]>>(from%64) == 0 {
			from |= 63
		} else if s.has(from) {
			return true
		}
	}
	return false
}

// matchOf writes a phrase in one of some fields as an FTS5 query.
func matchOf(words []string, fields []memoir.Field) string {
	match := `"` + strings.ReplaceAll(strings.Join(words, " "), `"`, `""`) + `"`
	if len(fields) == 0 {
		return match
	}
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = [memoir.NumFields]string{"title", "heading", "date", "body"}[f]
	}
	return "{" + strings.Join(names, " ") + "} : " + match
}

// eachID calls f with the ids that a query selects.
func eachID(ctx context.Context, c *conn, query string, args []any, f func(id int64)) error {
	return c.each(ctx, query, args, func(scan func(...any) error) error {
		var id int64
		err := scan(&id)
		if err == nil {
			f(id)
		}
		return err
	})
}

// prefixEnd returns the smallest string that is greater than all with the
// prefix, byte by byte; "" when there is none.
func prefixEnd(prefix string) string {
	b := []byte(prefix)
	for len(b) > 0 {
		last := len(b) - 1
		if b[last] < 0xff {
			b[last]++
			return string(b)
		}
		b = b[:last]
	}
	return ""
}

// jsonArray makes one parameter of many values, for json_each.
func jsonArray[T ~string | ~int64](values []T) string {
	if values == nil {
		return "[]" // json_each reads null as a value
	}
	b, err := json.Marshal(values)
	if err != nil {
		panic(err) // strings and numbers always marshal
	}
	return string(b)
}

// Chunks implements [memoir.View].
func (v *view) Chunks(ctx context.Context, ids []memoir.ChunkID) ([]memoir.Chunk, error) {
	if len(ids) == 0 {
		return nil, ctx.Err()
	}
	k, err := v.contents(ctx)
	if err != nil {
		return nil, err
	}
	var wanted []int64
	for _, id := range ids {
		if n, ok := k.numberOf(id); ok {
			wanted = append(wanted, k.chunk(n))
		}
	}
	slices.Sort(wanted)
	wanted = slices.Compact(wanted)
	chunks, err := k.chunks(ctx, v.conn, wanted)
	v.store.note(ctx, err)
	if structural(ctx, err) {
		chunks, err = v.readEach(ctx, k, wanted), ctx.Err()
	}
	order.By(chunks, func(a, b memoir.Chunk) int { return a.Compare(b.ChunkID) })
	return chunks, err
}

// chunks reads chunks by their ids, which are in the contents and ascend.
func (k *contents) chunks(ctx context.Context, c *conn, wanted []int64) ([]memoir.Chunk, error) {
	chunks := make([]memoir.Chunk, 0, len(wanted))
	err := c.each(ctx, `SELECT c.id, c.start_line, c.end_line, f.title, c.heading, c.text
		FROM json_each(?) j CROSS JOIN chunks c ON c.id = j.value CROSS JOIN files f ON f.id = c.file`,
		[]any{jsonArray(wanted)}, func(scan func(...any) error) error {
			var id int64
			var chunk memoir.Chunk
			var heading string
			err := scan(&id, &chunk.StartLine, &chunk.EndLine, &chunk.Title, &heading, &chunk.Text)
			if err == nil {
				chunk.Heading, err = headingOf(heading)
			}
			if err == nil && !utf8.ValidString(chunk.Text) {
				err = fmt.Errorf("%w: the text of chunk %d is not what was written", memoir.ErrCorrupt, id)
			}
			n, _ := k.number(id)
			chunk.ChunkMeta = k.meta(n)
			chunks = append(chunks, chunk)
			return err
		})
	if err == nil && len(chunks) != len(wanted) {
		err = fmt.Errorf("%w: of %d chunks %d lack their text", memoir.ErrCorrupt, len(wanted), len(wanted)-len(chunks))
	}
	return chunks, err
}

// headingOf reads the heading path of a chunk, a list of strings in JSON. Nearly all hold
// nothing that JSON writes in another way.
func headingOf(text string) ([]string, error) {
	if text == "[]" {
		return nil, nil
	}
	inner, begins := strings.CutPrefix(text, `["`)
	inner, ends := strings.CutSuffix(inner, `"]`)
	odd := func(r rune) bool { return r < ' ' || r == '\\' || r == utf8.RuneError }
	if begins && ends && !strings.ContainsFunc(inner, odd) {
		heading := strings.Split(inner, `","`)
		if !slices.ContainsFunc(heading, func(part string) bool { return strings.Contains(part, `"`) }) {
			return heading, nil
		}
	}
	var heading []string
	err := json.Unmarshal([]byte(text), &heading)
	return heading, err
}

// readEach reads those chunks that can be read.
func (v *view) readEach(ctx context.Context, k *contents, wanted []int64) []memoir.Chunk {
	var chunks []memoir.Chunk
	for _, id := range wanted {
		if one, err := k.chunks(ctx, v.conn, []int64{id}); err == nil {
			chunks = append(chunks, one...)
		}
	}
	return chunks
}
