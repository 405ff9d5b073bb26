package session_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir/source/session"
)

// The editor's database stands in another folder than the transcripts of its agent. A
// session that is in both is one.
func TestCursorInTwoPlaces(t *testing.T) {
	database, _ := made(t, "cursor", fixture(t, "cursor.sql"))
	const folder = "projects/home-user-harbour/agent-transcripts/"
	line := `{"role":"user","message":{"content":[{"type":"text","text":"Which key?"}]}}` + "\n"
	dir := write(t, map[string]string{folder + "c1/c1.jsonl": line, folder + "c4.jsonl": line, folder + "s/s.jsonl": line})
	want := map[string][]string{
		"sessions/cursor/c1": {"user 1 Who paints the buoys?", "assistant 3 Ragnhild does.", "user 7 谢谢！ The password is [secret: password]"},
		"sessions/cursor/c4": {"user 1 Which rope?"},
		"sessions/cursor/home-user-harbour/agent-transcripts/s/s.jsonl": {"user 1 Which key?"},
	}
	if diff := cmp.Diff(want, sessionsOf(t, open(t, session.Options{Agent: "cursor", Dir: dir, DatabaseDir: database}))); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
	alone := open(t, session.Options{Agent: "cursor", Dir: dir, DatabaseDir: filepath.Join(t.TempDir(), "nowhere")})
	if got := ids(t, alone); len(got) != 3 {
		t.Errorf("without the editor there are %q", got)
	}
}

// Rows that are too large, or of other types than they should be, are left out.
func TestStrangeRowsOfCursor(t *testing.T) {
	dir, db := made(t, "cursor", fixture(t, "cursor.sql"))
	do(t, db, "UPDATE cursorDiskKV SET value = CAST(zeroblob(17 << 20) AS TEXT) WHERE key = 'bubbleId:c1:b3'")
	do(t, db, "UPDATE cursorDiskKV SET value = x'ff00' WHERE key = 'bubbleId:c1:b1'")
	do(t, db, "UPDATE cursorDiskKV SET value = '[]' WHERE key = 'composerData:c4'")
	do(t, db, "UPDATE composerHeaders SET value = zeroblob(17 << 20), createdAt = 'soon', lastUpdatedAt = 9223372036854775807 WHERE composerId = 'c1'")
	for _, name := range []string{"../up", strings.Repeat("x", 1<<20), "a\x00b"} {
		do(t, db, "INSERT INTO composerHeaders (composerId) VALUES (?)", name)
		do(t, db, "INSERT INTO cursorDiskKV VALUES ('composerData:' || ?1, '{}'), ('bubbleId:' || ?1 || ':b', '{}')", name)
	}
	want := map[string][]string{
		"sessions/cursor/c1": {"user 7 谢谢！ The password is [secret: password]"},
		"sessions/cursor/c4": nil,
		"sessions/cursor: state.vscdb: 3 sessions whose names are not plain text in Unicode normal form C": nil,
	}
	src := open(t, session.Options{Agent: "cursor", Dir: dir})
	if diff := cmp.Diff(want, sessionsOf(t, src)); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
	if x, err := src.Session(t.Context(), "sessions/cursor/c1"); err != nil || x.Unknown["not readable"] != 2 || x.Project != "" || x.Ended.Year() != 2026 {
		t.Errorf("got %v, %+v", err, x)
	}
	small := open(t, session.Options{Agent: "cursor", Dir: dir, MaxBytes: 100})
	if _, err := small.Session(t.Context(), "sessions/cursor/c1"); err == nil || !strings.Contains(err.Error(), "too large") {
		t.Errorf("got %v", err)
	}
}

// A database of Cursor from before version 3, or one that somebody made of views, is
// skipped with the reason.
func TestStrangersOfCursor(t *testing.T) {
	text := fixture(t, "cursor.sql")
	for want, statements := range map[string]string{
		"it has no table composerHeaders":                       "CREATE TABLE cursorDiskKV (key TEXT UNIQUE, value BLOB)",
		"composerHeaders is no ordinary table":                  "CREATE VIEW composerHeaders AS SELECT 1; CREATE TABLE cursorDiskKV (key TEXT UNIQUE, value BLOB)",
		"its table composerHeaders has no column lastUpdatedAt": strings.ReplaceAll(text, "lastUpdatedAt", "changedAt"),
	} {
		dir := write(t, map[string]string{"state.vscdb": string(image(t, statements))})
		got := ids(t, open(t, session.Options{Agent: "cursor", Dir: dir}))
		if len(got) != 1 || !strings.HasPrefix(got[0], "sessions/cursor: state.vscdb: ") || !strings.Contains(got[0], want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	elsewhere, _ := made(t, "cursor", text)
	dir := t.TempDir()
	if err := os.Symlink(filepath.Join(elsewhere, "state.vscdb"), filepath.Join(dir, "state.vscdb")); err != nil {
		t.Skip(err) // Windows lets only some users make links
	}
	if got := ids(t, open(t, session.Options{Agent: "cursor", Dir: dir})); !cmp.Equal(got, []string{"sessions/cursor: state.vscdb is not an ordinary file; links are not followed"}) {
		t.Errorf("through a link: %q", got)
	}
}

// FuzzCursorRows reads any texts as the order of a session and two of its messages.
func FuzzCursorRows(f *testing.F) {
	f.Add(`{"fullConversationHeadersOnly":[{"bubbleId":"b1"},{"bubbleId":"b3"}]}`, `{"type":1,"text":"a <private>b</private>","createdAt":"2026-03-02T09:00:01.000Z"}`, `{"type":2,"text":"x"}`)
	f.Add(`{"fullConversationHeadersOnly":[{"bubbleId":"b1"},{"bubbleId":"b1"},{}]}`, `{"type":1,"text":"<user_query>"}`, `{"type":9}`)
	dir, db := made(f, "cursor", fixture(f, "cursor.sql"))
	do(f, db, "PRAGMA synchronous=off")
	s := open(f, session.Options{Agent: "cursor", Dir: dir})
	f.Fuzz(func(t *testing.T, order, one, two string) { fuzzCursor(t, s, db, order, one, two) })
}

func fuzzCursor(t *testing.T, s *session.Source, db *sql.DB, order, one, two string) {
	for key, value := range map[string]string{"composerData:c1": order, "bubbleId:c1:b1": one, "bubbleId:c1:b3": two} {
		do(t, db, "UPDATE cursorDiskKV SET value = ? WHERE key = ?", value, key)
	}
	x, err := s.Session(t.Context(), "sessions/cursor/c1")
	if err != nil {
		t.Fatal(err)
	}
	for _, turn := range x.Turns {
		if !utf8.ValidString(turn.Text) || turn.Text == "" || turn.Line < 1 || turn.Line > len(order) || strings.Contains(turn.Text, "<private>") {
			t.Errorf("got %+v", turn)
		}
	}
	doc, err := s.Read(t.Context(), "sessions/cursor/c1")
	if err != nil || !utf8.ValidString(doc.Text+doc.Title) {
		t.Errorf("got %v, %q", err, doc.Text)
	}
}
