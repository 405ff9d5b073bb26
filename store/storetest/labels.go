package storetest

import (
	"fmt"
	"slices"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir"
)

// testLabels: what chunks bear comes back, can be filtered by before any limit, and
// is counted; none of them is known to a store beforehand.
func testLabels(s *suite) {
	put := func(id memoir.DocID, labels ...memoir.Labels) {
		s.Helper()
		list := chunks(id, "", make([]string, len(labels))...)
		for i := range list {
			list[i].Text, list[i].Labels = fmt.Sprintf("word %d", i), labels[i]
			list[i] = index(list[i].Chunk)
		}
		s.putMeta(note(id), list)
	}
	decision, journal, odd := memoir.Label("type:decision"), memoir.Label("type:journal"), memoir.Label("quoted \"x\": 数据, \\ <&>")
	put("a.md", memoir.Labels{memoir.LabelCode, decision}, memoir.Labels{decision}, nil)
	put("b.md", nil, memoir.Labels{memoir.LabelAssistant})
	put("c.md", memoir.Labels{memoir.LabelCode}, memoir.Labels{odd}, memoir.Labels{memoir.LabelCode})
	s.putVectors(spaceA, map[memoir.Hash][]float32{hash("word 0"): {1, 0, 0}, hash("word 1"): {1, 0, 0}, hash("word 2"): {1, 0, 0}})

	with := func(labels ...memoir.Label) memoir.Filter { return memoir.Filter{Labels: labels} }
	check := func(name string, filter memoir.Filter, want ...string) {
		s.Helper()
		byWord := s.text(terms("word"), filter, 9)
		if best := s.text(terms("word"), filter, 1); !slices.EqualFunc(best, byWord[:min(1, len(byWord))], func(a, b memoir.Match) bool { return a.ChunkID == b.ChunkID }) {
			s.Errorf("%s: the best is %v, of %v", name, ids(best), ids(byWord))
		}
		slices.SortFunc(byWord, func(a, b memoir.Match) int { return a.Compare(b.ChunkID) })
		s.want(name+" by word", byWord, want...)
		for _, limit := range []int{9, 1} {
			s.want(name+" by meaning", s.vector(spaceA, []float32{1, 0, 0}, filter, limit), want[:min(limit, len(want))]...)
		}
	}
	check("code", with(memoir.LabelCode), "a.md 0", "c.md 0", "c.md 2")
	check("two", with(decision, memoir.LabelCode), "a.md 0")
	check("two that none bears together", with(decision, memoir.LabelAssistant))
	check("of nobody", with("type:decisio"))
	check("empty", with(""))
	check("odd", with(odd), "c.md 1")
	check("in a folder", memoir.Filter{Labels: []memoir.Label{memoir.LabelCode}, Prefix: "c"}, "c.md 0", "c.md 2")
	check("without", memoir.Filter{Without: []memoir.Filter{with(memoir.LabelCode), with(odd)}}, "a.md 1", "a.md 2", "b.md 0", "b.md 1")
	check("one of", memoir.AnyOf(with(decision), with(odd), memoir.Filter{Prefix: "b"}), "a.md 0", "a.md 1", "b.md 0", "b.md 1", "c.md 1")
	check("one of one", memoir.AnyOf(with(odd)), "c.md 1")
	check("one of none", memoir.AnyOf())

	s.wantLabels(map[memoir.Label]memoir.LabelCount{
		memoir.LabelCode: {Chunks: 3, Documents: 2}, memoir.LabelAssistant: {Chunks: 1, Documents: 1}, decision: {Chunks: 2, Documents: 1}, odd: {Chunks: 1, Documents: 1},
	})
	put("a.md", memoir.Labels{journal})
	s.delete("c.md")
	check("replaced", with(decision))
	check("new", with(journal), "a.md 0")
	s.wantLabels(map[memoir.Label]memoir.LabelCount{memoir.LabelAssistant: {Chunks: 1, Documents: 1}, journal: {Chunks: 1, Documents: 1}})
	if err := s.store.Write(s.Context(), memoir.Changes{Touch: []memoir.DocumentMeta{note("a.md")}}); err != nil {
		s.Fatal(err)
	}
	check("touched", with(journal), "a.md 0")
	if err := s.store.Clear(s.Context()); err != nil {
		s.Fatal(err)
	}
	s.wantLabels(map[memoir.Label]memoir.LabelCount{})
	put("d.md", memoir.Labels{odd}, memoir.Labels{journal})
	check("cleared", with(journal), "d.md 1")
}

func (s *suite) wantLabels(want map[memoir.Label]memoir.LabelCount) {
	s.Helper()
	s.view("Labels", func(v memoir.View) error {
		got, err := v.Labels(s.Context())
		if diff := cmp.Diff(got, want); diff != "" || err != nil {
			s.Errorf("Labels: %v (-got +want):\n%s", err, diff)
		}
		return nil
	})
}
