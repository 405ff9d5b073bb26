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
func FuzzMapped(f *testing.F)     { fuzz(f, "bot", "mapped.jsonl") }

// fuzz reads any text as a transcript: what comes of it is valid, stands on lines
// that there are, and holds nothing that is marked private.
func fuzz(f *testing.F, agent string, seeds ...string) {
	for _, name := range seeds {
		f.Add(fixture(f, name))
	}
	f.Add(`{"id":"1","$rewindTo":"","$set":{"messages":[null,{"id":"1"}]},"type":"user"}`)
	opts := session.Options{Agent: agent, Dir: f.TempDir()}
	path := filepath.Join(opts.Dir, filepath.FromSlash(usual[agent]))
	if agent == "bot" {
		opts.Mapping, path = bot, filepath.Join(opts.Dir, "p", "s.jsonl")
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		f.Fatal(err)
	}
	s := open(f, opts)
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

// FuzzOpenClawRows reads any texts as records, one of them packed as it is.
func FuzzOpenClawRows(f *testing.F) {
	const record = `{"type":"message","id":"x","parentId":"e","message":{"role":"user","content":"And the jetty?"}}`
	f.Add(record, packed(f, []byte(record)), `{"type":"compaction","id":"e","parentId":"x","summary":"a"}`)
	dir, db := made(f, "openclaw", fixture(f, "openclaw.sql"))
	do(f, db, "PRAGMA synchronous=off")
	do(f, db, "UPDATE transcript_events SET event_json = NULL WHERE session_id = 's1' AND seq = 1")
	const id = "sessions/openclaw/main/s1"
	s := open(f, session.Options{Agent: "openclaw", Dir: dir})
	f.Fuzz(func(t *testing.T, one, two, three string) {
		do(t, db, "UPDATE transcript_events SET event_json = ? WHERE session_id = 's1' AND seq = 0", one)
		do(t, db, "UPDATE transcript_events SET event_zstd = ? WHERE session_id = 's1' AND seq = 1", []byte(two))
		do(t, db, "UPDATE transcript_events SET event_json = ? WHERE session_id = 's1' AND seq = 2", three)
		x, err := s.Session(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		for _, turn := range x.Turns {
			if !utf8.ValidString(turn.Text) || turn.Text == "" || turn.Line < 1 || turn.Line > 7 || strings.Contains(turn.Text, "<private>") {
				t.Errorf("got %+v", turn)
			}
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
