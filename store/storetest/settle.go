package storetest

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir"
)

func (s *suite) settle(space memoir.Space, limits memoir.CacheLimits) {
	s.Helper()
	if err := s.store.Settle(s.Context(), space, limits); err != nil {
		s.Fatalf("Settle: %v", err)
	}
}

func (s *suite) wantServing(when string, want memoir.Space) {
	s.Helper()
	if got, err := s.store.Serving(s.Context()); err != nil || got != want {
		s.Errorf("%s: Serving = %v, %v; want %v", when, got, err, want)
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

// testChangeOfModel: the first space serves until another is complete, and is
// gone then. Vectors of one are never compared with a query of the other.
func testChangeOfModel(s *suite) {
	s.wantServing("empty", memoir.Space{})
	s.put("a.md", "", "one", "two")
	s.wantServing("words only", memoir.Space{})
	s.settle(spaceB, memoir.CacheLimits{})
	s.settle(memoir.Space{}, memoir.CacheLimits{})
	s.wantServing("nothing embedded", memoir.Space{})
	s.putVectors(spaceA, map[memoir.Hash][]float32{hash("one"): {1, 0, 0}})
	s.wantServing("first vector", spaceA)
	s.putVectors(spaceA, map[memoir.Hash][]float32{hash("two"): {0, 1, 0}})
	s.putVectors(spaceB, map[memoir.Hash][]float32{hash("two"): {0, 1, 0, 0}})
	s.settle(spaceB, memoir.CacheLimits{})
	s.wantServing("half of the new one", spaceA)
	s.want("old", s.vector(spaceA, []float32{2, 1, 0}, memoir.Filter{}, 9), "a.md 0", "a.md 1")
	s.want("new", s.vector(spaceB, []float32{2, 1, 0, 0}, memoir.Filter{}, 9), "a.md 1")
	s.settle(spaceA, memoir.CacheLimits{})
	s.want("the old one settled", s.vector(spaceB, []float32{2, 1, 0, 0}, memoir.Filter{}, 9), "a.md 1")

	s.putVectors(spaceB, map[memoir.Hash][]float32{hash("one"): {1, 0, 0, 0}})
	s.wantServing("before it is settled", spaceA)
	if err := s.store.Calibrate(s.Context(), spaceB); err != nil {
		s.Fatal(err)
	}
	s.wantServing("calibrated", spaceA)
	s.want("old, calibrated", s.vector(spaceA, []float32{2, 1, 0}, memoir.Filter{}, 9), "a.md 0", "a.md 1")
	s.settle(spaceB, memoir.CacheLimits{})
	s.settle(spaceB, memoir.CacheLimits{})
	s.wantServing("complete", spaceB)
	s.want("new", s.vector(spaceB, []float32{2, 1, 0, 0}, memoir.Filter{}, 9), "a.md 0", "a.md 1")
	s.want("dropped", s.vector(spaceA, []float32{2, 1, 0}, memoir.Filter{}, 9))
	s.wantStats(spaceA, memoir.StoreStats{Documents: 1, Chunks: 2, Pending: 2})
	s.put("b.md", "", "one")
	s.want("follows", s.vector(spaceB, []float32{1, 0, 0, 0}, memoir.Filter{}, 2), "a.md 0", "b.md 0")

	if c, ok := s.store.(memoir.Clearer); ok {
		if err := c.Clear(s.Context()); err != nil {
			s.Fatal(err)
		}
		s.wantServing("cleared", spaceB)
		s.put("c.md", "", "one", "two")
		s.settle(spaceB, memoir.CacheLimits{})
		s.want("rebuilt", s.vector(spaceB, []float32{2, 1, 0, 0}, memoir.Filter{}, 9), "c.md 0", "c.md 1")
	}
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
		if err := s.store.PutFailures(s.Context(), spaceA, []memoir.FailedText{{Hash: bad, Attempts: attempts, Reason: "Zu lang: 数据", NextTry: next}}); err != nil {
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
	s.settle(spaceA, memoir.CacheLimits{})
	s.wantServing("one of twenty failed", spaceA)
	s.putVectors(spaceA, map[memoir.Hash][]float32{bad: {0, 1, 0}})
	s.wantStats(spaceA, memoir.StoreStats{Documents: 20, Chunks: 20})

	err := s.store.PutFailures(s.Context(), memoir.Space{}, []memoir.FailedText{{Hash: bad, Attempts: 1}})
	if !errors.Is(err, memoir.ErrInvalid) {
		s.Errorf("failures of no space: %v, want ErrInvalid", err)
	}
}

// testManyFailures: a provider that takes nothing does not take over.
func testManyFailures(s *suite) {
	s.put("a.md", "", "one", "two")
	s.putVectors(spaceA, map[memoir.Hash][]float32{hash("one"): {1, 0, 0}, hash("two"): {0, 1, 0}})
	failed := []memoir.FailedText{{Hash: hash("one"), Attempts: 1}, {Hash: hash("two"), Attempts: 1}}
	if err := s.store.PutFailures(s.Context(), spaceB, failed); err != nil {
		s.Fatal(err)
	}
	s.settle(spaceB, memoir.CacheLimits{})
	s.wantServing("all failed", spaceA)
	s.want("old", s.vector(spaceA, []float32{2, 1, 0}, memoir.Filter{}, 9), "a.md 0", "a.md 1")
}

// testLimits: of the vectors beyond a limit those go that no chunk uses.
func testLimits(s *suite) {
	s.put("a.md", "", "one", "two")
	vectors := map[memoir.Hash][]float32{hash("one"): {1, 0, 0}, hash("two"): {0, 1, 0}}
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
	s.settle(spaceA, memoir.CacheLimits{})
	s.settle(spaceA, memoir.CacheLimits{MaxEntries: 8, MaxAge: 24 * time.Hour})
	if got := kept(); got != 6 {
		s.Errorf("within the limits %d of 6 are kept", got)
	}
	s.settle(spaceA, memoir.CacheLimits{MaxEntries: 5})
	if got := kept(); got != 3 {
		s.Errorf("%d unused vectors are kept, want 3 of 6 beside 2 in use", got)
	}
	s.settle(spaceA, memoir.CacheLimits{MaxEntries: 1})
	if got := kept(); got != 0 {
		s.Errorf("%d unused vectors are kept, want none", got)
	}
	s.wantStats(spaceA, memoir.StoreStats{Documents: 1, Chunks: 2})
	s.want("in use", s.vector(spaceA, []float32{2, 1, 0}, memoir.Filter{}, 9), "a.md 0", "a.md 1")

	// What a change of model has computed so far is in use, too.
	s.putVectors(spaceB, map[memoir.Hash][]float32{hash("one"): {1, 0, 0, 0}})
	s.settle(spaceB, memoir.CacheLimits{MaxEntries: 1})
	s.wantStats(spaceB, memoir.StoreStats{Documents: 1, Chunks: 2, Pending: 1})
	s.settle(spaceA, memoir.CacheLimits{MaxEntries: 1})
	s.wantStats(spaceB, memoir.StoreStats{Documents: 1, Chunks: 2, Pending: 2})
}

// testCalibration: the cosine of unrelated texts, which the farthest of different
// documents are, is measured when the space is complete, and again when it has
// grown by half.
func testCalibration(s *suite) {
	vectors := map[memoir.Hash][]float32{}
	add := func(doc int, v ...float32) {
		s.Helper()
		text := fmt.Sprintf("text %d", doc)
		s.put(memoir.DocID(fmt.Sprintf("%03d.md", doc)), "", text, text+" again")
		vectors[hash(text)], vectors[hash(text+" again")] = v, []float32{0, 0, 0}
		s.putVectors(spaceA, vectors)
		if doc%2 == 0 { // both measure it
			s.settle(spaceA, memoir.CacheLimits{})
		} else if err := s.store.Calibrate(s.Context(), spaceA); err != nil {
			s.Fatal(err)
		}
	}
	check := func(when string, measured int, unrelated float64) {
		s.Helper()
		got := s.stats(spaceA)
		if got.Measured != measured || math.Abs(got.Calibration.Unrelated-unrelated) > 1e-6 {
			s.Errorf("%s: unrelated %v of %d, want %v of %d", when, got.Calibration.Unrelated, got.Measured, unrelated, measured)
		}
	}
	for i := range 10 {
		add(i, 1, 0, 0)
	}
	check("few pairs say nothing", 0, 0)
	for i := range 5 {
		add(10+i, 1, 0, 0)
	}
	check("enough", 30, 1)
	for i := range 5 {
		add(15+i, 0, 1, 0)
	}
	check("grown by a third", 30, 1)
	for i := range 3 {
		add(20+i, 0, 1, 0)
	}
	check("grown by half", 46, 0)
}
