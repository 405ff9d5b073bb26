package order

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// item is larger than a word, and says where it was.
type item struct {
	key  int
	was  int
	text string
}

func items(n, keys int) []item {
	random := rand.New(rand.NewPCG(1, uint64(n)))
	all := make([]item, n)
	for i := range all {
		all[i] = item{random.IntN(keys), i, fmt.Sprint("text ", i)}
	}
	return all
}

func byKey(a, b item) int { return cmp.Compare(a.key, b.key) }

// TestSame: the order is that of package slices, to the places of equal elements, so
// that no answer changes with the package that sorts it.
func TestSame(t *testing.T) {
	for _, n := range []int{0, 1, 2, 11, 12, 13, 49, 50, 51, 300, 5000} {
		for _, keys := range []int{1, 3, 1000} {
			t.Run(fmt.Sprint(n, " of ", keys), func(t *testing.T) {
				got, want := items(n, keys), items(n, keys)
				By(got, byKey)
				slices.SortFunc(want, byKey)
				if !slices.Equal(got, want) {
					t.Error("By differs from slices.SortFunc")
				}
				got, want = items(n, keys), items(n, keys)
				Stable(got, byKey)
				slices.SortStableFunc(want, byKey)
				if !slices.Equal(got, want) {
					t.Error("Stable differs from slices.SortStableFunc")
				}
			})
		}
	}
}

func BenchmarkSort(b *testing.B) {
	type large struct {
		item
		_ [200]byte
	}
	for _, n := range []int{10, 100, 1000} {
		small := items(n, n)
		wide := make([]large, n)
		for i := range wide {
			wide[i].item = small[i]
		}
		byWide := func(a, b large) int { return cmp.Compare(a.key, b.key) }
		bench(b, fmt.Sprint("small/", n), small, byKey)
		bench(b, fmt.Sprint("large/", n), wide, byWide)
	}
}

func bench[E any](b *testing.B, name string, all []E, compare func(a, b E) int) {
	s := make([]E, len(all))
	for way, sort := range map[string]func([]E, func(a, b E) int){"order": By[E], "slices": slices.SortFunc[[]E]} {
		b.Run(name+"/"+way, func(b *testing.B) {
			for b.Loop() {
				copy(s, all)
				sort(s, compare)
			}
		})
	}
}
