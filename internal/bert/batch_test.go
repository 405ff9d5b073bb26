package bert

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPack(t *testing.T) {
	repeat := func(n, length int) []int { return slices.Repeat([]int{length}, n) }
	for _, test := range []struct {
		name    string
		lengths []int
		workers int
		want    []int // tokens of the batches
	}{
		{"one", []int{16}, 4, []int{16}},
		{"a few short ones stay together", []int{10, 20, 30}, 2, []int{60}},
		{"a pair for two", []int{250, 250}, 2, []int{250, 250}},
		{"a pair for one", []int{250, 250}, 1, []int{500}},
		{"bounded", repeat(8, 250), 1, []int{500, 500, 500, 500}},
		{"bounded for two", repeat(6, 250), 2, []int{250, 250, 250, 250, 250, 250}},
		{"longer than a batch", []int{5, 2000}, 1, []int{2000, 5}},
		{"longest first, in equal parts", []int{100, 300, 200}, 1, []int{300, 300}},
	} {
		t.Run(test.name, func(t *testing.T) {
			texts := make([][]int32, len(test.lengths))
			for i, n := range test.lengths {
				texts[i] = make([]int32, n)
			}
			var got, seen []int
			for _, batch := range pack(texts, test.workers) {
				tokens := 0
				for _, text := range batch {
					tokens += len(texts[text])
				}
				got = append(got, tokens)
				seen = append(seen, batch...)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("tokens of the batches (-want +got):\n%s", diff)
			}
			slices.Sort(seen)
			for i, text := range seen {
				if i != text || len(seen) != len(texts) {
					t.Fatalf("got texts %v, want each of %d once", seen, len(texts))
				}
			}
		})
	}
}
