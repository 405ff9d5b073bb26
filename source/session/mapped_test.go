package session_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/source/session"
)

// bot is a mapping of an agent of our own.
var bot = &session.Mapping{Files: "*/*.jsonl", Role: "author.kind", Text: "body.0.text", Time: "at", Session: "thread", User: []string{"human"}, Assistant: []string{"bot"}}

func TestMapped(t *testing.T) {
	dir := filepath.Join(write(t, map[string]string{"logs/harbour/s.jsonl": fixture(t, "mapped.jsonl"), "logs/s.jsonl": "{}", "logs/a/b/s.jsonl": "{}", "logs/harbour/s.txt": "{}", "s.jsonl": "{}"}), "logs")
	src := open(t, session.Options{Agent: "bot", Dir: dir, Mapping: bot})
	got := only(t, src)
	want := session.Session{
		Doc: "sessions/bot/harbour/s.jsonl", ID: "77777777-gggg", Agent: "bot", Title: "When does the tide turn?", Started: day("2026-03-02T09:00:01Z"), Ended: day("2026-03-02T09:00:02Z"),
		Turns:  []session.Turn{short(session.User, "When does the tide turn?", 1), short(session.Assistant, "At noon.", 2), short(session.User, "Thanks. 谢谢！", 5)},
		Report: session.Report{Sessions: 1, Records: 6, Unknown: map[string]int{"no role at author.kind": 1, "role tool": 1}},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(session.Turn{}, "Time")); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
	if src.Dir() != dir || src.Owns("sessions/bot/s.jsonl") || src.Owns("sessions/bot/../s.jsonl") || !src.Owns(want.Doc) {
		t.Errorf("it is at %s", src.Dir())
	}
}

// The folder may be a link, which the user has named; nothing in it is followed.
func TestLinkedMapping(t *testing.T) {
	dir := write(t, map[string]string{"logs/p/s.jsonl": fixture(t, "mapped.jsonl"), "secret/s.jsonl": fixture(t, "mapped.jsonl")})
	other := t.TempDir()
	err := errors.Join(os.Symlink(filepath.Join(dir, "logs"), filepath.Join(other, "logs")), os.Symlink(filepath.Join("..", "secret"), filepath.Join(dir, "logs", "q")))
	if err != nil && runtime.GOOS != "windows" { // which lets only some users make links
		t.Fatal(err)
	}
	if err != nil {
		t.Skip(err)
	}
	src := open(t, session.Options{Agent: "bot", Dir: filepath.Join(other, "logs"), Mapping: bot})
	if diff := cmp.Diff([]string{"sessions/bot/p/s.jsonl"}, ids(t, src)); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
	if _, err := src.Read(t.Context(), "sessions/bot/p/s.jsonl"); err != nil {
		t.Error(err)
	}
	var skip *memoir.SkipError
	if _, err := src.Read(t.Context(), "sessions/bot/q/s.jsonl"); !errors.As(err, &skip) {
		t.Errorf("got %v", err)
	}
}
