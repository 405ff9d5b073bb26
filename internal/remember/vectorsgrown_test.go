package remember

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/memoir-ai/memoir"
)

// What one process adds to the vectors or takes out of them, another one knows as if it had
// read all of them.
func TestVectorsGrow(t *testing.T) {
	open := func(dir string) *vectors {
		return &vectors{dir: dir, space: memoir.Space{Model: "m", Dimensions: dimensions}}
	}
	dir := t.TempDir()
	own, other := open(dir), open(dir)
	rng := rand.New(rand.NewPCG(1, 2))
	digest := func(i int) string { return fmt.Sprintf("%032x", i+1) }
	for i := range 120 {
		vector := make([]float32, dimensions)
		for at := range vector {
			vector[at] = rng.Float32()
		}
		by := []*vectors{own, other}[rng.IntN(2)]
		if by.put(digest(i), vector); i%9 == 8 {
			if err := by.drop(map[string]bool{digest(rng.IntN(i)): true, digest(rng.IntN(i)): true}); err != nil {
				t.Fatal(err)
			}
		}
		got, want := own.load(), open(dir).load()
		for j := range i + 2 {
			if !slices.Equal(got.of(digest(j)), want.of(digest(j))) {
				t.Fatalf("after %d: vector %d is %v, want %v", i, j, got.of(digest(j)), want.of(digest(j)))
			}
		}
	}
}
