package storetest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memoir-ai/memoir"
)

// testFilterBeforeLimit hides few wanted chunks behind many better ones.
func testFilterBeforeLimit(s *suite) {
	vectors := map[memoir.Hash][]float32{}
	for i := range 40 {
		text := fmt.Sprintf("wanted word %d", i)
		s.put(memoir.DocID(fmt.Sprintf("near/%02d.md", i)), "", text)
		vectors[hash(text)] = []float32{1, 0, float32(i) / 1000}
	}
	var far []memoir.ChunkID
	for i := range 3 {
		id := memoir.DocID(fmt.Sprintf("far/%d.jsonl", i))
		text := fmt.Sprintf("word %d among many others that make it longer than it was", i)
		meta := note(id)
		meta.Kind = memoir.KindSession
		s.putMeta(meta, chunks(id, "", text))
		vectors[hash(text)] = []float32{1, float32(10 + i), 0}
		far = append(far, memoir.ChunkID{Doc: id})
	}
	s.putVectors(spaceA, vectors)
	want := []string{"far/0.jsonl 0", "far/1.jsonl 0", "far/2.jsonl 0"}
	for name, f := range map[string]memoir.Filter{
		"kind":   {Kinds: []memoir.Kind{memoir.KindSession}},
		"prefix": {Prefix: "far/"},
		"chunks": {Chunks: far},
		"all":    {Kinds: []memoir.Kind{memoir.KindSession}, Prefix: "far", Chunks: far},
	} {
		for _, limit := range []int{5, 3, 2} {
			n := min(limit, 3)
			s.want(name+" by word", s.text(terms("wanted", "word"), f, limit), want[:n]...)
			s.want(name+" by meaning", s.vector(spaceA, []float32{1, 0, 0}, f, limit), want[:n]...)
		}
	}
	// Corpus statistics are those of the whole index.
	all := s.text(terms("wanted", "word"), memoir.Filter{}, 99)
	some := s.text(terms("wanted", "word"), memoir.Filter{Prefix: "far/"}, 1)
	for _, m := range all {
		if m.ChunkID == some[0].ChunkID && m.Score != some[0].Score {
			s.Errorf("score %v with a filter, %v without", some[0].Score, m.Score)
		}
	}
}

func testFilters(s *suite) {
	s.put("a.md", "", "word one", "word two")
	s.put("b.md", "", "word one")
	meta := note("s.jsonl")
	meta.Kind = memoir.KindSession
	s.putMeta(meta, chunks("s.jsonl", "", "word two"))
	s.putVectors(spaceA, map[memoir.Hash][]float32{hash("word one"): {1, 0, 0}, hash("word two"): {1, 0, 0}})
	id := func(doc memoir.DocID, ordinal int) memoir.ChunkID { return memoir.ChunkID{Doc: doc, Ordinal: ordinal} }
	tests := []struct {
		name   string
		filter memoir.Filter
		want   []string
	}{
		{"none", memoir.Filter{}, []string{"a.md 0", "a.md 1", "b.md 0", "s.jsonl 0"}},
		{"notes", memoir.Filter{Kinds: []memoir.Kind{memoir.KindNote}}, []string{"a.md 0", "a.md 1", "b.md 0"}},
		{"both kinds", memoir.Filter{Kinds: []memoir.Kind{memoir.KindSession, memoir.KindNote}}, []string{"a.md 0", "a.md 1", "b.md 0", "s.jsonl 0"}},
		{"unknown kind", memoir.Filter{Kinds: []memoir.Kind{"'"}}, nil},
		{"no kind", memoir.Filter{Kinds: []memoir.Kind{}}, nil},
		{"chunks", memoir.Filter{Chunks: []memoir.ChunkID{id("s.jsonl", 0), id("a.md", 1), id("a.md", 1)}}, []string{"a.md 1", "s.jsonl 0"}},
		{"absent chunks", memoir.Filter{Chunks: []memoir.ChunkID{id("a.md", 2), id("a.md", -1), id("x.md", 0), id("b.md", 1<<40)}}, nil},
		{"no chunk", memoir.Filter{Chunks: []memoir.ChunkID{}}, nil},
		{"chunks and kind", memoir.Filter{Chunks: []memoir.ChunkID{id("s.jsonl", 0), id("a.md", 1)}, Kinds: []memoir.Kind{memoir.KindNote}}, []string{"a.md 1"}},
		{"chunks and prefix", memoir.Filter{Chunks: []memoir.ChunkID{id("s.jsonl", 0), id("a.md", 1)}, Prefix: "s"}, []string{"s.jsonl 0"}},
	}
	for _, tt := range tests {
		got := s.text(terms("word"), tt.filter, 99)
		s.want(tt.name+" by word", got, tt.want...)
		s.want(tt.name+" by meaning", s.vector(spaceA, []float32{1, 0, 0}, tt.filter, 99), tt.want...)
	}
}

// testPrefixes: a prefix is compared character by character and is no pattern.
func testPrefixes(s *suite) {
	docs := []memoir.DocID{
		"%.md", "'; drop table files; --.md", "A.md", "[a].md", "_a/b.md", "a%b.md", "a*b.md", "a.md", "a/b.md", "a/c.md", "a\"b.md", "a\\b.md", "a_b.md",
		"ab.md", "b.md", "é.md", "日记/a.md", "日记/b.md", "日记本.md", "\U0010ffff.md",
	}
	slices.Sort(docs)
	for _, d := range docs {
		s.put(d, "", "word")
	}
	s.putVectors(spaceA, map[memoir.Hash][]float32{hash("word"): {1, 0, 0}})
	prefixes := []string{
		"", "a", "a/", "A", "%", "_", "a_", "a%", "a*", "*", "[a]", "'", "a\"", "a\\", "日", "日记", "日记/", "日记/a.md", "é", "e\u0301",
		"a.md", "a.mdx", "zzz", "\U0010ffff", "\x7f", "a\x00", "a.md\x00", "\xff", "日\xff", " or 1=1 --",
	}
	for _, p := range prefixes {
		var want []string
		for _, d := range docs {
			if strings.HasPrefix(string(d), p) {
				want = append(want, string(d)+" 0")
			}
		}
		s.want(fmt.Sprintf("prefix %q by word", p), s.text(terms("word"), memoir.Filter{Prefix: p}, 99), want...)
		s.want(fmt.Sprintf("prefix %q by meaning", p), s.vector(spaceA, []float32{1, 0, 0}, memoir.Filter{Prefix: p}, 99), want...)
	}
}
