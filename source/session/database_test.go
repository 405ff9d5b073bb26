package session_test

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/source/session"
)

// databases is where the database of each agent that has one stands below its folder.
var databases = map[string]string{"cursor": "state.vscdb", "opencode": "opencode.db", "openclaw": "agents/main/agent/openclaw-agent.sqlite"}

// made makes a database of an agent, and returns the agent's folder and a connection.
func made(t testing.TB, agent string, statements ...string) (string, *sql.DB) {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, filepath.FromSlash(databases[agent]))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	db.SetMaxOpenConns(1)
	do(t, db, "PRAGMA journal_mode=wal")
	for _, s := range statements {
		do(t, db, s)
	}
	return dir, db
}

func do(t testing.TB, db *sql.DB, statement string, args ...any) {
	t.Helper()
	if _, err := db.Exec(statement, args...); err != nil {
		t.Fatal(err)
	}
}

// sessionsOf is what a scan lists and the words of each.
func sessionsOf(t testing.TB, src *session.Source) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for _, id := range ids(t, src) {
		x, err := src.Session(t.Context(), memoir.DocID(id))
		all[id] = words(x.Turns)
		if err != nil && !strings.Contains(id, ": ") {
			t.Errorf("%s: %v", id, err)
		}
	}
	return all
}

func TestDatabases(t *testing.T) {
	const user, assistant, summary = session.User, session.Assistant, session.Summary
	for _, tt := range []struct {
		agent string
		ids   []string
		want  session.Session
	}{
		{"opencode", []string{"sessions/opencode/ses_1", "sessions/opencode/ses_3"}, session.Session{
			ID: "ses_1", Title: "Who paints the buoys?", Started: day("2026-03-02T09:00:00Z"), Ended: day("2026-03-02T09:00:08Z"),
			Turns: []session.Turn{
				short(user, "Who paints the buoys?", 1), short(assistant, "Ragnhild does.\n\nEach May.", 3), short(summary, "Ragnhild paints the buoys.", 5),
				short(user, "谢谢！ The password is [secret: password]", 7),
			},
			Report: session.Report{Sessions: 1, Records: 19, Unknown: map[string]int{"role brand-new": 1, "part brand-new": 1}, Versions: map[string]int{"1.18.33": 1}},
		}},
		{"openclaw", []string{"sessions/openclaw/main/s1"}, session.Session{
			ID: "s1", Title: "Who paints the buoys?", Started: day("2026-03-02T09:00:00Z"), Ended: day("2026-03-02T09:00:05Z"),
			Turns:  []session.Turn{short(user, "Who paints the buoys?", 3), short(assistant, "Ragnhild does.", 5), short(summary, "Ragnhild paints the buoys.", 6)},
			Report: session.Report{Sessions: 1, Records: 7, Unknown: map[string]int{"type brand-new": 1}, Versions: map[string]int{"4": 1}},
		}},
		{"cursor", []string{"sessions/cursor/c1", "sessions/cursor/c4"}, session.Session{
			ID: "c1", Title: "Who paints the buoys?", Started: day("2026-03-02T09:00:00Z"), Ended: day("2026-03-02T09:00:06Z"),
			Turns:  []session.Turn{short(user, "Who paints the buoys?", 1), short(assistant, "Ragnhild does.", 3), short(user, "谢谢！ The password is [secret: password]", 7)},
			Report: session.Report{Sessions: 1, Records: 7, Unknown: map[string]int{"another type of message": 1}, Versions: map[string]int{"3": 1}},
		}},
	} {
		t.Run(tt.agent, func(t *testing.T) {
			dir, _ := made(t, tt.agent, fixture(t, tt.agent+".sql"))
			src := open(t, session.Options{Agent: tt.agent, Dir: dir})
			if diff := cmp.Diff(tt.ids, ids(t, src)); diff != "" {
				t.Errorf("want -, got +:\n%s", diff)
			}
			got, err := src.Session(t.Context(), memoir.DocID(tt.ids[0]))
			if err != nil {
				t.Fatal(err)
			}
			tt.want.Agent, tt.want.Doc, tt.want.Project = tt.agent, memoir.DocID(tt.ids[0]), "/home/user/harbour"
			if diff := cmp.Diff(tt.want, got, cmpopts.IgnoreFields(session.Turn{}, "Time")); diff != "" {
				t.Errorf("want -, got +:\n%s", diff)
			}
			doc, err := src.Read(t.Context(), memoir.DocID(tt.ids[0]))
			lines := strings.Split(doc.Text, "\n")
			if err != nil || doc.Date != "2026-03-02" || lines[got.Turns[1].Line-1] != "Assistant: "+strings.Join(strings.Fields(got.Turns[1].Text), " ") {
				t.Errorf("got %v, %q, %q", err, doc.Date, doc.Text)
			}
			for entry := range src.Scan(t.Context()) {
				if read, err := src.Read(t.Context(), entry.ID); err != nil || read.Size != entry.Size || !read.ModTime.Equal(entry.ModTime) || read.Stamp != entry.Stamp || entry.Size == 0 {
					t.Errorf("%s: a scan says %+v, reading says %+v, %v", entry.ID, entry.DocumentMeta, read.DocumentMeta, err)
				}
			}
			for _, id := range []memoir.DocID{"sessions/opencode/ses_2", "sessions/opencode/none", "sessions/cursor/c2", "sessions/cursor/c3", "sessions/cursor/none", "sessions/openclaw/main/s2", "sessions/openclaw/main/s9", "sessions/openclaw/other/s1", "sessions/openclaw/../s1", "sessions/opencode/ses_1/x"} {
				if _, err := src.Read(t.Context(), id); err != memoir.ErrNotFound {
					t.Errorf("%s: got %v, want it not found", id, err)
				}
			}
		})
	}
}

// What was taken back is left out.
func TestRevert(t *testing.T) {
	dir, _ := made(t, "opencode", fixture(t, "opencode.sql"))
	x, err := open(t, session.Options{Agent: "opencode", Dir: dir}).Session(t.Context(), "sessions/opencode/ses_3")
	if diff := cmp.Diff([]string{"user 1 Which rope?"}, words(x.Turns)); diff != "" || err != nil {
		t.Errorf("%v; want -, got +:\n%s", err, diff)
	}
}

// Each of OpenClaw's agents has a database, and an index may hold those of one alone.
func TestPartsOfDatabases(t *testing.T) {
	dir, _ := made(t, "openclaw", fixture(t, "openclaw.sql"))
	data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(databases["openclaw"])))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"work/agent/openclaw-agent.sqlite": string(data), "main/sessions/old.jsonl": said("user", "1", "", "x")} {
		path := filepath.Join(dir, "agents", filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	if got := ids(t, open(t, session.Options{Agent: "openclaw", Dir: dir, Part: "main"})); !cmp.Equal(got, []string{"sessions/openclaw/main/s1", "sessions/openclaw/main/sessions/old.jsonl"}) {
		t.Errorf("got %q", got)
	}
	src := open(t, session.Options{Agent: "openclaw", Dir: dir, Part: "work"})
	if src.Owns("sessions/openclaw/main/s1") {
		t.Error("it has the sessions of another agent")
	}
	if _, err := src.Session(t.Context(), "sessions/openclaw/main/s1"); err != memoir.ErrNotFound {
		t.Errorf("got %v", err)
	}
}

// Records may be packed. One that expands beyond the bound, or is cut, is left out.
func TestPackedRows(t *testing.T) {
	dir, db := made(t, "openclaw", fixture(t, "openclaw.sql"))
	record := `{"type":"message","id":"g","parentId":"e","message":{"role":"user","content":"And the jetty?"}}`
	const insert = "INSERT INTO transcript_events (session_id, seq, created_at, event_zstd) VALUES ('s1', ?, 1772442007000, ?)"
	do(t, db, insert, 7, []byte(packed(t, []byte(record))))
	do(t, db, insert, 8, []byte(packed(t, bytes.Repeat([]byte(" "), 64<<20)))) // a bomb
	do(t, db, insert, 9, []byte(packed(t, []byte(record)))[:20])
	do(t, db, insert, 10, []byte("not packed"))
	x, err := open(t, session.Options{Agent: "openclaw", Dir: dir}).Session(t.Context(), "sessions/openclaw/main/s1")
	want := []string{"user 3 Who paints the buoys?", "assistant 5 Ragnhild does.", "summary 6 Ragnhild paints the buoys.", "user 8 And the jetty?"}
	if diff := cmp.Diff(want, words(x.Turns)); diff != "" || err != nil || x.Unknown["not readable"] != 3 {
		t.Errorf("%v, %v; want -, got +:\n%s", err, x.Unknown, diff)
	}
}

// Rows that are too large, or of other types than they should be, are left out.
func TestStrangeRows(t *testing.T) {
	dir, db := made(t, "opencode", fixture(t, "opencode.sql"))
	do(t, db, "UPDATE part SET data = CAST(zeroblob(17 << 20) AS TEXT) WHERE id = 'prt_131'")
	do(t, db, "UPDATE part SET data = '{' WHERE id = 'prt_132'")
	do(t, db, "UPDATE message SET data = x'ff00', time_updated = 'soon' WHERE id = 'msg_17'")
	do(t, db, "UPDATE session SET revert = '[]', time_updated = 9223372036854775807, directory = zeroblob(1 << 20), version = zeroblob(1 << 20) WHERE id = 'ses_1'")
	do(t, db, "INSERT INTO session VALUES ('../up', 'p', NULL, '', '', '', NULL, 0, 0), (?, 'p', NULL, '', '', '', NULL, 0, 0), (x'00', 'p', NULL, '', '', '', NULL, 0, 0), ('c1', 'p', 'c2', '', '', '', NULL, 0, 0), ('c2', 'p', 'c1', '', '', '', NULL, 0, 0)", strings.Repeat("x", 1<<20))
	want := map[string][]string{
		"sessions/opencode/ses_1": {"user 1 Who paints the buoys?", "summary 5 Ragnhild paints the buoys."},
		"sessions/opencode/ses_3": {"user 1 Which rope?"},
		"sessions/opencode: opencode.db: 2 sessions whose names are not plain text in Unicode normal form C": nil,
	}
	src := open(t, session.Options{Agent: "opencode", Dir: dir})
	if diff := cmp.Diff(want, sessionsOf(t, src)); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
	if x, err := src.Session(t.Context(), "sessions/opencode/ses_1"); err != nil || x.Unknown["not readable"] != 3 || x.Ended.Year() != 2026 {
		t.Errorf("got %v, %v, %v", err, x.Unknown, x.Ended)
	}
	for entry := range src.Scan(t.Context()) {
		if entry.ModTime.Year() > 2100 {
			t.Errorf("%s is of %v", entry.ID, entry.ModTime)
		}
	}
	small := open(t, session.Options{Agent: "opencode", Dir: dir, MaxBytes: 1 << 10})
	if _, err := small.Session(t.Context(), "sessions/opencode/ses_1"); err == nil || !strings.Contains(err.Error(), "too large") {
		t.Errorf("got %v", err)
	}
}

// What is no such database is skipped with the reason.
func TestStrangers(t *testing.T) {
	sqlText := fixture(t, "opencode.sql")
	cases := map[string]struct {
		make func(t *testing.T) string
		want string
	}{
		"nothing": {func(t *testing.T) string { return "" }, "it has no table"},
		"text":    {func(*testing.T) string { return strings.Repeat("not a database\n", 100) }, "not a database that can be read"},
		"cut": {func(t *testing.T) string {
			data := image(t, sqlText)
			return string(data[:len(data)/2])
		}, "not a database that can be read"},
		"other tables": {func(t *testing.T) string { return string(image(t, "CREATE TABLE x (y)")) }, "it has no table"},
		"other columns": {func(t *testing.T) string {
			return string(image(t, strings.Replace(sqlText, "`revert` text", "`undone` text", 1)))
		}, "its table session has no column revert"},
		"a view": {func(t *testing.T) string { return string(image(t, viewed)) }, "session is no ordinary table"},
		"a virtual table": {func(t *testing.T) string {
			return string(image(t, strings.Replace(viewed, "VIEW session AS SELECT 1", "VIRTUAL TABLE session USING fts5(id)", 1)))
		}, "session is no ordinary table"},
	}
	for name, tt := range cases {
		t.Run(name, func(t *testing.T) {
			src := open(t, session.Options{Agent: "opencode", Dir: write(t, map[string]string{"opencode.db": tt.make(t)})})
			got := ids(t, src)
			if len(got) != 1 || !strings.HasPrefix(got[0], "sessions/opencode: opencode.db: ") || !strings.Contains(got[0], tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if _, err := src.Read(t.Context(), "sessions/opencode/ses_1"); err == nil {
				t.Error("it was read")
			}
		})
	}
	if got := ids(t, open(t, session.Options{Agent: "opencode", Dir: t.TempDir()})); len(got) > 0 {
		t.Errorf("without a database there is %q", got)
	}
}

// viewed is a database of which one table is a view.
const viewed = `CREATE VIEW session AS SELECT 1;
CREATE TABLE message (id, session_id, time_created, time_updated, data); CREATE TABLE part (id, message_id, data);`

// image returns a database as the bytes of its file.
func image(t testing.TB, statements ...string) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range statements {
		do(t, db, s)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// A database is not reached through a link, whatever of its path is one.
func TestLinkedDatabases(t *testing.T) {
	clawed, _ := made(t, "openclaw", fixture(t, "openclaw.sql"))
	coded, _ := made(t, "opencode", fixture(t, "opencode.sql"))
	link := func(t *testing.T, to, from string) {
		t.Helper()
		if err := errors.Join(os.MkdirAll(filepath.Dir(from), 0o755), os.Symlink(to, from)); err != nil {
			if runtime.GOOS == "windows" { // which lets only some users make links
				t.Skip(err)
			}
			t.Fatal(err)
		}
	}
	for name, tt := range map[string]struct {
		agent string
		make  func(t *testing.T, dir string)
		want  []string
	}{
		"the file": {"opencode", func(t *testing.T, dir string) {
			link(t, filepath.Join(coded, "opencode.db"), filepath.Join(dir, "opencode.db"))
		},
			[]string{"sessions/opencode: opencode.db is not an ordinary file; links are not followed"}},
		"the log beside it": {"opencode", func(t *testing.T, dir string) {
			if err := os.WriteFile(filepath.Join(dir, "opencode.db"), image(t, fixture(t, "opencode.sql")), 0o644); err != nil {
				t.Fatal(err)
			}
			link(t, filepath.Join(coded, "opencode.db"), filepath.Join(dir, "opencode.db-wal"))
		}, []string{"sessions/opencode: opencode.db-wal is not an ordinary file; links are not followed"}},
		"its folder": {"openclaw", func(t *testing.T, dir string) {
			link(t, filepath.Join(clawed, "agents", "main", "agent"), filepath.Join(dir, "agents", "main", "agent"))
		},
			[]string{"sessions/openclaw/main: agents/main/agent is not an ordinary folder; links are not followed"}},
		"an agent": {"openclaw", func(t *testing.T, dir string) {
			link(t, filepath.Join(clawed, "agents", "main"), filepath.Join(dir, "agents", "main"))
		}, nil},
		"a folder in its place": {"opencode", func(t *testing.T, dir string) {
			if err := os.MkdirAll(filepath.Join(dir, "opencode.db"), 0o755); err != nil {
				t.Fatal(err)
			}
		}, []string{"sessions/opencode: opencode.db is not an ordinary file; links are not followed"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "agent")
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			tt.make(t, dir)
			src := open(t, session.Options{Agent: tt.agent, Dir: dir})
			if diff := cmp.Diff(tt.want, ids(t, src)); diff != "" {
				t.Errorf("want -, got +:\n%s", diff)
			}
			for _, id := range []memoir.DocID{"sessions/opencode/ses_1", "sessions/openclaw/main/s1"} {
				if x, err := src.Session(t.Context(), id); err == nil || len(x.Turns) > 0 {
					t.Errorf("%s was read", id)
				}
			}
		})
	}
}

// A database is read while its agent writes: what is committed counts, the agent is not
// kept from writing, and what it is found at can be read in a moment.
func TestWritten(t *testing.T) {
	dir, db := made(t, "opencode", fixture(t, "opencode.sql"))
	src := open(t, session.Options{Agent: "opencode", Dir: dir})
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec("DELETE FROM session"); err != nil {
		t.Fatal(err)
	}
	if got := ids(t, src); len(got) != 2 {
		t.Errorf("within a transaction that is not committed: %q", got)
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	if got := ids(t, src); len(got) != 0 {
		t.Errorf("afterwards: %q", got)
	}
	do(t, db, "PRAGMA wal_checkpoint(truncate)") // which needs that nobody reads
	var busy, log, moved int
	if err := db.QueryRow("PRAGMA wal_checkpoint(truncate)").Scan(&busy, &log, &moved); err != nil || busy != 0 {
		t.Errorf("a lock is held: %d, %v", busy, err)
	}
	do(t, db, "PRAGMA journal_mode=delete")
	do(t, db, "PRAGMA locking_mode=exclusive")
	do(t, db, "CREATE TABLE now_it_is_locked (x)")
	for entry, err := range src.Scan(t.Context()) {
		if err != nil || !entry.Temporary || entry.ID != "sessions/opencode" || entry.Skip != "opencode.db: its agent is writing it" {
			t.Errorf("got %+v, %v", entry, err)
		}
	}
	var skip *memoir.SkipError
	if _, err := src.Read(t.Context(), "sessions/opencode/ses_1"); !errors.As(err, &skip) || !skip.Temporary {
		t.Errorf("got %v", err)
	}
}

// The agent's file is as it was.
func TestNothingWritten(t *testing.T) {
	for _, agent := range []string{"cursor", "opencode", "openclaw"} {
		data := image(t, "PRAGMA journal_mode=wal", fixture(t, agent+".sql"))
		dir := write(t, map[string]string{databases[agent]: string(data)})
		sessionsOf(t, open(t, session.Options{Agent: agent, Dir: dir}))
		after, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(databases[agent])))
		if err != nil || !bytes.Equal(data, after) {
			t.Errorf("%s: the database was changed, %v", agent, err)
		}
		files, err := os.ReadDir(filepath.Dir(filepath.Join(dir, filepath.FromSlash(databases[agent]))))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if !strings.HasPrefix(f.Name(), filepath.Base(databases[agent])) {
				t.Errorf("there is %s", f.Name())
			}
		}
	}
}

// A session of a database is due as one of a file is.
func TestDueRows(t *testing.T) {
	for agent, grow := range map[string]func(t *testing.T, db *sql.DB, i int, text string){
		"opencode": func(t *testing.T, db *sql.DB, i int, text string) {
			id, ms := fmt.Sprintf("msg_9%04d", i), 1772442100000+i
			do(t, db, "INSERT INTO message VALUES (?, 'ses_1', ?, ?, '{\"role\":\"user\"}')", id, ms, ms)
			data, err := json.Marshal(map[string]string{"type": "text", "text": text})
			if err != nil {
				t.Fatal(err)
			}
			do(t, db, "INSERT INTO part VALUES (?, ?, 'ses_1', 0, 0, ?)", "prt_"+id, id, string(data))
		},
		"openclaw": func(t *testing.T, db *sql.DB, i int, text string) {
			record := fmt.Sprintf(`{"type":"message","id":"n%d","parentId":"e","message":{"role":"user","content":%q}}`, i, text)
			if i > 0 {
				record = strings.Replace(record, `"e"`, fmt.Sprintf(`"n%d"`, i-1), 1)
			}
			do(t, db, "INSERT INTO transcript_events (session_id, seq, event_json, created_at) VALUES ('s1', ?, ?, ?)", 100+i, record, 1772442100000+i)
		},
		"cursor": func(t *testing.T, db *sql.DB, i int, text string) {
			id := fmt.Sprintf("n%d", i)
			data, err := json.Marshal(map[string]any{"type": 1, "text": text, "createdAt": time.UnixMilli(1772442100000 + int64(i)).UTC().Format(time.RFC3339Nano)})
			if err != nil {
				t.Fatal(err)
			}
			do(t, db, "INSERT INTO cursorDiskKV VALUES ('bubbleId:c1:' || ?, ?)", id, string(data))
			do(t, db, "UPDATE cursorDiskKV SET value = json_insert(value, '$.fullConversationHeadersOnly[#]', json_object('bubbleId', ?)) WHERE key = 'composerData:c1'", id)
			do(t, db, "UPDATE composerHeaders SET lastUpdatedAt = ? WHERE composerId = 'c1'", 1772442100000+i)
		},
	} {
		t.Run(agent, func(t *testing.T) {
			dir, db := made(t, agent, fixture(t, agent+".sql"))
			src := open(t, session.Options{Agent: agent, Dir: dir, DeltaBytes: 5000, DeltaMessages: 3})
			first := func() memoir.DocumentMeta {
				for entry := range src.Scan(t.Context()) {
					return entry.DocumentMeta
				}
				return memoir.DocumentMeta{}
			}
			known := first()
			if src.Due(t.Context(), known, first()) {
				t.Error("it is due although nothing has changed")
			}
			grow(t, db, 0, "one")
			grow(t, db, 1, "two")
			if found := first(); found.Size <= known.Size || src.Due(t.Context(), known, found) {
				t.Errorf("it is due after two messages, or did not grow: %+v, %+v", known, found)
			}
			grow(t, db, 2, "three")
			if !src.Due(t.Context(), known, first()) {
				t.Error("it is not due after three messages")
			}
			known = first()
			grow(t, db, 3, strings.Repeat("long ", 1000))
			if !src.Due(t.Context(), known, first()) {
				t.Error("it is not due after many bytes")
			}
			known = first()
			known.Size++
			if !src.Due(t.Context(), known, first()) {
				t.Error("it is not due although it shrank")
			}
		})
	}
}

// A time that the file cannot know is not believed.
func TestTimesOfRows(t *testing.T) {
	dir, db := made(t, "opencode", fixture(t, "opencode.sql"))
	far := time.Now().AddDate(10, 0, 0).UnixMilli()
	do(t, db, "UPDATE message SET time_updated = ?, data = json_set(data, '$.time.created', ?) WHERE id = 'msg_11'", far, far)
	src := open(t, session.Options{Agent: "opencode", Dir: dir})
	x, err := src.Session(t.Context(), "sessions/opencode/ses_1")
	if err != nil || !x.Turns[0].Time.IsZero() || !x.Ended.Equal(day("2026-03-02T09:00:08Z")) {
		t.Errorf("got %v, %v, %v", err, x.Turns[0].Time, x.Ended)
	}
}

// The databases of real programs, where they are.
func TestSampleDatabases(t *testing.T) {
	for file, want := range map[string]map[string][]string{
		"opencode/mock-opencode-1.18.33-db.json":      {"sessions/opencode/ses_e0452b509ffeqUDj0xh9e3wUu3": {`user 1 "What do we know about abc?"`, "assistant 3 Hello from the mock model."}},
		"openclaw/mock-openclaw-2026.9.6-sqlite.json": {"sessions/openclaw/main/s1": {"user 5 What do we know about abc?", "assistant 6 Hello from the mock model."}},
	} {
		data, err := os.ReadFile(filepath.Join(samples(), "own", filepath.FromSlash(file)))
		if err != nil {
			t.Skip("the samples are not here")
		}
		var dump map[string]json.RawMessage
		var schema map[string]string
		if err := errors.Join(json.Unmarshal(data, &dump), json.Unmarshal(dump["schema"], &schema)); err != nil {
			t.Fatal(err)
		}
		agent, _, _ := strings.Cut(file, "/")
		dir, db := made(t, agent, "PRAGMA foreign_keys=off")
		for table, statement := range schema {
			do(t, db, statement)
			var rows []map[string]any
			if dump[table] == nil {
				continue
			}
			if err := json.Unmarshal(dump[table], &rows); err != nil {
				t.Fatal(err)
			}
			for _, row := range rows {
				var columns []string
				var values []any
				for column, value := range row {
					if number, ok := value.(float64); ok {
						value = int64(number)
					}
					columns, values = append(columns, column), append(values, value)
				}
				do(t, db, "INSERT INTO "+table+" ("+strings.Join(columns, ", ")+") VALUES (?"+strings.Repeat(", ?", len(columns)-1)+")", values...)
			}
		}
		src := open(t, session.Options{Agent: agent, Dir: dir})
		if diff := cmp.Diff(want, sessionsOf(t, src)); diff != "" {
			t.Errorf("%s: want -, got +:\n%s", file, diff)
		}
		for id := range want {
			if x, err := src.Session(t.Context(), memoir.DocID(id)); err != nil || len(x.Unknown) > 0 {
				t.Errorf("%s: %v, %v", id, err, x.Unknown)
			}
		}
	}
}

// A session that is in the database and in a file of before is one; archives and the
// sessions of files alone stay.
func TestSessionOnce(t *testing.T) {
	dir, _ := made(t, "openclaw", fixture(t, "openclaw.sql"))
	folder := filepath.Join(dir, "agents", "main", "sessions")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"s1.jsonl", "s1.jsonl.zst", "s1.jsonl.reset.2026", "s7.jsonl"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(fixture(t, "openclaw.jsonl")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"sessions/openclaw/main/s1", "sessions/openclaw/main/sessions/s1.jsonl.reset.2026", "sessions/openclaw/main/sessions/s7.jsonl"}
	if diff := cmp.Diff(want, ids(t, open(t, session.Options{Agent: "openclaw", Dir: dir}))); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
}
