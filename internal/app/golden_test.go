package app_test

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/eval"
)

var update = flag.Bool("update", false, "rewrite the golden file of the ranking")

// What TestGoldenRanking looks at of each answer.
const (
	goldenDepth = 20
	goldenFirst = 3
	// goldenNoise is how much a score may differ between processors: those that
	// compute in 8 bits and those that do not are up to .012 apart on these
	// questions. Passages that are nearer to each other may change places.
	goldenNoise = .012
)

// goldenAnswer is a line of the golden file.
type goldenAnswer struct {
	key   string   // mode and question
	rank  int      // of the first passage that answers, from 1; 0 is none
	first []string // citations
	hits  []memoir.Hit
}

// Ranking changes on purpose or not at all: the model inside answers questions
// over some notes, and the golden file holds what it found. After a change that
// is meant, run
//
//	go test ./internal/app -run Golden -update
//
// and look at the difference.
func TestGoldenRanking(t *testing.T) {
	if testing.Short() || app.About().Model == "" {
		t.Skip("needs the model inside")
	}
	golden := filepath.Join("testdata", "golden")
	questions := setQuestions(t, golden)
	memory := setEngine(t, golden, true)
	var summaries []string
	var got []goldenAnswer
	for _, mode := range []memoir.Mode{memoir.ModeHybrid, memoir.ModeText} {
		answers, summary := askGolden(t, memory, mode, questions)
		got, summaries = append(got, answers...), append(summaries, summary)
	}
	file := filepath.Join("testdata", "golden", "ranking.tsv")
	if *update {
		if err := os.WriteFile(file, formatGolden(summaries, got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	wantSummaries, want := readGolden(t, file)
	if len(want) != len(got) {
		t.Fatalf("%d answers, the golden file has %d; run with -update and look at the difference", len(got), len(want))
	}
	better, worse, moved, swapped := 0, 0, 0, false
	for i, w := range want {
		g := got[i]
		switch change := g.compare(w); {
		case g.key != w.key:
			t.Fatalf("answer %d is %s, want %s", i, g.key, w.key)
		case change == same:
			swapped = swapped || g.rank != w.rank || !slices.Equal(g.first, w.first)
			continue
		case change > same:
			better++
		case g.rank == w.rank:
			moved++
		default:
			worse++
		}
		t.Errorf("%s\n  was rank %d: %s\n  now rank %d: %s", g.key, w.rank, strings.Join(w.first, "  "), g.rank, strings.Join(g.first, "  "))
	}
	if !swapped && !slices.Equal(summaries, wantSummaries) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(summaries, "\n"), strings.Join(wantSummaries, "\n"))
	}
	if t.Failed() {
		t.Errorf("of %d answers %d became better, %d worse, %d others moved; if that is meant: go test ./internal/app -run Golden -update", len(got), better, worse, moved)
	}
}

// What an answer may be beside the one before.
const (
	worse = iota - 1
	same
	better
)

// compare says how an answer is beside the golden one. Passages whose scores
// are no further apart than processors are count as one place.
func (g goldenAnswer) compare(w goldenAnswer) int {
	score := func(rank int) float64 {
		if rank < 1 || rank > len(g.hits) {
			return 0
		}
		return g.hits[rank-1].Score
	}
	if g.rank != w.rank && math.Abs(score(g.rank)-score(w.rank)) > goldenNoise {
		if w.rank == 0 || g.rank > 0 && g.rank < w.rank {
			return better
		}
		return worse
	}
	for i := range max(len(w.first), len(g.first)) {
		at := 0 // of what stood there, in the answer now
		if i < len(w.first) {
			at = 1 + slices.IndexFunc(g.hits, func(h memoir.Hit) bool { return h.Citation() == w.first[i] })
		}
		if math.Abs(score(at)-score(i+1)) > goldenNoise {
			return worse
		}
	}
	return same
}

// setEngine indexes the notes of a set as a fresh install does, with vectors or
// without.
func setEngine(t *testing.T, set string, vectors bool) *engine.Engine {
	t.Helper()
	dir := t.TempDir()
	notes := filepath.Join(dir, "notes")
	if err := os.CopyFS(notes, os.DirFS(filepath.Join(set, "notes"))); err != nil {
		t.Fatal(err)
	}
	env := config.Environment{Lookup: func(string) (string, bool) { return "", false }, Dir: dir, OS: "linux"}
	settings, err := config.Load(env, config.Flags{
		"workspace": notes, "stateDir": filepath.Join(dir, "state"), "query.embedTimeout": "1m", // processors without fast kernels are slow
	})
	if err != nil {
		t.Fatal(err)
	}
	memory := open(t, settings, app.Options{}).Engine
	if _, err := memory.Sync(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if !vectors {
		return memory
	}
	if _, err := memory.EmbedPending(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	return memory
}

// setQuestions reads the questions of a set and looks whether their notes exist.
func setQuestions(t *testing.T, set string) []eval.Question {
	t.Helper()
	f, err := os.Open(filepath.Join(set, "questions.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	questions, err := eval.ReadQueries(f)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range questions {
		for _, expected := range q.Relevant {
			if _, err := os.Stat(filepath.Join(set, "notes", filepath.FromSlash(expected))); err != nil {
				t.Errorf("question %s: %v", q.ID, err)
			}
		}
	}
	return questions
}

// askGolden asks all questions and returns the answers with their means.
func askGolden(t *testing.T, memory *engine.Engine, mode memoir.Mode, questions []eval.Question) (answers []goldenAnswer, summary string) {
	t.Helper()
	var scores []eval.QuestionScore
	for _, q := range questions {
		res, err := memory.Search(t.Context(), memoir.Query{Text: q.Text, Mode: mode, Limit: goldenDepth, NoSync: true})
		if err != nil {
			t.Fatal(err)
		}
		if len(res.Degraded) > 0 {
			t.Fatalf("%s: %v", q.ID, res.Degraded)
		}
		a := goldenAnswer{key: fmt.Sprintf("%s %s %s", mode, q.ID, q.Text), hits: res.Hits}
		var passages []eval.Passage
		for i, h := range res.Hits {
			passages = append(passages, eval.Passage{Document: string(h.Doc), StartLine: h.StartLine, EndLine: h.EndLine})
			if i < goldenFirst {
				a.first = append(a.first, h.Citation())
			}
			if a.rank == 0 && slices.Contains(q.Relevant, string(h.Doc)) {
				a.rank = i + 1
			}
		}
		answers = append(answers, a)
		scores = append(scores, eval.Score(&q, eval.Answer{Ranked: passages}))
	}
	m := eval.Summarize(scores).Metrics
	return answers, fmt.Sprintf("# %s: hit@1 %.3f, hit@5 %.3f, recall@10 %.3f, nDCG@10 %.3f", mode, m["hit@1"], m["hit@5"], m["recall@10"], m["ndcg@10"])
}

func formatGolden(summaries []string, answers []goldenAnswer) []byte {
	var b bytes.Buffer
	for _, s := range summaries {
		fmt.Fprintln(&b, s)
	}
	for _, a := range answers {
		fmt.Fprintf(&b, "%s\t%d\t%s\n", a.key, a.rank, strings.Join(a.first, "\t"))
	}
	return b.Bytes()
}

func readGolden(t *testing.T, file string) (summaries []string, answers []goldenAnswer) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	sc := bufio.NewScanner(bytes.NewReader(data))
	for sc.Scan() {
		if strings.HasPrefix(sc.Text(), "#") {
			summaries = append(summaries, sc.Text())
			continue
		}
		fields := strings.Split(sc.Text(), "\t")
		if len(fields) < 2 {
			t.Fatalf("%s: %q", file, sc.Text())
		}
		rank, err := strconv.Atoi(fields[1])
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		var first []string
		for _, citation := range fields[2:] {
			if citation != "" {
				first = append(first, citation)
			}
		}
		answers = append(answers, goldenAnswer{key: fields[0], rank: rank, first: first})
	}
	return summaries, answers
}
