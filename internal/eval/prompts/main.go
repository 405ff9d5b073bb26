// Command prompts measures what hooks give to agents unasked: it sends prompts as people
// type them to coding agents, and prints how many characters each is given, and whether
// they hold what helps. The notes are those of examples/notes, some dialogue and 200
// generated day logs.
//
//	go run ./internal/eval/prompts -work FOLDER
//	go run ./internal/eval/prompts -work FOLDER -found   # the first passages of each search, with score and relevance
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
	"strings"
	"time"
	"unicode/utf8"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/config"
	"github.com/memoir-ai/memoir/internal/hook"
	"github.com/memoir-ai/memoir/internal/notegen"
)

func main() {
	work := flag.String("work", "", "folder for notes and index; they are kept")
	from := flag.String("from", "internal/eval/prompts/testdata", "folder of the prompts and the dialogue")
	chats := flag.String("chats", "", "another folder of dialogue")
	found := flag.Bool("found", false, "print the first passages of each search")
	flag.Parse()
	if *work == "" {
		fmt.Fprintln(os.Stderr, "prompts: name a folder with -work")
		os.Exit(2)
	}
	if err := run(context.Background(), *work, *from, cmp.Or(*chats, filepath.Join(*from, "chats")), *found); err != nil {
		fmt.Fprintln(os.Stderr, "prompts:", err)
		os.Exit(1)
	}
}

// A prompt is a line of prompts.tsv.
type prompt struct{ half, kind, helps, text string }

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
		all = append(all, prompt{f[0], f[1], strings.TrimPrefix(f[2], "-"), f[3]})
	}
	return all, nil
}

// workspace writes the notes.
func workspace(dir, chats string) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if err := os.CopyFS(dir, os.DirFS("examples/notes")); err != nil {
		return err
	}
	if err := os.CopyFS(filepath.Join(dir, "memory", "chats"), os.DirFS(chats)); err != nil {
		return err
	}
	_, err := notegen.Write(dir, notegen.Options{Days: 200})
	return err
}

// asked answers hooks with an engine that stays open.
type asked struct{ app.Asked }

func (asked) Close() error { return nil }

func run(ctx context.Context, work, from, chats string, found bool) (err error) {
	all, err := prompts(filepath.Join(from, "prompts.tsv"))
	if err != nil {
		return err
	}
	notes := filepath.Join(work, "notes")
	if err := workspace(notes, chats); err != nil {
		return err
	}
	env := config.Environment{Lookup: func(string) (string, bool) { return "", false }, List: func() []string { return nil }, Dir: work, OS: runtime.GOOS}
	loaded, err := config.Load(env, config.Flags{"workspace": notes, "stateDir": filepath.Join(work, "state")})
	if err != nil {
		return err
	}
	a, err := app.Open(ctx, loaded, app.Options{Need: app.NeedWords, Exclusive: true, Unlogged: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	if _, err := a.Engine.Rebuild(ctx, nil); err != nil {
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
		if found {
			if err := print(ctx, a, p.text); err != nil {
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
	switch {
	case p.helps == "":
		return ""
	case !strings.Contains(text, p.helps):
		x.helps++
		return "no"
	}
	x.helps, x.helped = x.helps+1, x.helped+1
	return "yes"
}

func (s sums) print() {
	fmt.Println("\n| half | kind | prompts | given something | characters | helped |\n|---|---|---:|---:|---:|---:|")
	for _, half := range []string{"a", "b", "c"} {
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
func print(ctx context.Context, a *app.App, text string) error {
	res, err := a.Engine.Search(ctx, memoir.Query{Text: text, Literal: true, Mode: memoir.ModeText, Limit: 3, NoSync: true})
	for _, h := range res.Hits[:min(len(res.Hits), 3)] {
		fmt.Printf("    score %.2f, relevance %.2f, %s: %.80q\n", h.Score, h.Relevance, h.Citation(), h.Snippet)
	}
	return err
}
