// Command answers measures how long answers are, for who pays by the character: it asks
// the questions of shared sets as an agent does, without a budget, and counts the
// characters of the text over MCP, of its structured content and of the JSON of
// memoir search. Beside them stands what is lost by showing less: the share of
// questions with a right document among those shown, and of the evidence.
//
//	go run ./internal/eval/answers -work FOLDER notes-world locomo madial-zh   # by words
//	go run ./internal/eval/answers -work FOLDER -mode hybrid notes-world
//
// The folder keeps notes and indexes; it must not be one of yours.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/eval"
	"github.com/memoir-ai/memoir/internal/mcpserver"
	"github.com/memoir-ai/memoir/internal/wire"
)

func main() {
	shared := flag.String("shared", "../shared/evals", "folder of the sets")
	work := flag.String("work", "", "folder for notes and indexes; they are kept")
	mode := flag.String("mode", "text", "text, hybrid or vector")
	flag.Parse()
	if *work == "" || flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "answers: name a folder with -work, and sets")
		os.Exit(2)
	}
	fmt.Printf("%-14s %9s %15s %15s %15s %9s %6s %9s\n", "set", "questions", "text", "structured", "json", "passages", "shown", "evidence")
	for _, name := range flag.Args() {
		if err := measure(context.Background(), filepath.Join(*shared, name), filepath.Join(*work, name), memoir.Mode(*mode)); err != nil {
			fmt.Fprintf(os.Stderr, "answers: %s: %v\n", name, err)
			os.Exit(1)
		}
	}
}

// A tally is what was counted over the questions of a set.
type tally struct {
	text, structured, json []int // characters of each answer
	passages               int
	shown                  float64 // questions with a right document
	evidence, known        float64 // shares of the evidence that is shown, and the questions whose is known
}

func measure(ctx context.Context, dir, root string, mode memoir.Mode) (err error) {
	set, err := eval.Load(dir)
	if err != nil {
		return err
	}
	notes := filepath.Join(root, "notes")
	if err := os.RemoveAll(notes); err != nil {
		return err
	}
	files, err := set.WriteWorkspace(notes)
	if err != nil {
		return err
	}
	env := config.Environment{Lookup: func(string) (string, bool) { return "", false }, List: func() []string { return nil }, Dir: root, OS: runtime.GOOS}
	loaded, err := config.Load(env, config.Flags{"workspace": notes, "stateDir": filepath.Join(root, "state")})
	if err != nil {
		return err
	}
	loaded.Include, loaded.Exclude = nil, nil
	need := app.NeedAll
	if mode == memoir.ModeText {
		need = app.NeedWords
	}
	a, err := app.Open(ctx, loaded, app.Options{Need: need, Exclusive: true, Unlogged: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	if _, err := a.Engine.Rebuild(ctx, nil); err != nil {
		return err
	}
	if need == app.NeedAll {
		if _, err := a.Engine.EmbedPending(ctx, nil); err != nil {
			return err
		}
	}
	var t tally
	for i := range set.Questions {
		q := &set.Questions[i]
		query := memoir.Query{Text: q.Text, Mode: mode, Brief: true, NoSync: true}
		query.Filter.Prefix = files.Folders[q.Scope]
		res, err := a.Engine.Search(ctx, query)
		if err != nil {
			return err
		}
		query.Brief = false // as programs ask
		whole, err := a.Engine.Search(ctx, query)
		if err != nil {
			return err
		}
		if err := t.add(q, files, res, whole); err != nil {
			return err
		}
	}
	t.print(set)
	return nil
}

// print writes the row of a set.
func (t *tally) print(set *eval.Set) {
	n := float64(len(set.Questions))
	fmt.Printf("%-14s %9.0f %15s %15s %15s %9.1f %6.3f", set.Name, n, spread(t.text), spread(t.structured), spread(t.json), float64(t.passages)/n, t.shown/n)
	if t.known > 0 {
		fmt.Printf(" %9.3f", t.evidence/t.known)
	}
	fmt.Println()
}

// add counts the answer to a question.
func (t *tally) add(q *eval.Question, files *eval.Workspace, res, unabridged memoir.Results) error {
	text, found := mcpserver.Answer(res)
	structured, err := size(found)
	if err != nil {
		return err
	}
	whole, err := size(wire.NewAnswer(unabridged))
	if err != nil {
		return err
	}
	t.text, t.structured, t.json = append(t.text, utf8.RuneCountInString(text)), append(t.structured, structured), append(t.json, whole)
	t.passages += len(found.Results)
	if slices.ContainsFunc(found.Results, func(p wire.Passage) bool { return slices.Contains(q.Relevant, files.IDs[p.Name()]) }) {
		t.shown++
	}
	if len(q.Evidence) == 0 {
		return nil
	}
	t.known++
	for _, e := range q.Evidence {
		if slices.ContainsFunc(found.Results, func(p wire.Passage) bool {
			return files.IDs[p.Name()] == e.Document && strings.Contains(p.Snippet, e.Text)
		}) {
			t.evidence += 1 / float64(len(q.Evidence))
		}
	}
	return nil
}

// size returns the characters of a value in JSON, as agents write it for their model: they
// read what came over the wire, and have no escapes for HTML.
func size(value any) (int, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(value)
	return utf8.RuneCount(bytes.TrimSpace(b.Bytes())), err
}

// spread writes the mean and the length that nine in ten answers do not exceed.
func spread(lengths []int) string {
	sorted := slices.Sorted(slices.Values(lengths))
	sum := 0
	for _, n := range sorted {
		sum += n
	}
	return fmt.Sprintf("%d, %d", sum/len(sorted), sorted[len(sorted)*9/10])
}
