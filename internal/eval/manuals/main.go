// Command manuals measures plain people's questions: over three public manuals, one of
// them in English and in Chinese, of which testdata has the questions and the paths of
// the pages that answer them, and no text.
//
//	go run ./internal/eval/manuals -from FOLDER -work FOLDER             # by words
//	go run ./internal/eval/manuals -from FOLDER -work FOLDER -mode hybrid
//	go run ./internal/eval/folds -than BEFORE FILE                       # of two runs with -per-question; each manual is a fold
//
// The first folder holds clones of the repositories, each under the last part of its
// name; the second keeps pages and indexes, and must not be one of yours. Questions
// are cut in two halves by a hash of their text: one to tune on, one that is held out.
package main

import (
	"archive/tar"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/eval"
)

// A manual is the pages below a folder of a repository, as they were at a commit.
type manual struct {
	name       string // of the file of questions
	repository string // at GitHub
	commit     string
	folder     string
}

var manuals = []manual{
	{"hugo", "gohugoio/hugoDocs", "1c613349f4220ae84070df25979d720c43e5cfa6", "content/en"},
	{"darktable", "darktable-org/dtdocs", "ab0aefdda645477fd0cb09aab70ca1de4638b216", "content"},
	{"obsidian", "obsidianmd/obsidian-help", "fa179e91e86eaff5859226cc045c81000d64e3cd", "en"},
	{"obsidian-zh", "obsidianmd/obsidian-help", "fa179e91e86eaff5859226cc045c81000d64e3cd", "zh"},
}

// settings of a run.
type settings struct {
	from, work, questions, mode string
	perQuestion                 string
	each                        bool
}

func main() {
	var s settings
	flag.StringVar(&s.from, "from", "", "folder with clones of the repositories")
	flag.StringVar(&s.work, "work", "", "folder for pages and indexes; they are kept")
	flag.StringVar(&s.questions, "questions", "internal/eval/manuals/testdata", "folder of the questions")
	flag.StringVar(&s.mode, "mode", "text", "text, hybrid or vector")
	flag.StringVar(&s.perQuestion, "per-question", "", "write the scores of each question that is held out to this file, one line of JSON each")
	flag.BoolVar(&s.each, "each", false, "print the rank of each question of the half to tune on")
	flag.Parse()
	if err := s.run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "manuals:", err)
		os.Exit(1)
	}
}

// The halves of the questions.
const (
	tuned = "tune"
	held  = "held out"
)

// A question that is held out, as internal/eval/folds reads it.
type question struct {
	Set     string             `json:"set"`
	ID      string             `json:"id"` // begins with the manual
	Metrics map[string]float64 `json:"metrics"`
}

// halves returns the half that each question belongs to: in the order of hashes of
// their texts the first ones are to tune on.
func halves(questions []eval.Question) map[string]string {
	hash := func(q eval.Question) uint64 {
		h := fnv.New64a()
		h.Write([]byte("manuals " + q.Text)) // which never fails
		return h.Sum64()
	}
	ordered := slices.SortedFunc(slices.Values(questions), func(a, b eval.Question) int { return cmp.Compare(hash(a), hash(b)) })
	of := map[string]string{}
	for i, q := range ordered {
		of[q.ID] = held
		if i < len(ordered)/2 {
			of[q.ID] = tuned
		}
	}
	return of
}

var metrics = []string{"hit@1", "hit@5", "shown@5", "recall@10", "ndcg@10"}

func (s *settings) run(ctx context.Context) error {
	if s.from == "" || s.work == "" {
		return errors.New("name the folders with -from and -work")
	}
	fmt.Printf("%-14s %-9s %9s", "manual", "half", "questions")
	for _, m := range metrics {
		fmt.Printf(" %9s", m)
	}
	fmt.Println()
	all := map[string][]eval.QuestionScore{}
	for _, m := range manuals {
		scores, err := s.measure(ctx, m)
		if err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		for _, which := range []string{tuned, held} {
			show(m.name, which, scores[which])
			for _, q := range scores[which] {
				q.ID = m.name + "/" + q.ID
				all[which] = append(all[which], q)
			}
		}
	}
	for _, which := range []string{tuned, held} {
		show("all", which, all[which])
	}
	if s.perQuestion == "" {
		return nil
	}
	var lines bytes.Buffer
	for _, q := range all[held] {
		if err := json.NewEncoder(&lines).Encode(question{"manuals", q.ID, q.Values}); err != nil {
			return err
		}
	}
	return os.WriteFile(s.perQuestion, lines.Bytes(), 0o666)
}

func show(name, which string, scores []eval.QuestionScore) {
	sum := eval.Summarize(scores)
	fmt.Printf("%-14s %-9s %9d", name, which, sum.Questions)
	for _, m := range metrics {
		fmt.Printf(" %9.3f", sum.Metrics[m])
	}
	fmt.Println()
}

// measure writes the pages of a manual, indexes them and asks the questions; the
// scores come by half.
func (s *settings) measure(ctx context.Context, m manual) (_ map[string][]eval.QuestionScore, err error) {
	f, err := os.Open(filepath.Join(s.questions, m.name+".jsonl"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	questions, err := eval.ReadQueries(f)
	if err != nil {
		return nil, err
	}
	notes := filepath.Join(s.work, m.name, "notes")
	pages, err := s.write(ctx, m, notes)
	if err != nil {
		return nil, err
	}
	if err := expected(questions, pages); err != nil {
		return nil, err
	}
	env := config.Environment{Lookup: func(string) (string, bool) { return "", false }, List: func() []string { return nil }, Dir: s.work, OS: runtime.GOOS}
	loaded, err := config.Load(env, config.Flags{"workspace": notes, "stateDir": filepath.Join(s.work, m.name, "state")})
	if err != nil {
		return nil, err
	}
	loaded.Include, loaded.Exclude = nil, nil
	need := app.NeedAll
	if s.mode == string(memoir.ModeText) {
		need = app.NeedWords
	}
	a, err := app.Open(ctx, loaded, app.Options{Need: need, Exclusive: true, Unlogged: true})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	if _, err := a.Engine.Rebuild(ctx, nil); err != nil {
		return nil, err
	}
	if need == app.NeedAll {
		if _, err := a.Engine.EmbedPending(ctx, nil); err != nil {
			return nil, err
		}
	}
	subject := eval.Subject{Questions: questions, Passages: func(_ *eval.Question, h memoir.Hit) []eval.Passage {
		return []eval.Passage{eval.PassageOf(string(h.Doc), h)}
	}}
	run, err := subject.Run(ctx, a.Engine, memoir.Query{Mode: memoir.Mode(s.mode), Limit: 25, NoSync: true}, nil)
	if err != nil {
		return nil, err
	}
	scores, of := map[string][]eval.QuestionScore{}, halves(questions)
	for i, q := range questions {
		which := of[q.ID]
		scores[which] = append(scores[which], run.Scores[i])
		if s.each && which == tuned {
			fmt.Printf("%4d  %s\n", run.Scores[i].Rank, q.Text)
		}
	}
	return scores, nil
}

// expected reports a question whose page there is not.
func expected(questions []eval.Question, pages map[string]bool) error {
	for _, q := range questions {
		for _, id := range q.Relevant {
			if !pages[id] {
				return fmt.Errorf("question %s expects %s, which is no page", q.ID, id)
			}
		}
	}
	return nil
}

// write puts the pages of a manual in the place of those that a folder has.
func (s *settings) write(ctx context.Context, m manual, dir string) (pages map[string]bool, err error) {
	if err := os.RemoveAll(dir); err != nil {
		return nil, err
	}
	archive, err := exec.CommandContext(ctx, "git", "-C", filepath.Join(s.from, path.Base(m.repository)), "archive", m.commit, "--", ":(glob)"+m.folder+"/**/*.md").Output()
	if err != nil {
		return nil, fmt.Errorf("read %s at %s: %w", m.repository, m.commit, err)
	}
	root, err := openRoot(dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	pages = map[string]bool{}
	for r := tar.NewReader(bytes.NewReader(archive)); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return pages, nil
		}
		if err != nil {
			return nil, err
		}
		name := strings.TrimPrefix(h.Name, m.folder+"/")
		if h.Typeflag != tar.TypeReg || path.Ext(name) != ".md" {
			continue
		}
		text, err := io.ReadAll(r)
		if err == nil {
			err = errors.Join(root.MkdirAll(path.Dir(name), 0o777), root.WriteFile(name, text, 0o666))
		}
		if err != nil {
			return nil, err
		}
		pages[name] = true
	}
}

// openRoot makes a folder that nothing is written outside of.
func openRoot(dir string) (*os.Root, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	return os.OpenRoot(dir)
}
