package storetest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/ability"
	"github.com/memoir-ai/memoir/store/memstore"
	"github.com/memoir-ai/memoir/tune"
)

// testRandom does the same to the store and to the one in memory, and asks
// both the same: answers, order and scores must agree.
func testRandom(s *suite) {
	reference := memstore.New()
	defer reference.Close()
	r := rand.New(rand.NewPCG(1, 2))
	for step := range 150 {
		id := memoir.DocID(fmt.Sprintf("%c/%d.md", 'a'+r.IntN(3), r.IntN(12)))
		var do func(memoir.Store) error
		switch r.IntN(10) {
		case 0, 1:
			ids := []memoir.DocID{id, memoir.DocID(fmt.Sprintf("%c/%d.md", 'a'+r.IntN(3), r.IntN(12)))}
			do = func(st memoir.Store) error { return st.Write(s.Context(), memoir.Changes{Delete: ids[:1+step%2]}) }
		case 2:
			space := []memoir.Space{spaceA, spaceB}[r.IntN(2)]
			facts := memoir.SpaceFacts{Calibration: memoir.Calibration{Unrelated: r.Float64()}, Measured: 1 + r.IntN(9), TakesOver: r.IntN(3) == 0}
			do = func(st memoir.Store) error {
				return cmp.Or(st.PutSpace(s.Context(), space, facts), st.Settle(s.Context(), space, tune.Cache{}))
			}
		case 3:
			space := []memoir.Space{spaceA, spaceB}[r.IntN(2)]
			var failed []memoir.FailedText
			if pending := s.pending(space, 100); len(pending) > 0 {
				failed = []memoir.FailedText{{Hash: pending[r.IntN(len(pending))].Hash, Attempts: 1, NextTry: time.Unix(r.Int64N(1<<33), 0)}}
			}
			do = func(st memoir.Store) error { return st.PutVectors(s.Context(), space, nil, failed) }
		case 4, 5:
			space, vectors := randomVectors(r, s.pending(spaceA, 100), s.pending(spaceB, 100))
			do = func(st memoir.Store) error { return st.PutVectors(s.Context(), space, vectors, nil) }
		default:
			meta, list := randomDocument(r, id)
			tags := slices.Clone(vocabulary[:r.IntN(3)]) // named appends
			do = func(st memoir.Store) error {
				return st.Write(s.Context(), memoir.Changes{Put: []memoir.IndexedDocument{document(meta, list, tags...)}})
			}
		}
		if err := cmp.Or(do(s.store), do(reference)); err != nil {
			s.Fatalf("step %d: %v", step, err)
		}
		s.agree(r, step, reference)
	}
}

var vocabulary = []string{"the", "of", "db_password", "数据", "据库", "データ", "alpha", "beta", "gamma", "delta", "c++", "rare"}

func randomWords(r *rand.Rand, n int) []string {
	out := make([]string, n)
	for i := range out {
		// Squaring makes the first words frequent and the last ones rare.
		f := r.Float64()
		out[i] = vocabulary[int(f*f*float64(len(vocabulary)))]
	}
	return out
}

func randomDocument(r *rand.Rand, id memoir.DocID) (memoir.DocumentMeta, []memoir.IndexedChunk) {
	meta := note(id)
	if r.IntN(4) == 0 {
		meta.Kind = memoir.KindSession
	}
	day := ""
	if r.IntN(3) > 0 {
		day = randomDay(r)
	}
	var list []memoir.IndexedChunk
	for i := range r.IntN(5) {
		c := memoir.Chunk{StartLine: i + 1, EndLine: i + 1}
		c.ChunkID, c.Kind, c.Date = memoir.ChunkID{Doc: id, Ordinal: i}, meta.Kind, day
		c.Text = fmt.Sprint(randomWords(r, 1+r.IntN(4)))
		if r.IntN(4) == 0 {
			c.Text += fmt.Sprint("\n- ", randomWords(r, 1), "\n- ", randomWords(r, 2))
		}
		c.Labels, c.Digest = randomLabels(r), r.Uint64N(5)
		ic := index(c)
		for f := range ic.Terms {
			ic.Terms[f] = randomWords(r, r.IntN(4))
		}
		list = append(list, ic)
	}
	return meta, list
}

// someLabels are in order, as those of a chunk are.
var someLabels = memoir.Labels{memoir.LabelAssistant, memoir.LabelCode, memoir.LabelEntries, "type:decision", "type:journal"}

func randomLabels(r *rand.Rand) (labels memoir.Labels) {
	for _, l := range someLabels {
		if r.IntN(3) == 0 {
			labels = append(labels, l)
		}
	}
	return labels
}

func randomVectors(r *rand.Rand, pendingA, pendingB []memoir.PendingText) (memoir.Space, map[memoir.Hash][]float32) {
	space, pending := spaceA, pendingA
	if r.IntN(2) == 0 {
		space, pending = spaceB, pendingB
	}
	vectors := map[memoir.Hash][]float32{}
	for _, p := range pending {
		if r.IntN(3) > 0 {
			vectors[p.Hash] = randomVector(r, space)
		}
	}
	return space, vectors
}

// randomVector has few directions, so that there are ties.
func randomVector(r *rand.Rand, space memoir.Space) []float32 {
	v := make([]float32, space.Dimensions)
	for i := range v {
		v[i] = float32(r.IntN(3) - 1)
	}
	return v
}

func randomDay(r *rand.Rand) string { return fmt.Sprintf("2026-03-%02d", 1+r.IntN(28)) }

// randomFilter sets few conditions, and none more often than not.
func randomFilter(r *rand.Rand, depth int) memoir.Filter {
	var filter memoir.Filter
	for range r.IntN(3) {
		switch r.IntN(9) {
		case 8:
			filter.Labels = append(filter.Labels, someLabels[r.IntN(len(someLabels))])
		case 0:
			filter.Kinds = []memoir.Kind{memoir.KindSession}
		case 1:
			filter.Prefix = "b/"
		case 2:
			filter.Chunks = []memoir.ChunkID{{Doc: "a/1.md", Ordinal: 1}, {Doc: "b/2.md", Ordinal: 0}, {Doc: "c/3.md", Ordinal: 0}}
		case 3:
			filter.Paths = append(filter.Paths, []string{"1", "/C/", "."}[r.IntN(3)])
		case 4:
			filter.Names = append(filter.Names, vocabulary[r.IntN(3)])
		case 5:
			filter.From, filter.To = []string{"", randomDay(r)}[r.IntN(2)], []string{"", randomDay(r)}[r.IntN(2)]
		case 6:
			phrase := memoir.Phrase{Terms: randomWords(r, 1+r.IntN(2))}
			if r.IntN(2) == 0 {
				phrase.Fields = []memoir.Field{memoir.Field(r.IntN(int(memoir.NumFields)))}
			}
			filter.Phrases = append(filter.Phrases, phrase)
		case 7:
			if depth > 0 {
				filter.Without = append(filter.Without, randomFilter(r, depth-1))
			}
		}
	}
	return filter
}

func (s *suite) agree(r *rand.Rand, step int, reference memoir.Store) {
	s.Helper()
	var query []memoir.Term
	for _, w := range randomWords(r, 1+r.IntN(4)) {
		query = append(query, memoir.Term{Text: w, Weight: r.Float64() + .1, Supports: r.IntN(4) == 0, Light: r.IntN(4) == 0, Alternative: r.IntN(4) == 0})
	}
	filter := randomFilter(r, 2)
	limit := 1 + r.IntN(12)
	vectors := map[memoir.Space][]float32{spaceA: randomVector(r, spaceA), spaceB: randomVector(r, spaceB)}

	ask := func(st memoir.Store) (out []any) {
		add := func(v any, err error) {
			if err != nil {
				s.Fatalf("step %d: %v", step, err)
			}
			out = append(out, v)
		}
		add(nil, st.View(s.Context(), func(v memoir.View) error {
			text, err := s.searchText(v, query, filter, limit)
			add(text, err)
			for _, space := range []memoir.Space{spaceA, spaceB} {
				near, err := v.SearchVector(s.Context(), space, vectors[space], filter, limit)
				add(nearest(near), err)
			}
			list, err := v.List(s.Context(), filter, limit)
			add(list, err)
			twins, err := v.Twins(s.Context(), []uint64{0, 1, 2}, filter)
			add(twins, err)
			labels, err := v.Labels(s.Context())
			add(labels, err)
			sample, err := v.Sample(s.Context(), spaceA, limit)
			add(sample, err)
			linked, err := v.Resolve(s.Context(), []string{"/a/1.md", "*/1", "*/2", "*/3"}, 3)
			add(linked, err)
			chunks, err := v.Chunks(s.Context(), []memoir.ChunkID{{Doc: "b/2.md", Ordinal: 1}, {Doc: "a/1.md"}, {Doc: "a/1.md", Ordinal: 1}})
			add(chunks, err)
			return nil
		}))
		for _, space := range []memoir.Space{spaceA, spaceB} {
			stats, err := st.Stats(s.Context(), space)
			stats.Written, stats.Revision = time.Time{}, 0 // each store has its own
			add(stats, err)
			pending, err := st.PendingTexts(s.Context(), space, time.Now(), "", 100)
			add(pending, err)
		}
		return out
	}
	if diff := gocmp.Diff(ask(s.store), ask(reference), exact()); diff != "" {
		s.Fatalf("step %d: query %v, filter %+v, limit %d (-got +want):\n%s", step, query, filter, limit, diff)
	}
}

// testConcurrent reads while one writes; every answer is that of a state
// before or after a write, never of one between. Where a view is no snapshot some of it may be gone.
func testConcurrent(s *suite) {
	const rounds, readers = 60, 4
	version := func(i int) []string {
		// All chunks of a version hold its word; versions have different numbers of chunks.
		return slices.Repeat([]string{fmt.Sprintf("shared v%d", i%7)}, 1+i%7)
	}
	vectors := map[memoir.Hash][]float32{}
	for i := range 7 {
		vectors[hash(version(i)[0])] = []float32{1, float32(i), 0}
	}
	s.putVectors(spaceA, vectors)
	s.put("a.md", "", version(0)...)

	ctx, cancel := context.WithCancel(s.Context())
	defer cancel()
	var wg sync.WaitGroup
	for range readers {
		wg.Go(func() {
			for ctx.Err() == nil {
				err := s.store.View(ctx, func(v memoir.View) error {
					text, err := memoir.SearchText(ctx, v, terms("shared"), memoir.Filter{}, 99)
					s.whole(ctx, v, text, err)
					near, err := v.SearchVector(ctx, spaceA, []float32{1, 1, 0}, memoir.Filter{}, 99)
					s.whole(ctx, v, near, err)
					return nil
				})
				if err != nil && !errors.Is(err, context.Canceled) {
					s.Errorf("View: %v", err)
				}
				stats, err := s.store.Stats(ctx, spaceA)
				if err == nil && (stats.Documents != 1 || stats.Pending != 0) {
					s.Errorf("Stats = %+v, want 1 document and nothing pending", stats)
				}
			}
		})
	}
	for i := range rounds {
		s.put("a.md", "", version(i)...)
	}
	cancel()
	wg.Wait()
	s.want("at the end", s.text(terms(fmt.Sprintf("v%d", (rounds-1)%7)), memoir.Filter{}, 1), "a.md 0")
}

// whole checks that matches are all chunks of one version.
func (s *suite) whole(ctx context.Context, view memoir.View, ms []memoir.Match, err error) {
	var texts []memoir.Chunk
	if err == nil {
		var ids []memoir.ChunkID
		for _, m := range ms {
			ids = append(ids, m.ChunkID)
		}
		texts, err = view.Chunks(ctx, ids)
	}
	if err != nil {
		if !errors.Is(err, context.Canceled) || ctx.Err() == nil {
			s.Errorf("search while writing: %v", err)
		}
		return
	}
	var v int
	if len(texts) > 0 {
		fmt.Sscanf(texts[0].Text, "shared v%d", &v)
	}
	if _, whole := memoir.As[ability.Snapshotter](view); whole && (len(ms) != 1+v || len(texts) != len(ms)) {
		s.Errorf("%d matches with %d texts of version %d, want %d", len(ms), len(texts), v, 1+v)
	}
	for _, c := range texts {
		if c.Text != texts[0].Text {
			s.Errorf("matches of %q and %q in one answer", c.Text, texts[0].Text)
		}
	}
}
