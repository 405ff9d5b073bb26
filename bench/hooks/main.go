// Hooks calls memoir hook as agents do, many at once, beside the program true, and looks
// at what is left: processes, files, what was captured.
//
//	go run ./bench/hooks                 # 1,000 calls of 40 sessions, 2 at once and 40 at once
//	go run ./bench/hooks -tags nomodel   # without the model inside, which links faster
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/memoir-ai/memoir/bench/internal/measure"
	"github.com/memoir-ai/memoir/internal/hook"
	"github.com/memoir-ai/memoir/internal/notegen"
)

func main() { measure.Main("hooks", run) }

func run(ctx context.Context) error {
	tags := flag.String("tags", "", "for go build")
	days := flag.Int("days", 120, "of notes")
	sessions := flag.Int("sessions", 40, "of 25 calls each")
	flag.Parse()
	dir, err := os.MkdirTemp("", "memoir-hooks")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	m := machine{dir: dir, program: filepath.Join(dir, "memoir"), notes: filepath.Join(dir, "notes")}
	if err := measure.Build(ctx, m.program, "-tags", *tags); err != nil {
		return err
	}
	facts, err := notegen.Write(m.notes, notegen.Options{Days: *days})
	if err != nil {
		return err
	}
	if out, err := m.command(ctx, "index").CombinedOutput(); err != nil {
		return fmt.Errorf("index: %w\n%s", err, out)
	}
	fmt.Print(measure.Opening("hooks") + "| at once | calls | | p50 | p99 | longest |\n|---|---|---|---|---|---|\n")
	for _, atOnce := range []int{2, *sessions} {
		if err := m.measure(ctx, fmt.Sprintf("run%d", atOnce), *sessions, atOnce, facts); err != nil {
			return err
		}
	}
	fmt.Printf("\n%s at the end.\n", measure.Load())
	return nil
}

// machine is a home folder with notes.
type machine struct{ dir, program, notes string }

func (m machine) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, m.program, append([]string{"--workspace", m.notes}, args...)...)
	cmd.Env = append(os.Environ(), "HOME="+m.dir, "USERPROFILE="+m.dir, "MEMOIR_STATE_DIR="+filepath.Join(m.dir, "state"), "MEMOIR_PROVIDER=none")
	return cmd
}

// tally counts what came of the calls.
type tally struct {
	mu            sync.Mutex
	hooks, beside []float64 // milliseconds of each
	failed, twice int       // calls that ended otherwise than with 0, lines given twice
	prompts, no   int       // prompts of agents that take something at a prompt, and those of them that were given nothing
}

// measure runs sessions, as many at once as asked for. In each session one call
// follows the other, and after each call comes a call of true. Then it looks at
// what is left.
func (m machine) measure(ctx context.Context, name string, sessions, atOnce int, facts []notegen.Fact) error {
	var t tally
	var all sync.WaitGroup
	places := make(chan struct{}, atOnce)
	agents := hook.Agents()
	for n := range sessions {
		all.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			m.session(ctx, &t, agents[n%len(agents)], name+"-"+strconv.Itoa(n), facts)
		})
	}
	all.Wait()
	for _, row := range []struct {
		what   string
		values []float64
	}{{"memoir hook", t.hooks}, {"true", t.beside}} {
		fmt.Printf("| %d | %d | %s | %.0f ms | %.0f ms | %.0f ms |\n", atOnce, len(row.values), row.what,
			measure.Median(row.values), measure.Percentile(row.values, 99), measure.Percentile(row.values, 100))
	}
	left, err := m.left(ctx, name, sessions)
	if err == nil {
		fmt.Fprintf(os.Stderr, "%d at once: %d failed, %d lines given twice, %d prompts of %d given nothing; %s\n", atOnce, t.failed, t.twice, t.no, t.prompts, left)
	}
	if err == nil && (t.failed > 0 || t.twice > 0) {
		err = fmt.Errorf("%d calls failed, %d lines were given twice", t.failed, t.twice)
	}
	return err
}

// session is a start, twenty prompts, two summaries, a stop and an end.
func (m machine) session(ctx context.Context, t *tally, agent, session string, facts []notegen.Fact) {
	has := map[string]bool{}
	call := func(event, prompt, summary string) {
		in := hook.Input(agent, event, session, m.dir, prompt)
		if summary != "" {
			var x map[string]any
			_ = json.Unmarshal(in, &x) // it is JSON
			x["compact_summary"] = summary
			in, _ = json.Marshal(x)
		}
		cmd := m.command(ctx, "hook", agent, event)
		cmd.Stdin = bytes.NewReader(in)
		began := time.Now()
		out, err := cmd.Output()
		took := measure.Milliseconds(time.Since(began))
		began = time.Now()
		beside := exec.CommandContext(ctx, "true").Run()
		plain := measure.Milliseconds(time.Since(began))
		text, wrong := hook.Given(agent, event, out)
		t.mu.Lock()
		defer t.mu.Unlock()
		t.hooks, t.beside = append(t.hooks, took), append(t.beside, plain)
		if err != nil || wrong != nil || beside != nil {
			t.failed++
		}
		if event == hook.Prompt && hook.Takes(agent, event) {
			if t.prompts++; text == "" {
				t.no++
			}
		}
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "- ") {
				if has[line] {
					t.twice++
				}
				has[line] = true
			}
		}
	}
	call(hook.SessionStart, "", "")
	for i := range 20 {
		call(hook.Prompt, facts[(len(session)*31+i*7)%len(facts)].Text, "")
	}
	call(hook.PostCompact, "", "First summary of "+session+".")
	call(hook.Stop, "", "")
	call(hook.PostCompact, "", "Second summary of "+session+".")
	call(hook.SessionEnd, "", "")
}

// left tells what the calls left behind. Anything that should not be there is
// an error.
func (m machine) left(ctx context.Context, name string, sessions int) (string, error) {
	running, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		return "", err
	}
	for _, file := range running {
		if line, _ := os.ReadFile(file); strings.HasPrefix(string(line), m.program) { // of a process that has just ended, nothing is read
			return "", fmt.Errorf("a process is left: %q", line)
		}
	}
	waiting, err := filepath.Glob(filepath.Join(m.dir, "state", "*", "hooks", "queue", "*"))
	if err != nil || len(waiting) != 2*sessions+sessions {
		return "", fmt.Errorf("%d items wait, and %d should (%v)", len(waiting), 3*sessions, err)
	}
	for range 2 { // a lock that is still held would make it wait
		ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
		out, err := m.command(ctx, "index").CombinedOutput()
		cancel()
		if err != nil {
			return "", fmt.Errorf("index: %w\n%s", err, out)
		}
	}
	kept := ""
	err = filepath.WalkDir(m.notes, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			var data []byte
			data, err = os.ReadFile(path)
			kept += string(data)
		}
		return err
	})
	if err != nil {
		return "", err
	}
	for n := range sessions {
		for _, which := range []string{"First", "Second"} {
			summary := fmt.Sprintf("%s summary of %s-%d.", which, name, n)
			if times := strings.Count(kept, summary); times != 1 {
				return "", fmt.Errorf("%q is kept %d times", summary, times)
			}
		}
	}
	begun := 0
	err = filepath.WalkDir(filepath.Join(m.dir, "state"), func(path string, d fs.DirEntry, err error) error {
		switch in := filepath.Base(filepath.Dir(path)); {
		case err != nil:
		case in == "sessions" && strings.HasSuffix(path, ".new"):
			begun++ // a later hook takes it away
		case in == "queue" || strings.HasSuffix(path, ".new") || strings.HasSuffix(path, ".bad"):
			err = fmt.Errorf("%s is left", path)
		}
		return err
	})
	problems, _ := hook.Problems(filepath.Join(m.dir, "state")) // none is none
	return fmt.Sprintf("%d summaries are kept once each, no process and no lock is left, %d files were begun by hooks that were given up, %d problems are in the log", 2*sessions, begun, len(problems)), err
}
