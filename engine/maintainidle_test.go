package engine_test

import (
	"context"
	"iter"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/store/memstore"
)

// slowSource takes a second to be listed, and remembers when it was.
type slowSource struct {
	memoir.Source
	listed []time.Duration // since start
	start  time.Time
}

func (s *slowSource) Scan(ctx context.Context) iter.Seq2[memoir.ScanEntry, error] {
	s.listed = append(s.listed, time.Since(s.start))
	time.Sleep(time.Second)
	return s.Source.Scan(ctx)
}

// TestMaintainIdle: notes that are looked at by the clock, slowly and in vain, are looked
// at less often; as often as before once something has changed.
func TestMaintainIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &notes{T: t, dir: t.TempDir()}
		n.write("a.md", "tea\n")
		slow := &slowSource{Source: n.source(), start: time.Now()}
		e, err := engine.New(engine.Config{Store: memstore.New(), Sources: []memoir.Source{slow}, SyncBudget: new(time.Duration(0))})
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		if err := e.Maintain(time.Minute); err != nil {
			t.Fatal(err)
		}
		time.Sleep(40 * time.Minute)
		n.write("a.md", "coffee, which is another one\n")
		time.Sleep(20 * time.Minute)
		synctest.Wait() // what was noted before is seen
		const took = time.Second
		var want []time.Duration
		for _, at := range []time.Duration{0, 1, 16, 31, 46, 47} { // the minutes after which it is looked
			want = append(want, at*time.Minute+time.Duration(len(want))*took)
		}
		if diff := cmp.Diff(want, slow.listed); diff != "" {
			t.Errorf("listed at (-want +got):\n%s", diff)
		}
	})
}
