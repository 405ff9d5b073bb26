package embedtest_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/embedtest"
)

func embed(t *testing.T, e memoir.Embedder, text string) []float32 {
	t.Helper()
	vs, err := e.Embed(t.Context(), memoir.TaskDocument, []string{text})
	if err != nil || len(vs) != 1 || len(vs[0]) != e.Space().Dimensions {
		t.Fatalf("Embed(%q) = %v, %v; want one vector of %d values", text, vs, err, e.Space().Dimensions)
	}
	return vs[0]
}

func dot(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

func TestNearness(t *testing.T) {
	e := &embedtest.Embedder{Dimensions: 256, Synonyms: map[string]string{"automobile": "car"}}
	tests := []struct{ query, near, far string }{
		{"where is my car", "the car is red", "tea in the garden"},
		{"automobile", "car keys", "house keys"},
		{"数据库连接失败", "数据库的连接", "今天天气很好"},
		{"データベース", "データベースの接続", "今日の天気"},
		{"CAFÉ", "café au lait", "thé au lait"},
		{"b7c1 数据库", "使用b7c1数据库", "天气"},
	}
	for _, tt := range tests {
		q := embed(t, e, tt.query)
		near, far := dot(q, embed(t, e, tt.near)), dot(q, embed(t, e, tt.far))
		if near <= far+.1 {
			t.Errorf("%q: %q is %.2f, %q is %.2f; want the first nearer", tt.query, tt.near, near, tt.far, far)
		}
		if n := dot(q, q); math.Abs(n-1) > 1e-5 {
			t.Errorf("%q has squared length %v, want 1", tt.query, n)
		}
	}
}

func TestSpaces(t *testing.T) {
	a, b := &embedtest.Embedder{}, &embedtest.Embedder{Model: "other"}
	if diff := cmp.Diff(embed(t, a, "one text"), embed(t, &embedtest.Embedder{}, "one text")); diff != "" {
		t.Errorf("two embedders differ (-got +want):\n%s", diff)
	}
	if a.Space() == b.Space() || cmp.Equal(embed(t, a, "one text"), embed(t, b, "one text")) {
		t.Error("another model has the same space or vectors")
	}
	for _, x := range embed(t, a, " …\x00 ") {
		if x != 0 {
			t.Fatalf("a text without words has value %v, want zeros", x)
		}
	}
}

func TestFailing(t *testing.T) {
	broken := errors.New("broken")
	f := embedtest.NewFailing(&embedtest.Embedder{}, broken)
	if _, err := f.Embed(t.Context(), memoir.TaskQuery, []string{"x"}); !errors.Is(err, broken) {
		t.Errorf("Embed = %v, want %v", err, broken)
	}
	f.Set(nil)
	embed(t, f, "x")
}

func TestCounting(t *testing.T) {
	c := embedtest.NewCounting(&embedtest.Embedder{})
	embed(t, c, "x")
	embed(t, c, "y")
	if diff := cmp.Diff(c.Texts(), []string{"x", "y"}); diff != "" || c.Calls() != 2 {
		t.Errorf("%d calls, want 2; texts (-got +want):\n%s", c.Calls(), diff)
	}
}

func TestBlocking(t *testing.T) {
	b := embedtest.NewBlocking(&embedtest.Embedder{})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := b.Embed(ctx, memoir.TaskQuery, []string{"x"})
		done <- err
	}()
	<-b.Entered()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("Embed = %v, want %v", err, context.Canceled)
	}
	b.Release()
	b.Release()
	embed(t, b, "x")
}
