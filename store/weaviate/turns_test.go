package weaviate_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/store/storetest"
	"github.com/memoir-ai/memoir/store/weaviate"
	"github.com/memoir-ai/memoir/store/weaviate/weaviatetest"
)

// turnstile gives turns as a lease of machines does. With ahead set, whoever asks is given
// one although another has it: that one is taken for gone.
type turnstile struct {
	turn          chan struct{}
	number, state atomic.Uint64
	ahead         atomic.Bool
}

func newTurnstile() *turnstile {
	ts := &turnstile{turn: make(chan struct{}, 1)}
	ts.turn <- struct{}{}
	return ts
}

type turn struct {
	*turnstile
	number, state uint64
	waited        bool
}

var errLost = errors.New("another machine has taken over")

func (ts *turnstile) take(ctx context.Context) (weaviate.Turn, error) {
	waited := !ts.ahead.Load()
	if waited {
		select {
		case <-ts.turn:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return &turn{ts, ts.number.Add(1), ts.state.Load(), waited}, nil
}

// takeAgain gives a turn as somebody gets it whom nobody else had one after: of the same
// number.
func (ts *turnstile) takeAgain(ctx context.Context) (weaviate.Turn, error) {
	ts.number.Store(6)
	given, err := ts.take(ctx)
	return given, err
}

func (t *turn) Number() uint64 { return t.number }
func (t *turn) State() uint64  { return t.state }

func (t *turn) Raise(_ context.Context, number uint64) error {
	t.number = number
	t.turnstile.number.Store(number)
	return nil
}

func (t *turn) Confirm(_ context.Context, state uint64) error {
	if t.turnstile.number.Load() != t.number {
		return errLost
	}
	t.turnstile.state.Store(state)
	return nil
}

func (t *turn) Release(context.Context) {
	if t.waited {
		t.turn <- struct{}{}
	}
}

func TestContractInTurns(t *testing.T) {
	f := weaviatetest.New(t)
	var n atomic.Int64
	storetest.Run(t, func(t *testing.T) memoir.Store {
		return open(t, weaviate.Options{URL: f.URL, Tenant: fmt.Sprint("t", n.Add(1)), Turns: newTurnstile().take})
	})
}

// machines returns two that write to one tenant by turns.
func machines(t *testing.T, f *weaviatetest.Server) (ts *turnstile, one, two *weaviate.Store) {
	ts = newTurnstile()
	opts := weaviate.Options{URL: f.URL, Tenant: "one", Turns: ts.take}
	return ts, open(t, opts), open(t, opts)
}

// A machine that was taken for gone while it wrote is told so: what it writes late counts
// for nobody, and it deletes nothing of what does. held says before which of its requests
// it was held up.
func TestLateHolder(t *testing.T) {
	for _, held := range []string{"POST /v1/batch/objects 1", "POST /v1/batch/objects 2", "DELETE /v1/batch/objects 1"} {
		f := weaviatetest.New(t)
		ts, one, two := machines(t, f)
		write(t, one, noted("a.md", "heron one"), noted("b.md", "heron two"))
		write(t, two, noted("a.md", "heron three"))
		stop, resume := make(chan struct{}), make(chan struct{})
		f.Mu.Lock()
		method, rest, _ := strings.Cut(held, " ")
		path, _, _ := strings.Cut(rest, " ")
		var left atomic.Int64
		left.Store(int64(held[len(held)-1] - '0'))
		f.Before = func(r *http.Request) {
			if r.Method == method && r.URL.Path == path && left.Add(-1) == 0 {
				close(stop)
				<-resume
			}
		}
		f.Mu.Unlock()
		late := make(chan error, 1)
		go func() {
			late <- one.Write(context.Background(), memoir.Changes{Put: []memoir.IndexedDocument{noted("a.md", "heron late")}, Delete: []memoir.DocID{"b.md"}})
		}()
		<-stop
		ts.ahead.Store(true)
		write(t, two, noted("c.md", "heron four"))
		close(resume)
		err := <-late
		confirmed := method == http.MethodDelete // its state was confirmed before it was held up
		if confirmed != (err == nil) || !confirmed && !errors.Is(err, errLost) {
			t.Errorf("%s: the late write ends with %v", held, err)
		}
		want := []string{"a.md 0", "b.md 0", "c.md 0"}
		if confirmed {
			want = []string{"a.md 0", "c.md 0"}
		}
		write(t, two, noted("d.md", "stork"))
		for _, s := range []memoir.Store{one, two, open(t, weaviate.Options{URL: f.URL, Tenant: "one", Turns: ts.take})} {
			got, err := find(t, s, "heron")
			slices.Sort(got)
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%s: found %v, %v; want %v", held, got, err, want)
			}
		}
		// And it goes on with what there is.
		write(t, one, noted("e.md", "stork"))
		if got, err := find(t, two, "stork"); err != nil || len(got) != 2 {
			t.Errorf("%s: found %v, %v", held, got, err)
		}
	}
}

// Of the states of turns that were ended one is left; what was written without turns is
// gone on from, also when what knew of the turns is gone.
func TestStatesOfTurns(t *testing.T) {
	f := weaviatetest.New(t)
	alone := open(t, weaviate.Options{URL: f.URL, Tenant: "one"})
	write(t, alone, noted("a.md", "heron"))
	ts, one, two := machines(t, f)
	for i := range 4 {
		write(t, []*weaviate.Store{one, two}[i%2], noted(memoir.DocID(fmt.Sprint(i, ".md")), "heron"))
	}
	ts.number.Store(0)
	ts.state.Store(0)
	write(t, two, noted("b.md", "heron"))
	for _, s := range []memoir.Store{one, two} {
		if got, err := find(t, s, "heron"); err != nil || len(got) != 6 {
			t.Errorf("found %v, %v", got, err)
		}
	}
	if n := ts.number.Load(); n != 5 {
		t.Errorf("the turns go on at %d, want 5", n)
	}
	for i := range 2 { // the eighth write of the tenant deletes the states before it
		write(t, one, noted(memoir.DocID(fmt.Sprint("c", i, ".md")), "stork"))
	}
	f.Mu.Lock()
	defer f.Mu.Unlock()
	states := 0
	for _, o := range f.Objects["MemoirWords2 one"] {
		if weaviate.IsState(o.Properties["of"]) {
			states++
		}
	}
	if states != 2 {
		t.Errorf("%d objects of states are left, want the two of the last", states)
	}
}

// A replica that was away lists the state of an older turn: nobody goes back to it.
func TestOldReplica(t *testing.T) {
	f := weaviatetest.New(t)
	_, one, two := machines(t, f)
	write(t, one, noted("a.md", "heron"))
	f.Mu.Lock()
	old := map[string]*weaviatetest.Object{}
	for id, o := range f.Objects["MemoirWords2 one"] {
		old[id] = o
	}
	f.Mu.Unlock()
	write(t, two, noted("b.md", "heron"))
	f.Mu.Lock()
	f.Stale = old
	f.Mu.Unlock()
	if got, err := find(t, two, "heron"); err != nil || len(got) != 2 {
		t.Errorf("who has seen both finds %v, %v", got, err)
	}
	write(t, one, noted("c.md", "heron"))
	f.Mu.Lock()
	f.Stale = nil
	f.Mu.Unlock()
	if got, err := find(t, two, "heron"); err != nil || len(got) != 3 {
		t.Errorf("who wrote beside such a replica lost something: %v, %v", got, err)
	}
}

// A server that says there is more to delete and deletes nothing is not asked for ever.
func TestNothingIsDeleted(t *testing.T) {
	f := weaviatetest.New(t)
	s := open(t, weaviate.Options{URL: f.URL, Tenant: "one"})
	write(t, s, noted("a.md", "heron"))
	asked := 0
	f.Mu.Lock()
	f.Spoil = func(r *http.Request, body string) string {
		if r.Method != http.MethodDelete {
			return body
		}
		if asked++; asked > 100 {
			return "{}"
		}
		return `{"results":{"matches":10000,"limit":10000,"successful":0,"failed":0}}`
	}
	f.Mu.Unlock()
	write(t, s, noted("a.md", "stork"))
	f.Mu.Lock()
	defer f.Mu.Unlock()
	if asked > 10 {
		t.Errorf("asked %d times", asked)
	}
}

// Who gets no turn is told why, and the next one who asks gets it.
func TestNoTurn(t *testing.T) {
	f := weaviatetest.New(t)
	refused := errors.New("not now")
	refuse := true
	for name, opts := range map[string]weaviate.Options{
		"writer": {Writer: func(context.Context) (func(), error) {
			if refuse {
				return nil, refused
			}
			return func() {}, nil
		}},
		"turns": {Turns: func(ctx context.Context) (weaviate.Turn, error) {
			if refuse {
				return nil, refused
			}
			return newTurnstile().take(ctx)
		}},
	} {
		opts.URL, opts.Tenant = f.URL, name
		s := open(t, opts)
		refuse = true
		if err := s.Write(t.Context(), memoir.Changes{Put: []memoir.IndexedDocument{noted("a.md", "heron")}}); !errors.Is(err, refused) {
			t.Errorf("%s: %v", name, err)
		}
		refuse = false
		write(t, s, noted("a.md", "heron"))
	}
}
