// Command relevance fits the odds of [rank.Odds] and measures them: it asks each of
// the shared sets its own questions and those of the others in its language, and
// looks at the first hit.
//
//	go run ./internal/eval/relevance -work FOLDER   # keeps notes and indexes there for the next run
//	go run ./internal/eval/relevance -work FOLDER -words -beside 367   # 15,000 generated passages beside each set
//
// The figures of a set are of odds that were fitted to all others. Sets are cut to two
// numbers of documents, those that answer the questions kept among them: of many
// documents one is near to any question. A question that another set answers, too, is
// not asked of that set (testdata/answered.tsv).
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/eval"
	"github.com/memoir-ai/memoir/internal/eval/linear"
	"github.com/memoir-ai/memoir/internal/notegen"
	"github.com/memoir-ai/memoir/internal/rank"
)

// settings of a run.
type settings struct {
	shared, work string
	answered     string // lines of a set, a tab, a question of another set that it answers, a tab, and what it says
	documents    []int
	questions    int
	beside       int
	words        bool
}

func main() {
	var s settings
	flag.StringVar(&s.shared, "shared", "../shared/evals", "folder of the sets")
	flag.StringVar(&s.work, "work", "", "folder for notes and indexes; they are kept")
	list := flag.String("answered", "internal/eval/relevance/testdata/answered.tsv", "`file` of the questions that another set answers")
	s.documents = []int{30, 400}
	flag.IntVar(&s.questions, "questions", 120, "how many of its own questions a set is asked; of each other a third")
	flag.IntVar(&s.beside, "beside", 0, "measure each set also beside the generated logs of that many `days`")
	flag.BoolVar(&s.words, "words", false, "ask by words alone, without vectors")
	flag.Parse()
	data, err := os.ReadFile(*list)
	if err == nil {
		s.answered = string(data)
		err = run(context.Background(), s)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "relevance:", err)
		os.Exit(1)
	}
}

// A subset is what is taken of a set.
type subset struct {
	*eval.Set
	documents int // that were asked for
	beside    int // days of generated logs beside them
	language  string
	found     map[memoir.Mode][]first
}

// first is the first hit of a question.
type first struct {
	evidence rank.Evidence
	least    float64 // the relevance that it has for what it holds exactly
	most     float64 // the relevance that it has at most, for what it lacks
	foreign  bool    // the question is of another set
	right    bool    // the hit answers it
}

// answers reports whether a set answers a question of another set, by the lines of
// answered.
func (s *subset) answers(question, answered string) bool {
	return strings.Contains(answered, "\n"+s.Name+"\t"+question+"\t")
}

func run(ctx context.Context, s settings) error {
	if s.work == "" {
		return errors.New("name a folder with -work")
	}
	sets, err := load(s)
	if err != nil {
		return err
	}
	modes := []memoir.Mode{memoir.ModeHybrid, memoir.ModeText, memoir.ModeVector}
	if s.words {
		modes = []memoir.Mode{memoir.ModeText}
	}
	for _, set := range sets {
		if err := set.ask(ctx, s, sets, modes); err != nil {
			return fmt.Errorf("%s: %w", set.Name, err)
		}
		fmt.Fprintln(os.Stderr, "asked", set.Name)
	}
	for _, mode := range modes {
		fmt.Printf("\n%s\n%-22s%s\n", mode, "set left out", heads)
		for _, held := range sets {
			if found := held.found[mode]; len(found) > 0 {
				fmt.Printf("%-22s%s\n", held.title(), measure(found, fit(sets, mode, held.Name)))
			}
		}
		summarize(sets, mode, slices.Max(s.documents), 0)
		if s.beside > 0 {
			summarize(sets, mode, slices.Max(s.documents), s.beside)
		}
		o := fit(sets, mode)
		fmt.Printf("all: {%+.2f %+.2f %+.2f %+.2f %d %d}\n", o.Bias, o.Strength, o.Choice, o.Shared, o.Least, o.Most)
	}
	return nil
}

// load reads the sets and cuts them down to several sizes, always in the same way.
func load(s settings) ([]*subset, error) {
	folders, err := os.ReadDir(s.shared)
	if err != nil {
		return nil, err
	}
	var sets []*subset
	for _, d := range folders {
		set, err := eval.Load(filepath.Join(s.shared, d.Name()))
		if errors.Is(err, fs.ErrNotExist) || !d.IsDir() {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, n := range s.documents {
			sets = append(sets, &subset{Set: reduce(set, s.questions, n), documents: n, language: language(set.Name), found: map[memoir.Mode][]first{}})
		}
		if n := slices.Max(s.documents); s.beside > 0 {
			sets = append(sets, &subset{Set: reduce(set, s.questions, n), documents: n, beside: s.beside, language: language(set.Name), found: map[memoir.Mode][]first{}})
		}
	}
	return sets, nil
}

// language is that of a set by the end of its name.
func language(name string) string {
	for _, l := range []string{"zh", "ja"} {
		if strings.HasSuffix(name, "-"+l) {
			return l
		}
	}
	return "en"
}

// reduce takes some documents and questions of a set. Of scopes the first ones are
// whole; each of the questions is answered by what is taken.
func reduce(set *eval.Set, questions, documents int) *eval.Set {
	random := rand.New(rand.NewPCG(1, 2))
	shuffled := slices.Clone(set.Questions)
	random.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	slices.SortStableFunc(shuffled, func(a, b eval.Question) int { return cmp.Compare(a.Scope, b.Scope) })
	out := &eval.Set{Name: set.Name}
	wanted, scopes := map[string]bool{}, map[string]bool{}
	for _, q := range shuffled {
		if len(out.Questions) == questions || len(wanted) >= documents {
			break
		}
		out.Questions = append(out.Questions, q)
		scopes[q.Scope] = q.Scope != ""
		for _, id := range q.Relevant {
			wanted[id] = true
		}
	}
	rest := 0
	for _, i := range random.Perm(len(set.Documents)) {
		d := set.Documents[i]
		if !wanted[d.ID] && !scopes[d.Scope] {
			if rest++; rest > documents-len(wanted) {
				continue
			}
		}
		out.Documents = append(out.Documents, d)
	}
	slices.SortFunc(out.Documents, func(a, b eval.Document) int { return strings.Compare(a.ID, b.ID) })
	return out
}

// calibration returns that of the embedder that the settings choose.
func calibration(ctx context.Context, a *app.App) (memoir.Calibration, error) {
	embedder, err := app.OpenEmbedder(ctx, a.Settings, app.Options{})
	if err != nil {
		return memoir.Calibration{}, err
	}
	known, ok := memoir.As[interface{ Calibration() memoir.Calibration }](embedder)
	if !ok {
		return memoir.Calibration{}, errors.New("the embedder does not state its calibration")
	}
	return known.Calibration(), nil
}

// ask indexes a set and asks its own questions and others in its language.
func (s *subset) ask(ctx context.Context, opts settings, all []*subset, modes []memoir.Mode) (err error) {
	a, files, err := s.open(ctx, opts)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	stats, err := a.Engine.Stats(ctx)
	if err != nil {
		return err
	}
	var scale memoir.Calibration
	if !opts.words {
		if scale, err = calibration(ctx, a); err != nil {
			return err
		}
	}
	for _, mode := range modes {
		for _, from := range all {
			questions := from.Questions
			if from != s {
				questions = questions[:min(len(questions), opts.questions/3)]
			}
			if from.beside > 0 && from != s || from.language != s.language || from.documents != slices.Max(opts.documents) && from != s || from != s && from.Name == s.Name {
				continue
			}
			for _, q := range questions {
				if from != s && s.answers(q.Text, opts.answered) {
					continue
				}
				query := memoir.Query{Text: q.Text, Mode: mode, Limit: 1, NoSync: true, Explain: true}
				if from == s {
					query.Filter.Prefix = files.Folders[q.Scope]
				}
				res, err := a.Engine.Search(ctx, query)
				if err != nil {
					return err
				}
				if len(res.Degraded) > 0 {
					return fmt.Errorf("%q: %s: %s", q.Text, res.Degraded[0].Part, res.Degraded[0].Reason)
				}
				f := first{most: 1, foreign: from != s, evidence: rank.Evidence{Chunks: stats.Chunks}}
				if len(res.Hits) > 0 {
					x := res.Hits[0].Explain
					f.evidence.Share, f.evidence.Reach, f.evidence.Cosine, f.least, f.most = x.Text.Raw, x.Reach, scale.Score(x.Vector.Raw), x.Least, x.Most
					if mode == memoir.ModeVector {
						f.evidence.Share = x.Held
					}
					f.right = from == s && slices.Contains(q.Relevant, files.IDs[string(res.Hits[0].Doc)])
				}
				s.found[mode] = append(s.found[mode], f)
			}
		}
	}
	return nil
}

// title says which set it is, of what size.
func (s *subset) title() string {
	if s.beside > 0 {
		return fmt.Sprintf("%s, %d beside", s.Name, s.documents)
	}
	return fmt.Sprintf("%s, %d", s.Name, s.documents)
}

// open writes the documents of a set as notes and indexes them with their vectors.
// The caller closes what it returns.
func (s *subset) open(ctx context.Context, opts settings) (*app.App, *eval.Workspace, error) {
	root := filepath.Join(opts.work, fmt.Sprintf("%s-%d-%d", s.Name, len(s.Documents), s.beside))
	notes := filepath.Join(root, "notes")
	if err := os.RemoveAll(notes); err != nil {
		return nil, nil, err
	}
	files, err := s.WriteWorkspace(notes)
	if err != nil {
		return nil, nil, err
	}
	if s.beside > 0 {
		if _, err := notegen.Write(notes, notegen.Options{Days: s.beside}); err != nil {
			return nil, nil, err
		}
	}
	loaded, err := config.Load(config.Environment{Lookup: func(string) (string, bool) { return "", false }, List: func() []string { return nil }, Dir: opts.work, OS: runtime.GOOS}, config.Flags{"workspace": notes, "stateDir": filepath.Join(opts.work, "state")})
	if err != nil {
		return nil, nil, err
	}
	loaded.Include, loaded.Exclude = nil, nil
	loaded.Query.EmbedTimeout = time.Minute // the machine may be busy
	a, err := app.Open(ctx, loaded, app.Options{Exclusive: true, Unlogged: true})
	if err != nil {
		return nil, nil, err
	}
	_, err = a.Engine.Sync(ctx, nil)
	if err == nil && !opts.words {
		_, err = a.Engine.EmbedPending(ctx, nil)
	}
	if err != nil {
		return nil, nil, errors.Join(err, a.Close())
	}
	return a, files, nil
}

// fit fits odds to all sets but some. Of each set the own questions count as much as
// the foreign ones by words, and half as much where vectors take part, which are near to
// anything; and each set counts as much as another. Generated logs are not fitted to.
func fit(sets []*subset, mode memoir.Mode, without ...string) rank.Odds {
	var x [][]float64
	var y []int
	var weights []float64
	for _, s := range sets {
		foreign := 0
		for _, f := range s.found[mode] {
			if f.foreign {
				foreign++
			}
		}
		if slices.Contains(without, s.Name) || foreign == 0 || s.beside > 0 {
			continue
		}
		for _, f := range s.found[mode] {
			label, weight := 0, 1/float64(len(s.found[mode])-foreign)
			if f.right {
				label = 1
			}
			if f.foreign {
				weight = 1 / float64(foreign)
				if mode != memoir.ModeText {
					weight *= 2
				}
			}
			numbers := []float64{f.evidence.Strength(), f.evidence.Choice(), 0}
			if mode == memoir.ModeText { // with vectors the third number gained nothing
				numbers[2] = f.evidence.Shared()
			}
			x, y, weights = append(x, numbers), append(y, label), append(weights, weight)
		}
	}
	m := linear.Fit(x, y, 2, linear.Options{C: 100, Weights: weights})
	least, most := 0, rank.OddsOfWords.Most
	if mode == memoir.ModeText {
		least = rank.OddsOfWords.Least
	}
	return rank.Odds{Least: least, Most: most, Bias: m.Bias[0], Strength: m.Weights[0][0], Choice: m.Weights[0][1], Shared: m.Weights[0][2]}
}

// auroc is the chance that one of high is above one of low.
func auroc(high, low []float64) float64 {
	sum := 0.0
	for _, a := range high {
		for _, b := range low {
			sum += float64(cmp.Compare(a, b)+1) / 2
		}
	}
	return sum / float64(len(high)*len(low))
}
