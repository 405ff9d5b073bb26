package httpapi

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/memoir-ai/memoir/internal/order"
)

// metrics counts requests, in the text format of Prometheus
// (https://prometheus.io/docs/instrumenting/exposition_formats/). The client
// library of Prometheus would make up a tenth of the program.
type metrics struct {
	listeners *places // of connections that wait for events
	running   *places // of requests in progress

	mu     sync.Mutex
	counts map[[2]string]int64 // by route and status
	times  map[string]*histogram
}

// mostRunning bounds the requests that are answered at once.
const mostRunning = 256

// bounds of the buckets of times, in seconds.
var bounds = []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}

type histogram struct {
	buckets []int64
	count   int64
	sum     float64
}

func newMetrics() *metrics {
	return &metrics{
		listeners: newPlaces(mostListeners), running: newPlaces(mostRunning),
		counts: map[[2]string]int64{}, times: map[string]*histogram{},
	}
}

// WorkspaceUse is what was counted of a workspace that is served beside the first.
type WorkspaceUse struct {
	Name     string
	Open     bool    // now
	Opened   int64   // how often
	Requests int64   // that were handed to it, or refused because it could not be opened
	Failed   int64   // of those, the ones that were refused
	Limited  int64   // requests beyond its quota, which were not handed to it
	Full     int64   // changes that were refused because it would have had more than its quota
	Seconds  float64 // from when a request came to when it was answered, of all
}

// writeWorkspaces writes what was counted of workspaces.
func writeWorkspaces(b *bytes.Buffer, all []WorkspaceUse) {
	if len(all) == 0 {
		return
	}
	for _, m := range []struct {
		name, kind, help string
		value            func(WorkspaceUse) any
	}{
		{"memoir_workspace_open", "gauge", "Whether a workspace is open.", func(u WorkspaceUse) any {
			if u.Open {
				return 1
			}
			return 0
		}},
		{"memoir_workspace_opened_total", "counter", "How often a workspace was opened.", func(u WorkspaceUse) any { return u.Opened }},
		{"memoir_workspace_requests_total", "counter", "Requests for a workspace.", func(u WorkspaceUse) any { return u.Requests }},
		{"memoir_workspace_failed_total", "counter", "Requests for a workspace that could not be opened.", func(u WorkspaceUse) any { return u.Failed }},
		{"memoir_workspace_limited_total", "counter", "Requests for a workspace beyond its quota.", func(u WorkspaceUse) any { return u.Limited }},
		{"memoir_workspace_full_total", "counter", "Changes that would have left a workspace with more than its quota.", func(u WorkspaceUse) any { return u.Full }},
		{"memoir_workspace_seconds_total", "counter", "How long requests for a workspace took.", func(u WorkspaceUse) any { return u.Seconds }},
	} {
		fmt.Fprintf(b, "# HELP %s %s\n# TYPE %[1]s %[3]s\n", m.name, m.help, m.kind)
		for _, u := range all {
			fmt.Fprintf(b, "%s{workspace=\"%s\"} %v\n", m.name, escaped.Replace(u.Name), m.value(u))
		}
	}
}

// note counts a request.
func (m *metrics) note(route string, status int, took time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.counts[[2]string{route, fmt.Sprint(status)}]++
	h := m.times[route]
	if h == nil {
		h = &histogram{buckets: make([]int64, len(bounds))}
		m.times[route] = h
	}
	s := took.Seconds()
	for i, b := range bounds {
		if s <= b {
			h.buckets[i]++
		}
	}
	h.count++
	h.sum += s
}

// escaped writes the value of a label.
var escaped = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// serveMetrics answers with what was counted.
func (a *api) serveMetrics(w http.ResponseWriter, r *http.Request) {
	var b bytes.Buffer
	number := func(name, kind, help string, value any) {
		fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %[1]s %[3]s\n%[1]s %[4]v\n", name, help, kind, value)
	}
	if Allowed(r.Context(), MayPrivate) { // other figures could reveal a private note
		a.numberNotes(r.Context(), number)
	}
	number("memoir_listeners", "gauge", "Connections that wait for events.", a.metrics.listeners.count())
	number("go_goroutines", "gauge", "Goroutines.", runtime.NumGoroutine())
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	number("go_memstats_heap_alloc_bytes", "gauge", "Bytes of the heap in use.", mem.HeapAlloc)
	a.metrics.write(&b)
	if a.opts.Workspaces != nil && Owner(r.Context()) {
		writeWorkspaces(&b, a.opts.Workspaces())
	}
	answerMetrics(w, b.Bytes())
}

// numberNotes writes the figures that depend on the notes.
func (a *api) numberNotes(ctx context.Context, number func(name, kind, help string, value any)) {
	if st, err := a.opts.Memory.Status(ctx); err == nil {
		number("memoir_documents", "gauge", "Notes in the index.", st.Documents)
		number("memoir_chunks", "gauge", "Chunks in the index.", st.Chunks)
		number("memoir_index_bytes", "gauge", "Bytes of the index on disk.", st.Bytes)
		number("memoir_vectors_pending", "gauge", "Texts that have no vector yet.", st.PendingVectors)
		number("memoir_vectors_failed", "gauge", "Texts that the provider could not take.", st.FailedVectors)
		number("memoir_degradations", "gauge", "Parts that cannot take part in an answer.", len(st.Degraded))
	}
	number("memoir_events_total", "counter", "Events that were told.", a.opts.Events.latest())
}

func answerMetrics(w http.ResponseWriter, text []byte) {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, _ = w.Write(text)
}

func (m *metrics) write(b *bytes.Buffer) {
	m.mu.Lock()
	defer m.mu.Unlock()
	fmt.Fprint(b, "# HELP memoir_http_requests_total Requests that were answered.\n# TYPE memoir_http_requests_total counter\n")
	keys := slices.Collect(maps.Keys(m.counts))
	order.By(keys, func(a, b [2]string) int { return strings.Compare(a[0]+" "+a[1], b[0]+" "+b[1]) })
	for _, key := range keys {
		fmt.Fprintf(b, "memoir_http_requests_total{route=\"%s\",status=\"%s\"} %d\n", escaped.Replace(key[0]), key[1], m.counts[key])
	}
	fmt.Fprint(b, "# HELP memoir_http_request_seconds How long answers took.\n# TYPE memoir_http_request_seconds histogram\n")
	for _, route := range slices.Sorted(maps.Keys(m.times)) {
		h, name := m.times[route], escaped.Replace(route)
		for i, bound := range bounds {
			fmt.Fprintf(b, "memoir_http_request_seconds_bucket{route=\"%s\",le=\"%v\"} %d\n", name, bound, h.buckets[i])
		}
		fmt.Fprintf(b, "memoir_http_request_seconds_bucket{route=\"%s\",le=\"+Inf\"} %d\nmemoir_http_request_seconds_sum{route=\"%[1]s\"} %[3]v\nmemoir_http_request_seconds_count{route=\"%[1]s\"} %[2]d\n", name, h.count, h.sum)
	}
}
