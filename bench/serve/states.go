package main

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/memoir-ai/memoir/bench/internal/measure"
	"github.com/memoir-ai/memoir/internal/notegen"
)

// deadline is how long a search may take with the settings as they come: that of the
// look for changed files and that of the vector of a query.
const deadline = 1500 * time.Millisecond

// writers is how many clients tell things at once.
const writers = 50

// states measures searches while the server is at other work, each time beside the same
// searches of a server that has nothing else to do. The provider of vectors is this
// process, which takes a while for each request. In the last state it is the model
// inside, whose vectors of all notes take minutes beforehand: -days makes them fewer.
func (p place) states(ctx context.Context, l load) error {
	var out provider
	address, stop, err := out.serve()
	if err != nil {
		return err
	}
	defer stop()
	env := func(model string) []string {
		return []string{"MEMOIR_PROVIDER=openai", "MEMOIR_OPENAI_API_KEY=none", "MEMOIR_OPENAI_BASE_URL=" + address + "/v1", "MEMOIR_OPENAI_MODEL=" + model}
	}
	inside := []string{"MEMOIR_PROVIDER=local"}
	err = p.index(ctx, "state", env("first"))
	if err == nil {
		err = p.index(ctx, "inside", inside)
	}
	if err == nil {
		err = p.index(ctx, "inside without vectors", inside, "--text-only")
	}
	if err != nil {
		return err
	}
	fmt.Printf("| while | searches | p50 ms | p99 ms | most ms | p50 beside idle | p99 beside idle | above %v | without vectors |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|\n", deadline)
	type asked struct {
		folder string
		env    []string
	}
	rest, insideRest := asked{"state", env("first")}, asked{"inside", inside}
	for _, state := range []struct {
		name       string
		busy, rest asked
		slow       time.Duration // of each request for vectors
		down       bool          // no request is answered
		writers    int
	}{
		{name: "nothing else", busy: rest, rest: rest},
		{name: "a first index", busy: asked{"new", env("first")}, rest: rest, slow: 50 * time.Millisecond},
		{name: "vectors of another model", busy: asked{"state", env("second")}, rest: rest, slow: 50 * time.Millisecond},
		{name: "the provider answers nothing", busy: asked{"state", env("second")}, rest: rest, down: true},
		{name: fmt.Sprint(writers, " clients write"), busy: rest, rest: rest, writers: writers},
		{name: "nothing else, the model inside", busy: insideRest, rest: insideRest},
		{name: "vectors of the model inside", busy: asked{"inside without vectors", inside}, rest: insideRest},
	} {
		idle, err := p.asked(ctx, l, state.rest.folder, state.rest.env, 0)
		if err != nil {
			return err
		}
		out.slow.Store(int64(state.slow))
		out.down.Store(state.down)
		busy, err := p.asked(ctx, l, state.busy.folder, state.busy.env, state.writers)
		out.slow.Store(0)
		out.down.Store(false)
		if err != nil {
			return err
		}
		t := busy.times
		beside := func(q float64) float64 { return measure.Percentile(t, q) / measure.Percentile(idle.times, q) }
		fmt.Printf("| %s | %d | %.1f | %.1f | %.0f | %.2f | %.2f | %d | %d |\n", state.name, len(t), measure.Percentile(t, 50), measure.Percentile(t, 99), slices.Max(t), beside(50), beside(99), busy.late, busy.without)
	}
	return ctx.Err()
}

// answers are those that one client got.
type answers struct {
	times         []float64 // milliseconds
	late, without int       // above the deadline; by words alone
}

// asked starts a server, asks it from its first moment on by one client, beside clients
// that write, and ends it.
func (p place) asked(ctx context.Context, l load, state string, env []string, writers int) (answers, error) {
	var a answers
	s, err := p.serve(ctx, state, env)
	if err != nil {
		return a, err
	}
	defer s.stop()
	until, cancel := context.WithTimeout(ctx, time.Duration(l.seconds)*time.Second)
	defer cancel()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: writers + 1}}
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for n := 0; until.Err() == nil; n++ {
				if err := s.post(ctx, client, "/v1/remember", map[string]any{"text": fmt.Sprintf("The box %d-%d stands in rack %d", w, n, n*7), "type": "project"}, nil); err != nil {
					fmt.Fprintln(os.Stderr, "write:", err)
				}
			}
		})
	}
	questions := slices.Concat(notegen.Questions(1, false, 200), notegen.Questions(1, true, 100))
	for n := 0; until.Err() == nil; n++ {
		var answer struct {
			Provider string `json:"provider"`
		}
		begin := time.Now()
		if err := s.post(ctx, client, "/v1/search", map[string]any{"query": questions[n%len(questions)]}, &answer); err != nil {
			return a, err
		}
		took := time.Since(begin)
		a.times = append(a.times, measure.Milliseconds(took))
		if took > deadline {
			a.late++
		}
		if answer.Provider == "" {
			a.without++
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-until.Done():
		}
	}
	wg.Wait()
	return a, nil
}

// provider gives vectors as OpenAI's interface does, of the words of a text.
type provider struct {
	slow atomic.Int64 // nanoseconds that each request takes
	down atomic.Bool
}

// serve starts it, and returns its address and what ends it.
func (p *provider) serve() (address string, stop func(), err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	server := &http.Server{Handler: p}
	var wg sync.WaitGroup
	wg.Go(func() { _ = server.Serve(l) }) // until it is closed
	return "http://" + l.Addr().String(), func() {
		_ = server.Close() // nobody asks any more
		wg.Wait()
	}, nil
}

func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if p.down.Load() {
		<-r.Context().Done()
		return
	}
	var asked struct{ Input []string }
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if len(asked.Input) > 1 { // a query is not made to wait
		time.Sleep(time.Duration(p.slow.Load()))
	}
	type vector struct {
		Index     int       `json:"index"`
		Embedding []float32 `json:"embedding"`
	}
	var answer struct {
		Data []vector `json:"data"`
	}
	for i, text := range asked.Input {
		answer.Data = append(answer.Data, vector{i, vectorOf(text)})
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer) // who has gone needs none
}

// vectorOf makes a vector of the words of a text.
func vectorOf(text string) []float32 {
	v := make([]float32, 256)
	v[0] = 1e-3
	for _, word := range strings.Fields(strings.ToLower(text)) {
		h := fnv.New32a()
		_, _ = h.Write([]byte(word)) // which never fails
		v[h.Sum32()%256]++
	}
	return v
}
