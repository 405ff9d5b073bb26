// Command order measures in which order notes should get their vectors: it fills the
// index of a set note by note, in one order after the other, and asks the set's
// questions when a tenth, a quarter and half of the notes have vectors.
//
//	go run ./internal/eval/order
//
// A note is as new as the last day that it names, and as linked as other notes link
// to it by their ids. Each row is nDCG@10, how much it is above that of the newest
// first, and the same for the two halves of the questions, which are dealt in turn.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/eval"
	"github.com/memoir-ai/memoir/internal/link"
	"github.com/memoir-ai/memoir/internal/models"
	"github.com/memoir-ai/memoir/source/mdfile"
	"github.com/memoir-ai/memoir/store/memstore"
)

func main() {
	dir := flag.String("set", "../shared/evals/notes-world", "folder of the set")
	flag.Parse()
	if err := run(context.Background(), *dir); err != nil {
		fmt.Fprintln(os.Stderr, "order:", err)
		os.Exit(1)
	}
}

// shares are those of the notes that have vectors, in hundredths.
var shares = []int{10, 25, 50}

// chances is how many orders are drawn.
const chances = 4

func run(ctx context.Context, dir string) (err error) {
	set, err := eval.Load(dir)
	if err != nil {
		return err
	}
	root, err := os.MkdirTemp("", "memoir-order-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(root)) }()
	m := measure{set: set, notes: filepath.Join(root, "notes")}
	if m.files, err = set.WriteWorkspace(m.notes); err != nil {
		return err
	}
	if err := m.embed(ctx, root); err != nil {
		return err
	}
	return m.table(ctx)
}

// table prints a row for each order.
func (m *measure) table(ctx context.Context) error {
	newest := m.newest()
	ends, err := m.fill(ctx, newest, 0, 100)
	if err != nil {
		return err
	}
	fmt.Printf("%d notes, %d questions: %.3f without vectors, %.3f with all\n", len(newest), len(m.set.Questions), mean(ends[0]), mean(ends[1]))
	fmt.Printf("| first | 10 %% | 25 %% | 50 %% |\n|---|---|---|---|\n")
	before, err := m.fill(ctx, newest, shares...)
	if err != nil {
		return err
	}
	printRow("newest", before, [][][]eval.QuestionScore{before})
	linked := byCount(newest, m.linked())
	for _, o := range []struct {
		name string
		ids  []string
	}{
		{"most linked", linked},
		{"newest and most linked in turn", joined(alternate(newest, linked), newest)},
		{"12 most linked, newest", joined(linked[:12], newest)},
		{"48 most linked, newest", joined(linked[:48], newest)},
		{"oldest", reversed(newest)},
		{"what answers most questions", byCount(newest, m.asked())},
	} {
		after, err := m.fill(ctx, o.ids, shares...)
		if err != nil {
			return err
		}
		printRow(o.name, before, [][][]eval.QuestionScore{after})
	}
	var drawn [][][]eval.QuestionScore
	for seed := range uint64(chances) {
		ids := slices.Clone(newest)
		rand.New(rand.NewPCG(seed, 1)).Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
		after, err := m.fill(ctx, ids, shares...)
		if err != nil {
			return err
		}
		drawn = append(drawn, after)
	}
	printRow(fmt.Sprintf("by chance (%d times)", chances), before, drawn)
	return nil
}

// printRow prints how much the runs of an order are above the one before, on average.
// Of several runs it says their range, too.
func printRow(name string, before [][]eval.QuestionScore, runs [][][]eval.QuestionScore) {
	fmt.Printf("| %s |", name)
	for i := range before {
		var score, gain, first, second float64
		low, high := 1.0, -1.0
		for _, after := range runs {
			n := float64(len(runs))
			score += mean(after[i]) / n
			g := mean(after[i]) - mean(before[i])
			gain, low, high = gain+g/n, min(low, g), max(high, g)
			first += (mean(half(after[i], 0)) - mean(half(before[i], 0))) / n
			second += (mean(half(after[i], 1)) - mean(half(before[i], 1))) / n
		}
		fmt.Printf(" %.3f, %+.4f (%+.4f, %+.4f)", score, gain, first, second)
		if len(runs) > 1 {
			fmt.Printf(" [%+.4f to %+.4f]", low, high)
		}
		fmt.Print(" |")
	}
	fmt.Println()
}

// measure is a set that is asked while its notes get their vectors.
type measure struct {
	set      *eval.Set
	notes    string
	files    *eval.Workspace
	embedder *remembering
	vectors  map[string]map[memoir.Hash][]float32 // of the texts of each note, by its id
	space    memoir.Space
}

func (m *measure) open(ctx context.Context) (memoir.Store, *engine.Engine, error) {
	source, err := mdfile.Open(m.notes, mdfile.Options{})
	if err != nil {
		return nil, nil, err
	}
	store := memstore.New()
	memory, err := engine.New(engine.Config{Store: store, Sources: []memoir.Source{source}, Embedder: m.embedder, EmbedTimeout: time.Minute})
	if err != nil {
		return nil, nil, err
	}
	_, err = memory.Sync(ctx, nil)
	return store, memory, err
}

// embed computes all vectors with the model inside.
func (m *measure) embed(ctx context.Context, root string) error {
	env := config.Environment{Lookup: func(string) (string, bool) { return "", false }, List: func() []string { return nil }, Dir: root, OS: runtime.GOOS}
	settings, err := config.Load(env, config.Flags{"workspace": m.notes, "stateDir": filepath.Join(root, "state")})
	if err != nil {
		return err
	}
	model, err := models.OpenEmbedder(ctx, settings)
	if err != nil {
		return err
	}
	m.embedder = &remembering{Embedder: model, known: map[string][]float32{}}
	store, memory, err := m.open(ctx)
	if err != nil {
		return err
	}
	defer memory.Close()
	if _, err := memory.EmbedPending(ctx, nil); err != nil {
		return err
	}
	m.space = m.embedder.Space()
	m.vectors = map[string]map[memoir.Hash][]float32{}
	return store.View(ctx, func(v memoir.View) error {
		samples, err := v.Sample(ctx, m.space, 1<<30)
		for _, s := range samples {
			id := m.files.IDs[string(s.Doc)]
			if m.vectors[id] == nil {
				m.vectors[id] = map[memoir.Hash][]float32{}
			}
			m.vectors[id][s.Hash] = s.Vector
		}
		return err
	})
}

// fill gives the notes their vectors in an order, and asks the questions when so many
// hundredths of them have theirs.
func (m *measure) fill(ctx context.Context, ids []string, shares ...int) (scores [][]eval.QuestionScore, err error) {
	store, memory, err := m.open(ctx)
	if err != nil {
		return nil, err
	}
	defer memory.Close()
	subject := eval.Subject{Questions: m.set.Questions, Passages: func(_ *eval.Question, h memoir.Hit) []eval.Passage {
		return []eval.Passage{eval.PassageOf(m.files.IDs[string(h.Doc)], h)}
	}}
	done := 0
	for _, percent := range shares {
		put := map[memoir.Hash][]float32{}
		for ; done < len(ids)*percent/100; done++ {
			maps.Copy(put, m.vectors[ids[done]])
		}
		if err := store.PutVectors(ctx, m.space, put, nil); err != nil {
			return nil, err
		}
		run, err := subject.Run(ctx, memory, memoir.Query{Mode: memoir.ModeHybrid, Limit: 25, NoSync: true}, nil)
		if err != nil {
			return nil, err
		}
		scores = append(scores, run.Scores)
	}
	return scores, nil
}

// newest are the ids of the notes, those that name the latest day first.
func (m *measure) newest() (ids []string) {
	day, last := regexp.MustCompile(`\b20\d\d-\d\d-\d\d\b`), map[string]string{}
	for _, d := range m.set.Documents {
		ids = append(ids, d.ID)
		last[d.ID] = slices.Max(append(day.FindAllString(d.Text, -1), ""))
	}
	slices.SortFunc(ids, func(a, b string) int { return cmp.Or(cmp.Compare(last[b], last[a]), cmp.Compare(a, b)) })
	return ids
}

// linked counts the notes that link to each note.
func (m *measure) linked() map[string]int {
	count := map[string]int{}
	for _, d := range m.set.Documents {
		to := map[string]bool{}
		for _, l := range link.Find(d.Text) {
			if l.Target != d.ID && !to[l.Target] {
				to[l.Target] = true
				count[l.Target]++
			}
		}
	}
	return count
}

// asked counts the questions that each note answers.
func (m *measure) asked() map[string]int {
	count := map[string]int{}
	for _, q := range m.set.Questions {
		for _, id := range q.Relevant {
			count[id]++
		}
	}
	return count
}

// byCount orders ids by a count, the highest first, and else as they are.
func byCount(ids []string, count map[string]int) []string {
	return slices.SortedStableFunc(slices.Values(ids), func(a, b string) int { return cmp.Compare(count[b], count[a]) })
}

// alternate takes one of each list in turn.
func alternate(a, b []string) (ids []string) {
	for i := range a {
		ids = append(ids, a[i], b[i])
	}
	return ids
}

// joined are the lists one after the other, each id once.
func joined(lists ...[]string) (ids []string) {
	seen := map[string]bool{}
	for _, id := range slices.Concat(lists...) {
		if !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
	}
	return ids
}

func reversed(ids []string) []string {
	ids = slices.Clone(ids)
	slices.Reverse(ids)
	return ids
}

// half returns every second score, from the first or the second on.
func half(scores []eval.QuestionScore, from int) (out []eval.QuestionScore) {
	for i := from; i < len(scores); i += 2 {
		out = append(out, scores[i])
	}
	return out
}

func mean(scores []eval.QuestionScore) float64 { return eval.Summarize(scores).Metrics["ndcg@10"] }

// remembering is an embedder that is asked for the vector of a question once.
type remembering struct {
	memoir.Embedder
	known map[string][]float32
}

func (r *remembering) Unwrap() any { return r.Embedder }

func (r *remembering) Embed(ctx context.Context, task memoir.Task, texts []string) ([][]float32, error) {
	if task != memoir.TaskQuery || len(texts) != 1 {
		return r.Embedder.Embed(ctx, task, texts)
	}
	if v := r.known[texts[0]]; v != nil {
		return [][]float32{v}, nil
	}
	vectors, err := r.Embedder.Embed(ctx, task, texts)
	if err == nil && len(vectors) == 1 {
		r.known[texts[0]] = vectors[0]
	}
	return vectors, err
}
