package lease

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/objects"
	"github.com/memoir-ai/memoir/internal/objects/s3test"
)

const name = ".memoir/lease/t"

// clock is a clock that a test sets.
type clock struct{ ahead atomic.Int64 }

func (c *clock) now() time.Time       { return time.Unix(0, c.ahead.Load()) }
func (c *clock) pass(d time.Duration) { c.ahead.Add(int64(d)) }

func machine(t *testing.T, s *s3test.Server, c *clock) *Lease {
	t.Helper()
	b, err := objects.Open(objects.Options{URL: "s3://" + s3test.Bucket + "/team", Endpoint: s.URL, Key: s3test.Key, Secret: s3test.Secret, Wait: 1})
	if err != nil {
		t.Fatal(err)
	}
	return Open(Options{Bucket: b, Name: name, Beat: time.Hour, Now: c.now})
}

func take(t *testing.T, l *Lease, want uint64) *Turn {
	t.Helper()
	turn, ok, err := l.Try(t.Context())
	if err != nil || !ok {
		t.Fatalf("the turn is not free: %v", err)
	}
	if turn.Number() != want {
		t.Errorf("the turn has the number %d, want %d", turn.Number(), want)
	}
	return turn
}

func taken(t *testing.T, l *Lease) {
	t.Helper()
	if _, ok, err := l.Try(t.Context()); ok || err != nil {
		t.Errorf("two have the turn, or %v", err)
	}
}

// TestTurns: turns go from machine to machine with rising numbers. A machine keeps its
// number while no other machine comes between.
func TestTurns(t *testing.T) {
	s, c := s3test.New(t), new(clock)
	one, two := machine(t, s, c), machine(t, s, c)
	turn := take(t, one, 1)
	taken(t, two)
	taken(t, one)
	if err := turn.Confirm(t.Context(), 1); err != nil {
		t.Error(err)
	}
	turn.Release(t.Context())
	puts, gets := s.Count("PUT"), s.Count("GET")
	turn = take(t, one, 1)
	if turn.State() != 1 {
		t.Errorf("the state is %d", turn.State())
	}
	turn.Release(t.Context())
	if puts, gets = s.Count("PUT")-puts, s.Count("GET")-gets; puts != 2 || gets != 0 {
		t.Errorf("a turn costs %d writes and %d reads, want 2 and none", puts, gets)
	}
	turn = take(t, two, 2)
	if turn.State() != 1 {
		t.Errorf("the state is %d", turn.State())
	}
	taken(t, one)
	turn.Release(t.Context())
	take(t, one, 3).Release(t.Context())
}

// TestTakeOver: another machine takes the place of a holder that is gone, when the time
// is over by its own clock. The old holder learns of it when it comes back.
func TestTakeOver(t *testing.T) {
	s, c := s3test.New(t), new(clock)
	one, two := machine(t, s, c), machine(t, s, c)
	turn := take(t, one, 1)
	c.pass(time.Hour) // nobody watched
	taken(t, two)
	c.pass(Expires - 1)
	taken(t, two)
	if err := turn.Confirm(t.Context(), 1); err != nil { // it is alive after all
		t.Error(err)
	}
	c.pass(Expires - 1)
	taken(t, two)
	c.pass(Expires)
	next := take(t, two, 2)
	if err := turn.Confirm(t.Context(), 1); !errors.Is(err, ErrLost) || !errors.Is(err, memoir.ErrConflict) {
		t.Errorf("who was replaced is told %v", err)
	}
	turn.Release(t.Context())
	taken(t, one)
	if err := next.Confirm(t.Context(), 2); err != nil {
		t.Errorf("the late holder took the turn back: %v", err)
	}
	next.Release(t.Context())
}

// TestLostAnswers: when the answer to a write is lost, the turn is not lost, and no two
// machines have it.
func TestLostAnswers(t *testing.T) {
	s, c := s3test.New(t), new(clock)
	var lose atomic.Int64
	s.Lost = func(r *http.Request) bool { return r.Method == http.MethodPut && lose.Add(-1) >= 0 }
	one, two := machine(t, s, c), machine(t, s, c)
	lose.Store(1)
	turn := take(t, one, 1)
	lose.Store(1)
	if err := turn.Confirm(t.Context(), 1); err != nil {
		t.Error(err)
	}
	lose.Store(100) // all attempts
	if err := turn.Confirm(t.Context(), 1); err == nil {
		t.Error("nobody knows whether the turn still is one")
	}
	lose.Store(0)
	if err := turn.Confirm(t.Context(), 1); err != nil {
		t.Errorf("but it was: %v", err)
	}
	taken(t, two)
	turn.Release(t.Context())
	take(t, two, 2).Release(t.Context())
}

// TestHostileObjects: whatever the object holds, no turn is given twice.
func TestHostileObjects(t *testing.T) {
	for _, text := range []string{"", "no", "[]", `{"number":-1}`, `{"held":"yes"}`} {
		s, c := s3test.New(t), new(clock)
		s.Set("team/"+name, text)
		if _, ok, err := machine(t, s, c).Try(t.Context()); ok || !errors.Is(err, memoir.ErrForeign) || memoir.Hint(err) == "" {
			t.Errorf("%q: %v, %v", text, ok, err)
		}
	}
	// An object that was deleted, and its numbers with it.
	s, c := s3test.New(t), new(clock)
	one := machine(t, s, c)
	turn := take(t, one, 1)
	s.Remove("team/" + name)
	if err := turn.Confirm(t.Context(), 1); !errors.Is(err, ErrLost) {
		t.Error(err)
	}
	turn.Release(t.Context())
	take(t, one, 2).Release(t.Context())
	s.Remove("team/" + name)
	two := machine(t, s, c)
	turn = take(t, two, 1)
	if err := turn.Raise(t.Context(), 7); err != nil || turn.Number() != 7 {
		t.Errorf("the number is %d, %v", turn.Number(), err)
	}
	turn.Release(t.Context())
	take(t, one, 8).Release(t.Context())
}

// TestMany: of many that want the turn one at a time has it, and in the end all had it.
func TestMany(t *testing.T) {
	s, c := s3test.New(t), new(clock)
	var inside, turns atomic.Int64
	var all sync.WaitGroup
	for range 4 {
		l := machine(t, s, c)
		all.Go(func() {
			for range 3 {
				turn, err := l.Acquire(t.Context())
				if err != nil {
					t.Error(err)
					return
				}
				if inside.Add(1) != 1 {
					t.Error("two have the turn")
				}
				turns.Add(1)
				inside.Add(-1)
				turn.Release(t.Context())
			}
		})
	}
	all.Wait()
	if turns.Load() != 12 {
		t.Errorf("%d turns", turns.Load())
	}
}

// TestBeats: a holder gives signs of life while it works, and waiting ends when the
// caller's time does.
func TestBeats(t *testing.T) {
	s, c := s3test.New(t), new(clock)
	beaten := make(chan struct{}, 100)
	s.Lost = func(r *http.Request) bool {
		if r.Method == http.MethodPut {
			beaten <- struct{}{}
		}
		return false
	}
	one, two := machine(t, s, c), machine(t, s, c)
	one.opts.Beat = time.Millisecond
	turn := take(t, one, 1)
	for range 5 {
		<-beaten
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := two.Acquire(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := turn.Confirm(t.Context(), 1); err != nil {
		t.Error(err)
	}
	turn.Release(t.Context())
}
