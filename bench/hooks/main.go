// Hooks calls memoir hook as agents do, many at once, beside the program true, and looks
// at what is left: processes, files, what was captured.
//
//	go run ./bench/hooks                 # 1,000 calls of 40 sessions: 2 at once, 2 beside a server that is killed, 40 at once
//	go run ./bench/hooks -tags nomodel   # without the model inside, which links faster
package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"io"
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
	fmt.Print(measure.Opening("hooks") + "| run, at once | calls | | p50 | p99 | longest |\n|---|---|---|---|---|---|\n")
	for _, r := range []round{{"few", *sessions, 2, false}, {"killed", *sessions, 2, true}, {"many", *sessions, *sessions, false}} {
		if err := m.measure(ctx, r, facts); err != nil {
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

// round is a number of sessions, so many of them at once.
type round struct {
	name             string
	sessions, atOnce int
	killed           bool // beside servers that are killed
}

// tally counts what came of the calls.
type tally struct {
	mu            sync.Mutex
	hooks, beside []float64            // milliseconds of each
	agents        map[string][]float64 // of the hooks of each
	failed, twice int                  // calls that ended otherwise than with 0, lines given twice
	prompts, no   int                  // prompts of agents that take something at a prompt, and those of them that were given nothing
}

// measure runs sessions, as many at once as asked for. In each session one call
// follows the other, and after each call comes a call of true. Then it looks at
// what is left.
func (m machine) measure(ctx context.Context, r round, facts []notegen.Fact) error {
	t := tally{agents: map[string][]float64{}}
	var all sync.WaitGroup
	places := make(chan struct{}, r.atOnce)
	agents := hook.Agents()
	for n := range r.sessions {
		all.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			m.session(ctx, &t, agents[n%len(agents)], r.name+"-"+strconv.Itoa(n), facts)
		})
	}
	stop := func() error { return nil }
	if r.killed {
		stop = m.beside(ctx)
	}
	all.Wait()
	if err := stop(); err != nil {
		return err
	}
	for _, row := range []struct {
		what   string
		values []float64
	}{{"memoir hook", t.hooks}, {"true", t.beside}} {
		fmt.Printf("| %s, %d | %d | %s | %.0f ms | %.0f ms | %.0f ms |\n", r.name, r.atOnce, len(row.values), row.what,
			measure.Median(row.values), measure.Percentile(row.values, 99), measure.Percentile(row.values, 100))
	}
	for _, agent := range agents {
		fmt.Fprintf(os.Stderr, "%s, %s: p50 %.0f ms, p99 %.0f ms, longest %.0f ms\n", r.name, agent,
			measure.Median(t.agents[agent]), measure.Percentile(t.agents[agent], 99), measure.Percentile(t.agents[agent], 100))
	}
	left, err := m.left(ctx, r)
	if err == nil {
		fmt.Fprintf(os.Stderr, "%s: %d failed, %d lines given twice, %d prompts of %d given nothing; %s\n", r.name, t.failed, t.twice, t.no, t.prompts, left)
	}
	if err == nil && (t.failed > 0 || t.twice > 0) {
		err = fmt.Errorf("%d calls failed, %d lines were given twice", t.failed, t.twice)
	}
	return err
}

// beside has servers take statements, each killed at its second one, until stop is called.
// Then each statement that was acknowledged has to be there once, and no other one more
// often.
func (m machine) beside(ctx context.Context) (stop func() error) {
	over, done := make(chan struct{}), make(chan error, 1)
	told, killed := map[string]bool{}, 0 // the statements, and whether they were acknowledged
	go func() {
		for {
			select {
			case <-over:
				done <- nil
				return
			default:
			}
			if err := m.killed(ctx, killed, told); err != nil {
				done <- err
				return
			}
			killed++
		}
	}()
	return func() error {
		close(over)
		if err := <-done; err != nil {
			return err
		}
		kept, err := m.text()
		if err != nil {
			return err
		}
		acknowledged := 0
		for text, yes := range told {
			n := strings.Count(kept, text)
			if n > 1 || yes && n != 1 {
				return fmt.Errorf("%q is kept %d times, acknowledged: %t", text, n, yes)
			}
			if yes {
				acknowledged++
			}
		}
		fmt.Fprintf(os.Stderr, "%d servers were killed; %d statements that they acknowledged are kept once each\n", killed, acknowledged)
		return nil
	}
}

// killed starts a server, which is told two statements, and is killed at the second.
func (m machine) killed(ctx context.Context, number int, told map[string]bool) error {
	cmd := m.command(ctx, "mcp")
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return err
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
	}()
	statement := func(which string) string {
		digest := sha256.Sum256(fmt.Append(nil, number, which))
		text := fmt.Sprintf("The pump %x of the harbour needs oil of grade %d every week", digest[:6], number)
		told[text] = false
		return text
	}
	tell := func(id int, text string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"memory_remember","arguments":{"text":%q,"type":"learning"}}}`+"\n", id, text)
	}
	first := statement("first")
	if _, err := io.WriteString(in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`+tell(2, first)); err != nil {
		return err
	}
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var answer struct {
			ID     int
			Result struct{ StructuredContent struct{ Outcome string } }
		}
		if json.Unmarshal(lines.Bytes(), &answer) != nil || answer.ID != 2 {
			continue
		}
		if answer.Result.StructuredContent.Outcome != "added" {
			return fmt.Errorf("%q was not added: %s", first, lines.Text())
		}
		told[first] = true
		_, _ = io.WriteString(in, tell(3, statement("second"))) // it dies at that
		return nil
	}
	return fmt.Errorf("a server ended by itself: %w", lines.Err())
}

// text returns all notes, one after the other.
func (m machine) text() (string, error) {
	var all strings.Builder
	err := filepath.WalkDir(m.notes, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			var data []byte
			data, err = os.ReadFile(path)
			all.Write(data)
		}
		return err
	})
	return all.String(), err
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
		t.agents[agent] = append(t.agents[agent], took)
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
func (m machine) left(ctx context.Context, r round) (string, error) {
	running, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		return "", err
	}
	for _, file := range running {
		if line, _ := os.ReadFile(file); strings.HasPrefix(string(line), m.program) { // of a process that has just ended, nothing is read
			return "", fmt.Errorf("a process is left: %q", line)
		}
	}
	waiting := func(kind string) int {
		names, _ := filepath.Glob(filepath.Join(m.dir, "state", "*", "hooks", "queue", kind+"-*")) // the pattern is right
		return len(names)
	}
	summaries, marks := waiting("summary"), waiting("session")
	if !r.killed && summaries != 2*r.sessions { // servers take what waits
		return "", fmt.Errorf("%d summaries wait, and %d should", summaries, 2*r.sessions)
	}
	for range 2 { // a lock that is still held would make it wait
		ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
		out, err := m.command(ctx, "index").CombinedOutput()
		cancel()
		if err != nil {
			return "", fmt.Errorf("index: %w\n%s", err, out)
		}
	}
	kept, err := m.text()
	if err != nil {
		return "", err
	}
	for n := range r.sessions {
		for _, which := range []string{"First", "Second"} {
			summary := fmt.Sprintf("%s summary of %s-%d.", which, r.name, n)
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
	return fmt.Sprintf("%d summaries are kept once each, %d ends of %d sessions waited, no process and no lock is left, %d files were begun by hooks that were given up, %d problems are in the log", 2*r.sessions, marks, r.sessions, begun, len(problems)), err
}
