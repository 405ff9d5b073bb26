package bert

import (
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir/internal/giveway"
)

// TestGivesWay: the encoder asks before each panel of 32 outputs and each head whether
// something is more urgent, which changes no vector.
func TestGivesWay(t *testing.T) {
	for _, bits := range []int{0, 32} {
		e, err := New(tinyModelOf(t, tinyInfo(), bits), Options{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		texts := [][]int32{{1, 2, 3, 4, 5}}
		want, err := e.Embed(t.Context(), texts)
		if err != nil {
			t.Fatal(err)
		}
		var asked atomic.Int64
		got, err := e.Embed(giveway.With(t.Context(), func() { asked.Add(1) }), texts)
		if err != nil {
			t.Fatal(err)
		}
		// Of each layer 3*64 outputs before attention, 64 behind it, 96 inside and 64 at
		// the end; and two heads.
		if diff := cmp.Diff(want, got); diff != "" || asked.Load() != 2*(6+2+3+2+2) {
			t.Errorf("asked %d times, vectors (-want +got):\n%s", asked.Load(), diff)
		}
	}
}
