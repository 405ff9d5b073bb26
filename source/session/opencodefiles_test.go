package session_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/source/session"
)

// openCodeFiles is a session of OpenCode from before its database, and one of a sub-agent.
var openCodeFiles = map[string]string{
	"storage/session/global/ses_7.json": "{\n  \"id\": \"ses_7\", \"directory\": \"/home/user/harbour\",\n  \"time\": {\"created\": 1772442000000}\n}\n",
	"storage/session/global/ses_8.json": `{"id":"ses_8","parentID":"ses_7"}`,
	"storage/session/global/notes.json": `{}`,
	"storage/message/ses_7/msg_3.json":  `{"id":"msg_3","role":"user","time":{"created":1772442003000}}`,
	"storage/message/ses_7/msg_1.json":  `{"id":"msg_1","role":"user","time":{"created":1772442001000}}`,
	"storage/message/ses_7/msg_2.json":  `{"id":"msg_2","role":"assistant","time":{"created":1772442002000}}`,
	"storage/message/ses_7/msg_4.json":  `{"id":"msg_4","role":"brand-new"}`,
	"storage/message/ses_7/msg_5.json":  `{`,
	"storage/message/ses_8/msg_9.json":  `{"id":"msg_9","role":"user"}`,
	"storage/part/msg_1/prt_1.json":     `{"type":"text","text":"Who paints the buoys? <private>not this</private>"}`,
	"storage/part/msg_2/prt_2.json":     `{"type":"text","text":"Each May."}`,
	"storage/part/msg_2/prt_1.json":     `{"type":"text","text":"Ragnhild does."}`,
	"storage/part/msg_2/prt_0.json":     `{"type":"tool","output":"tool body"}`,
	"storage/part/msg_3/prt_1.json":     `{"type":"text","text":"synthetic","synthetic":true}`,
	"storage/part/msg_3/prt_2.json":     `{"type":"text","text":"谢谢！ The password is Herring!Fjord8"}`,
	"storage/part/msg_9/prt_1.json":     `{"type":"text","text":"of a sub-agent"}`,
}

func TestOpenCodeFiles(t *testing.T) {
	dir := write(t, openCodeFiles)
	src := open(t, session.Options{Agent: "opencode", Dir: dir})
	const id = "sessions/opencode/session/global/ses_7.json"
	if diff := cmp.Diff([]string{id, "sessions/opencode/session/global/ses_8.json"}, ids(t, src)); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
	got, err := src.Session(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	want := session.Session{
		Doc: id, ID: "ses_7", Agent: "opencode", Project: "/home/user/harbour", Title: "Who paints the buoys?", Started: day("2026-03-02T09:00:00Z"), Ended: day("2026-03-02T09:00:03Z"),
		Turns: []session.Turn{short(session.User, "Who paints the buoys?", 3), short(session.Assistant, "Ragnhild does.\n\nEach May.", 4), short(session.User, "谢谢！ The password is [secret: password]", 5)},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(session.Turn{}, "Time"), cmpopts.IgnoreFields(session.Session{}, "Report")); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
	if diff := cmp.Diff(map[string]int{"not readable": 1, "role brand-new": 1}, got.Unknown); diff != "" {
		t.Errorf("unknown: want -, got +:\n%s", diff)
	}
	if x, err := src.Session(t.Context(), "sessions/opencode/session/global/ses_8.json"); err != nil || len(x.Turns) > 0 {
		t.Errorf("of a sub-agent: %+v, %v", x, err)
	}
	for _, id := range []memoir.DocID{"sessions/opencode/session/global/notes.json", "sessions/opencode/session/../ses_7.json", "sessions/opencode/message/ses_7/msg_1.json"} {
		if _, err := src.Read(t.Context(), id); !errors.Is(err, memoir.ErrNotFound) {
			t.Errorf("%s: got %v, want it not found", id, err)
		}
	}

	// Nothing is read through a link, and what was taken back is gone.
	outside := filepath.Join(t.TempDir(), "prt_9.json")
	if err := os.WriteFile(outside, []byte(`{"type":"text","text":"a stranger's"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "storage", "part", "msg_1", "prt_9.json")); err != nil {
		t.Skip("links cannot be made here: ", err)
	}
	if err := os.Symlink(filepath.Dir(outside), filepath.Join(dir, "storage", "part", "msg_4")); err != nil {
		t.Fatal(err)
	}
	session7 := filepath.Join(dir, "storage", "session", "global", "ses_7.json")
	if err := os.WriteFile(session7, []byte(`{"id":"ses_7","revert":{"messageID":"msg_2"}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	x := only7(t, src, id)
	if len(x.Turns) != 1 || x.Turns[0].Text != "Who paints the buoys?" || x.Unknown["not an ordinary file"] != 1 || x.Unknown["not an ordinary folder"] != 1 {
		t.Errorf("got %+v, %v", x.Turns, x.Unknown)
	}
}

func only7(t *testing.T, src *session.Source, id memoir.DocID) session.Session {
	t.Helper()
	x, err := src.Session(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// A session of the database is not listed by its older files, too.
func TestOpenCodeOnce(t *testing.T) {
	dir, _ := made(t, "opencode", fixture(t, "opencode.sql"))
	for _, name := range []string{"ses_1", "ses_7"} {
		path := filepath.Join(dir, "storage", "session", "global", name+".json")
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(`{}`), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"sessions/opencode/ses_1", "sessions/opencode/ses_3", "sessions/opencode/session/global/ses_7.json"}
	if diff := cmp.Diff(want, ids(t, open(t, session.Options{Agent: "opencode", Dir: dir}))); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
}

// FuzzOpenCodeFiles reads any texts as the files of a session.
func FuzzOpenCodeFiles(f *testing.F) {
	dir := write(f, openCodeFiles)
	src := open(f, session.Options{Agent: "opencode", Dir: dir})
	f.Add(openCodeFiles["storage/session/global/ses_7.json"], openCodeFiles["storage/message/ses_7/msg_2.json"], openCodeFiles["storage/part/msg_2/prt_1.json"])
	f.Add(`{"revert":{"messageID":"msg_3"},"parentID":""}`, `{"role":"assistant","summary":true,"time":{"created":"x"}}`, `{"type":"text","text":"<private>"}`)
	f.Fuzz(func(t *testing.T, info, message, part string) {
		for name, text := range map[string]string{"session/global/ses_7": info, "message/ses_7/msg_2": message, "part/msg_2/prt_1": part} {
			if err := os.WriteFile(filepath.Join(dir, "storage", filepath.FromSlash(name)+".json"), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		x, err := src.Session(t.Context(), "sessions/opencode/session/global/ses_7.json")
		if err != nil {
			t.Fatal(err)
		}
		for _, turn := range x.Turns {
			if !utf8.ValidString(turn.Text) || turn.Text == "" || turn.Line < 1 || turn.Line > 5 || strings.Contains(turn.Text, "<private>") {
				t.Errorf("got %+v", turn)
			}
		}
	})
}
