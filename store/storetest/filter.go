package storetest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

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
		"kind":       {Kinds: []memoir.Kind{memoir.KindSession}},
		"prefix":     {Prefix: "far/"},
		"chunks":     {Chunks: far},
		"all":        {Kinds: []memoir.Kind{memoir.KindSession}, Prefix: "far", Chunks: far},
		"path":       {Paths: []string{"/FAR/"}},
		"phrase":     {Phrases: []memoir.Phrase{{Terms: []string{"among", "many"}}}},
		"not a path": {Without: []memoir.Filter{{Paths: []string{"/near/"}}}},
		"not a term": {Without: []memoir.Filter{{Phrases: []memoir.Phrase{{Terms: []string{"wanted"}}}}}},
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
		{"empty lists", memoir.Filter{Kinds: []memoir.Kind{}, Paths: []string{}, Names: []string{}, Phrases: []memoir.Phrase{}, Chunks: []memoir.ChunkID{}, Without: []memoir.Filter{}},
			[]string{"a.md 0", "a.md 1", "b.md 0", "s.jsonl 0"}},
		{"chunks", memoir.Filter{Chunks: []memoir.ChunkID{id("s.jsonl", 0), id("a.md", 1), id("a.md", 1)}}, []string{"a.md 1", "s.jsonl 0"}},
		{"absent chunks", memoir.Filter{Chunks: []memoir.ChunkID{id("a.md", 2), id("a.md", -1), id("x.md", 0), id("b.md", 1<<40)}}, nil},
		{"no chunk", memoir.NoChunk(), nil},
		{"no chunk of some", memoir.Filter{Chunks: []memoir.ChunkID{id("s.jsonl", 0)}, Without: memoir.NoChunk().Without}, nil},
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

// testConditions goes through the conditions of a filter, one by one and together.
func testConditions(s *suite) {
	put := func(id memoir.DocID, names []string, chunks ...memoir.IndexedChunk) {
		s.Helper()
		for i := range chunks {
			chunks[i].ChunkID = memoir.ChunkID{Doc: id, Ordinal: i}
			chunks[i].Kind = memoir.KindNote
			chunks[i] = index(chunks[i].Chunk)
			chunks[i].EmbedHashes = []memoir.Hash{hash("any")}
		}
		s.putDocument(document(note(id), chunks, names...))
	}
	chunk := func(date, title, heading, text string) memoir.IndexedChunk {
		return memoir.IndexedChunk{Chunk: memoir.Chunk{ChunkMeta: memoir.ChunkMeta{Date: date}, Title: title, Heading: strings.Fields(heading), Text: "word " + text}}
	}
	put("Notes/A.md", []string{"#work", "#deep"}, chunk("2026-03-01", "blue", "button", "blue button"), chunk("2026-03-01", "", "", "button blue"))
	put("notes/ä.md", []string{"#work"}, chunk("", "", "blue button", "数据 据库 + \"quoted\" AND テキスト・検索 キス スト 2016年に 年に"))
	put("other/notes/b.md", nil, chunk("2025-12-31", "blue button", "ヘッド65 ッド", "blue blue button button"))
	s.putVectors(spaceA, map[memoir.Hash][]float32{hash("any"): {1, 0, 0}})
	for _, tt := range conditionTests() {
		byWord := ids(s.text(terms("word"), tt.filter, 99))
		slices.Sort(byWord)
		want := slices.Sorted(slices.Values(tt.want))
		if diff := cmp.Diff(byWord, want, cmpopts.EquateEmpty()); diff != "" {
			s.Errorf("%s by word (-got +want):\n%s", tt.name, diff)
		}
		s.want(tt.name+" by meaning", s.vector(spaceA, []float32{1, 0, 0}, tt.filter, 99), want...)
	}
}

// A conditionTest is a filter with the chunks of testConditions that pass it.
type conditionTest struct {
	name   string
	filter memoir.Filter
	want   []string
}

func conditionTests() []conditionTest {
	phrase := func(fields []memoir.Field, terms ...string) memoir.Filter {
		return memoir.Filter{Phrases: []memoir.Phrase{{Terms: terms, Fields: fields}}}
	}
	without := func(fs ...memoir.Filter) memoir.Filter { return memoir.Filter{Without: fs} }
	cut := func(text string, inside ...string) memoir.Filter {
		return memoir.Filter{Phrases: []memoir.Phrase{{Terms: []string{"absent"}, Text: text, Inside: inside}}}
	}
	orTerm := func(f memoir.Filter, terms ...string) memoir.Filter {
		f.Phrases[0].Terms = terms
		return f
	}
	const a0, a1, b0, umlaut = "Notes/A.md 0", "Notes/A.md 1", "other/notes/b.md 0", "notes/ä.md 0"
	return []conditionTest{
		{"path", memoir.Filter{Paths: []string{"NOTES/"}}, []string{a0, a1, umlaut, b0}},
		{"path from the root", memoir.Filter{Paths: []string{"/notes/a"}}, []string{a0, a1}},
		{"two parts", memoir.Filter{Paths: []string{".md", "other"}}, []string{b0}},
		{"beyond ASCII", memoir.Filter{Paths: []string{"ä"}}, []string{umlaut}},
		{"capitals beyond ASCII", memoir.Filter{Paths: []string{"Ä"}}, nil},
		{"no pattern", memoir.Filter{Paths: []string{"notes%"}}, nil},
		{"empty part", memoir.Filter{Paths: []string{""}}, []string{a0, a1, umlaut, b0}},
		{"name", memoir.Filter{Names: []string{"#work"}}, []string{a0, a1, umlaut}},
		{"names", memoir.Filter{Names: []string{"#work", "#deep"}}, []string{a0, a1}},
		{"absent name", memoir.Filter{Names: []string{"#work", "#wor"}}, nil},
		{"from", memoir.Filter{From: "2026-03-01"}, []string{a0, a1}},
		{"to", memoir.Filter{To: "2026-03-01"}, []string{a0, a1, b0}},
		{"between", memoir.Filter{From: "2026-01-01", To: "2026-03-01"}, []string{a0, a1}},
		{"days the wrong way round", memoir.Filter{From: "2026-03-02", To: "2026-03-01"}, nil},
		{"phrase", phrase(nil, "blue", "button"), []string{a0, umlaut, b0}},
		{"phrase in the body", phrase([]memoir.Field{memoir.FieldBody}, "blue", "button"), []string{a0, b0}},
		{"phrase in title or heading", phrase([]memoir.Field{memoir.FieldTitle, memoir.FieldHeading}, "blue", "button"), []string{umlaut, b0}},
		{"no phrase over two fields", phrase(nil, "button", "word"), nil},
		{"repeated", phrase(nil, "button", "button"), []string{b0}},
		{"term", phrase(nil, "据库"), []string{umlaut}},
		{"marks", phrase(nil, "+", "\"quoted\"", "AND"), []string{umlaut}},
		{"absent term", phrase(nil, "absent"), nil},
		{"text", cut("キスト 検", "キス", "スト"), []string{umlaut}},
		{"text cut out of a number", cut("6年に", "年に"), []string{umlaut}},
		{"text in a heading", cut("ッド6", "ッド"), []string{b0}},
		{"other text", cut("テキスト 索", "キス", "スト"), nil},
		{"without a text", without(cut("6年に", "年に")), []string{a0, a1, b0}},
		{"with and without a text", memoir.Filter{Phrases: cut("キスト 検", "キス").Phrases, Without: without(cut("6年に", "年に")).Without}, nil},
		{"terms or text", orTerm(cut("キスト 検", "キス", "スト"), "button", "button"), []string{umlaut, b0}},
		{"no terms", phrase(nil), []string{a0, a1, umlaut, b0}},
		{"no fields", phrase([]memoir.Field{}, "据库"), []string{umlaut}},
		{"without a path", without(memoir.Filter{Paths: []string{"other"}}), []string{a0, a1, umlaut}},
		{"without a term", without(phrase(nil, "据库")), []string{a0, a1, b0}},
		{"without several", without(phrase(nil, "据库"), memoir.Filter{Names: []string{"#deep"}}), []string{b0}},
		{"without what both hold", without(memoir.Filter{Names: []string{"#work"}, Phrases: phrase(nil, "据库").Phrases}), []string{a0, a1, b0}},
		{"without dates", without(memoir.Filter{From: "2026-01-01"}), []string{umlaut, b0}},
		{"without anything", without(memoir.Filter{}), nil},
		{"without without", without(without(phrase(nil, "据库"))), []string{umlaut}},
		{"all", memoir.Filter{Prefix: "N", Paths: []string{"a"}, Names: []string{"#work"}, From: "2026-01-01", Phrases: phrase(nil, "button").Phrases,
			Without: without(phrase(nil, "button", "blue")).Without}, []string{a0}},
	}
}

// testList: the latest first, then by chunk.
func testList(s *suite) {
	for id, date := range map[memoir.DocID]string{"a.md": "2026-03-01", "b.md": "", "c.md": "2026-03-02", "d.md": "2026-03-01", "e.md": ""} {
		list := chunks(id, "", "one", "two")
		for i := range list {
			list[i].Date = date
		}
		s.putMeta(note(id), list)
	}
	list := func(filter memoir.Filter, limit int) []memoir.Match {
		s.Helper()
		var out []memoir.Match
		for _, p := range s.list(filter, limit) {
			out = append(out, memoir.Match{ChunkMeta: p})
		}
		return out
	}
	all := []string{"c.md 0", "c.md 1", "a.md 0", "a.md 1", "d.md 0", "d.md 1", "b.md 0", "b.md 1", "e.md 0", "e.md 1"}
	for _, limit := range []int{99, 10, 5, 1, 0, -1} {
		s.want(fmt.Sprintf("first %d", limit), list(memoir.Filter{}, limit), all[:max(0, min(limit, len(all)))]...)
	}
	some := memoir.Filter{Paths: []string{"b."}, Phrases: []memoir.Phrase{{Terms: []string{"two"}}}}
	s.want("filtered", list(some, 1), "b.md 1")
	if found := list(some, 9); len(found) == 1 && found[0].Kind != memoir.KindNote {
		s.Errorf("List gives %+v, want a note", found[0])
	}
}
