package session_test

import (
	"testing"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/source/session"
)

// A hook means the session that its agent calls so, and none whose name or folder only holds
// what it says.
func TestCalled(t *testing.T) {
	const uuid = "0199d6c3-1111-4222-8333-446655440000"
	for _, tt := range []struct {
		agent, doc, name string
		want             bool
	}{
		{"claude-code", "sessions/claude-code/-home-user-harbour/" + uuid + ".jsonl", uuid, true},
		{"claude-code", "sessions/claude-code/-home-user-harbour/" + uuid + ".jsonl", uuid[:8], false},
		{"claude-code", "sessions/claude-code/-home-user-harbour/" + uuid + ".jsonl", uuid[24:], false},
		{"claude-code", "sessions/claude-code/-home-user-harbour/" + uuid + ".jsonl", "-home-user-harbour", false},
		{"claude-code", "sessions/claude-code/-home-user-harbour/" + uuid + ".jsonl", "sessions", false},
		{"claude-code", "sessions/claude-code/-home-user-harbour/" + uuid + ".jsonl", "claude-code", false},
		{"claude-code", "sessions/claude-code/-home-user-harbour/" + uuid + ".jsonl", "", false},
		{"claude-code", "sessions/claude-code/p/session-10.jsonl", "session-1", false},
		{"codex", "sessions/codex/2026/03/02/rollout-2026-03-02T12-00-00-" + uuid + ".jsonl", uuid, true},
		{"codex", "sessions/codex/archived_sessions/rollout-2026-03-02T12-00-00-" + uuid + ".jsonl.zst", uuid, true},
		{"codex", "sessions/codex/2026/03/02/rollout-2026-03-02T12-00-00-" + uuid + ".jsonl", uuid[9:], false},
		{"codex", "sessions/codex/2026/03/02/rollout-2026-03-02T12-00-00-" + uuid + ".jsonl", "2026-03-02T12-00-00", false},
		{"codex", "sessions/codex/2026/03/02/rollout-2026-03-02T12-00-00-" + uuid + ".jsonl", "2026/03/02", false},
		{"pi", "sessions/pi/--p--/2026-03-02T12-00-00-123Z_" + uuid + ".jsonl", uuid, true},
		{"pi", "sessions/pi/--p--/2026-03-02_s.jsonl", "s", true},
		{"gemini", "sessions/gemini/abc/chats/session-2026-03-02T12-00-0199d6c3.jsonl", "0199d6c3", true},
		{"gemini", "sessions/gemini/abc/chats/session-2026-03-02T12-00-0199d6c3.jsonl", uuid, true},
		{"gemini", "sessions/gemini/abc/chats/session-2026-03-02T12-00-0199d6c4.jsonl", uuid, false},
		{"gemini", "sessions/gemini/abc/chats/session-a.jsonl", "a", true},
		{"openclaw", "sessions/openclaw/main/sessions/s1.jsonl.reset.2026", "s1", true},
		{"openclaw", "sessions/openclaw/main/sessions/s1-topic-42.jsonl", "s1", true},
		{"openclaw", "sessions/openclaw/main/s1", "s1", true},
		{"openclaw", "sessions/openclaw/main/s1", "main", false},
		{"cursor", "sessions/cursor/p/agent-transcripts/c1/c1.jsonl", "c1", true},
		{"cursor", "sessions/cursor/p/agent-transcripts/c1/c1.jsonl", "agent-transcripts", false},
		{"opencode", "sessions/opencode/session/p/ses_1.json", "ses_1", true},
	} {
		src := open(t, session.Options{Agent: tt.agent, Dir: t.TempDir()})
		if got := src.Called(memoir.DocID(tt.doc), tt.name); got != tt.want {
			t.Errorf("%s is called %q: %t, want %t", tt.doc, tt.name, got, tt.want)
		}
	}
}
