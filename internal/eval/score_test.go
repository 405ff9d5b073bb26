package eval_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/memoir-ai/memoir/internal/eval"
)

var near = cmpopts.EquateApprox(0, 1e-9)

// passages makes one passage for each letter: a document of that name.
func passages(documents string) []eval.Passage {
	var ps []eval.Passage
	for i, id := range strings.Split(documents, "") {
		ps = append(ps, eval.Passage{Document: id, StartLine: i + 1, EndLine: i + 1})
	}
	return ps
}

func values(hit1, hit3, hit5, hit10, recall5, recall10, mrr, ndcg float64) map[string]float64 {
	return map[string]float64{"hit@1": hit1, "hit@3": hit3, "hit@5": hit5, "hit@10": hit10,
		"shown@5": 0, "recall@5": recall5, "recall@10": recall10, "mrr@10": mrr, "ndcg@10": ndcg}
}

func TestScore(t *testing.T) {
	log2 := math.Log2
	for _, tt := range []struct {
		name     string
		relevant string
		grades   map[string]float64
		found    string
		rank     int
		want     map[string]float64
	}{
		{name: "nothing found", relevant: "a", want: values(0, 0, 0, 0, 0, 0, 0, 0)},
		{name: "first", rank: 1, relevant: "a", found: "axy", want: values(1, 1, 1, 1, 1, 1, 1, 1)},
		{name: "second", rank: 2, relevant: "a", found: "xa", want: values(0, 1, 1, 1, 1, 1, 1./2, 1/log2(3))},
		{name: "fourth", rank: 4, relevant: "a", found: "xyza", want: values(0, 0, 1, 1, 1, 1, 1./4, 1/log2(5))},
		{name: "tenth", rank: 10, relevant: "a", found: "qwertzuioa", want: values(0, 0, 0, 1, 0, 1, 1./10, 1/log2(11))},
		{name: "eleventh", rank: 11, relevant: "a", found: "qwertzuiopa", want: values(0, 0, 0, 0, 0, 0, 0, 0)},
		{name: "the best passage counts", rank: 3, relevant: "a", found: "xxxxxxxxxxxya", want: values(0, 1, 1, 1, 1, 1, 1./3, 1/log2(4))},
		{name: "a relevant document counts once", rank: 1, relevant: "ab", found: "aaaa", want: values(1, 1, 1, 1, 1./2, 1./2, 1, 1/(1+1/log2(3)))},
		{name: "two of three", rank: 1, relevant: "abc", found: "axxyzqwc", // ranks 1 and 7
			want: values(1, 1, 1, 1, 1./3, 2./3, 1, (1+1/log2(8))/(1+1/log2(3)+1/log2(4)))},
		{name: "more answers than ranks", rank: 1, relevant: "abcdefghijkl", found: "abcdefghijkl", want: values(1, 1, 1, 1, 5./12, 10./12, 1, 1)},
		{name: "grades", rank: 1, relevant: "ab", grades: map[string]float64{"a": 1, "b": 3}, found: "axb",
			want: values(1, 1, 1, 1, 1, 1, 1, (1+3/log2(4))/(3+1/log2(3)))},
		{name: "grades in the best order", rank: 1, relevant: "ab", grades: map[string]float64{"a": 1, "b": 3}, found: "ba", want: values(1, 1, 1, 1, 1, 1, 1, 1)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			q := &eval.Question{ID: "q", Kind: "k", Relevant: strings.Split(tt.relevant, ""), Grades: tt.grades}
			want := eval.QuestionScore{ID: "q", Kind: "k", Rank: tt.rank, Values: tt.want}
			if diff := cmp.Diff(want, eval.Score(q, eval.Answer{Ranked: passages(tt.found)}), near); diff != "" {
				t.Errorf("want -, got +:\n%s", diff)
			}
		})
	}
}

// What is shown is counted as it is, however many of its passages one document has.
func TestShown(t *testing.T) {
	q := &eval.Question{Relevant: []string{"a", "b"}}
	for shown, want := range map[string]float64{"": 0, "xxxxx": 0, "xxxxxyyyya": 1, "ab": 1} {
		a := eval.Answer{Ranked: passages("ab")}
		if shown != "" {
			a.Shown = passages(shown)
		}
		if got := eval.Score(q, a).Values["shown@5"]; got != want {
			t.Errorf("%q: got %v, want %v", shown, got, want)
		}
	}
}

func TestEvidence(t *testing.T) {
	evidence := []eval.Evidence{{Document: "a", Line: 3, End: 4}, {Document: "a", Line: 9, End: 9}, {Document: "b", Line: 1, End: 1}, {Document: "b", Line: 2, End: 2, Text: "记"}}
	lines := func(n, width int) string {
		return strings.TrimSuffix(strings.Repeat(strings.Repeat("记", width-1)+"\n", n), "\n")
	}
	passage := func(document string, from, to, width int) eval.Passage {
		return eval.Passage{Document: document, StartLine: from, EndLine: to, Text: lines(to-from+1, width)}
	}
	for _, tt := range []struct {
		name  string
		found []eval.Passage
		want  float64
	}{
		{"nothing", nil, 0},
		{"one turn", []eval.Passage{passage("a", 1, 5, 10)}, .25},
		{"all", []eval.Passage{passage("a", 1, 9, 10), passage("b", 1, 2, 10)}, 1},
		{"twice the same", []eval.Passage{passage("a", 9, 9, 10), passage("a", 8, 10, 10)}, .25},
		{"cut turn", []eval.Passage{passage("a", 1, 3, 10), passage("a", 4, 5, 10)}, 0},
		{"another document", []eval.Passage{passage("c", 1, 9, 10)}, 0},
		{"a line that was cut", []eval.Passage{{Document: "b", StartLine: 1, EndLine: 2, Text: "one\ntw"}}, .25},
		// 3,999 characters: nine lines of 400 and one of 399.
		{"fits", []eval.Passage{passage("c", 1, 9, 400), passage("b", 1, 1, 400)}, .25},
		{"does not fit", []eval.Passage{passage("c", 1, 10, 400), passage("b", 1, 2, 400)}, 0},
		{"begins to fit", []eval.Passage{passage("c", 1, 8, 400), passage("b", 1, 3, 400)}, .5},
		{"first line fits", []eval.Passage{passage("c", 1, 9, 400), passage("b", 1, 3, 400)}, .25},
		{"one long line", []eval.Passage{passage("b", 1, 1, 4002)}, 0},
		{"a line of just the budget", []eval.Passage{passage("b", 1, 2, 4001)}, .25},
		{"beyond the budget", []eval.Passage{passage("c", 1, 1, 5000), passage("a", 9, 9, 10)}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			q := &eval.Question{Relevant: []string{"a", "b"}, Evidence: evidence}
			got, ok := eval.Score(q, eval.Answer{Within: tt.found}).Values["evidence@4000"]
			if !ok || got != tt.want {
				t.Errorf("got %v, %v, want %v", got, ok, tt.want)
			}
		})
	}
}

func TestSummarize(t *testing.T) {
	score := func(kind string, ms int, values map[string]float64) eval.QuestionScore {
		return eval.QuestionScore{Kind: kind, Latency: time.Duration(ms) * time.Millisecond, Values: values}
	}
	scores := []eval.QuestionScore{
		score("x", 30, map[string]float64{"hit@1": 1}),
		score("x", 10, map[string]float64{"hit@1": 0, "evidence@4000": .5}),
		score("y", 20, map[string]float64{"hit@1": 1, "evidence@4000": 1}),
	}
	want := eval.Summary{Questions: 3, Metrics: map[string]float64{"hit@1": 2. / 3, "evidence@4000": .75},
		P50: 20 * time.Millisecond, P95: 30 * time.Millisecond}
	if diff := cmp.Diff(want, eval.Summarize(scores), near); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
	kinds := map[string]eval.Summary{
		"x": {Questions: 2, Metrics: map[string]float64{"hit@1": .5, "evidence@4000": .5}, P50: 10 * time.Millisecond, P95: 30 * time.Millisecond},
		"y": {Questions: 1, Metrics: map[string]float64{"hit@1": 1, "evidence@4000": 1}, P50: 20 * time.Millisecond, P95: 20 * time.Millisecond},
	}
	if diff := cmp.Diff(kinds, eval.ByKind(scores), near); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
	if diff := cmp.Diff(eval.Summary{Metrics: map[string]float64{}}, eval.Summarize(nil)); diff != "" {
		t.Errorf("nothing: want -, got +:\n%s", diff)
	}
}

func BenchmarkScore(b *testing.B) {
	q := &eval.Question{Relevant: []string{"a", "z"}, Evidence: []eval.Evidence{{Document: "a", Line: 1, End: 1}}}
	ps := passages(strings.Repeat("qwertzuiopa", 5))
	for b.Loop() {
		eval.Score(q, eval.Answer{Ranked: ps, Shown: ps, Within: ps})
	}
}
