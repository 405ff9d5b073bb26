package hook_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/chunk"
	"github.com/memoir-ai/memoir/internal/hook"
	"github.com/memoir-ai/memoir/internal/prime"
)

// stuck is a memory whose index somebody holds for ever, and listens to nobody.
type stuck struct {
	memory
	held chan struct{}
}

func (s stuck) Recall(ctx context.Context, opts engine.RecallOptions) (engine.Primed, error) {
	<-s.held
	return engine.Primed{}, errors.New("too late")
}

// TestLimit: whatever does not answer, a hook ends in time, by a clock of the test's own;
// what the notes say without their index is given still.
func TestLimit(t *testing.T) {
	const search = 80 * time.Millisecond
	for name, tt := range map[string]struct {
		open  func(m *machine, held chan struct{}) func(context.Context, bool) (hook.Memory, error)
		input bool // the agent sends nothing more
		gives string
	}{
		"the index cannot be opened": {open: func(m *machine, held chan struct{}) func(context.Context, bool) (hook.Memory, error) {
			return func(_ context.Context, words bool) (hook.Memory, error) {
				if words {
					<-held
					return nil, errors.New("too late")
				}
				return memory{asked: &m.asked}, nil
			}
		}, gives: "Tea is green"},
		"the index does not answer": {open: func(m *machine, held chan struct{}) func(context.Context, bool) (hook.Memory, error) {
			return func(_ context.Context, words bool) (hook.Memory, error) {
				if words {
					return stuck{held: held}, nil
				}
				return memory{asked: &m.asked}, nil
			}
		}, gives: "Tea is green"},
		"nothing answers": {open: func(_ *machine, held chan struct{}) func(context.Context, bool) (hook.Memory, error) {
			return func(context.Context, bool) (hook.Memory, error) {
				<-held
				return nil, errors.New("too late")
			}
		}},
		"the agent goes on sending": {input: true},
	} {
		for _, agent := range hook.Agents() {
			for _, event := range hook.Events() {
				t.Run(name+"/"+agent+"/"+event, func(t *testing.T) {
					m := newMachine(t)
					synctest.Test(t, func(t *testing.T) {
						held := make(chan struct{})
						m.SearchTime = search
						if tt.open != nil {
							m.Open = tt.open(m, held)
						}
						var in io.Reader = strings.NewReader(`{"session_id":"s","prompt":"tea","compact_summary":"x"}`)
						if tt.input {
							reader, writer := io.Pipe()
							go func() {
								<-held
								writer.Close()
							}()
							in = reader
						}
						began := time.Now()
						var out strings.Builder
						err := hook.Answer(t.Context(), agent, event, in, &out, m.Options)
						limit := time.Second
						switch event {
						case hook.Prompt:
							limit = 200 * time.Millisecond
						case hook.PostCompact:
							limit = 5 * time.Second
						}
						if took := time.Since(began); took > limit {
							t.Errorf("it took %v, and may take %v", took, limit)
						}
						waited := tt.input || event == hook.SessionStart && name == "nothing answers" || event == hook.Prompt
						if waited && (err == nil || !strings.Contains(memoir.Hint(err), "hook.searchTime")) { // memoir doctor shows the hint
							t.Errorf("nobody is told: %v", err)
						}
						if !waited && err != nil {
							t.Error(err)
						}
						if event == hook.Prompt && hook.Takes(agent, event) && !strings.Contains(out.String(), tt.gives) {
							t.Errorf("it gave %q", out.String())
						}
						if _, err := hook.Given(agent, event, []byte(out.String())); err != nil && event != hook.PreCompact {
							t.Error(err)
						}
						close(held)
						synctest.Wait()
					})
				})
			}
		}
	}
}

// lingering is a memory that is long in closing, as when a vector is late.
type lingering struct {
	memory
	held chan struct{}
}

func (l lingering) Close() error {
	<-l.held
	return nil
}

// TestLateClose: what was found is given, even if the memory cannot be closed.
func TestLateClose(t *testing.T) {
	m := newMachine(t)
	m.SearchTime = 80 * time.Millisecond
	synctest.Test(t, func(t *testing.T) {
		held := make(chan struct{})
		m.Open = func(context.Context, bool) (hook.Memory, error) {
			return lingering{memory{asked: &m.asked}, held}, nil
		}
		if out := m.ask(t, "claude-code", hook.Prompt, `{"session_id":"s","prompt":"tea"}`); !strings.Contains(out, "Tea is green") {
			t.Errorf("gave %q", out)
		}
		if len(m.asked) != 1 {
			t.Errorf("asked %d times", len(m.asked))
		}
		close(held)
		synctest.Wait()
	})
}

// TestLateSummary: a summary that takes two seconds to arrive, as on a machine that others
// keep busy, is kept, for no agent tells it again.
func TestLateSummary(t *testing.T) {
	m := newMachine(t)
	m.SearchTime = 80 * time.Millisecond
	synctest.Test(t, func(t *testing.T) {
		reader, writer := io.Pipe()
		go func() {
			<-time.After(2 * time.Second) // by the clock of the test
			_, _ = writer.Write([]byte(`{"session_id":"s","compact_summary":"Postgres it is."}`))
			writer.Close()
		}()
		if err := hook.Answer(t.Context(), "claude-code", hook.PostCompact, reader, io.Discard, m.Options); err != nil {
			t.Error(err)
		}
	})
	if q := hook.Queue(m.Dir); q.Len() != 1 {
		t.Errorf("%d items wait", q.Len())
	}
}

// TestAdopt: an item that a hook wrote whole and could not put in its place, because it
// was killed, is done once; a part of one goes, and what another hook writes now stays.
func TestAdopt(t *testing.T) {
	m := newMachine(t)
	for _, in := range []string{`{"session_id":"a","compact_summary":"one"}`, `{"session_id":"b","compact_summary":"two"}`} {
		m.ask(t, "claude-code", hook.PostCompact, in)
	}
	dir := filepath.Join(m.Dir, "queue")
	items, err := os.ReadDir(dir)
	if err != nil || len(items) != 2 {
		t.Fatalf("%v, %v", items, err)
	}
	one := must(os.ReadFile(filepath.Join(dir, items[0].Name())))
	if err := os.Rename(filepath.Join(dir, items[0].Name()), filepath.Join(dir, "."+items[0].Name()+".0000abcd.new")); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		".x.json.00000001.new": string(one[:len(one)/2]), ".x.json.00000002.new": string(must(os.ReadFile(filepath.Join(dir, items[1].Name())))),
		".x.json.00000003.new": "{}", ".x.json.00000004.new": "", ".note": "somebody's",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	q := hook.Queue(m.Dir)
	if err := q.Adopt(time.Now()); err != nil || q.Len() != 1 {
		t.Errorf("what is written now was taken: %v, %d wait", err, q.Len())
	}
	for range 2 {
		if err := q.Adopt(time.Now().Add(time.Hour)); err != nil || q.Len() != 2 {
			t.Errorf("%v, %d wait", err, q.Len())
		}
	}
	told := map[string]int{}
	for _, item := range drained(t, q) {
		told[item.Text]++
	}
	if told["one"] != 1 || told["two"] != 1 || len(told) != 2 {
		t.Errorf("done were %v", told)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 || left[0].Name() != ".note" {
		t.Errorf("left are %v, %v", left, err)
	}
	if err := (hook.Queue(t.TempDir())).Adopt(time.Now()); err != nil {
		t.Error(err)
	}
}

// TestUnfinishedSession: what a hook was writing of a session when it was given up goes
// with a later one.
func TestUnfinishedSession(t *testing.T) {
	m := newMachine(t)
	m.ask(t, "codex", hook.SessionStart, `{"session_id":"1"}`)
	dir := filepath.Join(m.Dir, "sessions")
	before, now := filepath.Join(dir, ".codex-1.json.0000abcd.new"), filepath.Join(dir, ".codex-1.json.0000abce.new")
	for _, path := range []string{before, now} {
		if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(before, old, old); err != nil {
		t.Fatal(err)
	}
	m.ask(t, "codex", hook.SessionStart, `{"session_id":"2"}`)
	if _, err := os.Lstat(before); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it is left: %v", err)
	}
	if _, err := os.Lstat(now); err != nil {
		t.Error(err)
	}
}

// TestItemAgain: a summary that was kept when the process that drains was killed is not
// kept again.
func TestItemAgain(t *testing.T) {
	m := newMachine(t)
	m.ask(t, "claude-code", hook.PostCompact, `{"session_id":"s","compact_summary":"Postgres it is."}`)
	killed, done := errors.New("killed"), []string{}
	q := hook.Queue(m.Dir)
	for _, fails := range []error{killed, nil, nil} {
		_ = q.Drain(t.Context(), func(item hook.Item) error {
			done = append(done, item.Text)
			return fails
		})
	}
	if len(done) != 2 || q.Len() != 0 {
		t.Errorf("done were %q, %d wait", done, q.Len())
	}
}

// TestRecalledSession: over a session of prompts in two languages, nothing is given that
// is in its context already, and never more than 600 tokens at once.
func TestRecalledSession(t *testing.T) {
	var memory, found strings.Builder
	memory.WriteString("# Memory\n\n- Backups run at night. <!-- trigger: backup -->\n- 备份在夜里运行。 <!-- trigger: 备份 -->\n")
	for i := range 300 {
		word := string(rune('a'+i%26)) + string(rune('a'+i/26))
		found.WriteString("- The harbour master of " + word + " keeps the tide tables in the blue cabinet behind the door.\n- 港务长 " + word + " 把潮汐表放在门后的蓝色柜子里,每天早上核对一次。\n")
	}
	m := newMachine(t)
	notes := map[string]string{"MEMORY.md": memory.String()}
	read := func(path string) (string, error) {
		if text, ok := notes[path]; ok {
			return text, nil
		}
		return "", os.ErrNotExist
	}
	m.Open = func(context.Context, bool) (hook.Memory, error) { return passages{read, found.String()}, nil }
	for _, agent := range hook.Agents() {
		context := map[string]bool{} // lines that the session has
		tell := func(event, in string) int {
			text, err := hook.Given(agent, event, []byte(m.ask(t, agent, event, in)))
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for line := range strings.Lines(text) {
				if !strings.HasPrefix(line, "- ") {
					continue
				}
				if context[line] {
					t.Errorf("%s: %q was given twice", agent, line)
				}
				context[line] = true
				n++
			}
			if tokens := chunk.Tokens(text); event == hook.Prompt && tokens > prime.RecallMaxTokens {
				t.Errorf("%s was given %d tokens at a prompt", agent, tokens)
			}
			return n
		}
		if n := tell(hook.SessionStart, `{"session_id":"s","source":"startup"}`); n != 2 {
			t.Errorf("%s: the start gave %d lines", agent, n)
		}
		lines := 0
		for range 5 {
			for _, words := range []string{"when does the backup run, and who has the tide tables?", "备份什么时候运行?潮汐表在谁那里?"} {
				prompt, _ := json.Marshal(map[string]string{"session_id": "s", "prompt": words})
				n := tell(hook.Prompt, string(prompt))
				if hook.Takes(agent, hook.Prompt) && n == 0 {
					t.Errorf("%s: nothing more was given", agent)
				}
				lines += n
			}
		}
		if hook.Takes(agent, hook.Prompt) && lines < 50 {
			t.Errorf("%s: prompts gave %d lines", agent, lines)
		}
	}
}

// passages finds one long passage for every message.
type passages struct {
	read func(string) (string, error)
	text string
}

func (p passages) options() prime.Options {
	return prime.Options{Notes: prime.Notes{Read: p.read}, Now: now}
}

func (p passages) Prime(ctx context.Context, _ engine.PrimeOptions) (engine.Primed, error) {
	return prime.Choose(ctx, p.options())
}

func (p passages) Recall(ctx context.Context, opts engine.RecallOptions) (engine.Primed, error) {
	o := p.options()
	o.Message, o.MaxTokens = opts.Message, opts.MaxTokens
	return prime.Recall(ctx, prime.RecallOptions{Options: o, Given: opts.Given, Passages: []prime.Passage{{Path: "x.md", StartLine: 1, Text: p.text}}})
}

func (passages) Close() error { return nil }
