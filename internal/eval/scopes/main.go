// Command scopes measures that two memories answer as one: it cuts the documents of
// shared sets at random into two workspaces, asks them together, and compares the
// answers with those of one workspace that has all documents.
//
//	go run ./internal/eval/scopes -work FOLDER notes-world ids     # by words
//	go run ./internal/eval/scopes -work FOLDER -mode hybrid ids
//
// The folder keeps notes and indexes; it must not be one of yours.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/eval"
)

// settings of a run.
type settings struct {
	shared, work, mode string
	share              float64
	questions          int
}

func main() {
	var s settings
	flag.StringVar(&s.shared, "shared", "../shared/evals", "folder of the sets")
	flag.StringVar(&s.work, "work", "", "folder for notes and indexes; they are kept")
	flag.StringVar(&s.mode, "mode", "text", "text, hybrid or vector")
	flag.Float64Var(&s.share, "share", .5, "of the documents, that go to the user's workspace")
	flag.IntVar(&s.questions, "questions", 0, "how many questions are asked of a set, the first ones; 0 is all")
	flag.Parse()
	if s.work == "" || flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "scopes: name a folder with -work, and sets")
		os.Exit(2)
	}
	fmt.Printf("%-18s %6s %6s %10s %10s %10s %8s %9s\n", "set", "user's", "all", "questions", "nDCG one", "nDCG two", "change", "otherwise")
	for _, name := range flag.Args() {
		if err := s.measure(context.Background(), name); err != nil {
			fmt.Fprintf(os.Stderr, "scopes: %s: %v\n", name, err)
			os.Exit(1)
		}
	}
}

// The workspaces of a set.
const (
	whole = "whole"
	mine  = "user"
	other = "project"
)

func (s *settings) measure(ctx context.Context, name string) (err error) {
	set, err := eval.Load(filepath.Join(s.shared, name))
	if err != nil {
		return err
	}
	if s.questions > 0 {
		set.Questions = set.Questions[:min(len(set.Questions), s.questions)]
	}
	root := filepath.Join(s.work, name+"-"+strconv.FormatFloat(s.share, 'f', -1, 64))
	files, mines, err := s.write(set, root)
	if err != nil {
		return err
	}
	one, err := s.run(ctx, set, files, &config.Memories{User: s.load(root, whole)})
	if err != nil {
		return err
	}
	two, err := s.run(ctx, set, files, &config.Memories{User: s.load(root, mine), Project: s.load(root, other)})
	if err != nil {
		return err
	}
	otherwise := 0 // questions whose nDCG is another one
	for i := range one.Scores {
		if math.Abs(one.Scores[i].Values["ndcg@10"]-two.Scores[i].Values["ndcg@10"]) > 1e-9 {
			otherwise++
		}
	}
	before, after := eval.Summarize(one.Scores).Metrics["ndcg@10"], eval.Summarize(two.Scores).Metrics["ndcg@10"]
	fmt.Printf("%-18s %6d %6d %10d %10.4f %10.4f %+8.4f %9d\n", name, mines, len(set.Documents), len(set.Questions), before, after, after-before, otherwise)
	if one.Degraded != two.Degraded {
		fmt.Printf("%-18s %d answers of one and %d of two had a part missing: %s\n", "", one.Degraded, two.Degraded, one.Reason+two.Reason)
	}
	return nil
}

// write writes the documents of a set: all of them, and each again into one of two.
func (s *settings) write(set *eval.Set, root string) (files *eval.Workspace, mines int, err error) {
	for _, dir := range []string{whole, mine, other} {
		if err := os.RemoveAll(filepath.Join(root, dir)); err != nil {
			return nil, 0, err
		}
	}
	if files, err = set.WriteWorkspace(filepath.Join(root, whole)); err != nil {
		return nil, 0, err
	}
	for path, id := range files.IDs {
		half := other
		if chance(id) < s.share {
			half = mine
			mines++
		}
		from, to := filepath.Join(root, whole, filepath.FromSlash(path)), filepath.Join(root, half, filepath.FromSlash(path))
		text, err := os.ReadFile(from)
		if err == nil {
			err = errors.Join(os.MkdirAll(filepath.Dir(to), 0o777), os.WriteFile(to, text, 0o666))
		}
		if err != nil {
			return nil, 0, err
		}
	}
	return files, mines, nil
}

// chance is a number from 0 to below 1 for a document, the same every time.
func chance(id string) float64 {
	h := fnv.New64a()
	h.Write([]byte("scopes " + id)) // which never fails
	x := h.Sum64()
	x ^= x >> 33 // its high bits hardly depend on the end of the id
	x *= 0xff51afd7ed558ccd
	return float64((x^x>>33)>>11) / (1 << 53)
}

// load returns the settings of a workspace, which none but the defaults are.
func (s *settings) load(root, workspace string) *config.Loaded {
	env := config.Environment{Lookup: func(string) (string, bool) { return "", false }, List: func() []string { return nil }, Dir: root, OS: runtime.GOOS}
	loaded, err := config.Load(env, config.Flags{"workspace": filepath.Join(root, workspace), "stateDir": filepath.Join(root, "state")})
	if err != nil {
		panic(err) // there is nothing in them that could be wrong
	}
	return loaded
}

// run indexes what is meant and asks all questions.
func (s *settings) run(ctx context.Context, set *eval.Set, files *eval.Workspace, memories *config.Memories) (_ *eval.Run, err error) {
	need := app.NeedAll
	if s.mode == string(memoir.ModeText) {
		need = app.NeedWords
	}
	m, err := app.OpenMemory(ctx, memories, app.Options{Need: need, Unlogged: true})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	for _, a := range m.Apps() {
		if _, err := a.Engine.Sync(ctx, nil); err != nil {
			return nil, err
		}
		if need == app.NeedWords {
			continue
		}
		if _, err := a.Engine.EmbedPending(ctx, nil); err != nil {
			return nil, err
		}
	}
	subject := eval.Subject{
		Questions: set.Questions,
		Ask:       func(q *eval.Question, query *memoir.Query) { query.Filter.Prefix = files.Folders[q.Scope] },
		Passages: func(_ *eval.Question, h memoir.Hit) []eval.Passage {
			return []eval.Passage{eval.PassageOf(files.IDs[string(h.Doc)], h)}
		},
	}
	return subject.Run(ctx, m, memoir.Query{Mode: memoir.Mode(s.mode), Limit: 40, NoSync: true}, nil)
}
