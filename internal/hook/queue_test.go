package hook_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/hook"
	"github.com/memoir-ai/memoir/internal/notebook"
	"github.com/memoir-ai/memoir/internal/prime"
)

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
		{Kind: "session", Agent: "gemini", Event: hook.SessionEnd, Session: "s", At: now},
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

// TestNoSecretInNames: hooks leave no secret of the names of folders, notes and sessions, and
// sessions stay apart. The usual ids of agents stay as they are.
func TestNoSecretInNames(t *testing.T) {
	const key = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
	m := newMachine(t)
	for _, end := range []string{"a", "b"} {
		m.ask(t, "gemini", hook.SessionEnd, `{"session_id":"`+key[:len(key)-1]+end+`","cwd":"/home/ann/`+key+`","transcript_path":"/home/ann/`+key+`/t.jsonl"}`)
	}
	plain := []string{"0f8fad5b-d9cb-469f-a165-70867728950e", "ses_6e2fd1c8bffeX7kQpZbN3rTgYw", "01ARZ3NDEKTSV4RRFFQ69G5FAV", "rollout-2026-03-02T10-00-00-0194f5b2-93d6-7a52", "9f86d081884c7d659a2feaa0c55ad015"}
	for _, id := range plain {
		m.ask(t, "codex", hook.Stop, `{"session_id":"`+id+`"}`)
	}
	for _, e := range must2(os.ReadDir(filepath.Join(m.Dir, "queue"))) {
		if text := string(must(os.ReadFile(filepath.Join(m.Dir, "queue", e.Name())))); strings.Contains(text+e.Name(), key[:12]) {
			t.Errorf("%s: %s", e.Name(), text)
		}
	}
	ids := map[string]bool{}
	for _, item := range drained(t, hook.Queue(m.Dir)) {
		ids[item.Session] = true
	}
	if len(ids) != 2+len(plain) {
		t.Errorf("the sessions are %v", ids)
	}
	for _, id := range plain {
		if !ids[id] {
			t.Errorf("%s is not kept as it is: %v", id, ids)
		}
	}
	m.Open = func(context.Context, bool) (hook.Memory, error) {
		return noted{"MEMORY.md": "# Memory\n\n- Tea is green.\n"}, nil
	}
	for _, end := range []string{"a", "b"} {
		m.ask(t, "claude-code", hook.SessionStart, `{"session_id":"`+key[:len(key)-1]+end+`"}`)
	}
	given := must2(os.ReadDir(filepath.Join(m.Dir, "sessions")))
	for _, e := range given {
		if text := string(must(os.ReadFile(filepath.Join(m.Dir, "sessions", e.Name())))); strings.Contains(text+e.Name(), key[:12]) {
			t.Errorf("%s: %s", e.Name(), text)
		}
	}
	if len(given) != 2 {
		t.Errorf("two sessions were given %v", given)
	}
	state := t.TempDir()
	if err := hook.Log(state, hook.Problem{Agent: "codex", Event: "stop", Workspace: "/home/ann/" + key}, "read memory/"+key+".md: is a folder; "+strings.Repeat("x", 940)+" "+key, "move /home/ann/"+key+" away"); err != nil {
		t.Fatal(err)
	}
	if text := string(must(os.ReadFile(hook.LogFile(state)))); strings.Contains(text, key[:12]) || !strings.Contains(text, "/home/ann/") {
		t.Errorf("the log: %s", text)
	}
}

func must2(entries []os.DirEntry, err error) []os.DirEntry {
	if err != nil {
		panic(err)
	}
	return entries
}
