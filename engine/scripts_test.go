package engine_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/embed/embedtest"
	"github.com/memoir-ai/memoir/engine"
)

// reader is an embedder that reads some scripts only, and finds everything
// equally near, as a model does with what it cannot read.
type reader struct {
	*embedtest.Counting
	scripts []string
}

func (r reader) Scripts() []string { return r.scripts }

func (r reader) Embed(ctx context.Context, task memoir.Task, texts []string) ([][]float32, error) {
	vectors, err := r.Counting.Embed(ctx, task, texts)
	for i := range vectors {
		vectors[i] = make([]float32, len(vectors[i]))
		vectors[i][0] = 1
	}
	return vectors, err
}

func latin() reader {
	return reader{embedtest.NewCounting(&embedtest.Embedder{}), []string{"Latin", "Klingon"}}
}

func TestScripts(t *testing.T) {
	tests := []struct {
		query  string
		unread string // the script, "" when the query is read
	}{
		{"which database", ""},
		{"Größe für Żółć", ""},
		{"2026-03-02 ... 42", ""},
		{"🙂 €", ""},
		{"数据库为什么", "Han"},
		{"PostgreSQL 的默认端口是多少", "Han"},
		{"the word 茶 in the notes", ""},
		{"データベース", "Katakana"},
		{"почему база данных", "Cyrillic"},
		{"ماذا قررنا", "Arabic"},
		{"왜 데이터베이스", "Hangul"},
	}
	n := newNotes(t, engine.Config{Embedder: latin()}, "a.md", "one database\n")
	n.sync()
	n.embed()
	for _, tt := range tests {
		res := n.search(hybrid(tt.query))
		got := reasons(res)
		if (res.Mode == memoir.ModeHybrid) != (tt.unread == "") || tt.unread == "" && got != "" ||
			tt.unread != "" && !strings.Contains(got, "hashing does not read "+tt.unread+"; words answer alone [memoir model list]") {
			t.Errorf("%q: mode %s, degraded %q; unread script %q", tt.query, res.Mode, got, tt.unread)
		}
	}
}

// A chunk that the model cannot read costs no embedding, is not pending, and
// has no score of vectors, so that it cannot push out what was found.
func TestUnreadableChunks(t *testing.T) {
	e := latin()
	n := newNotes(t, engine.Config{Embedder: e}, "zh.md", "今天的潮水很高。\n", "en.md", "the tide is high\n", "mixed.md", "tide 潮水很高今天\n")
	n.sync()
	n.embed()
	if diff := cmp.Diff(e.Texts(), []string{"the tide is high"}); diff != "" {
		t.Errorf("embedded texts (-got +want):\n%s", diff)
	}
	res := n.search(memoir.Query{Text: "tide", Mode: memoir.ModeVector, NoSync: true})
	if diff := cmp.Diff(citations(res), []string{"en.md#L1"}); diff != "" || len(res.Degraded) > 0 {
		t.Errorf("degraded %v, hits by vectors (-got +want):\n%s", res.Degraded, diff)
	}
	res = n.search(hybrid("潮水"))
	for _, h := range res.Hits {
		if h.VectorScore != 0 {
			t.Errorf("%s has a score of vectors, %v", h.Citation(), h.VectorScore)
		}
	}
	if diff := cmp.Diff(citations(res), []string{"mixed.md#L1", "zh.md#L1"}); diff != "" && len(res.Hits) != 2 {
		t.Errorf("hits by words (-got +want):\n%s", diff)
	}

	// A model that states nothing reads everything.
	all := reader{embedtest.NewCounting(&embedtest.Embedder{}), nil}
	n = newNotes(t, engine.Config{Embedder: all}, "zh.md", "今天的潮水很高。\n")
	n.sync()
	n.embed()
	if res := n.search(hybrid("今天")); all.Calls() != 2 || res.Mode != memoir.ModeHybrid {
		t.Errorf("%d calls in mode %s, want 2 and hybrid", all.Calls(), res.Mode)
	}
}
