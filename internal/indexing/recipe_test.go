package indexing

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir"
)

// What is stored of a document must change only together with indexVersion,
// or indexes of the version before keep what this one would not make.
func TestIndexVersion(t *testing.T) {
	const want = "30 180/40: c3d398741b4ce307"
	x, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	c := x.chunking
	docs := []memoir.Document{
		{DocumentMeta: memoir.DocumentMeta{ID: "memory/2026-03-02-launch.md", Kind: memoir.KindNote}, Text: "---\ntags: [launch, 发布]\naliases: Big Day\nimportance: 7\nreinforced: 2\naccessed: 3\ntype: Decision\n---\n# Café launch\n\n## Who\n\nRunning `DB_PASSWORD` checks, v1.2.3-rc1, src/a/b.go and #123.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n生产数据库使用 Postgres，東京で会議。 Договоры.\n"},
		{DocumentMeta: memoir.DocumentMeta{ID: "MEMORY.md", Kind: memoir.KindNote}, Text: "# Memory\n\n- Answers are short.\n- 用中文回答。\n"},
		{DocumentMeta: memoir.DocumentMeta{ID: "memory/preferences.md", Kind: memoir.KindNote}, Text: "# Preferences\n\n- Tea <!-- id: k3 | observed: 2026-03-02 -->\n- 深色主题 <!-- TODO -->\n"},
		{DocumentMeta: memoir.DocumentMeta{ID: "memory/contacts.md", Kind: memoir.KindNote}, Text: "# Contacts\n\n- Al <!-- id: a | observed: 2026-01-02 | status: superseded | by: b | until: 2026-03-02 -->\n- Bo <!-- id: b | replaces: a | status: superseded | by: c -->\n\n## x\n\n- Cy <!-- id: c | replaces: b -->\n- TODO\n"},
		{DocumentMeta: memoir.DocumentMeta{ID: "memory/learnings.md", Kind: memoir.KindNote}, Text: "# Learnings\n\n" + strings.Repeat("- One learns from what went wrong, and from what went well, if one looks at it at all.\n", 12)},
		{DocumentMeta: memoir.DocumentMeta{ID: "talk.md", Kind: memoir.KindNote}, Text: "# 2026-03-02 (Monday)\n\n**Ann:** a\n\n**Ben:** b\n\n**Ann:** c\n\n**Ben:** d\n"},
		{DocumentMeta: memoir.DocumentMeta{ID: "chat.md", Kind: memoir.KindNote}, Text: "User: a\n\nAI: b\n\n### c\n\nNote: d\n\nUser: e\n"},
		{DocumentMeta: memoir.DocumentMeta{ID: "a.go", Kind: memoir.KindNote}, Text: "package a\n\n// A does.\nfunc A() {\n}\n\ntype B int\n"},
		{DocumentMeta: memoir.DocumentMeta{ID: "a.py", Kind: memoir.KindNote}, Text: "def a():\n    pass\n\nclass B:\n    pass\n"},
		{DocumentMeta: memoir.DocumentMeta{ID: "a/empty.md", Kind: memoir.KindNote}},
		{DocumentMeta: memoir.DocumentMeta{ID: "stub.md", Kind: memoir.KindNote}, Text: "+++\ntitle = 'A'\ntags = ['b']\n+++\n"},
		{DocumentMeta: memoir.DocumentMeta{ID: "odd.md", Kind: memoir.KindNote}, Text: "Mem\u200boir ❤\ufe0f\n\n![](data:image/png;base64," + strings.Repeat("iVBORw0KGgo", 30) + ")\n\n" + strings.Repeat("row of a log\n", 40) + "---\n\n## " + strings.Repeat("long ", 100) + "\nx\n"},
		{DocumentMeta: memoir.DocumentMeta{ID: "small.md", Kind: memoir.KindNote}, Text: strings.Repeat("# a\nb\n", 5000)},
		{DocumentMeta: memoir.DocumentMeta{ID: "a.log", Kind: memoir.KindNote}, Text: "10:32 a\n# b\n10:33 c\n10:34 d\n"},
		{DocumentMeta: memoir.DocumentMeta{ID: "later.md", Kind: memoir.KindNote}, Text: "# Later\n\nTODO\n"},
		{DocumentMeta: memoir.DocumentMeta{ID: "sessions/gemini/p/chats/session-a.jsonl", Kind: memoir.KindSession}, Session: "Ab-1", Text: "User: a\nAssistant: b\n"},
	}
	var all string
	for _, d := range docs {
		line, err := json.Marshal(x.Analyse(d)) // in which two terms are never one
		if err != nil {
			t.Fatal(err)
		}
		all += string(line) + "\n"
	}
	got := fmt.Sprintf("%d %d/%d: %.16s", indexVersion, c.MaxTokens, c.OverlapTokens, memoir.HashText(all))
	if got != want {
		t.Errorf("got %q, want %q: raise indexVersion, then take the new value here; the chunks are now\n%.4000s", got, want, all)
	}
}
