package session

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// A transcript may have millions of turns of a few letters: what is held of one is a small part of its
// record.
func TestTurnsTakeLittle(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, and long under the race detector")
	}
	const n = 50_000
	for name, p := range map[string]struct {
		open   func() parser
		record func(i int) string
	}{
		"claude-code": {newClaudeCode, func(i int) string {
			return fmt.Sprintf(`{"type":"user","uuid":"00000000-0000-0000-0000-%012d","parentUuid":"00000000-0000-0000-0000-%012d","timestamp":"2026-03-02T12:00:00Z","message":{"content":"ok %d"}}`, i+1, i, i)
		}},
		"codex": {newCodex, func(i int) string {
			return fmt.Sprintf(`{"type":"event_msg","timestamp":"2026-03-02T12:00:00Z","payload":{"type":"user_message","message":"ok %d"}}`, i)
		}},
		"gemini": {newGemini, func(i int) string {
			return fmt.Sprintf(`{"id":"00000000-0000-0000-0000-%012d","type":"user","timestamp":"2026-03-02T12:00:00Z","content":"ok %d"}`, i, i)
		}},
		"openclaw": {newOpenClaw, func(i int) string {
			return fmt.Sprintf(`{"type":"message","id":"%08d","parentId":"%08d","timestamp":"2026-03-02T12:00:00Z","message":{"role":"user","content":"ok %d"}}`, i+1, i, i)
		}},
		"cursor": {newCursor, func(i int) string { return fmt.Sprintf(`{"role":"user","message":{"content":"ok %d"}}`, i) }},
	} {
		t.Run(name, func(t *testing.T) {
			held := func() int64 {
				var m runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&m)
				return int64(m.HeapAlloc)
			}
			before := held()
			parser := p.open()
			for i := range n {
				parser.record(i+1, []byte(p.record(i)))
			}
			if each := (held() - before) / n; each > 170 {
				t.Errorf("%d bytes are held of each turn", each)
			}
			if turns := parser.turns(); len(turns) != n || turns[n-1].Text != fmt.Sprintf("ok %d", n-1) || turns[n-1].Line != n || turns[n-1].Time.IsZero() != (name == "cursor") {
				t.Errorf("got %d turns, the last one is %+v", len(turns), turns[len(turns)-1])
			}
		})
	}
}

// A message of very many parts is cut like any other turn, and does not take the square of
// their number.
func TestPartsOfOneMessage(t *testing.T) {
	p := newClaudeCode()
	for i := range 30_000 {
		p.record(i+1, fmt.Appendf(nil, `{"type":"assistant","uuid":"%d","parentUuid":"%d","message":{"id":"m","content":[{"type":"text","text":"part %d"}]}}`, i+1, i, i))
	}
	turns := p.turns()
	if len(turns) != 1 || len(turns[0].Text) > maxTurn+len("…") || !strings.HasPrefix(turns[0].Text, "part 0\n\npart 1\n\n") || !strings.HasSuffix(turns[0].Text, "…") {
		t.Errorf("%d turns, the first has %d bytes", len(turns), len(turns[0].Text))
	}
	if line := bytes.Count([]byte(turns[0].Text), []byte("part")); line > 25_000 {
		t.Errorf("%d parts", line)
	}
}
