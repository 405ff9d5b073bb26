package weaviate

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/order"
)

// view is the index as one state describes it. Documents removed since then are
// gone from it.
type view struct {
	store    *Store
	contents *contents
	filter   memoir.Filter // the last one
	in       scope         // of filter
	scoped   bool
	missed
}

// View implements [memoir.Store].
func (s *Store) View(ctx context.Context, f func(memoir.View) error) error {
	k, err := s.load(ctx)
	if err != nil {
		return err
	}
	return f(&view{store: s, contents: k})
}

// A scope is the set of chunks that pass a filter, by id; nil means all chunks.
type scope map[uuid]place

func (in scope) has(p place) bool {
	if in == nil {
		return true
	}
	_, ok := in[p.Revision.chunkID(p.ordinal)]
	return ok
}

func (in scope) ids() []uuid { return slices.Collect(maps.Keys(in)) }

// scope returns the chunks that pass a filter.
func (v *view) scope(ctx context.Context, f memoir.Filter) (scope, error) {
	if v.scoped && reflect.DeepEqual(v.filter, f) {
		return v.in, nil
	}
	in, err := v.newScope(ctx, f)
	if err == nil {
		v.filter, v.in, v.scoped = f, in, true
	}
	return in, err
}

func (v *view) newScope(ctx context.Context, f memoir.Filter) (scope, error) {
	passes, err := v.passes(ctx, f)
	if err != nil || passes == nil {
		return nil, err
	}
	in := scope{}
	for id, p := range v.contents.chunks {
		if passes(p) {
			in[id] = p
		}
	}
	return in, nil
}

// passes returns a function that reports whether a chunk passes a filter; nil: all do.
func (v *view) passes(ctx context.Context, f memoir.Filter) (func(place) bool, error) {
	var all []func(place) bool
	documents := func(has func(r *record) bool) {
		all = append(all, func(p place) bool { return has(p.record) })
	}
	if len(f.Kinds) > 0 {
		documents(func(r *record) bool { return slices.Contains(f.Kinds, r.Kind) })
	}
	if f.Prefix != "" {
		documents(func(r *record) bool { return strings.HasPrefix(string(r.ID), f.Prefix) })
	}
	for _, part := range f.Paths {
		part = lower(part)
		documents(func(r *record) bool { return strings.Contains(lower("/"+string(r.ID)), part) })
	}
	for _, name := range f.Names {
		documents(func(r *record) bool { return slices.Contains(r.Names, name) })
	}
	if f.From != "" || f.To != "" {
		documents(func(r *record) bool { return r.Day != "" && r.Day >= f.From && (f.To == "" || r.Day <= f.To) })
	}
	for _, label := range f.Labels {
		all = append(all, func(p place) bool { return p.chunk().Labels.Has(label) })
	}
	if len(f.Chunks) > 0 {
		listed := make(map[memoir.ChunkID]bool, len(f.Chunks))
		for _, id := range f.Chunks {
			listed[id] = true
		}
		all = append(all, func(p place) bool { return listed[p.id()] })
	}
	for _, p := range f.Phrases {
		held, err := v.holders(ctx, p)
		if err != nil {
			return nil, fmt.Errorf("filter by a phrase: %w", err)
		}
		if held != nil {
			all = append(all, held.has)
		}
	}
	for _, w := range f.Without {
		passes, err := v.passes(ctx, w)
		if err != nil {
			return nil, err
		}
		all = append(all, func(p place) bool { return passes != nil && !passes(p) })
	}
	if len(all) == 0 {
		return nil, nil
	}
	return func(p place) bool {
		for _, has := range all {
			if !has(p) {
				return false
			}
		}
		return true
	}, nil
}

// lower makes small letters of the capitals of ASCII.
func lower(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// holders returns the chunks that hold a phrase; nil means all chunks.
func (v *view) holders(ctx context.Context, p memoir.Phrase) (scope, error) {
	held, err := v.holdersOf(ctx, p.Terms, p.Fields)
	if err != nil || held == nil || p.Text == "" {
		return held, err
	}
	inside, err := v.holdersOf(ctx, p.Inside, nil)
	if err != nil || inside == nil || len(inside) > memoir.MaxInside {
		return held, err
	}
	var places []place
	for id, p := range inside {
		if _, has := held[id]; !has {
			places = append(places, p)
		}
	}
	chunks, err := v.readChunks(ctx, places)
	if err != nil {
		return nil, err
	}
	for i := range chunks {
		if p.In(&chunks[i]) {
			at := place{v.contents.byID[chunks[i].Doc], chunks[i].Ordinal}
			held[at.Revision.chunkID(at.ordinal)] = at
		}
	}
	return held, nil
}

// holdersOf returns the chunks that hold terms one after the other in one of
// some fields, or in any field when none is named. nil means all chunks.
func (v *view) holdersOf(ctx context.Context, phrase []string, fields []memoir.Field) (scope, error) {
	phrase = slices.DeleteFunc(slices.Clone(phrase), func(t string) bool { return t == "" })
	if len(phrase) == 0 {
		return nil, nil
	}
	encoded := make([]string, len(phrase))
	for i, t := range phrase {
		encoded[i] = quote(encodeTerm(t))
	}
	where := fmt.Sprintf("limit:%d,where:{path:[\"terms\"],operator:ContainsAll,valueText:[%s]}", maxResults, strings.Join(encoded, ","))
	found, err := v.store.client.get(ctx, wordsClass, v.store.arguments(where), "_additional{id}")
	if err != nil {
		return nil, err
	}
	in := scope{}
	for _, o := range found {
		if id, p, known := v.known(&o); known {
			in[id] = p
		}
	}
	if len(found) == maxResults {
		in = maps.Clone(scope(v.contents.chunks)) // there may be more
	} else if len(phrase) == 1 && len(fields) == 0 {
		return in, nil
	}
	var records []*record
	for _, p := range in {
		records = append(records, p.record)
	}
	forwards, err := v.forwards(ctx, records)
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(in, func(_ uuid, p place) bool {
		f := forwards[p.Revision]
		return f == nil || !f.holds(p.ordinal, phrase, fields)
	})
	return in, nil
}

// places returns the chunks that pass a filter, in no order.
func (v *view) places(ctx context.Context, f memoir.Filter) ([]place, error) {
	in, err := v.scope(ctx, f)
	if in == nil {
		in = v.contents.chunks
	}
	return slices.Collect(maps.Values(in)), err
}

func metas(places []place) []memoir.ChunkMeta {
	out := make([]memoir.ChunkMeta, len(places))
	for i, p := range places {
		out[i] = p.meta()
	}
	return out
}

// List implements [memoir.View].
func (v *view) List(ctx context.Context, filter memoir.Filter, limit int) ([]memoir.ChunkMeta, error) {
	places, err := v.places(ctx, filter)
	if err != nil {
		return nil, err
	}
	order.By(places, func(a, b place) int { return cmp.Or(cmp.Compare(b.Day, a.Day), a.id().Compare(b.id())) })
	return metas(places[:min(len(places), max(limit, 0))]), ctx.Err()
}

// Twins implements [memoir.View].
func (v *view) Twins(ctx context.Context, digests []uint64, filter memoir.Filter) ([]memoir.ChunkMeta, error) {
	places, err := v.places(ctx, filter)
	if err != nil {
		return nil, err
	}
	places = slices.DeleteFunc(places, func(p place) bool { return !slices.Contains(digests, p.chunk().Digest) })
	order.By(places, func(a, b place) int { return a.id().Compare(b.id()) })
	return metas(places), ctx.Err()
}

// Labels implements [memoir.View].
func (v *view) Labels(ctx context.Context) (map[memoir.Label]memoir.LabelCount, error) {
	counts := map[memoir.Label]memoir.LabelCount{}
	for _, r := range v.contents.records {
		known := map[memoir.Label]bool{} // in the document
		for _, c := range r.Chunks {
			for _, l := range c.Labels {
				n := counts[l]
				n.Chunks++
				if !known[l] {
					known[l] = true
					n.Documents++
				}
				counts[l] = n
			}
		}
	}
	return counts, ctx.Err()
}

// Resolve implements [memoir.View].
func (v *view) Resolve(ctx context.Context, names []string, limit int) (map[string][]memoir.LinkedDocument, error) {
	found := map[string][]memoir.LinkedDocument{}
	for _, name := range names {
		of := v.contents.names[name]
		if of = of[:min(len(of), max(limit, 0))]; len(of) == 0 {
			continue
		}
		found[name] = nil
		for _, r := range of {
			found[name] = append(found[name], memoir.LinkedDocument{ID: r.ID, Chunks: len(r.Chunks)})
		}
	}
	return found, ctx.Err()
}

// Chunks implements [memoir.View].
func (v *view) Chunks(ctx context.Context, ids []memoir.ChunkID) ([]memoir.Chunk, error) {
	wanted := slices.Clone(ids)
	order.By(wanted, memoir.ChunkID.Compare)
	var places []place
	for _, id := range slices.Compact(wanted) {
		if r := v.contents.byID[id.Doc]; r != nil && id.Scope == "" && id.Ordinal >= 0 && id.Ordinal < len(r.Chunks) {
			places = append(places, place{r, id.Ordinal})
		}
	}
	if len(places) == 0 {
		return nil, ctx.Err()
	}
	return v.readChunks(ctx, places)
}

// Sample implements [memoir.View].
func (v *view) Sample(ctx context.Context, space memoir.Space, limit int) (sample []memoir.SampledVector, err error) {
	hashes := slices.DeleteFunc(slices.Sorted(maps.Keys(v.contents.texts)), func(h memoir.Hash) bool { return !v.contents.has(space, h) })
	for some := range slices.Chunk(hashes, 256) {
		if len(sample) >= limit {
			break
		}
		vectors, err := v.store.read(ctx, v.contents, space, some)
		if err != nil {
			return nil, fmt.Errorf("read vectors: %w", err)
		}
		for _, h := range some {
			if !slices.ContainsFunc(vectors[h], func(x float32) bool { return x != 0 }) {
				continue
			}
			places := slices.Clone(v.contents.texts[h])
			order.By(places, func(a, b place) int { return a.id().Compare(b.id()) })
			for _, p := range places {
				sample = append(sample, memoir.SampledVector{ChunkMeta: p.meta(), Hash: h, Vector: slices.Clone(vectors[h])})
			}
		}
	}
	return sample[:min(len(sample), max(limit, 0))], ctx.Err()
}
