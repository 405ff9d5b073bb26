// Serve measures a memoir serve that many clients use at once: searches, writes and
// listeners to events, all against the real program over loopback.
//
//	go run ./bench/serve                               # 20 clients, 10 seconds
//	go run ./bench/serve -clients 200 -seconds 60      # the load of docs/performance.md
//	go run ./bench/serve -clients 200 -seconds 60 -burst 2000
//	go run ./bench/serve -edits 40                     # how soon an edit is found
//	go run ./bench/serve -states                       # first index, new model, outage, writers
package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/memoir-ai/memoir/bench/internal/measure"
	"github.com/memoir-ai/memoir/internal/notegen"
)

func main() { measure.Main("serve", run) }

// load is what is asked of the server.
type load struct {
	clients, seconds, days, burst, edits int
	mode                                 string
	states                               bool
}

func run(ctx context.Context) error {
	var l load
	flag.IntVar(&l.clients, "clients", 20, "that ask at once; one in twenty writes, one in twenty listens")
	flag.IntVar(&l.seconds, "seconds", 10, "of load")
	flag.IntVar(&l.days, "days", 240, "of notes; 240 are some 10,000 chunks")
	flag.IntVar(&l.burst, "burst", 0, "notes that change in the middle, all at once")
	flag.StringVar(&l.mode, "mode", "text", "of the searches")
	flag.IntVar(&l.edits, "edits", 0, "measure how soon so many edits are found, in place of the load")
	flag.BoolVar(&l.states, "states", false, "measure one client's searches by words and vectors while the server is at other work, in place of the load")
	flag.Parse()
	dir, err := os.MkdirTemp("", "memoir-serve")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	p, err := prepare(ctx, dir, l.days)
	if err != nil {
		return err
	}
	fmt.Print(measure.Opening("serve"))
	if l.edits > 0 {
		return p.edits(ctx, l)
	}
	if l.states {
		return p.states(ctx, l)
	}
	words := []string{"MEMOIR_PROVIDER=none"}
	if err := p.index(ctx, "state", words); err != nil {
		return err
	}
	s, err := p.serve(ctx, "state", words)
	if err != nil {
		return err
	}
	defer s.stop()
	return s.measure(ctx, l)
}

// place is the program with notes.
type place struct{ dir, program, notes string }

// prepare builds the program and writes notes.
func prepare(ctx context.Context, dir string, days int) (place, error) {
	p := place{dir, filepath.Join(dir, "memoir"), filepath.Join(dir, "notes")}
	if err := measure.Build(ctx, p.program); err != nil {
		return p, err
	}
	_, err := notegen.Write(p.notes, notegen.Options{Days: days})
	return p, err
}

// command returns memoir over the notes, with an index in the folder state.
func (p place) command(ctx context.Context, state string, env []string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, p.program, append([]string{"--workspace", p.notes}, args...)...)
	cmd.Env = append(append(os.Environ(), "HOME="+p.dir, "MEMOIR_STATE_DIR="+filepath.Join(p.dir, state)), env...)
	cmd.Stderr = os.Stderr
	return cmd
}

// index indexes the notes.
func (p place) index(ctx context.Context, state string, env []string, args ...string) error {
	out, err := p.command(ctx, state, env, append([]string{"index", "--json"}, args...)...).Output()
	if err != nil {
		return fmt.Errorf("index: %w", err)
	}
	var indexed struct{ Documents, Chunks int }
	if err := json.Unmarshal(out, &indexed); err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "%d notes, %d chunks\n", indexed.Documents, indexed.Chunks)
	return nil
}

// server is a memoir serve.
type server struct {
	dir, url, token string
	cmd             *exec.Cmd
}

// serve starts one.
func (p place) serve(ctx context.Context, state string, env []string) (*server, error) {
	secret, err := p.command(ctx, state, env, "token", "create", rand.Text()).Output()
	if err != nil {
		return nil, fmt.Errorf("make a token: %w", err)
	}
	s := &server{dir: p.dir, token: strings.TrimSpace(string(secret)), cmd: p.command(ctx, state, env, "serve", "--addr", "127.0.0.1:0")}
	stdout, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	s.url = strings.TrimSpace(line)
	return s, err
}

func (s *server) stop() {
	_ = s.cmd.Process.Signal(os.Interrupt)
	_ = s.cmd.Wait()
}

// resident returns the memory of the server, in MB, of which anon is not that of files;
// 0 where the system does not tell.
func (s *server) resident() (whole, anon float64) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		return 0, 0
	}
	field := func(name string) float64 {
		_, rest, _ := strings.Cut(string(data), name+":")
		n, _ := strconv.ParseFloat(strings.Fields(rest + " 0")[0], 64)
		return n / 1024
	}
	return field("VmRSS"), field("RssAnon")
}

// counts are what became of the requests of one kind.
type counts struct {
	mu     sync.Mutex
	times  []float64 // milliseconds
	failed map[string]int
}

func (c *counts) note(took time.Duration, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		c.failed[err.Error()]++
		return
	}
	c.times = append(c.times, measure.Milliseconds(took))
}

func (s *server) measure(ctx context.Context, l load) error {
	questions := slices.Concat(notegen.Questions(1, false, 200), notegen.Questions(1, true, 100))
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: l.clients}}
	single := &counts{failed: map[string]int{}}
	for i := range 200 { // one client alone, before the others
		begin := time.Now()
		err := s.search(ctx, client, questions[i%len(questions)], l.mode)
		single.note(time.Since(begin), err)
	}
	searches, writes, events := &counts{failed: map[string]int{}}, &counts{failed: map[string]int{}}, &counts{failed: map[string]int{}}
	until, cancel := context.WithTimeout(ctx, time.Duration(l.seconds)*time.Second)
	defer cancel()
	var wg sync.WaitGroup
	for c := range l.clients {
		wg.Go(func() {
			for n := 0; until.Err() == nil; n++ {
				begin := time.Now()
				switch {
				case c%20 == 1:
					s.listen(until, client, events)
				case c%20 == 0 && n%10 == 0:
					err := s.post(ctx, client, "/v1/remember", map[string]any{"text": fmt.Sprintf("The box %d-%d stands in rack %d of hall %d", c, n, n*7, c), "type": "project"}, nil)
					writes.note(time.Since(begin), err)
				default:
					err := s.search(ctx, client, questions[(c*31+n)%len(questions)], l.mode)
					searches.note(time.Since(begin), err)
				}
				if rest := 100*time.Millisecond - time.Since(begin); rest > 0 { // ten a second each, as agents hardly ask
					select {
					case <-time.After(rest):
					case <-until.Done():
					}
				}
			}
		})
	}
	var memory, anon []float64
	wg.Go(func() {
		tick := time.NewTicker(time.Duration(l.seconds) * time.Second / 12)
		defer tick.Stop()
		for n := 0; ; n++ {
			select {
			case <-until.Done():
				return
			case <-tick.C:
				whole, own := s.resident()
				memory, anon = append(memory, whole), append(anon, own)
				if n == 4 && l.burst > 0 {
					if err := s.change(l.burst); err != nil {
						fmt.Fprintln(os.Stderr, err)
					}
				}
			}
		}
	})
	wg.Wait()
	printCounts([]row{{"searches, one client alone", single}, {"searches", searches}, {"writes", writes}, {"events (counted alone)", events}})
	fmt.Printf("\nMemory of the server every twelfth of the time, MB (of it not of files): %s (%s)\n", numbers(memory), numbers(anon))
	return ctx.Err()
}

// row is a row of the table.
type row struct {
	name string
	c    *counts
}

func printCounts(rows []row) {
	fmt.Printf("| what | answered | failed | p50 ms | p95 ms | p99 ms |\n|---|---:|---:|---:|---:|---:|\n")
	for _, row := range rows {
		t := row.c.times
		failed := 0
		for reason, n := range row.c.failed {
			failed += n
			fmt.Fprintf(os.Stderr, "%s: %d x %s\n", row.name, n, reason)
		}
		fmt.Printf("| %s | %d | %d | %.1f | %.1f | %.1f |\n", row.name, len(t), failed, measure.Percentile(t, 50), measure.Percentile(t, 95), measure.Percentile(t, 99))
	}
}

func numbers(values []float64) string {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strings.Join(words, " ")
}

// change changes notes, all at once.
func (s *server) change(n int) error {
	paths, err := filepath.Glob(filepath.Join(s.dir, "notes", "memory", "*.md"))
	if err != nil {
		return err
	}
	for i := range n {
		path := filepath.Join(s.dir, "notes", "memory", fmt.Sprintf("burst-%d.md", i))
		if i < len(paths) {
			path = paths[i]
		}
		f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(f, "\n- The branch was switched, note %d\n", i)
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	return nil
}

func (s *server) search(ctx context.Context, client *http.Client, question, mode string) error {
	return s.post(ctx, client, "/v1/search", map[string]any{"query": question, "mode": mode}, nil)
}

// post sends a request, and reads the answer into a value that may be nil.
func (s *server) post(ctx context.Context, client *http.Client, path string, body, answer any) error {
	data, err := json.Marshal(body)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+path, bytes.NewReader(data))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+s.token)
	req.Header.Set("Content-Type", "application/json")
	res, err := client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if data, err = io.ReadAll(res.Body); err != nil {
		return err
	}
	if res.StatusCode != http.StatusOK {
		return errors.New(res.Status)
	}
	if answer == nil {
		return nil
	}
	return json.Unmarshal(data, answer)
}

// listen counts events until ctx is done.
func (s *server) listen(ctx context.Context, client *http.Client, events *counts) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+"/v1/events", nil)
	if err != nil {
		return
	}
	req.Header.Set("Authorization", "Bearer "+s.token)
	res, err := client.Do(req)
	if err != nil {
		if ctx.Err() == nil {
			events.note(0, err)
		}
		return
	}
	defer res.Body.Close()
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "data: ") {
			events.note(0, nil)
		}
	}
	if ctx.Err() == nil {
		events.note(0, fmt.Errorf("the stream ended: %w", cmp.Or(lines.Err(), io.EOF)))
	}
}
