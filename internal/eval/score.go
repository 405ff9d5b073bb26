package eval

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// EvidenceBudget is how many characters of passages a reader gets when evidence
// is counted.
const EvidenceBudget = 4000

// ShownLimit is the limit of hits in the answer that shown@5 is computed from.
const ShownLimit = 5

// MinDocuments is how many different documents a ranked list must hold for its
// scores to be right. A corpus with fewer documents needs all of them.
const MinDocuments = 10

// A Passage is one result of a question.
type Passage struct {
	Document  string // id in the set; of a document that is not in it, anything else
	StartLine int    // 1-based
	EndLine   int    // 1-based, inclusive
	Text      string // those lines, as a reader would be given them
}

// An Answer is what was found for a question, best first.
type Answer struct {
	Ranked []Passage // as deep as documents are ranked
	Shown  []Passage // when [ShownLimit] hits were asked for
	Within []Passage // with room for [EvidenceBudget] characters; nil where no evidence is known
}

// A QuestionScore is how well one question was answered.
type QuestionScore struct {
	ID, Kind string
	Values   map[string]float64 // by metric, each in [0, 1]
	Rank     int                // of the first relevant document, from 1; 0: not found
	Latency  time.Duration      // of the search; set by the caller
}

// Score scores the answer to a question. A document's rank is that of its best
// passage. The metrics are
//
//   - hit@1, hit@3, hit@5, hit@10: 1 when a relevant document is among the first k;
//   - shown@5: 1 when an answer of [ShownLimit] hits shows a passage of a relevant document;
//   - recall@5, recall@10: the share of the relevant documents among the first k;
//   - mrr@10: 1 over the rank of the first relevant document, 0 beyond 10;
//   - ndcg@10: discounted cumulative gain, grades over log2(rank + 1), as a
//     share of the best possible (Järvelin and Kekäläinen 2002; gains are
//     linear as in trec_eval);
//   - evidence@4000: the share of the evidence that the first [EvidenceBudget]
//     characters of what is shown hold; only where evidence is known.
func Score(q *Question, a Answer) QuestionScore {
	ranked := rankDocuments(a.Ranked)
	v := map[string]float64{}
	for _, k := range []int{1, 3, 5, 10} {
		v[fmt.Sprintf("hit@%d", k)] = hit(q, ranked, k)
	}
	shown := rankDocuments(a.Shown)
	v[fmt.Sprintf("shown@%d", ShownLimit)] = hit(q, shown, len(shown))
	for _, k := range []int{5, 10} {
		v[fmt.Sprintf("recall@%d", k)] = recall(q, ranked, k)
	}
	v["mrr@10"] = reciprocalRank(q, ranked, 10)
	v["ndcg@10"] = ndcg(q, ranked, 10)
	if len(q.Evidence) > 0 {
		v[fmt.Sprintf("evidence@%d", EvidenceBudget)] = evidence(q, a.Within, EvidenceBudget)
	}
	return QuestionScore{ID: q.ID, Kind: q.Kind, Values: v, Rank: 1 + slices.IndexFunc(ranked, func(id string) bool { return q.grade(id) > 0 })}
}

// rankDocuments returns the documents of the passages in the order in which they first appear.
func rankDocuments(passages []Passage) []string {
	seen := map[string]bool{}
	var ranked []string
	for _, p := range passages {
		if !seen[p.Document] {
			seen[p.Document] = true
			ranked = append(ranked, p.Document)
		}
	}
	return ranked
}

// grade returns how relevant a document is: 0 when it is not.
func (q *Question) grade(id string) float64 {
	switch {
	case !slices.Contains(q.Relevant, id):
		return 0
	case q.Grades == nil:
		return 1
	}
	return q.Grades[id]
}

func first(ranked []string, k int) []string { return ranked[:min(k, len(ranked))] }

func found(q *Question, ranked []string, k int) int {
	n := 0
	for _, id := range first(ranked, k) {
		if q.grade(id) > 0 {
			n++
		}
	}
	return n
}

func hit(q *Question, ranked []string, k int) float64 {
	return float64(min(1, found(q, ranked, k)))
}

func recall(q *Question, ranked []string, k int) float64 {
	if len(q.Relevant) == 0 {
		return 0
	}
	return float64(found(q, ranked, k)) / float64(len(q.Relevant))
}

func reciprocalRank(q *Question, ranked []string, k int) float64 {
	return reciprocal(1 + slices.IndexFunc(first(ranked, k), func(id string) bool { return q.grade(id) > 0 }))
}

func ndcg(q *Question, ranked []string, k int) float64 {
	var got, ideal []float64
	for _, id := range first(ranked, k) {
		got = append(got, q.grade(id))
	}
	for _, id := range q.Relevant {
		ideal = append(ideal, q.grade(id))
	}
	slices.Sort(ideal)
	slices.Reverse(ideal)
	best := dcg(ideal[:min(k, len(ideal))])
	if best == 0 {
		return 0
	}
	return dcg(got) / best
}

func dcg(gains []float64) float64 {
	var sum float64
	for i, g := range gains {
		sum += g / math.Log2(float64(i+2))
	}
	return sum
}

// evidence reads passages in order until the budget of characters is used up.
// From a passage that does not fit, it reads the first lines, as far as they fit.
func evidence(q *Question, passages []Passage, budget int) float64 {
	shown := make([]bool, len(q.Evidence))
	for _, p := range passages {
		end := p.EndLine
		size := utf8.RuneCountInString(p.Text)
		if size > budget {
			end = min(end, p.StartLine+linesWithin(p.Text, budget)-1)
		}
		for i, e := range q.Evidence {
			if e.Document == p.Document && e.Line >= p.StartLine && e.End <= end && strings.Contains(p.Text, e.Text) {
				shown[i] = true
			}
		}
		budget -= size
		if budget <= 0 {
			break
		}
	}
	n := 0
	for _, ok := range shown {
		if ok {
			n++
		}
	}
	return float64(n) / float64(len(shown))
}

// linesWithin counts the whole lines at the start of a text that fit into a
// number of characters.
func linesWithin(text string, budget int) int {
	n := 0
	for line := range strings.Lines(text) {
		budget -= utf8.RuneCountInString(strings.TrimSuffix(line, "\n"))
		if budget < 0 {
			break
		}
		budget-- // its newline
		n++
	}
	return n
}

// A Summary is the average over questions.
type Summary struct {
	Questions int
	Metrics   map[string]float64 // means, each over the questions that have the metric
	P50, P95  time.Duration      // of the latency, by nearest rank; 0 without questions
}

// Summarize averages the scores.
func Summarize(scores []QuestionScore) Summary {
	s := Summary{Questions: len(scores), Metrics: map[string]float64{}}
	counts := map[string]int{}
	latencies := make([]time.Duration, 0, len(scores))
	for _, q := range scores {
		for name, v := range q.Values {
			s.Metrics[name] += v
			counts[name]++
		}
		latencies = append(latencies, q.Latency)
	}
	for name, n := range counts {
		s.Metrics[name] /= float64(n)
	}
	slices.Sort(latencies)
	s.P50, s.P95 = percentile(latencies, .50), percentile(latencies, .95)
	return s
}

// ByKind averages the scores of each kind of question apart.
func ByKind(scores []QuestionScore) map[string]Summary {
	groups := map[string][]QuestionScore{}
	for _, q := range scores {
		groups[q.Kind] = append(groups[q.Kind], q)
	}
	out := make(map[string]Summary, len(groups))
	for kind, g := range groups {
		out[kind] = Summarize(g)
	}
	return out
}

// percentile returns the smallest of the sorted values such that at least the
// share p of them are not larger.
func percentile(sorted []time.Duration, p float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[max(0, int(math.Ceil(p*float64(len(sorted))))-1)]
}
