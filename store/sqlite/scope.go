package sqlite

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/memoir-ai/memoir"
)

// scope is a filter in terms of ids.
type scope struct {
	files  map[int64]bool // nil: every document
	chunks map[int64]bool // nil: every chunk of those documents
}

func newScope(ctx context.Context, c *conn, k *contents, f memoir.Filter) (sc scope, err error) {
	if len(f.Kinds) > 0 || f.Prefix != "" || len(f.Paths) > 0 || len(f.Names) > 0 || f.From != "" || f.To != "" {
		if sc.files, err = filesOf(ctx, c, f); err != nil {
			return scope{}, err
		}
	}
	if len(f.Chunks) > 0 {
		sc.chunks = make(map[int64]bool, len(f.Chunks))
		for _, id := range f.Chunks {
			if n, ok := k.numberOf(id); ok {
				sc.chunks[k.chunk(n)] = true
			}
		}
	}
	for _, p := range f.Phrases {
		if err := sc.hold(ctx, c, p); err != nil {
			return scope{}, err
		}
	}
	for _, w := range f.Without {
		if err := sc.exclude(ctx, c, k, w); err != nil {
			return scope{}, err
		}
	}
	return sc, nil
}

func (sc scope) holds(chunk int64) bool {
	return (sc.files == nil || sc.files[fileOf(chunk)]) && (sc.chunks == nil || sc.chunks[chunk])
}

// numbers returns which chunks of the contents are in scope, and how many; nil
// stands for all.
func (sc scope) numbers(k *contents) (in chunkSet, count int) {
	if sc.files == nil && sc.chunks == nil {
		return nil, len(k.texts)
	}
	in = make(chunkSet, (len(k.texts)+63)/64)
	if sc.chunks != nil {
		for id := range sc.chunks {
			if n, ok := k.number(id); ok && sc.holds(id) {
				in.add(n)
				count++
			}
		}
		return in, count
	}
	for _, f := range k.files {
		if sc.files[f.id] {
			for n := f.first; n < f.first+f.chunks; n++ {
				in.add(n)
			}
			count += f.chunks
		}
	}
	return in, count
}

// chunkSet is a set of numbers of chunks; nil is the set of all.
type chunkSet []uint64

func (s chunkSet) add(n int) { s[n/64] |= 1 << (n % 64) }

func (s chunkSet) has(n int) bool { return s == nil || s[n/64]>>(n%64)&1 != 0 }

// all yields the numbers in the set, of so many chunks, ascending.
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

// ids returns the chunks of a scope that lists them, ascending.
func (sc scope) ids() []int64 {
	ids := sortedIDs(sc.chunks)
	return slices.DeleteFunc(ids, func(id int64) bool { return !sc.holds(id) })
}

// narrow leaves only the given chunks, of which it takes hold.
func (sc *scope) narrow(chunks map[int64]bool) {
	maps.DeleteFunc(chunks, func(id int64, _ bool) bool { return !sc.holds(id) })
	sc.chunks = chunks
}

// hold leaves only the chunks that hold a phrase.
func (sc *scope) hold(ctx context.Context, c *conn, p memoir.Phrase) error {
	match := matchOf(p)
	if match == "" {
		return nil
	}
	ids, err := idSet(ctx, c, "SELECT rowid FROM chunks_fts WHERE chunks_fts MATCH ?", match)
	if err != nil {
		return wordsBroken(ctx, err)
	}
	sc.narrow(ids)
	return nil
}

// exclude leaves out what passes a filter.
func (sc *scope) exclude(ctx context.Context, c *conn, k *contents, f memoir.Filter) error {
	out, err := newScope(ctx, c, k, f)
	if err != nil {
		return err
	}
	if out.chunks == nil && out.files != nil {
		if sc.files == nil {
			sc.files = make(map[int64]bool, len(k.files))
			for _, f := range k.files {
				sc.files[f.id] = true
			}
		}
		maps.DeleteFunc(sc.files, func(id int64, _ bool) bool { return out.files[id] })
		return nil
	}
	if sc.chunks == nil {
		all := make(map[int64]bool, len(k.lengths))
		for _, f := range k.files {
			for i := range f.chunks {
				all[chunkID(f.id, i)] = true
			}
		}
		sc.narrow(all)
	}
	maps.DeleteFunc(sc.chunks, func(id int64, _ bool) bool { return out.holds(id) })
	return nil
}

// matchOf writes a phrase as FTS5 reads it; "" is one without terms.
func matchOf(p memoir.Phrase) string {
	words := strings.TrimSuffix(joinTerms(p.Terms), " ")
	if words == "" {
		return ""
	}
	match := `"` + strings.ReplaceAll(words, `"`, `""`) + `"`
	if len(p.Fields) == 0 {
		return match
	}
	names := make([]string, len(p.Fields))
	for i, f := range p.Fields {
		names[i] = [memoir.NumFields]string{"title", "heading", "date", "body"}[f]
	}
	return "{" + strings.Join(names, " ") + "} : " + match
}

func filesOf(ctx context.Context, c *conn, f memoir.Filter) (map[int64]bool, error) {
	var end, kinds any // NULL: no bound
	if e := prefixEnd(f.Prefix); e != "" {
		end = e
	}
	if len(f.Kinds) > 0 {
		kinds = jsonArray(f.Kinds)
	}
	return idSet(ctx, c, `SELECT id FROM files
		WHERE path >= ?1 AND (?2 IS NULL OR path < ?2) AND (?3 IS NULL OR kind IN (SELECT value FROM json_each(?3)))
			AND NOT EXISTS (SELECT 1 FROM json_each(?4) WHERE instr(lower('/' || files.path), lower(value)) = 0)
			AND NOT EXISTS (SELECT 1 FROM json_each(?5) WHERE NOT EXISTS (SELECT 1 FROM names WHERE name = value AND file = files.id))
			AND (?6 = '' AND ?7 = '' OR date >= max(?6, '0') AND (?7 = '' OR date <= ?7))`,
		f.Prefix, end, kinds, jsonArray(f.Paths), jsonArray(f.Names), f.From, f.To)
}

// idSet returns the ids that a query selects.
func idSet(ctx context.Context, c *conn, query string, args ...any) (map[int64]bool, error) {
	ids := map[int64]bool{}
	err := c.each(ctx, query, args, func(scan func(...any) error) error {
		var id int64
		if err := scan(&id); err != nil {
			return err
		}
		ids[id] = true
		return nil
	})
	return ids, err
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
	chunks := make([]memoir.Chunk, 0, len(wanted))
	err = v.conn.each(ctx, `SELECT c.id, c.start_line, c.end_line, f.title, c.heading, c.text
		FROM json_each(?) j CROSS JOIN chunks c ON c.id = j.value CROSS JOIN files f ON f.id = c.file`,
		[]any{jsonArray(wanted)}, func(scan func(...any) error) error {
			var id int64
			var chunk memoir.Chunk
			var heading string
			err := scan(&id, &chunk.StartLine, &chunk.EndLine, &chunk.Title, &heading, &chunk.Text)
			if err == nil && heading != "[]" {
				err = json.Unmarshal([]byte(heading), &chunk.Heading)
			}
			n, _ := k.number(id)
			chunk.ChunkMeta = k.passage(n)
			chunks = append(chunks, chunk)
			return err
		})
	if err == nil && len(chunks) != len(wanted) {
		err = fmt.Errorf("%w: of %d passages %d lack their text", memoir.ErrCorrupt, len(wanted), len(wanted)-len(chunks))
	}
	slices.SortFunc(chunks, func(a, b memoir.Chunk) int { return a.Compare(b.ChunkID) })
	return chunks, err
}
