package weaviate_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/store/weaviate"
)

// TestNodesLost writes, deletes and searches while nodes are killed and started again
// (.ci/weaviate --nodes 3 --kill). What was acknowledged is there at the end and what was
// deleted is not; nothing is ever of another tenant. MEMOIR_TEST_WEAVIATE_LOAD says how
// long, if not a minute.
func TestNodesLost(t *testing.T) {
	if n, _ := strconv.Atoi(os.Getenv("MEMOIR_TEST_WEAVIATE_NODES")); n < 3 {
		t.Skip("MEMOIR_TEST_WEAVIATE_NODES is not 3: .ci/weaviate --nodes 3 --kill starts them")
	}
	load, err := time.ParseDuration(os.Getenv("MEMOIR_TEST_WEAVIATE_LOAD"))
	if err != nil {
		load = time.Minute
	}
	at := options(real(t))
	at.Timeout = 10 * time.Second
	at.URL = balanced(t, at.URL)
	end := time.Now().Add(load)
	var wg sync.WaitGroup
	for worker := range 16 {
		opts := at.next()
		wg.Go(func() { mixedLoad(t, opts, worker, end) })
	}
	wg.Wait()
}

// balanced returns the address of a proxy before all nodes, as a company has one: a
// request goes to the next node that takes connections.
func balanced(t *testing.T, first string) string {
	t.Helper()
	u, err := url.Parse(first)
	if err != nil {
		t.Fatal(err)
	}
	port, err := strconv.Atoi(u.Port())
	if err != nil {
		t.Fatal(err)
	}
	b := &balancer{}
	nodes, _ := strconv.Atoi(os.Getenv("MEMOIR_TEST_WEAVIATE_NODES"))
	for i := range nodes {
		b.hosts = append(b.hosts, net.JoinHostPort(u.Hostname(), strconv.Itoa(port+i)))
	}
	server := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(u) },
		Transport: b,
		ErrorLog:  log.New(io.Discard, "", 0),
	})
	t.Cleanup(server.Close)
	return server.URL
}

type balancer struct {
	hosts []string
	next  atomic.Int64
}

// RoundTrip implements [http.RoundTripper].
func (b *balancer) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	var err error
	if r.Body != nil {
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
	}
	for range b.hosts {
		to := r.Clone(r.Context())
		to.URL.Host = b.hosts[int(b.next.Add(1))%len(b.hosts)]
		to.Body = io.NopCloser(bytes.NewReader(body))
		var resp *http.Response
		resp, err = http.DefaultTransport.RoundTrip(to)
		if dial := (*net.OpError)(nil); !errors.As(err, &dial) || dial.Op != "dial" {
			return resp, err
		}
	}
	return nil, err
}

func mixedLoad(t *testing.T, opts weaviate.Options, worker int, end time.Time) {
	own := fmt.Sprintf("tenant%d", worker)
	s, err := weaviate.Open(t.Context(), opts)
	if err != nil {
		t.Error(err)
		return
	}
	defer s.Close()
	r := rand.New(rand.NewPCG(uint64(worker), 1))
	want := map[memoir.DocID]string{} // the revision that each document has to have
	writes, again, searches, failed := 0, 0, 0, 0
	slowest := time.Duration(0)
	for n := 0; time.Now().Before(end); n++ {
		id := memoir.DocID(fmt.Sprintf("%d.md", r.IntN(30)))
		revision := fmt.Sprintf("revision%d", n)
		changes := memoir.Changes{Put: []memoir.IndexedDocument{noted(id, own+" heron "+revision, own+" second "+revision)}}
		if r.IntN(4) == 0 {
			changes = memoir.Changes{Delete: []memoir.DocID{id}}
		}
		began := time.Now()
		for attempt := 0; ; attempt++ {
			err := s.Write(t.Context(), changes)
			if err == nil {
				break
			}
			if again++; !errors.Is(err, memoir.ErrUnavailable) || attempt > 30 {
				t.Errorf("%s: write: %v", own, err)
				return
			}
		}
		slowest = max(slowest, time.Since(began))
		writes++
		if delete(want, id); len(changes.Put) > 0 {
			want[id] = revision
		}
		searches++
		err := s.View(t.Context(), func(v memoir.View) error {
			ms, err := memoir.SearchText(t.Context(), v, []memoir.Term{{Text: "heron", Weight: 1}}, memoir.Filter{}, 99)
			var ids []memoir.ChunkID
			for _, m := range ms {
				ids = append(ids, m.ChunkID)
			}
			chunks, err2 := v.Chunks(t.Context(), ids)
			for _, c := range chunks {
				if text := c.Text; !strings.HasPrefix(text, own+" ") || !strings.HasSuffix(text, want[c.Doc]) || want[c.Doc] == "" {
					t.Errorf("%s: found is %q in %s, which has %q", own, text, c.Doc, want[c.Doc])
				}
			}
			return errors.Join(err, err2)
		})
		if err != nil {
			failed++
		}
	}
	t.Logf("%s: %d writes, %d tried again, the slowest %v; %d searches, %d without an answer", own, writes, again, slowest.Round(time.Millisecond), searches, failed)
	// Whoever comes later sees the same, once all nodes are back.
	var fresh *weaviate.Store
	for attempt := 0; ; attempt++ {
		if fresh, err = weaviate.Open(t.Context(), opts); err == nil {
			break
		}
		if !errors.Is(err, memoir.ErrUnavailable) || attempt > 30 {
			t.Errorf("%s: %v", own, err)
			return
		}
	}
	defer fresh.Close()
	for _, s := range []*weaviate.Store{s, fresh} {
		var found []memoir.Chunk
		for attempt := 0; attempt < 30; attempt++ {
			err = s.View(t.Context(), func(v memoir.View) error {
				var ids []memoir.ChunkID
				for id := range want {
					ids = append(ids, memoir.ChunkID{Doc: id}, memoir.ChunkID{Doc: id, Ordinal: 1})
				}
				var err error
				found, err = v.Chunks(t.Context(), ids)
				return err
			})
			if err == nil && len(found) == 2*len(want) {
				break
			}
		}
		if err != nil || len(found) != 2*len(want) {
			t.Errorf("%s: of %d documents %d passages are there, %v", own, len(want), len(found), err)
		}
		for _, c := range found {
			if !strings.HasSuffix(c.Text, want[c.Doc]) {
				t.Errorf("%s: %s is %q, acknowledged was %q", own, c.Doc, c.Text, want[c.Doc])
			}
		}
		var holders memoir.Holders
		err = s.View(t.Context(), func(v memoir.View) error {
			found, err := v.Terms(t.Context(), []memoir.Term{{Text: "heron", Weight: 1}}, memoir.Filter{}, 0)
			holders = found.Counts.Holders["heron"]
			return err
		})
		if err != nil || holders != (memoir.Holders{Chunks: len(want), Documents: len(want)}) {
			t.Errorf("%s: of %d documents %d are counted, and %d passages, %v", own, len(want), holders.Documents, holders.Chunks, err)
		}
		n := 0
		for attempt := 0; attempt < 30; attempt++ {
			n, err = 0, nil
			for meta, listErr := range s.Documents(t.Context()) {
				if err = listErr; err == nil && want[meta.ID] == "" {
					t.Errorf("%s: %s is listed", own, meta.ID)
				}
				n++
			}
			if err == nil {
				break
			}
		}
		if err != nil {
			t.Errorf("%s: %v", own, err)
		}
		if n != len(want) {
			t.Errorf("%s: %d documents are listed, %d were acknowledged", own, n, len(want))
		}
	}
}

// TestMeasureReal logs how long writing takes beside Weaviate given the same texts and
// vectors directly, and a search beside Weaviate asked directly for the same lists, in
// turns, for one client and for eight: 2,000 chunks of 120 words with 384 dimensions.
func TestMeasureReal(t *testing.T) {
	at := options(real(t))
	opts := at.next()
	opts.Fresh = 200 * time.Millisecond // as internal/app has it
	s := open(t, opts)
	r := rand.New(rand.NewPCG(3, 4))
	zipf := rand.NewZipf(r, 1.07, 1, 60_000)
	space := memoir.Space{Provider: "test", Model: "measure", Version: strconv.Itoa(os.Getpid()), Dimensions: 384}
	random := func() []float32 {
		v := make([]float32, space.Dimensions)
		for i := range v {
			v[i] = float32(r.NormFloat64())
		}
		return v
	}
	direct := newDirect(t, opts)
	// The collection of vectors is made with the first of them, as Weaviate's own is made here.
	write(t, s, noted("first.md", "first"))
	if err := s.PutVectors(t.Context(), space, map[memoir.Hash][]float32{memoir.HashText("first"): random()}, nil); err != nil {
		t.Fatal(err)
	}
	ours, theirs := took{}, took{}
	for batch := range 10 {
		var docs []memoir.IndexedDocument
		vectors := map[memoir.Hash][]float32{}
		for i := range 20 {
			texts := make([]string, 10)
			for j := range texts {
				words := make([]string, 120)
				for k := range words {
					words[k] = fmt.Sprintf("w%d", zipf.Uint64())
				}
				texts[j] = strings.Join(words, " ")
				vectors[memoir.HashText(texts[j])] = random()
			}
			docs = append(docs, noted(memoir.DocID(fmt.Sprintf("%02d/%02d.md", batch, i)), texts...))
		}
		ours.add(func() {
			write(t, s, docs...)
			if err := s.PutVectors(t.Context(), space, vectors, nil); err != nil {
				t.Fatal(err)
			}
		})
		theirs.add(func() { direct.put(t, docs, vectors) })
	}
	t.Logf("2,000 chunks with vectors: %.0f a second, directly %.0f (x %.2f); seconds of a processor, of Weaviate and of this process: %.2f and %.2f, directly %.2f and %.2f",
		2000/ours.clock.Seconds(), 2000/theirs.clock.Seconds(), theirs.clock.Seconds()/ours.clock.Seconds(), ours.server, ours.own, theirs.server, theirs.own)
	var classes struct{ Classes []struct{ Class string } }
	get(t, opts.URL+"/v1/schema", &classes)
	vectors := ""
	for _, c := range classes.Classes {
		if strings.HasPrefix(c.Class, "MemoirVectors") {
			vectors = c.Class // of several the last that was made; each question says which it is of
		}
	}
	type question struct {
		terms  []memoir.Term
		words  string
		vector []float32
	}
	questions := make([]question, 150)
	for i := range questions {
		q := question{vector: random()}
		for range 6 {
			word := fmt.Sprintf("w%d", zipf.Uint64())
			q.terms, q.words = append(q.terms, memoir.Term{Text: word, Weight: 1}), q.words+" "+word
		}
		questions[i] = q
	}
	// The second time the process knows the terms and vectors of what it found.
	for _, run := range []struct {
		when    string
		clients int
	}{{"first time, 1 client", 1}, {"again, 1 client", 1}, {"again, 8 clients", 8}} {
		var mu sync.Mutex // guards times
		times := map[string][]time.Duration{}
		timed := func(what string, f func() error) {
			start := time.Now()
			if err := f(); err != nil {
				t.Errorf("%s: %v", what, err)
			}
			mu.Lock()
			defer mu.Unlock()
			times[what] = append(times[what], time.Since(start))
		}
		each := func(q question) {
			timed("words, ours", func() error {
				return s.View(t.Context(), func(view memoir.View) error {
					_, err := memoir.SearchText(t.Context(), view, q.terms, memoir.Filter{}, 128)
					return err
				})
			})
			timed("words, asked directly", func() error {
				return ask(opts, fmt.Sprintf(`{Get{MemoirWords2(tenant:%q,limit:128,bm25:{query:%q,properties:["terms"]}){_additional{id score}}}}`, opts.Tenant, q.words))
			})
			timed("vectors, ours", func() error {
				return s.View(t.Context(), func(view memoir.View) error {
					_, err := view.SearchVector(t.Context(), space, q.vector, memoir.Filter{}, 32)
					return err
				})
			})
			numbers := strings.ReplaceAll(strings.Trim(fmt.Sprint(q.vector), "[]"), " ", ",")
			timed("vectors, asked directly", func() error {
				return ask(opts, fmt.Sprintf(`{Get{%s(tenant:%q,limit:32,nearVector:{vector:[%s]}){_additional{id distance}}}}`, vectors, opts.Tenant, numbers))
			})
		}
		asked := make(chan question)
		var wg sync.WaitGroup
		for range run.clients {
			wg.Go(func() {
				for q := range asked {
					each(q)
				}
			})
		}
		for _, q := range questions {
			asked <- q
		}
		close(asked)
		wg.Wait()
		for _, what := range slices.Sorted(maps.Keys(times)) {
			t.Logf("%s, %s: p50 %v, p95 %v", run.when, what, quantile(times[what], .5), quantile(times[what], .95))
		}
	}
}

// direct is a collection of Weaviate's own making: a text and its vector in one object.
type direct struct{ opts weaviate.Options }

func newDirect(t *testing.T, opts weaviate.Options) direct {
	t.Helper()
	d := direct{opts}
	d.send(t, "DELETE", "/v1/schema/Direct", nil) // of a run before
	d.send(t, "POST", "/v1/schema", map[string]any{"class": "Direct", "vectorizer": "none", "vectorIndexType": "flat",
		"properties":          []map[string]any{{"name": "terms", "dataType": []string{"text"}, "tokenization": "whitespace"}},
		"multiTenancyConfig":  map[string]any{"enabled": true, "autoTenantCreation": true},
		"invertedIndexConfig": map[string]any{"stopwords": map[string]any{"preset": "none"}}})
	return d
}

func (d direct) send(t *testing.T, method, path string, in any) {
	t.Helper()
	body, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), method, d.opts.URL+path, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode > 299 || strings.Contains(string(text), "FAILED") {
		t.Fatalf("%s %s: %d %.300s, %v", method, path, resp.StatusCode, text, err)
	}
}

// put writes the passages of documents, 200 a request.
func (d direct) put(t *testing.T, docs []memoir.IndexedDocument, vectors map[memoir.Hash][]float32) {
	t.Helper()
	var all []map[string]any
	for _, doc := range docs {
		for _, c := range doc.Chunks {
			all = append(all, map[string]any{"class": "Direct", "tenant": d.opts.Tenant, "vector": vectors[c.EmbedHashes[0]], "properties": map[string]string{"terms": c.Text}})
		}
	}
	for some := range slices.Chunk(all, 200) {
		d.send(t, "POST", "/v1/batch/objects", map[string]any{"objects": some})
	}
}

// took is what some work took by the clock, and in seconds of a processor: of the server,
// as far as it can be seen, and of this process.
type took struct {
	clock       time.Duration
	server, own float64
}

func (w *took) add(work func()) {
	pid := os.Getenv("MEMOIR_TEST_WEAVIATE_PID")
	server, own, began := processor(pid), processor("self"), time.Now()
	work()
	w.clock += time.Since(began)
	w.server, w.own = w.server+processor(pid)-server, w.own+processor("self")-own
}

// processor returns for how many seconds a process has computed so far; 0 when the system
// does not say.
func processor(pid string) float64 {
	text, err := os.ReadFile("/proc/" + pid + "/stat")
	_, rest, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(rest)
	if err != nil || len(fields) < 13 {
		return 0
	}
	user, _ := strconv.ParseFloat(fields[11], 64)
	system, _ := strconv.ParseFloat(fields[12], 64)
	return (user + system) / 100
}

func quantile(all []time.Duration, share float64) time.Duration {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[int(share*float64(len(sorted)-1))].Round(10 * time.Microsecond)
}

func get(t *testing.T, url string, v any) {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(v); err != nil {
		t.Fatal(err)
	}
}

func ask(opts weaviate.Options, query string) error {
	body, err := json.Marshal(map[string]string{"query": query})
	if err != nil {
		return err
	}
	resp, err := http.Post(opts.URL+"/v1/graphql", "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err == nil && strings.Contains(string(text), `"errors"`) {
		err = errors.New(string(text))
	}
	return err
}
