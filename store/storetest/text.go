package storetest

import (
	"fmt"
	"math"
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/rank"
)

// testTextOrder compares with counts made by hand.
func testTextOrder(s *suite) {
	a := chunks("a.md", "alpha guide", "alpha beta beta", "gamma delta epsilon zeta eta")
	a[0].Heading, a[0].Date = []string{"beta notes"}, "2026-03-02"
	a[0] = index(a[0].Chunk)
	s.putMeta(note("a.md"), a)
	s.put("b.md", "", "alpha")
	s.put("c.md", "", "theta theta", "beta iota kappa lambda")

	w := rank.FieldWeights
	query := []memoir.Term{{Text: "alpha", Weight: 1}, {Text: "beta", Weight: .5}, {Text: "unknown", Weight: 2}}
	ranked := rank.DefaultBM25.Collect([]int32{2, 1, 2}, []int32{3, 5, 1, 2, 4}).Rank()
	ranked.Add(1, []rank.Posting{{Chunk: 0, Count: float32(w[0] + w[3])}, {Chunk: 1, Count: float32(w[0])}, {Chunk: 2, Count: float32(w[3])}})
	ranked.Add(.5, []rank.Posting{{Chunk: 0, Count: float32(w[1] + 2*w[3])}, {Chunk: 4, Count: float32(w[3])}})
	ranked.Add(2, nil)
	names := []memoir.ChunkID{{Doc: "a.md", Ordinal: 0}, {Doc: "a.md", Ordinal: 1}, {Doc: "b.md", Ordinal: 0}, {Doc: "c.md", Ordinal: 0}, {Doc: "c.md", Ordinal: 1}}
	type row struct {
		ID    memoir.ChunkID
		Score float64
	}
	var want, got []row
	for _, r := range ranked.Top(9, nil, func(a, b int) bool { return a < b }) {
		want = append(want, row{names[r.Chunk], r.Score})
	}
	for _, m := range s.text(query, memoir.Filter{}, 9) {
		got = append(got, row{m.ChunkID, m.Score})
	}
	if diff := cmp.Diff(got, want, exact()); diff != "" {
		s.Errorf("ranking (-got +want):\n%s", diff)
	}
	for _, r := range got {
		if !(r.Score > 0 && r.Score < 1) {
			s.Errorf("score of %v is %v, want it between 0 and 1", r.ID, r.Score)
		}
	}
	s.want("title", s.text(terms("guide"), memoir.Filter{}, 9), "a.md 0", "a.md 1")
	s.want("date", s.text(terms("2026-03-02"), memoir.Filter{}, 9), "a.md 0")
	for limit := -1; limit <= 4; limit++ {
		s.want("head", s.text(query, memoir.Filter{}, limit), ids(s.text(query, memoir.Filter{}, 9))[:max(limit, 0)]...)
	}
}

// testSupports: a term that only supports finds nothing, in whatever place of the
// query it stands, and adds to what others find as any term does.
func testSupports(s *suite) {
	s.put("a.md", "", "alpha beta", "gamma beta beta")
	s.put("b.md", "", "beta beta")
	s.put("c.md", "", "alpha delta")
	both := []memoir.Term{{Text: "beta", Weight: .5, Supports: true}, {Text: "alpha", Weight: 1}}
	got := s.text(both, memoir.Filter{}, 9)
	s.want("found by alpha", got, "a.md 0", "c.md 0")
	s.want("alone", s.text([]memoir.Term{{Text: "beta", Weight: 1, Supports: true}}, memoir.Filter{}, 9))
	whole := s.text([]memoir.Term{{Text: "alpha", Weight: 1}, {Text: "beta", Weight: .5}}, memoir.Filter{}, 9)
	s.want("both find", whole, "a.md 0", "c.md 0", "a.md 1", "b.md 0")
	for _, m := range got {
		for _, w := range whole {
			if m.ChunkID == w.ChunkID && m.Score != w.Score {
				s.Errorf("%v has the score %v, %v when both terms find", m.ChunkID, m.Score, w.Score)
			}
		}
	}
	filter := memoir.Filter{Chunks: []memoir.ChunkID{{Doc: "a.md", Ordinal: 1}, {Doc: "c.md"}}}
	s.want("among some", s.text(both, filter, 9), "c.md 0")
}

// testAlternative: a term that stands for others finds as any term does, and what does
// not hold it has the score that it has without the term.
func testAlternative(s *suite) {
	s.put("a.md", "", "site of the map", "map")
	s.put("b.md", "", "sitemap")
	s.put("c.md", "", "other words")
	apart := terms("site", "map")
	query := append([]memoir.Term{{Text: "sitemap", Weight: 1, Alternative: true}}, apart...)
	got := s.text(query, memoir.Filter{}, 9)
	s.want("found by any", got, "a.md 0", "b.md 0", "a.md 1")
	without := map[memoir.ChunkID]float64{}
	for _, m := range s.text(apart, memoir.Filter{}, 9) {
		without[m.ChunkID] = m.Score
	}
	for _, m := range got {
		if w, ok := without[m.ChunkID]; ok && m.Score != w {
			s.Errorf("%v has the score %v, %v without the alternative", m.ChunkID, m.Score, w)
		}
	}
	absent := append([]memoir.Term{{Text: "nowhere", Weight: 1, Alternative: true}}, apart...)
	if diff := cmp.Diff(s.text(absent, memoir.Filter{}, 9), s.text(apart, memoir.Filter{}, 9), exact()); diff != "" {
		s.Errorf("an alternative that nothing holds changes scores (-got +want):\n%s", diff)
	}
}

// testLight: a light term counts as any other while at most one chunk in eight
// holds it, and not at all beyond.
func testLight(s *suite) {
	for i := range 16 {
		text := "other words"
		if i < 2 {
			text += " rare"
		}
		if i < 3 {
			text += " common"
		}
		s.put(memoir.DocID(fmt.Sprintf("%02d.md", i)), "", text)
	}
	light := func(text string) []memoir.Term { return []memoir.Term{{Text: text, Weight: 1, Light: true}} }
	for range 2 { // what is known by now changes nothing
		s.want("rare", s.text(light("rare"), memoir.Filter{}, 9), "00.md 0", "01.md 0")
		s.want("common", s.text(light("common"), memoir.Filter{}, 9))
		s.want("not light", s.text(terms("common"), memoir.Filter{}, 9), "02.md 0", "00.md 0", "01.md 0")
		both := s.text(append(light("common"), terms("rare")...), memoir.Filter{}, 9)
		if diff := cmp.Diff(both, s.text(terms("rare"), memoir.Filter{}, 9), exact()); diff != "" {
			s.Errorf("a common light term changes scores (-got +want):\n%s", diff)
		}
	}
	s.put("16.md", "", "rare")
	s.want("too many by now", s.text(light("rare"), memoir.Filter{}, 9))
	for i := range 7 {
		s.put(memoir.DocID(fmt.Sprintf("more%d.md", i)), "", "other words")
	}
	s.want("few again", s.text(light("rare"), memoir.Filter{}, 9), "16.md 0", "00.md 0", "01.md 0")
}

// testTextTies: of equal chunks the limit takes those with the smallest ids,
// whatever the order in which they came.
func testTextTies(s *suite) {
	const n = 50
	for i := range n {
		s.put(memoir.DocID(fmt.Sprintf("%02d.md", (i*17)%n)), "", "same words here", "same words here")
	}
	s.want("ties", s.text(terms("words"), memoir.Filter{}, 5), "00.md 0", "00.md 1", "01.md 0", "01.md 1", "02.md 0")
	got := s.text(terms("words", "same"), memoir.Filter{}, 2*n)
	if len(got) != 2*n || !ranked(got) || got[0].Score != got[2*n-1].Score {
		s.Errorf("%d matches, in order: %v; want %d equal ones in order", len(got), ranked(got), 2*n)
	}
}

// testAmong: chunks of two indexes that are ranked together have the scores that they
// would have in one.
func testAmong(s *suite) {
	docs, query := among()
	s.putDocument(docs...)
	want := s.text(query, memoir.Filter{}, 99)
	only := memoir.Filter{Prefix: "a", Without: []memoir.Filter{{Chunks: []memoir.ChunkID{{Doc: "a.md", Ordinal: 1}}}}}
	wantOnly := s.text(query, only, 99)
	all := memoir.WordCounts{}
	whole := s.countWords(query)
	in := func(j, i int) bool { return (j == 0 || j%3 == 1) == (i == 0) }
	var hidden []memoir.Filter
	for j, d := range docs {
		if in(j, 1) {
			hidden = append(hidden, memoir.Filter{Prefix: string(d.ID)})
		}
	}
	without := s.countWords(query, hidden...)
	half := func(i int) { // the documents of one of the two
		if err := s.store.Clear(s.Context()); err != nil {
			s.Fatal(err)
		}
		for j, d := range docs {
			if in(j, i) {
				s.putDocument(d)
			}
		}
	}
	half(0)
	first := s.countWords(query)
	all.Add(first)
	if without.Words == 0 { // guessed
		first.Words = 0
	}
	held := cmpopts.IgnoreMapEntries(func(_ string, h memoir.Holders) bool { return h == memoir.Holders{} })
	if diff := cmp.Diff(without, first, cmpopts.EquateEmpty(), held); diff != "" {
		s.Errorf("counts where some documents are hidden, got - and where they are not there, want +:\n%s", diff)
	}
	half(1)
	all.Add(s.countWords(query))
	if diff := cmp.Diff(all, whole, cmpopts.EquateEmpty()); diff != "" {
		s.Errorf("counts of two, got - and of one, want +:\n%s", diff)
	}
	compare := func(what string, f memoir.Filter, want []memoir.Match) {
		scores := map[memoir.ChunkID]float64{}
		for i := range 2 {
			half(i)
			s.scoresAmong(query, f, &all, scores)
		}
		wanted := map[memoir.ChunkID]float64{}
		for _, m := range want {
			wanted[m.ChunkID] = m.Score
		}
		if diff := cmp.Diff(scores, wanted, exact()); diff != "" || len(want) == 0 {
			s.Errorf("%s: two, got - and one, want +:\n%s", what, diff)
		}
	}
	compare("all", memoir.Filter{}, want)
	compare("filtered", only, wantOnly)
}

// countWords returns what the store counts of a query's terms, without what is hidden.
func (s *suite) countWords(query []memoir.Term, hidden ...memoir.Filter) (own memoir.WordCounts) {
	s.view("CountWords", func(v memoir.View) (err error) {
		own, err = memoir.CountWords(s.Context(), v, query, hidden)
		if _, scores := memoir.As[memoir.Scorer](v); !scores && len(hidden) > 0 {
			own.Words = 0 // only a guess
		}
		return err
	})
	return own
}

// scoresAmong adds the scores that chunks of the store have by the counts of all. By its
// own counts they have others.
func (s *suite) scoresAmong(query []memoir.Term, f memoir.Filter, all *memoir.WordCounts, scores map[memoir.ChunkID]float64) {
	s.view("SearchTextAmong", func(v memoir.View) error {
		for range 2 { // with what is known by now
			found, err := memoir.SearchTextAmong(s.Context(), v, query, f, 99, all)
			for _, m := range found {
				scores[m.ChunkID] = m.Score
			}
			if err != nil {
				return err
			}
		}
		alone, err := s.searchText(v, query, f, 99)
		for _, m := range alone {
			if m.Score == scores[m.ChunkID] {
				s.Errorf("%v scores %v also alone", m.ChunkID, m.Score)
			}
		}
		return err
	})
}

// among returns documents that stand in two indexes, and what is asked of them.
func among() (docs []memoir.IndexedDocument, query []memoir.Term) {
	docs = []memoir.IndexedDocument{
		document(note("a.md"), chunks("a.md", "alpha guide", "alpha beta beta", "gamma delta epsilon zeta eta")),
		document(note("b.md"), chunks("b.md", "", "alpha")),
		document(note("c.md"), chunks("c.md", "", "theta theta", "beta iota kappa lambda gamma")),
		document(note("d.md"), chunks("d.md", "beta", "alpha gamma", "db_password")),
	}
	for i := range 12 {
		id := memoir.DocID(fmt.Sprintf("e%02d.md", i))
		docs = append(docs, document(note(id), chunks(id, "", "filler words of no use")))
	}
	return docs, []memoir.Term{{Text: "theta", Weight: 1, Light: true}, {Text: "gamma", Weight: .5, Supports: true}, {Text: "alpha", Weight: 1}, {Text: "beta", Weight: .5},
		{Text: "filler", Weight: 1, Light: true}, {Text: "unknown", Weight: 2}, {Text: "db_password", Weight: 1}, {Text: "iota", Weight: 1, Alternative: true}}
}

// testTerms: a term is found by itself and by nothing else, whatever it holds.
func testTerms(s *suite) {
	words := []string{
		"word", "words", "wor", "wörd", "ward", "WORD", "数据", "据库", "数", "データ", "タベ", "ﾃ", "👩‍💻", "👩", "שלום", "e\u0301", "é",
		"db_password", "db", "password", "memorysearch.query.hybrid", "memorysearch", "a828e60", "a828", "v1.2.3-rc1", "v1.2.3",
		"src/a/b.go", "src", "--flag", "flag", "-", "#123", "123", "c++", "c", "c#", "@home", "$home", "100%", "100", "%", "_", "*", "wor*",
		"\"", "\"word\"", "'", "''", "it's", "its", "AND", "and", "OR", "NOT", "NEAR", "near(a", "title:word", "{a", "^word", "+", "a+b", ",", "a,b",
		"(", ")", "[x]", "\\", "a\\b", "`", "|", "~", ";", "--", "/*", "=", "<b>", "!", "&", "?", "?1", ":x", ".", "..", "\u00a0", "\u3000", "a\u3000b",
		"with space", "with", "nul\x00byte", "nul", "tab\tstop", "new\nline", "\x01", "\x7f", strings.Repeat("long", 1000), strings.Repeat("long", 1000) + "er",
	}
	list := make([]memoir.IndexedChunk, len(words))
	for i, w := range words {
		c := memoir.Chunk{ChunkMeta: memoir.ChunkMeta{ChunkID: memoir.ChunkID{Doc: "a.md", Ordinal: i}}, Text: fmt.Sprint(i)}
		list[i] = index(c)
		list[i].Terms[memoir.FieldBody] = []string{w}
	}
	s.putMeta(note("a.md"), list)
	for i, w := range words {
		got := s.text(terms(w), memoir.Filter{}, 9)
		if len(got) != 1 || got[0].Ordinal != i {
			s.Errorf("term %.40q finds %v, want a.md %d", w, ids(got), i)
		}
	}
	s.want("absent", s.text(terms("absent", "w", "数据库"), memoir.Filter{}, 9))
}

func testEmptyQueries(s *suite) {
	s.put("a.md", "", "one two")
	for name, query := range map[string][]memoir.Term{
		"nil": nil, "none": {}, "empty term": terms("", ""), "no weight": {{Text: "one"}}, "NaN": {{Text: "one", Weight: math.NaN()}},
	} {
		s.want(name, s.text(query, memoir.Filter{}, 9))
	}
	plain := s.text(terms("one"), memoir.Filter{}, 9)
	if diff := cmp.Diff(s.text(terms("", "one", ""), memoir.Filter{}, 9), plain, exact()); diff != "" {
		s.Errorf("empty terms change scores (-got +want):\n%s", diff)
	}
	var many []memoir.Term
	for i := range 5000 {
		many = append(many, memoir.Term{Text: fmt.Sprintf("absent%d", i), Weight: 1})
	}
	s.want("5000 terms", s.text(append(many, terms("two")...), memoir.Filter{}, 9), "a.md 0")
}
