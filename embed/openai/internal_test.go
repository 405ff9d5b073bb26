package openai

import (
	"fmt"
	"testing"
	"time"
	"unicode/utf8"
)

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, time.March, 2, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		value string
		want  time.Duration
		ok    bool
	}{
		{"0", 0, true},
		{"20", 20 * time.Second, true},
		{"Mon, 02 Mar 2026 12:00:30 GMT", 30 * time.Second, true},
		{"Mon, 02 Mar 2026 11:00:00 GMT", 0, true},
		{"", 0, false},
		{"-1", 0, false},
		{"soon", 0, false},
		{"99999999999999999999", 0, false},
	} {
		if got, ok := retryAfter(tt.value, now); got != tt.want || ok != tt.ok {
			t.Errorf("retryAfter(%q) = %v, %v, want %v, %v", tt.value, got, ok, tt.want, tt.ok)
		}
	}
}

func FuzzParseVectors(f *testing.F) {
	f.Add([]byte(`{"data":[{"index":1,"embedding":[3,4]},{"index":0,"embedding":[1,2]}]}`))
	f.Add([]byte(`{"data":[{"embedding":[1,null]},{}]}`))
	f.Add([]byte(`{"error":"x"}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		vectors, err := parseVectors(body, 2, 2)
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

func FuzzClean(f *testing.F) {
	f.Add("a\x1b[31m\xff sk-k sk-k")
	e := &Embedder{opts: Options{APIKey: "sk-k"}}
	f.Fuzz(func(t *testing.T, s string) {
		got := e.clean(s)
		if !utf8.ValidString(got) || utf8.RuneCountInString(got) > maxErrorLetter+1 {
			t.Errorf("clean(%q) = %q", s, got)
		}
		parseError([]byte(s))
	})
}

func BenchmarkParseVectors(b *testing.B) {
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
		if _, err := parseVectors(body, texts, dimensions); err != nil {
			b.Fatal(err)
		}
	}
}
