//go:build otel

package otlp

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/memoir-ai/memoir/internal/trace"
)

// A Span is a request, or a stage of one.
type Span struct {
	Trace  [16]byte
	ID     [8]byte
	Parent [8]byte // zero: none
	Name   string
	Server bool // it answers somebody else's request
	Start  time.Time
	End    time.Time
	Status int    // of HTTP; 0: it is a stage
	Count  int    // how many things a stage saw or found
	Of     string // what they are; "" when nothing is counted
}

// An Exporter hands spans on. It is called by one goroutine at a time.
type Exporter func(ctx context.Context, spans []Span) error

const (
	mostWaiting = 4096 // spans that wait to be handed on; further ones are dropped
	flushEvery  = 5 * time.Second
	exportTime  = 10 * time.Second
)

// A Recorder collects spans, and hands them on every five seconds. It is safe for
// concurrent use.
type Recorder struct {
	export Exporter
	log    *slog.Logger

	mu      sync.Mutex
	waiting []Span
	dropped int
}

// New returns a Recorder, which is told of all stages from then on.
func New(export Exporter, log *slog.Logger) *Recorder {
	r := &Recorder{export: export, log: log}
	trace.Observe(r.stage)
	return r
}

type key struct{}

// stage records a stage of the request that ctx belongs to; without one it has a trace of
// its own.
func (r *Recorder) stage(ctx context.Context, began time.Time, s trace.Stage) {
	parent, _ := ctx.Value(key{}).(Span)
	span := Span{Trace: parent.Trace, Parent: parent.ID, Name: s.Name, Start: began, End: began.Add(s.Took), Count: s.Count, Of: s.Of}
	if span.Trace == ([16]byte{}) {
		span.Trace = random[[16]byte]()
	}
	span.ID = random[[8]byte]()
	r.add(span)
}

func (r *Recorder) add(s Span) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.waiting) >= mostWaiting {
		r.dropped++
		return
	}
	r.waiting = append(r.waiting, s)
}

func random[T [8]byte | [16]byte]() (id T) {
	b := make([]byte, len(id))
	_, _ = rand.Read(b) // never fails
	for i := range b {
		id[i] = b[i]
	}
	return id
}

// Run hands spans on until ctx is done, and then what is left.
func (r *Recorder) Run(ctx context.Context) {
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			r.Flush(ctx)
		case <-ctx.Done():
			r.Flush(context.WithoutCancel(ctx))
			return
		}
	}
}

// Flush hands on what waits. What cannot be handed on is dropped, and logged.
func (r *Recorder) Flush(ctx context.Context) {
	r.mu.Lock()
	spans, dropped := r.waiting, r.dropped
	r.waiting, r.dropped = nil, 0
	r.mu.Unlock()
	if dropped > 0 {
		r.log.Warn("spans were dropped", "spans", dropped)
	}
	if len(spans) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, exportTime)
	defer cancel()
	if err := r.export(ctx, spans); err != nil {
		r.log.Warn("spans were not taken", "spans", len(spans), "err", err)
	}
}

// Handler records each request as a span, below the one that its traceparent names
// (https://www.w3.org/TR/trace-context/).
func (r *Recorder) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		span := Span{ID: random[[8]byte](), Name: method(req.Method) + " " + route(req.URL.Path), Server: true, Start: time.Now()}
		if !parent(req.Header.Get("Traceparent"), &span) {
			span.Trace = random[[16]byte]()
		}
		answer := &status{ResponseWriter: w, code: http.StatusOK}
		defer func() {
			span.End, span.Status = time.Now(), answer.code
			r.add(span)
		}()
		next.ServeHTTP(answer, req.WithContext(context.WithValue(req.Context(), key{}, span)))
	})
}

// parent reads a traceparent into a span.
func parent(header string, s *Span) bool {
	parts := strings.Split(header, "-")
	if len(parts) != 4 || len(parts[0]) != 2 || len(parts[1]) != 32 || len(parts[2]) != 16 {
		return false
	}
	id, err := hex.DecodeString(parts[1] + parts[2])
	if err != nil {
		return false
	}
	copy(s.Trace[:], id)
	copy(s.Parent[:], id[16:])
	return s.Trace != [16]byte{} && s.Parent != [8]byte{}
}

// method is what a span may tell of a method: anybody can make one up, as long as headers
// may be. The word for those is that of OpenTelemetry.
func method(name string) string {
	switch name {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodConnect, http.MethodOptions, http.MethodTrace:
		return name
	}
	return "_OTHER"
}

// route is what a span may tell of a path: nothing of a note's.
func route(path string) string {
	if _, below, ok := strings.Cut(strings.TrimPrefix(path, "/w/"), "/"); ok && strings.HasPrefix(path, "/w/") {
		path = "/" + below
	}
	parts := strings.SplitN(path, "/", 4)
	switch {
	case len(parts) > 2 && parts[1] == "v1" && known(parts[2]):
		return "/v1/" + parts[2]
	case len(parts) == 2 && known(parts[1]):
		return path
	}
	return "/"
}

// known reports whether a part of a path is one of memoir's and not made up.
func known(part string) bool {
	switch part {
	case "search", "why", "similar", "prime", "status", "notes", "remember", "forget", "undo", "tidy", "entries", "history", "pages", "days", "picture", "sync", "secrets", "given", "sessions",
		"anthropic", "tickets", "admin", "events", "openapi.json", "mcp", "metrics", "healthz", "readyz":
		return true
	}
	return false
}

// status records the status of an answer.
type status struct {
	http.ResponseWriter
	code int
}

// WriteHeader implements [http.ResponseWriter].
func (s *status) WriteHeader(code int) {
	s.code = code
	s.ResponseWriter.WriteHeader(code)
}

// Unwrap lets [http.ResponseController] reach the connection.
func (s *status) Unwrap() http.ResponseWriter { return s.ResponseWriter }

// Flush implements [http.Flusher].
func (s *status) Flush() { _ = http.NewResponseController(s.ResponseWriter).Flush() }

// HTTP returns an Exporter for a collector that takes OTLP over HTTP as JSON
// (https://opentelemetry.io/docs/specs/otlp/), at the whole address of its traces.
func HTTP(url, version string) Exporter {
	return func(ctx context.Context, spans []Span) error {
		body, err := json.Marshal(message(spans, version))
		if err != nil {
			return err
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
		if err != nil {
			return err
		}
		req.Header.Set("Content-Type", "application/json")
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return err
		}
		defer res.Body.Close()
		if _, err := io.Copy(io.Discard, io.LimitReader(res.Body, 1<<20)); err != nil {
			return err
		}
		if res.StatusCode/100 != 2 {
			return fmt.Errorf("the collector answered %s", res.Status)
		}
		return nil
	}
}

// The numbers of the protocol for the kinds of spans.
const (
	kindInternal = 1
	kindServer   = 2
)

type object map[string]any

// message is an ExportTraceServiceRequest. Ids are hexadecimal and 64-bit numbers are
// texts there.
func message(spans []Span, version string) object {
	all := make([]object, len(spans))
	for i, s := range spans {
		o := object{
			"traceId": hex.EncodeToString(s.Trace[:]), "spanId": hex.EncodeToString(s.ID[:]), "name": s.Name, "kind": kindInternal,
			"startTimeUnixNano": strconv.FormatInt(s.Start.UnixNano(), 10), "endTimeUnixNano": strconv.FormatInt(s.End.UnixNano(), 10),
		}
		if s.Parent != ([8]byte{}) {
			o["parentSpanId"] = hex.EncodeToString(s.Parent[:])
		}
		var attributes []object
		if s.Server {
			o["kind"] = kindServer
			attributes = append(attributes, number("http.response.status_code", s.Status))
			if s.Status >= http.StatusInternalServerError {
				o["status"] = object{"code": 2}
			}
		}
		if s.Of != "" {
			attributes = append(attributes, number("memoir."+s.Of, s.Count))
		}
		if len(attributes) > 0 {
			o["attributes"] = attributes
		}
		all[i] = o
	}
	text := func(name, value string) object { return object{"key": name, "value": object{"stringValue": value}} }
	return object{"resourceSpans": []object{{
		"resource":   object{"attributes": []object{text("service.name", "memoir"), text("service.version", version)}},
		"scopeSpans": []object{{"scope": object{"name": "memoir"}, "spans": all}},
	}}}
}

func number(name string, value int) object {
	return object{"key": name, "value": object{"intValue": strconv.Itoa(value)}}
}
