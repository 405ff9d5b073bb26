package weaviate

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/rank"
)

// maxPlain is the length in bytes up to which a term is written as it is.
const maxPlain = 64

// encodeTerm writes a term so that Weaviate makes exactly one token of it, and
// no other term gives the same token. Short terms of plain characters are
// written as they are. Others, which are long or have characters with a special
// meaning, are written as a digest.
func encodeTerm(t string) string {
	plain := len(t) <= maxPlain && utf8.ValidString(t) && !strings.ContainsFunc(t, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !strings.ContainsRune("_-./#@:", r)
	})
	if plain {
		return t
	}
	sum := sha256.Sum256([]byte(t))
	return "~" + hex.EncodeToString(sum[:16])
}

func encodeTerms(fields [memoir.NumFields][]string) string {
	var b strings.Builder
	for _, terms := range fields {
		for _, t := range terms {
			if t != "" {
				b.WriteString(encodeTerm(t))
				b.WriteByte(' ')
			}
		}
	}
	return b.String()
}

// A forward index holds the terms of a document, field by field and chunk by
// chunk. It never changes, because a changed document is another object.
type forward struct {
	Terms  []string                    // in order, each once
	Chunks [][memoir.NumFields][]int32 // indexes into Terms

	holders [][]holder // by index of the term
}

// A holder is a chunk that holds a term.
type holder struct {
	ordinal int
	count   float32 // occurrences, weighted by field
}

func forwardOf(chunks []memoir.IndexedChunk) *forward {
	occurrences := 0
	for _, c := range chunks {
		for _, list := range c.Terms {
			occurrences += len(list)
		}
	}
	// Terms are numbered as they come first, and then by their order.
	f := &forward{Chunks: make([][memoir.NumFields][]int32, len(chunks))}
	at := make(map[string]int32, occurrences/2)
	for i, c := range chunks {
		for field, list := range c.Terms {
			for _, t := range list {
				if t == "" {
					continue
				}
				n, known := at[t]
				if !known {
					n = int32(len(f.Terms))
					at[t], f.Terms = n, append(f.Terms, t)
				}
				f.Chunks[i][field] = append(f.Chunks[i][field], n)
			}
		}
	}
	slices.Sort(f.Terms)
	ordered := make([]int32, len(f.Terms))
	for i, t := range f.Terms {
		ordered[at[t]] = int32(i)
	}
	for _, fields := range f.Chunks {
		for _, list := range fields {
			for i, n := range list {
				list[i] = ordered[n]
			}
		}
	}
	return f
}

func parseForward(data string, chunks int) (*forward, error) {
	f := &forward{}
	if err := unpack(data, f); err != nil {
		return nil, fmt.Errorf("%w: the terms of a document: %v", memoir.ErrCorrupt, err)
	}
	if len(f.Chunks) != chunks || !slices.IsSorted(f.Terms) {
		return nil, fmt.Errorf("%w: the terms of a document are not those of its chunks", memoir.ErrCorrupt)
	}
	f.holders = make([][]holder, len(f.Terms))
	for ordinal, fields := range f.Chunks {
		for field, list := range fields {
			for _, t := range list {
				if t < 0 || int(t) >= len(f.Terms) {
					return nil, fmt.Errorf("%w: a chunk refers to a term that its document does not list", memoir.ErrCorrupt)
				}
				of, weight := f.holders[t], float32(rank.FieldWeights[field])
				if n := len(of); n > 0 && of[n-1].ordinal == ordinal {
					of[n-1].count += weight
				} else {
					f.holders[t] = append(of, holder{ordinal, weight})
				}
			}
		}
	}
	return f, nil
}

// holding returns the chunks that hold a term.
func (f *forward) holding(term string) []holder {
	if at, ok := slices.BinarySearch(f.Terms, term); ok {
		return f.holders[at]
	}
	return nil
}

// holds reports whether terms stand one after the other in one of some fields
// of a chunk, or in any field when none is named.
func (f *forward) holds(ordinal int, phrase []string, fields []memoir.Field) bool {
	wanted := make([]int32, len(phrase))
	for i, t := range phrase {
		at, ok := slices.BinarySearch(f.Terms, t)
		if !ok {
			return false
		}
		wanted[i] = int32(at)
	}
	for field, list := range f.Chunks[ordinal] {
		if len(fields) > 0 && !slices.Contains(fields, memoir.Field(field)) {
			continue
		}
		for i := range len(list) - len(wanted) + 1 {
			if slices.Equal(list[i:i+len(wanted)], wanted) {
				return true
			}
		}
	}
	return false
}

// forwardsAtOnce is for how many documents the terms are read in one request.
const forwardsAtOnce = 256

// forwards returns the terms of documents. It leaves out documents that are
// gone, or whose terms cannot be read.
func (s *Store) forwards(ctx context.Context, records []*record) (map[uuid]*forward, error) {
	out := make(map[uuid]*forward, len(records))
	chunks := make(map[uuid]int, len(records))
	var missing []uuid
	s.mu.Lock()
	for _, r := range records {
		if _, twice := chunks[r.Revision]; twice {
			continue
		}
		chunks[r.Revision] = len(r.Chunks)
		if f := s.words.held[r.Revision]; f != nil {
			out[r.Revision] = f
		} else {
			missing = append(missing, r.Revision)
		}
	}
	s.mu.Unlock()
	for some := range slices.Chunk(missing, forwardsAtOnce) {
		found, err := s.objects(ctx, wordsClass, some, dataFields)
		if err != nil {
			return nil, err
		}
		for id, o := range found {
			n, asked := chunks[id]
			if !asked {
				continue
			}
			f, err := parseForward(o.Data, n)
			if err != nil {
				continue // as good as gone
			}
			out[id] = f
			s.mu.Lock()
			s.words.put(id, f)
			s.mu.Unlock()
		}
	}
	return out, nil
}

// maxResults is the highest number of hits that Weaviate returns.
const maxResults = 10_000

// Terms implements [memoir.View].
func (v *view) Terms(ctx context.Context, terms []memoir.Term, filter memoir.Filter, limit int) (memoir.Candidates, error) {
	counts := v.contents.counts(terms)
	if limit <= 0 {
		return memoir.Candidates{Counts: counts}, ctx.Err()
	}
	in, err := v.scope(ctx, filter)
	var places []place
	if query := bm25(terms); err == nil && query != "" {
		places, err = v.holding(ctx, query, in, limit)
	}
	if err != nil {
		return memoir.Candidates{}, fmt.Errorf("search words: %w", err)
	}
	chunks, err := v.measure(ctx, terms, places)
	return memoir.Candidates{Counts: counts, Chunks: chunks}, err
}

// bm25 returns the query for Weaviate: the terms that find something, repeated
// according to their weights. Weaviate's order only chooses the candidates. A
// candidate that holds nothing but common light terms, which do not count, gets
// no score.
func bm25(terms []memoir.Term) string {
	finds := func(t memoir.Term) bool { return t.Text != "" && t.Weight > 0 && !t.Supports }
	most := 0.0
	for _, t := range terms {
		if finds(t) {
			most = max(most, t.Weight)
		}
	}
	var words []string
	for _, t := range terms {
		if finds(t) {
			times := min(4, max(1, int(math.Round(4*t.Weight/most))))
			words = append(words, slices.Repeat([]string{encodeTerm(t.Text)}, times)...)
		}
	}
	return strings.Join(words, " ")
}

// listedOnce is how many chunks one request can name.
const listedOnce = 500

// depthFor is how many hits the first request for words asks for. Weaviate's order
// differs from that of the scores, so more are requested than are wanted. It reads each of
// them from its files, which is most of what a search takes it.
func depthFor(limit int) int { return max(128, limit+limit/8) }

// holding returns chunks of a scope that hold words: at least limit of them if
// there are that many.
func (v *view) holding(ctx context.Context, words string, in scope, limit int) ([]place, error) {
	find := func(depth int, where string) ([]place, int, error) {
		found, err := v.store.client.get(ctx, wordsClass, v.store.arguments(fmt.Sprintf("limit:%d,bm25:{query:%s,properties:[\"terms\"]}%s", depth, quote(words), where)), "_additional{id}")
		var places []place
		for _, o := range found {
			if _, p, known := v.known(&o); known && in.has(p) {
				places = append(places, p)
			}
		}
		return places, len(found), err
	}
	if in == nil || len(in) > listedOnce {
		for depth := depthFor(limit); ; depth = 4 * depth {
			depth = min(depth, maxResults)
			places, found, err := find(depth, "")
			if err != nil || len(places) >= limit || found < depth {
				return places, err
			}
			if depth == maxResults {
				if in == nil {
					return places, nil
				}
				break
			}
		}
	}
	var all []place
	for some := range slices.Chunk(in.ids(), listedOnce) {
		places, _, err := find(len(some), fmt.Sprintf(",where:{path:[\"id\"],operator:ContainsAny,valueText:%s}", quoteAll(some)))
		if err != nil {
			return nil, err
		}
		all = append(all, places...)
	}
	return all, nil
}

// measure counts the terms in chunks and in their documents.
func (v *view) measure(ctx context.Context, terms []memoir.Term, places []place) ([]memoir.Candidate, error) {
	records := make([]*record, len(places))
	for i, p := range places {
		records[i] = p.record
	}
	forwards, err := v.forwards(ctx, records)
	if err != nil {
		return nil, fmt.Errorf("search words: %w", err)
	}
	type whole struct {
		length  int
		held    []float32
		holders [][]holder // of each term
	}
	documents := make(map[uuid]whole, len(forwards))
	candidates := make([]memoir.Candidate, 0, len(places))
	held := make([]float32, len(places)*len(terms))
	for _, p := range places {
		f := forwards[p.Revision]
		if f == nil {
			continue // gone in the meantime
		}
		w, known := documents[p.Revision]
		if !known {
			w.held, w.holders = make([]float32, len(terms)), make([][]holder, len(terms))
			for _, c := range p.Chunks {
				w.length += c.Length
			}
			for i, t := range terms {
				w.holders[i] = f.holding(t.Text)
				for _, h := range w.holders[i] {
					w.held[i] += h.count
				}
			}
			documents[p.Revision] = w
		}
		c := memoir.Candidate{ChunkMeta: p.meta(), Length: p.chunk().Length, DocumentLength: w.length, Held: held[:len(terms):len(terms)], DocumentHeld: w.held}
		held = held[len(terms):]
		for i, of := range w.holders {
			if at, ok := slices.BinarySearchFunc(of, p.ordinal, func(h holder, ordinal int) int { return cmp.Compare(h.ordinal, ordinal) }); ok {
				c.Held[i] = of[at].count
			}
		}
		candidates = append(candidates, c)
	}
	return candidates, nil
}
