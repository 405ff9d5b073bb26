package remote

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir"
)

// While all goes well, each round lets one more request through. A request that
// is too much halves the number, once for all that were under way with it.
func TestGateAdapts(t *testing.T) {
	g := newGate(8)
	round := func(well bool) {
		var tickets []ticket
		for float64(g.busy+1) <= g.limit {
			tk, err := g.enter(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			tickets = append(tickets, tk)
		}
		for _, tk := range tickets {
			g.leave(tk, well, !well)
		}
	}
	var got []int
	for range 7 {
		got = append(got, int(g.limit))
		round(true)
	}
	for range 3 {
		round(false)
		got = append(got, int(g.limit))
	}
	round(true)
	got = append(got, int(g.limit))
	for range 20 {
		round(true)
	}
	got = append(got, int(g.limit))
	if diff := cmp.Diff([]int{2, 2, 3, 4, 5, 6, 7, 3, 1, 1, 2, 8}, got); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
}

func TestGateKeepsOrderAndLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(1)
		first, err := g.enter(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var (
			mu    sync.Mutex
			order []int
			wg    sync.WaitGroup
		)
		for i := range 4 {
			ctx, cancel := context.WithCancel(t.Context())
			if i == 1 { // gives up while it waits
				time.AfterFunc(time.Second, cancel)
			}
			wg.Go(func() {
				defer cancel()
				tk, err := g.enter(ctx)
				if err != nil {
					return
				}
				mu.Lock()
				order = append(order, i)
				mu.Unlock()
				g.leave(tk, true, false)
			})
			synctest.Wait()
		}
		time.Sleep(2 * time.Second)
		g.leave(first, true, false)
		wg.Wait()
		if diff := cmp.Diff([]int{0, 2, 3}, order); diff != "" || g.busy != 0 {
			t.Errorf("%d busy; want -, got +:\n%s", g.busy, diff)
		}
	})
}

// When one request is told to wait, all wait. One whose time would end before
// does not begin to wait.
func TestGateCloses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(4)
		g.close(20 * time.Second)
		start := time.Now()
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := g.enter(short); !errors.Is(err, memoir.ErrUnavailable) || time.Since(start) != 0 {
			t.Errorf("got %v after %v, want an error at once", err, time.Since(start))
		}
		if _, err := g.enter(t.Context()); err != nil || time.Since(start) != 20*time.Second {
			t.Errorf("got %v after %v, want to pass after 20s", err, time.Since(start))
		}
	})
}

// roundTrip is a transport without a network, so that time can be a test's own.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestServersWaitIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var sent []time.Duration
		e, err := Open(t.Context(), Config{
			Provider: "test", BaseURL: "https://server.example", Dimensions: 1,
			Encode: func(memoir.Task, []string) any { return struct{}{} }, Decode: DecodeData,
			Options: Options{Concurrency: 1, HTTPClient: &http.Client{Transport: roundTrip(func(*http.Request) (*http.Response, error) {
				sent = append(sent, time.Since(start))
				if len(sent) == 1 {
					return &http.Response{StatusCode: 429, Header: http.Header{"Retry-After": {"20"}}, Body: http.NoBody}, nil
				}
				return &http.Response{StatusCode: 200, Body: body(`{"data":[{"embedding":[1]}]}`)}, nil
			})}},
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := e.Embed(t.Context(), memoir.TaskDocument, []string{"a"}); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]time.Duration{0, 20 * time.Second}, sent); diff != "" {
			t.Errorf("want -, got +:\n%s", diff)
		}
	})
}

type readCloser struct{ *strings.Reader }

func (readCloser) Close() error { return nil }

func body(text string) readCloser { return readCloser{strings.NewReader(text)} }

func TestWaitOf(t *testing.T) {
	now := time.Date(2026, time.March, 2, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name  string
		value []string // headers in pairs
		want  time.Duration
		ok    bool
	}{
		{"none", nil, 0, false},
		{"now", []string{"Retry-After", "0"}, 0, true},
		{"seconds", []string{"Retry-After", "20"}, 20 * time.Second, true},
		{"date", []string{"Retry-After", "Mon, 02 Mar 2026 12:00:30 GMT"}, 30 * time.Second, true},
		{"date gone by", []string{"Retry-After", "Mon, 02 Mar 2026 11:00:00 GMT"}, 0, true},
		{"negative", []string{"Retry-After", "-1"}, 0, false},
		{"words", []string{"Retry-After", "soon"}, 0, false},
		{"beyond time", []string{"Retry-After", "99999999999999999999"}, 0, false},
		{"milliseconds first", []string{"Retry-After-Ms", "1500", "Retry-After", "20"}, 1500 * time.Millisecond, true},
		{"milliseconds that are none", []string{"Retry-After-Ms", "NaN", "Retry-After", "20"}, 20 * time.Second, true},
		{"reset of the used up limit", []string{"X-Ratelimit-Remaining-Requests", "10", "X-Ratelimit-Reset-Requests", "20s", "X-Ratelimit-Remaining-Tokens", "0", "X-Ratelimit-Reset-Tokens", "120ms"}, 120 * time.Millisecond, true},
		{"reset of the whole limit is not waited for", []string{"X-Ratelimit-Remaining-Tokens", "0", "X-Ratelimit-Reset-Tokens", "6m0s"}, 30 * time.Second, true},
		{"reset in seconds without a unit", []string{"X-Ratelimit-Remaining-Tokens", "0", "X-Ratelimit-Reset-Tokens", "6"}, 0, false},
	} {
		h := http.Header{}
		for pair := range slices.Chunk(tt.value, 2) {
			h.Set(pair[0], pair[1])
		}
		if got, ok := waitOf(h, now); got != tt.want || ok != tt.ok {
			t.Errorf("%s: got %v, %v, want %v, %v", tt.name, got, ok, tt.want, tt.ok)
		}
	}
}

// These are the words of real servers.
func TestKindOf(t *testing.T) {
	for _, tt := range []struct {
		status int
		body   string
		want   kind
	}{
		{400, `{"error":{"message":"Requested 309209 tokens, max 300000 tokens per request","code":"max_tokens_per_request"}}`, batchTooLarge},
		{400, `{"error":{"code":400,"message":"* BatchEmbedContentsRequest.requests: at most 100 requests can be in one batch","status":"INVALID_ARGUMENT"}}`, batchTooLarge},
		{400, `{"object":"error","message":"Too many inputs in request, split into more batches.","code":"3210"}`, batchTooLarge},
		{400, `{"object":"error","message":"Too many tokens in batch. Max is 16384 got 17555"}`, batchTooLarge},
		{400, `{"detail":"Request to model 'voyage-3' failed. The max allowed tokens per submitted batch is 120000. Your batch has 130000 tokens after truncation."}`, batchTooLarge},
		{422, `{"error":"batch size 66 > maximum allowed batch size 64","error_type":"Validation"}`, batchTooLarge},
		{400, `{"error":{"message":"batch size is invalid, it should not be larger than 10.: input.contents"}}`, batchTooLarge},
		{413, ``, batchTooLarge},
		{400, `{"error":{"message":"This model's maximum context length is 8192 tokens, however you requested 8610 tokens"}}`, textTooLong},
		{400, `{"error":"the input length exceeds the context length"}`, textTooLong},
		{500, `{"error":{"code":500,"message":"input (596 tokens) is too large to process. increase the physical batch size (current batch size: 512)","type":"server_error"}}`, textTooLong},
		{500, `{"error":"request id 8192-10-64 failed"}`, broken},
		{400, `{"error":{"message":"request req_max10_inputs_batch64 failed"}}`, refused},
		{400, `{"error":{"message":"model not found"}}`, refused},
		{400, `{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}}`, final},
		{429, `{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}`, final},
		{429, `{"error":{"message":"Rate limit reached, Limit 1000000, Used 998000","code":"rate_limit_exceeded"}}`, busy},
		{503, `{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}`, busy},
		{529, ``, busy},
		{502, `<html>`, broken},
		{501, `{"error":{"message":"This server does not support embeddings. Start it with --embeddings"}}`, final},
		{401, ``, final},
		{307, ``, final},
	} {
		if got := kindOf(tt.status, parseError([]byte(tt.body))); got != tt.want {
			t.Errorf("%d %s: got %d, want %d", tt.status, tt.body, got, tt.want)
		}
	}
}

func TestParseError(t *testing.T) {
	for _, tt := range []struct {
		body string
		want said
	}{
		{``, said{}},
		{`<h1>`, said{message: "<h1>"}},
		{`{"error":{"message":"m","code":"c"}}`, said{message: "m", code: "c"}},
		{`{"error":{"message":"m","code":429,"status":"RESOURCE_EXHAUSTED","details":[{},{"retryDelay":"58.5s"}]}}`, said{message: "m", code: "RESOURCE_EXHAUSTED", wait: 58500 * time.Millisecond}},
		{`{"error":"m"}`, said{message: "m"}},
		{`{"detail":"m"}`, said{message: "m"}},
		{`{"detail":[{"msg":"a"},{"msg":"b"}]}`, said{message: "a; b"}},
		{`{"object":"error","message":{"detail":[{"msg":"Field required"}]}}`, said{message: "Field required"}},
		{`{"error":null}`, said{}},
		{`[]`, said{message: "[]"}},
	} {
		if got := parseError([]byte(tt.body)); got != tt.want {
			t.Errorf("%s: got %+v, want %+v", tt.body, got, tt.want)
		}
	}
}

func TestDecodeData(t *testing.T) {
	for _, tt := range []struct{ name, body, want string }{
		{"any order", `{"data":[{"index":1,"embedding":[3,4]},{"index":0,"embedding":[1,2]}]}`, ""},
		{"no index", `{"data":[{"embedding":[1,2]},{"embedding":[3,4]}]}`, ""},
		{"twice the same", `{"data":[{"index":0,"embedding":[1,2]},{"index":0,"embedding":[1,2]}]}`, "index 0 is out of range or there twice"},
		{"out of range", `{"data":[{"index":0,"embedding":[1,2]},{"index":2,"embedding":[1,2]}]}`, "index 2 is out of range"},
		{"negative", `{"data":[{"index":-1,"embedding":[1,2]},{"index":0,"embedding":[1,2]}]}`, "index -1 is out of range"},
		{"no vector", `{"data":[{"embedding":[1,2]},{}]}`, "vector 1: it is no list of numbers"},
	} {
		got, err := DecodeData([]byte(tt.body))
		if tt.want == "" {
			if diff := cmp.Diff([][]float32{{1, 2}, {3, 4}}, got); diff != "" || err != nil {
				t.Errorf("%s: %v, want -, got +:\n%s", tt.name, err, diff)
			}
		} else if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want …%s…", tt.name, err, tt.want)
		}
	}
}

func FuzzDecodeData(f *testing.F) {
	f.Add([]byte(`{"data":[{"index":1,"embedding":[3,4]},{"index":0,"embedding":[1,2]}]}`))
	f.Add([]byte(`{"data":[{"embedding":[1,null]},{}]}`))
	e := &Embedder{cfg: Config{Decode: DecodeData, Unit: true}, space: memoir.Space{Dimensions: 2}}
	f.Fuzz(func(t *testing.T, body []byte) {
		vectors, err := e.decode(body, 2)
		if err != nil {
			return
		}
		for _, v := range vectors {
			if len(v) != 2 || v[0]-v[0] != 0 || v[1]-v[1] != 0 {
				t.Errorf("got %v", vectors)
			}
		}
	})
}

func FuzzErrors(f *testing.F) {
	const key = "sk-k?&"
	f.Add("a\x1b[31m\xff " + key + " " + url.QueryEscape(key))
	f.Add(`{"error":{"message":"m","code":429,"details":[{"retryDelay":"58s"}]}}`)
	c := &Client{key: key}
	f.Fuzz(func(t *testing.T, s string) {
		got := c.clean(parseError([]byte(s)).message)
		if !utf8.ValidString(got) || utf8.RuneCountInString(got) > 301 {
			t.Errorf("clean(%q) = %q", s, got)
		}
		if strings.Contains(got, key) {
			t.Errorf("the key stands in %q", got)
		}
		kindOf(500, parseError([]byte(s)))
	})
}

func BenchmarkDecodeData(b *testing.B) {
	const texts, dimensions = 64, 1536
	body := []byte(`{"data":[`)
	for i := range texts {
		if i > 0 {
			body = append(body, ',')
		}
		body = fmt.Appendf(body, `{"index":%d,"embedding":[0.123456789`, i)
		for j := range dimensions - 1 {
			body = fmt.Appendf(body, ",%.9f", float64(j)/dimensions-.5)
		}
		body = append(body, "]}"...)
	}
	body = append(body, "]}"...)
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		if _, err := DecodeData(body); err != nil {
			b.Fatal(err)
		}
	}
}
