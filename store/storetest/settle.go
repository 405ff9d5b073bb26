package storetest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/tune"
)

func (s *suite) settle(space memoir.Space, limits tune.Cache) {
	s.Helper()
	if err := s.store.Settle(s.Context(), space, limits); err != nil {
		s.Fatalf("Settle: %v", err)
	}
}

func (s *suite) wantServing(when string, want memoir.Space) {
	s.Helper()
	for _, space := range []memoir.Space{{}, spaceA, spaceB} {
		if got := s.stats(space).Serving; got != want {
			s.Errorf("%s: %v serves, as Stats of %v says; want %v", when, got, space, want)
		}
	}
}

// takeOver makes the space the one that serves.
func (s *suite) takeOver(space memoir.Space) {
	s.Helper()
	if err := s.store.PutSpace(s.Context(), space, memoir.SpaceFacts{TakesOver: true}); err != nil {
		s.Fatalf("PutSpace: %v", err)
	}
}

// stats returns what is counted for a space.
func (s *suite) stats(space memoir.Space) memoir.StoreStats {
	s.Helper()
	stats, err := s.store.Stats(s.Context(), space)
	if err != nil {
		s.Fatalf("Stats: %v", err)
	}
	return stats
}

// testChangeOfModel: the first space serves until another takes over, and is gone
// then. Vectors of one are never compared with a query of the other.
func testChangeOfModel(s *suite) {
	s.wantServing("empty", memoir.Space{})
	s.put("a.md", "", "one", "two")
	s.wantServing("words only", memoir.Space{})
	s.settle(spaceB, tune.Cache{})
	s.settle(memoir.Space{}, tune.Cache{})
	s.takeOver(spaceB)
	s.wantServing("nothing embedded", memoir.Space{})
	s.putVectors(spaceA, map[memoir.Hash][]float32{hash("one"): {1, 0, 0}})
	s.wantServing("first vector", spaceA)
	s.putVectors(spaceA, map[memoir.Hash][]float32{hash("two"): {0, 1, 0}})
	s.takeOver(spaceB)
	s.wantServing("a space without vectors", spaceA)
	s.putVectors(spaceB, map[memoir.Hash][]float32{hash("two"): {0, 1, 0, 0}})
	s.settle(spaceB, tune.Cache{})
	s.wantServing("half of the new one", spaceA)
	s.want("old", s.vector(spaceA, []float32{2, 1, 0}, memoir.Filter{}, 9), "a.md 0", "a.md 1")
	s.want("new", s.vector(spaceB, []float32{2, 1, 0, 0}, memoir.Filter{}, 9), "a.md 1")
	s.settle(spaceA, tune.Cache{})
	s.want("the old one settled", s.vector(spaceB, []float32{2, 1, 0, 0}, memoir.Filter{}, 9), "a.md 1")

	s.putVectors(spaceB, map[memoir.Hash][]float32{hash("one"): {1, 0, 0, 0}})
	s.settle(spaceB, tune.Cache{})
	s.wantServing("complete", spaceA)
	facts := memoir.SpaceFacts{Calibration: memoir.Calibration{Unrelated: -.25}, Measured: 2}
	if err := s.store.PutSpace(s.Context(), spaceB, facts); err != nil {
		s.Fatal(err)
	}
	s.wantServing("calibrated", spaceA)
	s.want("old, calibrated", s.vector(spaceA, []float32{2, 1, 0}, memoir.Filter{}, 9), "a.md 0", "a.md 1")
	if got := s.stats(spaceB); got.Calibration != facts.Calibration || got.Measured != 2 {
		s.Errorf("Stats has %v of %d, want %v of 2", got.Calibration, got.Measured, facts.Calibration)
	}
	if got := s.stats(spaceA); got.Calibration != (memoir.Calibration{}) || got.Measured != 0 {
		s.Errorf("Stats of another space has %v of %d, want none", got.Calibration, got.Measured)
	}
	s.takeOver(spaceB)
	s.takeOver(spaceB)
	s.wantServing("taken over", spaceB)
	if got := s.stats(spaceB); got.Calibration != (memoir.Calibration{}) || got.Measured != 0 {
		s.Errorf("Stats has %v of %d, want what was put last: none", got.Calibration, got.Measured)
	}
	s.want("new", s.vector(spaceB, []float32{2, 1, 0, 0}, memoir.Filter{}, 9), "a.md 0", "a.md 1")
	s.want("dropped", s.vector(spaceA, []float32{2, 1, 0}, memoir.Filter{}, 9))
	s.wantStats(spaceA, memoir.StoreStats{Documents: 1, Chunks: 2, Pending: 2})
	s.put("b.md", "", "one")
	s.want("follows", s.vector(spaceB, []float32{1, 0, 0, 0}, memoir.Filter{}, 2), "a.md 0", "b.md 0")

	if err := s.store.Clear(s.Context()); err != nil {
		s.Fatal(err)
	}
	s.wantServing("cleared", spaceB)
	s.put("c.md", "", "one", "two")
	s.settle(spaceB, tune.Cache{})
	s.want("rebuilt", s.vector(spaceB, []float32{2, 1, 0, 0}, memoir.Filter{}, 9), "c.md 0", "c.md 1")
}

// testFailures: a text that failed is not pending, comes back when it is due,
// does not hold up the others, and has not failed once it has a vector.
func testFailures(s *suite) {
	for i := range 20 {
		s.put(memoir.DocID(fmt.Sprintf("%02d.md", i)), "", fmt.Sprintf("text %d", i))
	}
	bad := hash("text 7")
	now := time.Unix(1_800_000_000, 0)
	note := func(attempts int, next time.Time) {
		s.Helper()
		if err := s.store.PutVectors(s.Context(), spaceA, nil, []memoir.FailedText{{Hash: bad, Attempts: attempts, Reason: "Zu lang: 数据", NextTry: next}}); err != nil {
			s.Fatal(err)
		}
	}
	due := func(at time.Time) (attempts int) {
		s.Helper()
		texts, err := s.store.PendingTexts(s.Context(), spaceA, at, "", 99)
		if err != nil {
			s.Fatal(err)
		}
		for _, t := range texts {
			if t.Hash == bad {
				return t.Attempts
			}
		}
		return -1
	}
	if got := due(now); got != 0 {
		s.Errorf("a text that was not tried has %d attempts, want 0", got)
	}
	note(1, now)
	note(2, now.Add(time.Hour))
	got := []int{due(now), due(now.Add(time.Hour - time.Second)), due(now.Add(time.Hour)), due(time.Time{})}
	if diff := cmp.Diff(got, []int{-1, -1, 2, -1}); diff != "" {
		s.Errorf("attempts of a failed text, -1 when it is not due (-got +want):\n%s", diff)
	}
	s.wantStats(spaceA, memoir.StoreStats{Documents: 20, Chunks: 20, Pending: 19, Failed: 1})
	s.wantStats(spaceB, memoir.StoreStats{Documents: 20, Chunks: 20, Pending: 20})
	s.wantServing("a failure is no vector", memoir.Space{})

	s.putVectors(spaceB, map[memoir.Hash][]float32{hash("text 1"): {1, 0, 0, 0}})
	for _, p := range s.pending(spaceA, 99) {
		if p.Hash != bad {
			s.putVectors(spaceA, map[memoir.Hash][]float32{p.Hash: {1, 0, 0}})
		}
	}
	if got := s.stats(spaceA); !got.Complete() {
		s.Errorf("one of twenty failed: %+v is not complete", got)
	}
	s.failuresBesideVectors(bad)
}

// failuresBesideVectors: one write can have both, and what has a vector has not failed.
func (s *suite) failuresBesideVectors(bad memoir.Hash) {
	s.Helper()
	other := hash("text 8")
	both := map[memoir.Hash][]float32{bad: {0, 1, 0}}
	failed := []memoir.FailedText{{Hash: other, Attempts: 1}, {Hash: bad, Attempts: 3}}
	if err := s.store.PutVectors(s.Context(), spaceB, map[memoir.Hash][]float32{bad: {0, 1, 0, 0}}, failed); err != nil {
		s.Fatal(err)
	}
	s.wantStats(spaceB, memoir.StoreStats{Documents: 20, Chunks: 20, Pending: 17, Failed: 1})
	s.putVectors(spaceA, both)
	s.wantStats(spaceA, memoir.StoreStats{Documents: 20, Chunks: 20})

	err := s.store.PutVectors(s.Context(), memoir.Space{}, nil, []memoir.FailedText{{Hash: bad, Attempts: 1}})
	if !errors.Is(err, memoir.ErrInvalid) {
		s.Errorf("failures of no space: %v, want ErrInvalid", err)
	}
}

// testLimits: of the vectors beyond a limit those go that no chunk uses.
func testLimits(s *suite) {
	s.put("a.md", "", "one", "two", "bad")
	vectors := map[memoir.Hash][]float32{hash("one"): {1, 0, 0}, hash("two"): {0, 1, 0}}
	if err := s.store.PutVectors(s.Context(), spaceA, nil, []memoir.FailedText{{Hash: hash("bad"), Attempts: 1, NextTry: time.Unix(1<<33, 0)}}); err != nil {
		s.Fatal(err)
	}
	for i := range 6 {
		vectors[hash(fmt.Sprint("gone ", i))] = []float32{1, 1, 1}
	}
	s.putVectors(spaceA, vectors)
	kept := func() (n int) {
		s.Helper()
		for i := range 6 {
			s.put("b.md", "", fmt.Sprint("gone ", i))
			n += 1 - s.stats(spaceA).Pending
		}
		s.delete("b.md")
		return n
	}
	s.settle(spaceA, tune.Cache{})
	s.settle(spaceA, tune.Cache{MaxEntries: 8, MaxAge: 24 * time.Hour})
	if got := kept(); got != 6 {
		s.Errorf("within the limits %d of 6 are kept", got)
	}
	s.settle(spaceA, tune.Cache{MaxEntries: 5})
	if got := kept(); got != 3 {
		s.Errorf("%d unused vectors are kept, want 3 of 6 beside 2 in use", got)
	}
	s.settle(spaceA, tune.Cache{MaxEntries: 1})
	if got := kept(); got != 0 {
		s.Errorf("%d unused vectors are kept, want none", got)
	}
	s.wantStats(spaceA, memoir.StoreStats{Documents: 1, Chunks: 3, Failed: 1}) // what failed is not forgotten
	s.want("in use", s.vector(spaceA, []float32{2, 1, 0}, memoir.Filter{}, 9), "a.md 0", "a.md 1")

	// What a change of model has computed so far is in use, too.
	s.putVectors(spaceB, map[memoir.Hash][]float32{hash("one"): {1, 0, 0, 0}})
	s.settle(spaceB, tune.Cache{MaxEntries: 1})
	s.wantStats(spaceB, memoir.StoreStats{Documents: 1, Chunks: 3, Pending: 2})
	s.settle(spaceA, tune.Cache{MaxEntries: 1})
	s.wantStats(spaceB, memoir.StoreStats{Documents: 1, Chunks: 3, Pending: 3})
}

// testSample: chunks with their vectors, by the hashes of their texts, without
// those that are zero.
func testSample(s *suite) {
	sample := func(space memoir.Space, limit int) (got []memoir.SampledVector) {
		s.Helper()
		s.view("Sample", func(v memoir.View) (err error) {
			got, err = v.Sample(s.Context(), space, limit)
			return err
		})
		return got
	}
	s.put("b.md", "", "one", "zero", "two")
	s.put("a.md", "", "two", "none")
	s.putVectors(spaceA, map[memoir.Hash][]float32{hash("one"): {1, 0, 0}, hash("two"): {0, 2, 0}, hash("zero"): {0, 0, 0}, hash("gone"): {1, 1, 1}})
	known := map[memoir.ChunkID]memoir.ChunkMeta{}
	s.view("List", func(v memoir.View) error {
		list, err := v.List(s.Context(), memoir.Filter{}, 9)
		for _, m := range list {
			known[m.ChunkID] = m
		}
		return err
	})
	at := func(doc memoir.DocID, ordinal int, text string, vector ...float32) memoir.SampledVector {
		return memoir.SampledVector{ChunkMeta: known[memoir.ChunkID{Doc: doc, Ordinal: ordinal}], Hash: hash(text), Vector: vector}
	}
	all := []memoir.SampledVector{at("b.md", 0, "one", 1, 0, 0), at("a.md", 0, "two", 0, 2, 0), at("b.md", 2, "two", 0, 2, 0)}
	slices.SortStableFunc(all, func(a, b memoir.SampledVector) int { return strings.Compare(string(a.Hash), string(b.Hash)) })
	for _, limit := range []int{-1, 0, 1, 2, 3, 9} {
		if diff := cmp.Diff(sample(spaceA, limit), all[:min(max(limit, 0), 3)], cmpopts.EquateEmpty()); diff != "" {
			s.Errorf("Sample of %d (-got +want):\n%s", limit, diff)
		}
	}
	if got := sample(spaceB, 9); len(got) != 0 {
		s.Errorf("Sample of a space without vectors = %v", got)
	}
}
