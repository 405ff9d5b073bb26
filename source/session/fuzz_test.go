package session_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/source/session"
)

func FuzzClaudeCode(f *testing.F) { fuzz(f, "claude-code", "claude-code.jsonl") }
func FuzzCodex(f *testing.F)      { fuzz(f, "codex", "codex.jsonl") }
func FuzzGemini(f *testing.F)     { fuzz(f, "gemini", "gemini.jsonl", "gemini.json") }
func FuzzOpenClaw(f *testing.F)   { fuzz(f, "openclaw", "openclaw.jsonl") }

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
