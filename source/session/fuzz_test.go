package session_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/source/session"
)

func FuzzClaudeCode(f *testing.F) { fuzz(f, "claude-code", "claude-code.jsonl") }
func FuzzCodex(f *testing.F)      { fuzz(f, "codex", "codex.jsonl") }
func FuzzGemini(f *testing.F)     { fuzz(f, "gemini", "gemini.jsonl", "gemini.json") }
func FuzzOpenClaw(f *testing.F)   { fuzz(f, "openclaw", "openclaw.jsonl") }
func FuzzPi(f *testing.F)         { fuzz(f, "pi", "pi.jsonl") }
func FuzzCursor(f *testing.F)     { fuzz(f, "cursor", "cursor.jsonl") }

// fuzz reads any text as a transcript: what comes of it is valid, stands on lines
// that there are, and holds nothing that is marked private.
func fuzz(f *testing.F, agent string, seeds ...string) {
	for _, name := range seeds {
		f.Add(fixture(f, name))
	}
	f.Add(`{"id":"1","$rewindTo":"","$set":{"messages":[null,{"id":"1"}]},"type":"user"}`)
	dir := f.TempDir()
	path := filepath.Join(dir, filepath.FromSlash(usual[agent]))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		f.Fatal(err)
	}
	s := open(f, session.Options{Agent: agent, Dir: dir})
	f.Fuzz(func(t *testing.T, text string) {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		var id memoir.DocID
		for entry := range s.Scan(t.Context()) {
			id = entry.ID
		}
		x, err := s.Session(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		for _, turn := range x.Turns {
			if !utf8.ValidString(turn.Text) || turn.Text == "" || turn.Line < 1 || turn.Line > strings.Count(text, "\n")+1 || strings.Contains(turn.Text, "<private>") {
				t.Errorf("got %+v", turn)
			}
		}
		doc, err := s.Read(t.Context(), id)
		if err != nil || strings.Count(doc.Text, "\n") > strings.Count(text, "\n")+1 || !utf8.ValidString(doc.Text+doc.Title) {
			t.Errorf("got %v, %q", err, doc.Text)
		}
	})
}

// FuzzOpenCode reads any texts as the rows of a message and of its part.
func FuzzOpenCode(f *testing.F) {
	f.Add(`{"role":"user","time":{"created":1772442001000}}`, `{"type":"text","text":"a <private>b</private>"}`, `{"messageID":"m"}`)
	f.Add(`{"role":"assistant","summary":true}`, `{"type":"text","text":"x","synthetic":false}`, `null`)
	dir, db := made(f, "opencode", fixture(f, "opencode.sql"))
	do(f, db, "PRAGMA synchronous=off")
	fuzzRows(f, "opencode", dir, "sessions/opencode/ses_3", func(t *testing.T, message, part, revert string) int {
		do(t, db, "UPDATE session SET revert = ?", revert)
		do(t, db, "UPDATE message SET data = ? WHERE id = 'msg_31'", message)
		do(t, db, "UPDATE part SET data = ? WHERE message_id = 'msg_31'", part)
		return 3
	})
}

// FuzzOpenClawRows reads any texts as records, one of them packed as it is.
func FuzzOpenClawRows(f *testing.F) {
	const record = `{"type":"message","id":"x","parentId":"e","message":{"role":"user","content":"And the jetty?"}}`
	f.Add(record, packed(f, []byte(record)), `{"type":"compaction","id":"e","parentId":"x","summary":"a"}`)
	dir, db := made(f, "openclaw", fixture(f, "openclaw.sql"))
	do(f, db, "PRAGMA synchronous=off")
	do(f, db, "UPDATE transcript_events SET event_json = NULL WHERE session_id = 's1' AND seq = 1")
	fuzzRows(f, "openclaw", dir, "sessions/openclaw/main/s1", func(t *testing.T, one, two, three string) int {
		do(t, db, "UPDATE transcript_events SET event_json = ? WHERE session_id = 's1' AND seq = 0", one)
		do(t, db, "UPDATE transcript_events SET event_zstd = ? WHERE session_id = 's1' AND seq = 1", []byte(two))
		do(t, db, "UPDATE transcript_events SET event_json = ? WHERE session_id = 's1' AND seq = 2", three)
		return 7
	})
}

// fuzzRows writes three texts into a database, and looks at the session that they are
// in, which has so many lines.
func fuzzRows(f *testing.F, agent, dir string, id memoir.DocID, write func(t *testing.T, a, b, c string) (lines int)) {
	s := open(f, session.Options{Agent: agent, Dir: dir})
	f.Fuzz(func(t *testing.T, a, b, c string) {
		lines := write(t, a, b, c)
		x, err := s.Session(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		for _, turn := range x.Turns {
			if !utf8.ValidString(turn.Text) || turn.Text == "" || turn.Line < 1 || turn.Line > lines || strings.Contains(turn.Text, "<private>") {
				t.Errorf("got %+v", turn)
			}
		}
		doc, err := s.Read(t.Context(), id)
		if err != nil || strings.Count(doc.Text, "\n") > lines || !utf8.ValidString(doc.Text+doc.Title) {
			t.Errorf("got %v, %q", err, doc.Text)
		}
	})
}

// FuzzDatabase changes a few bytes of a database: it is read, or skipped with a reason.
func FuzzDatabase(f *testing.F) {
	data := image(f, "PRAGMA page_size=512", fixture(f, "opencode.sql"))
	f.Add(uint16(100), []byte{13}, uint16(len(data)))
	f.Add(uint16(0), []byte("SQLite"), uint16(1000))
	f.Add(uint16(20), []byte{255, 255, 255, 255}, uint16(len(data)))
	dir := f.TempDir()
	path := filepath.Join(dir, "opencode.db")
	f.Fuzz(func(t *testing.T, at uint16, with []byte, size uint16) {
		text := append([]byte(nil), data...)
		if int(at) < len(text) {
			copy(text[at:], with)
		}
		if err := os.WriteFile(path, text[:min(len(text), int(size))], 0o644); err != nil {
			t.Fatal(err)
		}
		s := open(t, session.Options{Agent: "opencode", Dir: dir})
		before := time.Now()
		for entry, err := range s.Scan(t.Context()) {
			if err != nil || entry.ID == "" {
				t.Fatalf("got %+v, %v", entry, err)
			}
			x, err := s.Session(t.Context(), entry.ID)
			if entry.Skip != "" && err == nil && len(x.Turns) > 0 {
				t.Errorf("%s is skipped, and read", entry.ID)
			}
		}
		if took := time.Since(before); took > time.Minute {
			t.Errorf("it took %v", took)
		}
	})
}
