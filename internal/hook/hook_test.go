package hook_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/hook"
	"github.com/memoir-ai/memoir/internal/notebook"
	"github.com/memoir-ai/memoir/internal/prime"
)

var now = time.Date(2026, 3, 2, 14, 32, 0, 0, time.Local)

// memory answers with two lines, of which it leaves out what was given.
type memory struct {
	asked  *[]engine.RecallOptions
	search error
}

func text(lines ...string) engine.Primed {
	if len(lines) == 0 {
		return engine.Primed{}
	}
	return engine.Primed{Text: prime.Begin("") + "\n" + strings.Join(lines, "\n") + "\n" + prime.End + "\n"}
}

func (memory) Prime(context.Context, engine.PrimeOptions) (engine.Primed, error) {
	return text("- Ann <b>\"&\"</b> 林梅"), nil
}

func (m memory) Recall(_ context.Context, opts engine.RecallOptions) (engine.Primed, error) {
	*m.asked = append(*m.asked, opts)
	var lines []string
	for _, line := range []string{"- Ann <b>\"&\"</b> 林梅", "- Tea is green"} {
		if !opts.Given(line) {
			lines = append(lines, line)
		}
	}
	return text(lines...), m.search
}

func (memory) Close() error { return nil }

type machine struct {
	hook.Options
	asked  []engine.RecallOptions
	opened int
}

func newMachine(t *testing.T) *machine {
	m := &machine{}
	m.Options = hook.Options{
		Dir: filepath.Join(t.TempDir(), "hooks"), SearchTime: time.Minute, Now: func() time.Time { return now },
		Open: func(context.Context, bool) (hook.Memory, error) {
			m.opened++
			return memory{asked: &m.asked}, nil
		},
	}
	return m
}

func (m *machine) answer(t *testing.T, agent, event, in string) (string, error) {
	t.Helper()
	var out strings.Builder
	err := hook.Answer(t.Context(), agent, event, strings.NewReader(in), &out, m.Options)
	return out.String(), err
}

// ask answers without an error.
func (m *machine) ask(t *testing.T, agent, event, in string) string {
	t.Helper()
	out, err := m.answer(t, agent, event, in)
	if err != nil {
		t.Errorf("%s %s: %v", agent, event, err)
	}
	return out
}

// TestGiven: nothing is given twice in a session, in each session anew, and again
// after it was compacted.
func TestGiven(t *testing.T) {
	m := newMachine(t)
	const start, message = `{"session_id":"林/../1"}`, `{"session_id":"林/../1","prompt":" tea "}`
	steps := []struct{ event, in, has, lacks string }{
		{hook.SessionStart, start, "Ann", "Tea"},
		{hook.Prompt, message, "Tea", "Ann"},
		{hook.Prompt, message, "", "Tea"},
		{hook.Prompt, `{"session_id":"2","prompt":"tea"}`, "Ann", ""},
		{hook.Prompt, `{"prompt":"tea"}`, "Ann", ""},
		{hook.Prompt, `{"prompt":"tea"}`, "Ann", ""}, // nobody knows which session it is
		{hook.SessionStart, `{"session_id":"林/../1","source":"resume"}`, "", "Ann"},
		{hook.Prompt, message, "", "Tea"},
		{hook.SessionStart, `{"session_id":"3","source":"resume"}`, "Ann", ""},
		{hook.SessionStart, `{"session_id":"林/../1","source":"compact"}`, "Ann", ""},
		{hook.Prompt, message, "Tea", "Ann"},
		{hook.SessionStart, `{"session_id":"林/../1","source":"clear"}`, "Ann", ""},
	}
	for i, s := range steps {
		out := m.ask(t, "claude-code", s.event, s.in)
		if s.has == "" && out != "" || !strings.Contains(out, s.has) || s.lacks != "" && strings.Contains(out, s.lacks) {
			t.Errorf("step %d gave %q", i, out)
		}
	}
	if m.asked[0].Message != "tea" || m.asked[0].MaxTokens != 0 {
		t.Errorf("asked %+v", m.asked[0])
	}
}

// TestHostileInput: whatever an agent sends, a start gives the notes, what is printed
// is whole, and what was wrong is said.
func TestHostileInput(t *testing.T) {
	for name, tt := range map[string]struct {
		in    string
		wrong bool
	}{
		"nothing":       {"", false},
		"white space":   {" \n\t", false},
		"null":          {"null", false},
		"an array":      {"[1,2]", true},
		"a word":        {"hello", true},
		"half":          {`{"session_id":"s`, true},
		"not UTF-8":     {"{\"session_id\":\"\xff\xfe\"}", false},
		"other types":   {`{"session_id":5,"source":{},"prompt":[],"cwd":null}`, false},
		"more behind":   {`{"session_id":"s"} and more`, false},
		"deep":          {`{"a":` + strings.Repeat("[", 100_000), true},
		"huge":          {`{"session_id":"s","x":"` + strings.Repeat("x", 9<<20) + `"}`, true},
		"a long name":   {`{"session_id":"` + strings.Repeat("../", 100_000) + `"}`, false},
		"a nul":         {`{"session_id":"a\u0000b"}`, false},
		"a mark":        {"\ufeff{\"session_id\":\"s\"}", false}, // as PowerShell puts before a text
		"a mark alone":  {"\ufeff", false},
		"a foreign one": {`{"jsonrpc":"2.0","id":1,"method":"initialize"}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			for _, event := range hook.Events() {
				m := newMachine(t)
				out, err := m.answer(t, "codex", event, tt.in)
				if (err != nil) != tt.wrong {
					t.Errorf("%s: %v", event, err)
				}
				if event == hook.SessionStart && !json.Valid([]byte(out)) || event != hook.SessionStart && out != "" {
					t.Errorf("%s printed %.200q", event, out)
				}
			}
		})
	}
}

// TestLongPrompt: of a pasted log the first words count.
func TestLongPrompt(t *testing.T) {
	m := newMachine(t)
	for i, word := range []string{"潮水很高 ", "🫖", "tea "} {
		in, _ := json.Marshal(map[string]string{"prompt": strings.Repeat(word, 200_000)})
		m.ask(t, "gemini", hook.Prompt, string(in))
		if got := len([]rune(m.asked[i].Message)); got != 2000 {
			t.Errorf("%s: %d characters were asked for", word, got)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, words := range [][2]string{{"clippy", hook.Prompt}, {"codex", "tea"}, {"", ""}} {
		out, err := newMachine(t).answer(t, words[0], words[1], "{}")
		if !errors.Is(err, memoir.ErrInvalid) || memoir.Hint(err) == "" || out != "" {
			t.Errorf("%q: %q, %v", words, out, err)
		}
	}

	gone := errors.New("there is no workspace")
	m := newMachine(t)
	m.Open = func(context.Context, bool) (hook.Memory, error) { return nil, gone }
	for _, event := range []string{hook.SessionStart, hook.Prompt} {
		if out, err := m.answer(t, "codex", event, `{"prompt":"tea"}`); !errors.Is(err, gone) || out != "" {
			t.Errorf("%s: %q, %v", event, out, err)
		}
	}

	// Where there is no index, the notes answer, and it is said.
	m = newMachine(t)
	m.Open = func(_ context.Context, words bool) (hook.Memory, error) {
		if words {
			return nil, gone
		}
		return memory{asked: &m.asked}, nil
	}
	if out, err := m.answer(t, "codex", hook.Prompt, `{"prompt":"tea"}`); !errors.Is(err, gone) || !strings.Contains(out, "Tea") {
		t.Errorf("%q, %v", out, err)
	}

	// What the triggers call is given, though the search came to no end.
	m = newMachine(t)
	m.Open = func(context.Context, bool) (hook.Memory, error) {
		return memory{&m.asked, fmt.Errorf("search: %w", context.DeadlineExceeded)}, nil
	}
	out, err := m.answer(t, "codex", hook.Prompt, `{"session_id":"s","prompt":"tea"}`)
	if !strings.Contains(out, "Tea") || err == nil || !strings.Contains(memoir.Hint(err), "hook.searchTime") {
		t.Errorf("%q, %v", out, err)
	}
}

// TestNoRoom: where nothing can be kept, a session is answered all the same.
func TestNoRoom(t *testing.T) {
	m := newMachine(t)
	if err := os.WriteFile(m.Dir, nil, 0o600); err != nil { // a file in the place of the folder
		t.Fatal(err)
	}
	for _, event := range []string{hook.SessionStart, hook.Prompt, hook.Stop, hook.PostCompact} {
		out, err := m.answer(t, "codex", event, `{"session_id":"s","prompt":"tea","compact_summary":"x"}`)
		if err == nil || (event == hook.SessionStart || event == hook.Prompt) && !json.Valid([]byte(out)) {
			t.Errorf("%s: %q, %v", event, out, err)
		}
	}
}

// failing takes no more than a few bytes.
type failing struct{ io.Writer }

func (failing) Write([]byte) (int, error) { return 0, errors.New("the agent is gone") }

// TestNobodyReads: what could not be printed was not given.
func TestNobodyReads(t *testing.T) {
	m := newMachine(t)
	if err := hook.Answer(t.Context(), "codex", hook.SessionStart, strings.NewReader(`{"session_id":"s"}`), failing{}, m.Options); err == nil {
		t.Error("no error")
	}
	if out := m.ask(t, "codex", hook.SessionStart, `{"session_id":"s","source":"resume"}`); out == "" {
		t.Error("it counts as given")
	}
}

func drained(t *testing.T, q hook.Queue) []hook.Item {
	t.Helper()
	var items []hook.Item
	if err := q.Drain(t.Context(), func(i hook.Item) error { items = append(items, i); return nil }); err != nil {
		t.Error(err)
	}
	return items
}

// TestQueueHoldsNoSecrets: a secret is masked before it waits in a file, also one that the
// end of a long summary would cut in two.
func TestQueueHoldsNoSecrets(t *testing.T) {
	for _, before := range []int{0, 1 << 10, 256<<10 - 30, 256<<10 - 20} {
		m := newMachine(t)
		text := strings.Repeat("word ", before/5) + "\nThe password is Hx7-quokka-Z92!"
		m.ask(t, "claude-code", hook.PostCompact, fmt.Sprintf(`{"session_id":"s","compact_summary":%q}`, text))
		got := drained(t, hook.Queue(m.Dir))
		if len(got) != 1 || !strings.Contains(got[0].Text, "word ") && before > 0 || strings.Contains(got[0].Text, "Hx7") || len(got[0].Text) > 256<<10 {
			t.Errorf("%d bytes before it: %d items, the last bytes %q", before, len(got), got[0].Text[max(0, len(got[0].Text)-60):])
		}
	}
}

// TestSummaryWithoutDraft: of what Claude Code's model answered the summary is kept, and never
// lost.
func TestSummaryWithoutDraft(t *testing.T) {
	for _, x := range []struct{ given, want string }{
		{"<analysis>\ndraft\n</analysis>\n\n<summary>\n1. Intent: tea\n</summary>", "1. Intent: tea"},
		{"<ANALYSIS>draft</Analysis><Summary>S</SUMMARY>", "S"},
		{"Here it is:\n<analysis>draft</analysis>\n<summary>S</summary>\nThat is all.", "Here it is:\n\nS\nThat is all."},
		{"<analysis>a <analysis>b</analysis> c</analysis><summary>S <summary>T</summary> U</summary>", "S <summary>T</summary> U"},
		{"<analysis>draft</analysis>\nThe summary without tags", "The summary without tags"},
		{"<summary>决定用 Postgres。</summary>", "决定用 Postgres。"},
		{"<analysis kind=\"x\">draft</analysis><summary lang=en>S</summary>", "S"},
		// In doubt everything is kept.
		{"<analysis>draft <summary>S</summary>", "<analysis>draft <summary>S</summary>"},
		{"<analysis>only a draft</analysis>", "<analysis>only a draft</analysis>"},
		{"<analysis>draft</analysis><summary>the end is miss", "<summary>the end is miss"},
		{"<analysis>draft</analysis><summary> </summary>", "<analysis>draft</analysis><summary> </summary>"},
		{"<analysis>draft</analysis", "<analysis>draft</analysis"},
		{"We parse `<analysis>` and </analysis> in hook.go, then <summary>x</summary>.", "We parse `<analysis>` and </analysis> in hook.go, then <summary>x</summary>."},
		{"<summary>", "<summary>"},
		{"</summary></analysis>", "</summary></analysis>"},
	} {
		m := newMachine(t)
		m.ask(t, "claude-code", hook.PostCompact, fmt.Sprintf(`{"session_id":"s","compact_summary":%s}`, marshalled(t, x.given)))
		if got := drained(t, hook.Queue(m.Dir)); len(got) != 1 || got[0].Text != x.want {
			t.Errorf("%q:\ngot %+v\nwant %q", x.given, got, x.want)
		}
	}
}

// marshalled returns a text as JSON.
func marshalled(t *testing.T, text string) []byte {
	t.Helper()
	data, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestQueue(t *testing.T) {
	m := newMachine(t)
	q := hook.Queue(m.Dir)
	if got := drained(t, q); len(got) != 0 || q.Len() != 0 {
		t.Errorf("an empty queue has %v", got)
	}
	const end = `{"session_id":"s","transcript_path":"/t.jsonl","cwd":"/p"}`
	for _, event := range []string{hook.Stop, hook.Stop, hook.SessionEnd} {
		m.ask(t, "gemini", event, end)
	}
	for _, s := range []string{"one", "two", "one", "  "} {
		m.ask(t, "claude-code", hook.PostCompact, `{"session_id":"s","compact_summary":"`+s+`"}`)
	}
	failed := errors.New("the disk is full")
	if err := q.Drain(t.Context(), func(hook.Item) error { return failed }); !errors.Is(err, failed) || q.Len() != 3 {
		t.Errorf("%v; %d wait", err, q.Len())
	}
	got := drained(t, q)
	want := []hook.Item{
		{Kind: "session", Agent: "gemini", Event: hook.SessionEnd, Session: "s", At: now, Folder: "/p", Transcript: "/t.jsonl"},
		{Kind: "summary", Agent: "claude-code", Event: hook.PostCompact, Session: "s", At: now, Text: "one"},
		{Kind: "summary", Agent: "claude-code", Event: hook.PostCompact, Session: "s", At: now, Text: "two"},
	}
	slices.SortFunc(got, func(a, b hook.Item) int { return strings.Compare(a.Kind+a.Text, b.Kind+b.Text) })
	if diff := cmp.Diff(want, got); diff != "" || q.Len() != 0 {
		t.Errorf("%d wait; (-want +got):\n%s", q.Len(), diff)
	}
}

// TestQueueIsBounded: a full queue takes no more, and says so; what waits stays.
func TestQueueIsBounded(t *testing.T) {
	m := newMachine(t)
	m.ask(t, "codex", hook.Stop, `{"session_id":"7"}`)
	fill(t, filepath.Join(m.Dir, "queue"), 255)
	_, failed := m.answer(t, "codex", hook.Stop, `{"session_id":"8"}`)
	if n := hook.Queue(m.Dir).Len(); n != 256 || failed == nil || !strings.Contains(memoir.Hint(failed), "memoir index") {
		t.Errorf("%d wait; %v", n, failed)
	}
	m.ask(t, "codex", hook.Stop, `{"session_id":"7"}`) // which waits already
}

// fill writes so many files.
func fill(t *testing.T, dir string, n int) {
	t.Helper()
	for i := range n {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("session-%d.json", i)), []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestForeignItem: what is no item is set aside and not lost.
func TestForeignItem(t *testing.T) {
	m := newMachine(t)
	m.ask(t, "codex", hook.Stop, `{"session_id":"s"}`)
	file := filepath.Join(m.Dir, "queue", "x.json")
	if err := os.WriteFile(file, []byte("half of"), 0o600); err != nil {
		t.Fatal(err)
	}
	q := hook.Queue(m.Dir)
	n := 0
	if err := q.Drain(t.Context(), func(hook.Item) error { n++; return nil }); err == nil || n != 1 || q.Len() != 0 {
		t.Errorf("%v; %d done, %d wait", err, n, q.Len())
	}
	if text, err := os.ReadFile(file + ".bad"); err != nil || string(text) != "half of" {
		t.Errorf("%q, %v", text, err)
	}
}

// TestUnknownItem: work of a kind that a newer memoir knows is not lost, nor is an object
// that is no work.
func TestUnknownItem(t *testing.T) {
	for _, text := range []string{`{"kind":"dream","agent":"codex","text":"to be kept"}`, "{}", "null"} {
		m := newMachine(t)
		m.ask(t, "codex", hook.Stop, `{"session_id":"s"}`)
		file := filepath.Join(m.Dir, "queue", "x.json")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		q := hook.Queue(m.Dir)
		if err := q.Drain(t.Context(), func(hook.Item) error { return nil }); err == nil || q.Len() != 0 {
			t.Errorf("%s: %v, %d wait", text, err, q.Len())
		}
		if got, err := os.ReadFile(file + ".bad"); err != nil || string(got) != text {
			t.Errorf("%s: %q, %v", text, got, err)
		}
	}
}

// TestLinkedQueue: nothing is taken for work, moved or removed where a link leads.
func TestLinkedQueue(t *testing.T) {
	for _, linked := range []string{"", "queue"} {
		m := newMachine(t)
		outside := t.TempDir()
		own := map[string]string{"a.json": `{"kind":"session"}`, "b.json": "mine", ".c.new": "mine too"}
		below := filepath.Join(outside, strings.TrimPrefix("queue", linked))
		for name, text := range own {
			if err := errors.Join(os.MkdirAll(below, 0o700), os.WriteFile(filepath.Join(below, name), []byte(text), 0o600), os.Chtimes(filepath.Join(below, name), now, now)); err != nil {
				t.Fatal(err)
			}
		}
		link := filepath.Join(m.Dir, linked)
		if err := errors.Join(os.MkdirAll(filepath.Dir(link), 0o700), os.Symlink(outside, link)); err != nil {
			t.Skip(err)
		}
		q := hook.Queue(m.Dir)
		if err := q.Adopt(time.Now().Add(time.Hour)); err == nil {
			t.Errorf("%q: taken in without a word", linked)
		}
		if err := q.Drain(t.Context(), func(i hook.Item) error { t.Errorf("%q: got %+v", linked, i); return nil }); err == nil || q.Len() != 0 {
			t.Errorf("%q: %v, %d wait", linked, err, q.Len())
		}
		for name, text := range own {
			if got, err := os.ReadFile(filepath.Join(below, name)); err != nil || string(got) != text {
				t.Errorf("%q: %s is %q now, %v", linked, name, got, err)
			}
		}
	}
}

// TestKeep: a summary is kept once, without secrets and without what memoir gave, and
// what a person wrote beside it stays.
func TestKeep(t *testing.T) {
	dir := t.TempDir()
	notes, err := notebook.Open(filepath.Join(dir, "notes"), filepath.Join(dir, "state"), notebook.Options{})
	if err := errors.Join(err, os.Mkdir(filepath.Join(dir, "notes"), 0o777)); err != nil {
		t.Fatal(err)
	}
	item := hook.Item{Kind: "summary", Agent: "claude-code", Session: "s", At: now,
		Text: "# Summary\r\nThe password is Herring!Fjord8. 决定用 Postgres。\n" + prime.Begin("") + "\n- given\n" + prime.End + "\nThe end.\n"}
	keep := func(i hook.Item) string {
		if err := hook.Keep(t.Context(), notes, i, filepath.Join(dir, "state")); err != nil {
			t.Fatal(err)
		}
		found, _ := filepath.Glob(filepath.Join(dir, "notes", "memory", "2026-03-02-claude-code-*.md"))
		if len(found) != 1 {
			t.Fatalf("%d notes", len(found))
		}
		text, err := os.ReadFile(found[0])
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	want := "# Session with claude-code, 2026-03-02\n\n## Compacted at 14:32\n\n# Summary\r\nThe password is [secret: password]. 决定用 Postgres。\n\nThe end.\n"
	for range 2 {
		if diff := cmp.Diff(want, keep(item)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	item.Text = "Second."
	if got := keep(item); got != want+"\n## Compacted at 14:32\n\nSecond.\n" {
		t.Errorf("got %q", got)
	}
	item.Session, item.Text = "other", prime.Begin("")+"only what was given"
	if err := hook.Keep(t.Context(), notes, item, filepath.Join(dir, "state")); err != nil {
		t.Error(err)
	}
}

// TestSessionsAreForgotten: not more is known than of so many sessions.
func TestSessionsAreForgotten(t *testing.T) {
	m := newMachine(t)
	m.ask(t, "codex", hook.SessionStart, `{"session_id":"1"}`)
	fill(t, filepath.Join(m.Dir, "sessions"), 70)
	m.ask(t, "codex", hook.SessionStart, `{"session_id":"2"}`)
	entries, err := os.ReadDir(filepath.Join(m.Dir, "sessions"))
	if err != nil || len(entries) != 64 {
		t.Errorf("%d sessions, %v", len(entries), err)
	}
}

// TestDrop: what was kept of a session that is forgotten by then goes with its history, and
// that of another session stays.
func TestDrop(t *testing.T) {
	dir := t.TempDir()
	notes, err := notebook.Open(filepath.Join(dir, "notes"), filepath.Join(dir, "state"), notebook.Options{})
	if err := errors.Join(err, os.Mkdir(filepath.Join(dir, "notes"), 0o777)); err != nil {
		t.Fatal(err)
	}
	gone := hook.Item{Kind: "summary", Agent: "codex", Session: "s", At: now, Text: "# The whale\n\nIt is white."}
	other := hook.Item{Kind: "summary", Agent: "codex", Session: "t", At: now, Text: "The dolphin."}
	for _, err := range []error{hook.Keep(t.Context(), notes, gone, filepath.Join(dir, "state")), hook.Keep(t.Context(), notes, other, filepath.Join(dir, "state")), hook.Drop(t.Context(), notes, gone), hook.Drop(t.Context(), notes, gone)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	found, _ := filepath.Glob(filepath.Join(dir, "notes", "memory", "*.md"))
	history := must(os.ReadFile(filepath.Join(dir, "state", "history.jsonl")))
	if len(found) != 1 || !strings.Contains(string(must(os.ReadFile(found[0]))), "dolphin") || strings.Contains(string(history), "whale") {
		t.Errorf("left are %q, and the history is\n%s", found, history)
	}
}

func TestLog(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	if got, err := hook.Problems(state); len(got) != 0 || err != nil {
		t.Errorf("%v, %v", got, err)
	}
	long := strings.Repeat("林", 1000)
	for i := range 200 {
		if err := hook.Log(state, hook.Problem{At: now.Add(time.Duration(i)), Agent: "codex", Event: "stop"}, fmt.Sprint(i, long), "memoir index"); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(hook.LogFile(state), append(must(os.ReadFile(hook.LogFile(state))), "no line\n{}\n"...), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := hook.Problems(state)
	if err != nil || len(got) < 20 || len(got) >= 200 || !strings.HasPrefix(got[len(got)-1].Message, "199林") || got[0].Action != "memoir index" {
		t.Errorf("%d problems, %v", len(got), err)
	}
	if info, err := os.Stat(hook.LogFile(state)); err != nil || info.Size() > 80<<10 {
		t.Errorf("%v, %v", info, err)
	}
}

func must(data []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return data
}
