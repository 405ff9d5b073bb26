// Command prompts measures what hooks give to agents unasked: it sends prompts as people
// type them to coding agents, and prints how many characters each is given, and whether
// they hold what helps. The notes are those of examples/notes, some dialogue and 200
// generated day logs; or the documents of a shared set, whose questions are then prompts
// that the notes help with, and the others prompts that they do not.
//
//	go run ./internal/eval/prompts -work FOLDER
//	go run ./internal/eval/prompts -work FOLDER -words   # by words alone, without vectors
//	go run ./internal/eval/prompts -work FOLDER -found   # the first passages of each search, with score and relevance
//	go run ./internal/eval/prompts -work FOLDER -set ../shared/evals/notes-world
//
// The folder keeps notes and index; it must not be one of yours.
package main

import (
	"bytes"
	"cmp"
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
	"time"
	"unicode/utf8"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/eval"
	"github.com/memoir-ai/memoir/internal/hook"
	"github.com/memoir-ai/memoir/internal/notegen"
)

// settings of a run.
type settings struct {
	work, from, chats, set string
	days, questions        int
	words, found           bool
}

func main() {
	var s settings
	flag.StringVar(&s.work, "work", "", "folder for notes and index; they are kept")
	flag.StringVar(&s.from, "from", "internal/eval/prompts/testdata", "folder of the prompts and the dialogue")
	flag.StringVar(&s.chats, "chats", "", "another folder of dialogue")
	flag.StringVar(&s.set, "set", "", "folder of a shared set, whose documents are the notes")
	flag.IntVar(&s.days, "days", 200, "generated day logs")
	flag.IntVar(&s.questions, "questions", 300, "questions of the set at most")
	flag.BoolVar(&s.words, "words", false, "by words alone, without vectors")
	flag.BoolVar(&s.found, "found", false, "print the first passages of each search")
	flag.Parse()
	if s.work == "" {
		fmt.Fprintln(os.Stderr, "prompts: name a folder with -work")
		os.Exit(2)
	}
	s.chats = cmp.Or(s.chats, filepath.Join(s.from, "chats"))
	if err := run(context.Background(), s); err != nil {
		fmt.Fprintln(os.Stderr, "prompts:", err)
		os.Exit(1)
	}
}

// A prompt is a line of prompts.tsv, or a question of a set.
type prompt struct {
	half, kind, text string
	helps            []string // words, or citations, of which what helps holds one; none: nothing helps
}

func prompts(file string) ([]prompt, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var all []prompt
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		f := strings.Split(line, "\t")
		if len(f) != 4 {
			return nil, fmt.Errorf("%s: %q has %d columns, not 4", file, line, len(f))
		}
		p := prompt{half: f[0], kind: f[1], text: f[3]}
		if f[2] != "-" {
			p.helps = []string{f[2]}
		}
		all = append(all, p)
	}
	return all, nil
}

// workspace writes the notes, and returns the prompts that are sent.
func (s *settings) workspace(dir string) ([]prompt, error) {
	all, err := prompts(filepath.Join(s.from, "prompts.tsv"))
	if err != nil {
		return nil, err
	}
	if err := os.RemoveAll(dir); err != nil {
		return nil, err
	}
	if s.set != "" {
		return s.ofSet(dir, all)
	}
	if err := os.CopyFS(dir, os.DirFS("examples/notes")); err != nil {
		return nil, err
	}
	if err := os.CopyFS(filepath.Join(dir, "memory", "chats"), os.DirFS(s.chats)); err != nil {
		return nil, err
	}
	if s.days > 0 {
		_, err = notegen.Write(dir, notegen.Options{Days: s.days})
	}
	return all, err
}

// ofSet writes the documents of the set. Of the other prompts none is helped by them.
func (s *settings) ofSet(dir string, others []prompt) (all []prompt, err error) {
	set, err := eval.Load(s.set)
	if err != nil {
		return nil, err
	}
	files, err := set.WriteWorkspace(dir)
	if err != nil {
		return nil, err
	}
	paths := map[string]string{}
	for path, id := range files.IDs {
		paths[id] = path
	}
	for _, q := range set.Questions[:min(len(set.Questions), s.questions)] {
		p := prompt{half: "own", kind: "asked", text: q.Text}
		for _, id := range q.Relevant {
			p.helps = append(p.helps, "From "+paths[id]+"#")
		}
		all = append(all, p)
	}
	for _, p := range others {
		all = append(all, prompt{half: "other", kind: p.kind, text: p.text})
	}
	return all, nil
}

// asked answers hooks with an engine that stays open.
type asked struct{ app.Asked }

func (asked) Close() error { return nil }

func run(ctx context.Context, s settings) (err error) {
	notes := filepath.Join(s.work, "notes")
	all, err := s.workspace(notes)
	if err != nil {
		return err
	}
	env := config.Environment{Lookup: func(string) (string, bool) { return "", false }, List: func() []string { return nil }, Dir: s.work, OS: runtime.GOOS}
	loaded, err := config.Load(env, config.Flags{"workspace": notes, "stateDir": filepath.Join(s.work, "state")})
	if err != nil {
		return err
	}
	loaded.Query.EmbedTimeout = time.Minute // the machine may be busy
	if s.set != "" {
		loaded.Include, loaded.Exclude = nil, nil
	}
	need := app.NeedAll
	if s.words {
		need = app.NeedWords
	}
	a, err := app.Open(ctx, loaded, app.Options{Need: need, Exclusive: true, Unlogged: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	_, err = a.Engine.Sync(ctx, nil)
	if err == nil && !s.words {
		_, err = a.Engine.EmbedPending(ctx, nil)
	}
	if err != nil {
		return err
	}
	sums := sums{}
	fmt.Println("| half | kind | prompt | characters | helps |\n|---|---|---|---:|---|")
	for _, p := range all {
		text, err := given(ctx, a, p.text)
		if err != nil {
			return fmt.Errorf("%s: %w", p.text, err)
		}
		fmt.Printf("| %s | %s | %s | %d | %s |\n", p.half, p.kind, p.text, utf8.RuneCountInString(text), sums.add(p, text))
		if s.found {
			if err := print(ctx, a, p.text, s.words); err != nil {
				return err
			}
		}
	}
	sums.print()
	return nil
}

// A sum is what came of the prompts of a half and a kind.
type sum struct{ prompts, given, characters, helped, helps int }

type sums map[[2]string]*sum

// add counts what a prompt was given, and returns whether it helps: "" where nothing can.
func (s sums) add(p prompt, text string) string {
	key := [2]string{p.half, p.kind}
	if s[key] == nil {
		s[key] = &sum{}
	}
	x := s[key]
	x.prompts, x.characters = x.prompts+1, x.characters+utf8.RuneCountInString(text)
	if text != "" {
		x.given++
	}
	if len(p.helps) == 0 {
		return ""
	}
	x.helps++
	if !slices.ContainsFunc(p.helps, func(words string) bool { return strings.Contains(text, words) }) {
		return "no"
	}
	x.helped++
	return "yes"
}

func (s sums) print() {
	fmt.Println("\n| half | kind | prompts | given something | characters | helped |\n|---|---|---:|---:|---:|---:|")
	for _, half := range []string{"a", "b", "c", "d", "e", "own", "other"} {
		for _, kind := range []string{"act", "order", "asked", "absent"} {
			if x := s[[2]string{half, kind}]; x != nil {
				fmt.Printf("| %s | %s | %d | %d | %d | %d of %d |\n", half, kind, x.prompts, x.given, x.characters, x.helped, x.helps)
			}
		}
	}
}

// given returns what the hook of an agent gives for a prompt, in a session of its own.
func given(ctx context.Context, a *app.App, text string) (string, error) {
	dir, err := os.MkdirTemp("", "prompts")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	in, err := json.Marshal(map[string]string{"session_id": "one", "prompt": text})
	if err != nil {
		return "", err
	}
	var out bytes.Buffer
	err = hook.Answer(ctx, "claude-code", hook.Prompt, bytes.NewReader(in), &out, hook.Options{
		Dir: dir, SearchTime: 10 * time.Second, Now: time.Now,
		Open: func(context.Context, bool) (hook.Memory, error) { return asked{a.Engine}, nil },
	})
	if err != nil || out.Len() == 0 {
		return "", err
	}
	var answer struct {
		HookSpecificOutput struct{ AdditionalContext string }
	}
	err = json.Unmarshal(out.Bytes(), &answer)
	return answer.HookSpecificOutput.AdditionalContext, err
}

// print writes what is found for a prompt, whether or not it is given.
func print(ctx context.Context, a *app.App, text string, words bool) error {
	query := memoir.Query{Text: text, Literal: true, Limit: 3, NoSync: true}
	if words {
		query.Mode = memoir.ModeText
	}
	res, err := a.Engine.Search(ctx, query)
	for _, h := range res.Hits[:min(len(res.Hits), 3)] {
		fmt.Printf("    score %.2f, relevance %.2f, %s: %.80q\n", h.Score, h.Relevance, h.Citation(), h.Snippet)
	}
	return err
}
