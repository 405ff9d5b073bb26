package chunk_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir/internal/chunk"
)

func TestMarkdown(t *testing.T) {
	small := chunk.Options{MaxTokens: 12, OverlapTokens: 4}
	tests := []struct {
		name, text string
		opts       chunk.Options
		want       []chunk.Piece
	}{
		{"empty", "", chunk.Options{}, nil},
		{"blank", " \r\n\t\n\u3000\n", chunk.Options{}, nil},
		{"only front matter", "---\ntitle: A\n---\n", chunk.Options{}, nil},
		{"no trailing newline", "hello", chunk.Options{}, []chunk.Piece{{StartLine: 1, EndLine: 1, Text: "hello"}}},
		{"CRLF stays", "a\r\nb\r\n\r\n", chunk.Options{}, []chunk.Piece{{StartLine: 1, EndLine: 2, Text: "a\r\nb"}}},
		{"lines count front matter", "---\ntags: x\n---\n\ntext\n", chunk.Options{}, []chunk.Piece{
			{StartLine: 5, EndLine: 5, Text: "text"},
		}},
		{"sections", "intro\n\n# Title\n\nA\n\n## One\nB\n\n### Deep\nC\n\nTwo\n---\nD\n", chunk.Options{}, []chunk.Piece{
			{StartLine: 1, EndLine: 1, Text: "intro"},
			{StartLine: 3, EndLine: 5, Text: "# Title\n\nA"},
			{StartLine: 7, EndLine: 8, Heading: []string{"One"}, Text: "## One\nB"},
			{StartLine: 10, EndLine: 11, Heading: []string{"One", "Deep"}, Text: "### Deep\nC"},
			{StartLine: 13, EndLine: 15, Heading: []string{"Two"}, Text: "Two\n---\nD"},
		}},
		{"a second heading of level 1 is no title", "# A\na\n# B\nb\n", chunk.Options{}, []chunk.Piece{
			{StartLine: 1, EndLine: 2, Text: "# A\na"},
			{StartLine: 3, EndLine: 4, Heading: []string{"B"}, Text: "# B\nb"},
		}},
		{"a heading alone joins the next", "# A\n\n## B\n\n### C\ntext\n\n## D\n", chunk.Options{}, []chunk.Piece{
			{StartLine: 1, EndLine: 6, Heading: []string{"B", "C"}, Text: "# A\n\n## B\n\n### C\ntext"},
			{StartLine: 8, EndLine: 8, Heading: []string{"D"}, Text: "## D"},
		}},
		{"no heading inside a fence", "## A\n```sh\n# not one\n```\nb\n", chunk.Options{}, []chunk.Piece{
			{StartLine: 1, EndLine: 5, Heading: []string{"A"}, Text: "## A\n```sh\n# not one\n```\nb"},
		}},
		{"unclosed fence", "a\n\n```\n# x\n\n\ny\n", chunk.Options{}, []chunk.Piece{
			{StartLine: 1, EndLine: 7, Text: "a\n\n```\n# x\n\n\ny"},
		}},
		{"paragraphs are packed and kept whole", "aaaa aaaa aaaa\n\nbbbb bbbb bbbb\nbbbb bbbb\n\ncccc cccc cccc\n", small, []chunk.Piece{
			{StartLine: 1, EndLine: 4, Text: "aaaa aaaa aaaa\n\nbbbb bbbb bbbb\nbbbb bbbb"},
			{StartLine: 4, EndLine: 6, Text: "bbbb bbbb\n\ncccc cccc cccc"},
		}},
		{"a fence is kept whole where it fits", "aaaa aaaa aaaa aaaa\n\n```\nbbbb\n\nbbbb bbbb bbbb bbbb\n```\n\nc\n", small, []chunk.Piece{
			{StartLine: 1, EndLine: 1, Text: "aaaa aaaa aaaa aaaa"},
			{StartLine: 3, EndLine: 9, Text: "```\nbbbb\n\nbbbb bbbb bbbb bbbb\n```\n\nc"},
		}},
		{"no overlap out of the middle of a table", "|a|b|\n|-|-|\n|1|2|\n|3|4|\n|5|6|\n\nbbbb bbbb bbbb bbbb bbbb\n", small, []chunk.Piece{
			{StartLine: 1, EndLine: 5, Text: "|a|b|\n|-|-|\n|1|2|\n|3|4|\n|5|6|"},
			{StartLine: 7, EndLine: 7, Text: "bbbb bbbb bbbb bbbb bbbb"},
		}},
		{"a table after a paragraph's lines", "aaaa aaaa aaaa aaaa aaaa aaaa\n|a|b|\n|-|-|\n|1|2|\n|3|4|\n", small, []chunk.Piece{
			{StartLine: 1, EndLine: 1, Text: "aaaa aaaa aaaa aaaa aaaa aaaa"},
			{StartLine: 2, EndLine: 5, Text: "|a|b|\n|-|-|\n|1|2|\n|3|4|"},
		}},
		{"a large list falls apart at its entries", "- aaaa aaaa aaaa\n  aaaa aaaa aaaa\n- bbbb bbbb bbbb\n- cccc\n", small, []chunk.Piece{
			{StartLine: 1, EndLine: 2, Text: "- aaaa aaaa aaaa\n  aaaa aaaa aaaa"},
			{StartLine: 2, EndLine: 4, Text: "  aaaa aaaa aaaa\n- bbbb bbbb bbbb\n- cccc"},
		}},
		{"a long line is cut after sentences", "x\n\n第一句话。第二句话！第三句话？\n\nEnd.\n", chunk.Options{MaxTokens: 10, OverlapTokens: 5}, []chunk.Piece{
			{StartLine: 1, EndLine: 3, Text: "x\n\n第一句话。"},
			{StartLine: 3, EndLine: 3, Text: "第一句话。第二句话！"},
			{StartLine: 3, EndLine: 3, Text: "第二句话！第三句话？"},
			{StartLine: 3, EndLine: 5, Text: "第三句话？\n\nEnd."},
		}},
		{"without sentences after words", "aaaa bbbb cccc dddd eeee ffff gggg hhhh", chunk.Options{MaxTokens: 8}, []chunk.Piece{
			{StartLine: 1, EndLine: 1, Text: "aaaa bbbb cccc dddd eeee ffff "},
			{StartLine: 1, EndLine: 1, Text: "gggg hhhh"},
		}},
		{"curated entries", "# Me\n\n## Likes\n- tea\n  - green\n- cats\n\nplain\n\n1. one\n2. two\n", chunk.Options{Entries: true, OverlapTokens: 80}, []chunk.Piece{
			{StartLine: 1, EndLine: 5, Heading: []string{"Likes"}, Text: "# Me\n\n## Likes\n- tea\n  - green"},
			{StartLine: 6, EndLine: 6, Heading: []string{"Likes"}, Text: "- cats"},
			{StartLine: 8, EndLine: 8, Heading: []string{"Likes"}, Text: "plain"},
			{StartLine: 10, EndLine: 10, Heading: []string{"Likes"}, Text: "1. one"},
			{StartLine: 11, EndLine: 11, Heading: []string{"Likes"}, Text: "2. two"},
		}},
		{"comments stay", "<!-- trigger: x -->\ntext\n", chunk.Options{}, []chunk.Piece{
			{StartLine: 1, EndLine: 2, Text: "<!-- trigger: x -->\ntext"},
		}},
		{"definitions of links stay", "[a]: http://x\n\n[b]: http://y\n", chunk.Options{}, []chunk.Piece{
			{StartLine: 1, EndLine: 3, Text: "[a]: http://x\n\n[b]: http://y"},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := chunk.Markdown(tt.text, tt.opts).Pieces
			if diff := cmp.Diff(got, tt.want); diff != "" {
				t.Errorf("got, want:\n%s", diff)
			}
			checkPieces(t, tt.text, tt.opts)
		})
	}
}

func TestTitleAndMeta(t *testing.T) {
	tests := []struct {
		name, text, title string
		meta              chunk.Meta
		firstLine         int // of the first piece
	}{
		{"heading", "text\n\n# The *title*  \n", "The *title*", chunk.Meta{}, 1},
		{"none", "## Only a section\n", "", chunk.Meta{}, 1},
		{"front matter", "\ufeff---\r\nTitle: 数据库\r\ndate: 2026-03-02\r\ntags: [a, '#b', 3]\r\naliases: x y, z\r\ntype: note\r\nextra: {k: 1}\r\n---\r\n# H\r\n", "数据库", chunk.Meta{
			Title: "数据库", Date: "2026-03-02", Tags: []string{"a", "b", "3"}, Aliases: []string{"x y", "z"}, Type: "note",
		}, 9},
		{"tags as text", "---\ntags: a, b c\nalias: d\n...\nx", "", chunk.Meta{Tags: []string{"a", "b", "c"}, Aliases: []string{"d"}}, 5},
		{"title of another kind", "---\ntitle: [a]\ndate: 2026-03-02T10:00:00Z\ntype: 7\n---\n# H\n", "H", chunk.Meta{Date: "2026-03-02T10:00:00Z", Type: "7"}, 6},
		{"broken", "---\ntitle: [a\n---\n# H\n", "H", chunk.Meta{}, 1},
		{"not a mapping", "---\n- a\n---\n# H\n", "H", chunk.Meta{}, 1},
		{"not closed", "---\ntitle: a\n", "", chunk.Meta{}, 1},
		{"not at the start", "\n---\ntitle: a\n---\n", "", chunk.Meta{}, 2},
		{"empty", "---\n---\nx", "", chunk.Meta{}, 3},
		{"TOML", "+++\r\ntitle = 'A day'\ndate = 2026-03-02T10:00:00+01:00\ntags = [\"a\", \"b\"]\naliases = ['/old/', 'x']\ntype = \"post\"\n[params]\nk = 1\n+++\n\n# H\n", "A day", chunk.Meta{
			Title: "A day", Date: "2026-03-02T10:00:00+01:00", Tags: []string{"a", "b"}, Aliases: []string{"/old/", "x"}, Type: "post",
		}, 11},
		{"a day in TOML", "+++\ndate = 2026-03-02\n+++\nx", "", chunk.Meta{Date: "2026-03-02"}, 4},
		{"a time in TOML", "+++\ndate = 2026-03-02 10:00:00\n+++\nx", "", chunk.Meta{Date: "2026-03-02T10:00:00"}, 4},
		{"broken TOML", "+++\ntitle = \n+++\n# H\n", "H", chunk.Meta{}, 1},
		{"TOML closed by dashes", "+++\ntitle = 'a'\n---\n", "", chunk.Meta{}, 1},
		{"huge", "---\nx: " + strings.Repeat("y", 70<<10) + "\ntitle: a\n---\n# H\n", "H", chunk.Meta{}, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := chunk.Markdown(tt.text, chunk.Options{})
			if got.Title != tt.title {
				t.Errorf("title %q, want %q", got.Title, tt.title)
			}
			if got.Pieces[0].StartLine != tt.firstLine {
				t.Errorf("text begins at line %d, want %d", got.Pieces[0].StartLine, tt.firstLine)
			}
			got.Meta.Raw = nil
			if diff := cmp.Diff(got.Meta, tt.meta); diff != "" {
				t.Errorf("got, want:\n%s", diff)
			}
		})
	}
}

func TestMetaKeepsEveryField(t *testing.T) {
	got := chunk.Markdown("---\ntitle: a\nown: {k: [1, x]}\n---\n", chunk.Options{}).Meta.Raw
	want := map[string]any{"title": "a", "own": map[string]any{"k": []any{1, "x"}}}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("got, want:\n%s", diff)
	}
}

func TestTokens(t *testing.T) {
	tests := []struct {
		text string
		want int
	}{
		{"", 0}, {"a", 1}, {"abcd", 1}, {"abcde", 2}, {"数据库", 3}, {"データ、", 4}, {"한국어", 3}, {"㐀", 3}, {"𠀀", 4},
		{"ﾃﾞ", 4}, {"🎉", 1}, {"приветик", 2}, {"\xff\xff\xff\xff\xff", 2}, {"a数b", 2},
	}
	for _, tt := range tests {
		if got := chunk.Tokens(tt.text); got != tt.want {
			t.Errorf("Tokens(%q) = %d, want %d", tt.text, got, tt.want)
		}
	}
}

// Hostile texts take time in proportion and lose nothing.
func TestHostile(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long")
	}
	nested := ""
	for i := range 200 {
		nested += strings.Repeat("  ", i) + "- entry\n"
	}
	bomb := "---\na: &a [x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c < 'k'; c++ {
		bomb += string(c) + ": &" + string(c) + " [" + strings.Repeat("*"+string(c-1)+",", 9) + "]\n"
	}
	for name, text := range map[string]string{
		"200 levels of lists": nested,
		"aliases that unfold": bomb + "---\ntext\n",
		"nested YAML":         "---\na: " + strings.Repeat("[", 10_000) + "\n---\n",
		"one long line":       strings.Repeat("字", 300_000),
		"one long word":       strings.Repeat("a", 1_000_000),
		"marks":               "e" + strings.Repeat("\u0301", 100_000),
		"quotations":          strings.Repeat(">", 50_000) + " a\n" + strings.Repeat("b\n", 2000),
		"entries in a line":   strings.Repeat("- ", 20_000) + " a\n" + strings.Repeat("b\n", 2000),
		"table of many cells": strings.Repeat("|a", 50_000) + "\n" + strings.Repeat("|-", 50_000) + "\n" + strings.Repeat("|x\n", 1000),
		"many headings":       strings.Repeat("# a\n", 20_000),
		"many fences":         strings.Repeat("```\n", 20_001),
		"table of many rows":  "|a|b|\n|-|-|\n" + strings.Repeat("|x|y|\n", 20_000),
		"blank lines":         "a" + strings.Repeat("\n", 100_000) + "b",
		"carriage returns":    strings.Repeat("a\r", 10_000),
		"NUL":                 "a\x00b\n\x00\n",
	} {
		t.Run(name, func(t *testing.T) {
			checkPieces(t, text, chunk.Options{MaxTokens: 400, OverlapTokens: 80})
			checkPieces(t, text, chunk.Options{Entries: true})
			checkPieces(t, text, chunk.Options{Shelf: true})
		})
	}
}

func FuzzMarkdown(f *testing.F) {
	for _, seed := range []string{
		"", "# A\r\n\r\ntext\r\n", "---\ntitle: x\n---\n\n# A\n- b\n  - c\n\n```go\nx\n```\n\n|a|b|\n|-|-|\n|1|2|\n",
		"Setext\n===\n\npara\n***\n> q\n> - l\n\n    code\n\n<div>\n</div>\n", "一句话。又一句话！第三句话很长很长很长很长很长很长。",
		"e\u0301e\u0301e\u0301 👨\u200d👩\u200d👧 a\u200db", "- [ ] x\n\n\n1) y\n\n   z\n", "- a\n  - b\n\t- c\n\n    ```\n    x\n\n\n\n\n\n\n    ```\n  > - d\n<!-- e\n\n-->\n", "+++\ntitle='x'\n+++\n## B\nc\n", "[a]: b\n\t\x00\xff\n~~~\n",
	} {
		f.Add(seed, 8, 4, false, true)
		f.Add(seed, 0, 80, true, false)
	}
	f.Fuzz(func(t *testing.T, text string, limit, overlap int, entries, shelf bool) {
		opts := chunk.Options{MaxTokens: limit % 1000, OverlapTokens: overlap % 1000, Entries: entries, Shelf: shelf}
		checkPieces(t, text, opts)
		for _, window := range []int{1, 30, 100} {
			checkNote(t, chunk.MarkdownIn(text, opts, window), text, opts)
		}
	})
}

// checkPieces cuts a note and holds the result to what the package promises.
func checkPieces(t *testing.T, text string, opts chunk.Options) {
	t.Helper()
	checkFile(t, "note.md", text, opts)
}

// checkFile cuts a file and holds the result to what the package promises.
func checkFile(t *testing.T, name, text string, opts chunk.Options) {
	t.Helper()
	checkNote(t, chunk.File(name, text, opts), text, opts)
}

// checkNote holds a text that was cut to what the package promises.
func checkNote(t *testing.T, note chunk.Note, text string, opts chunk.Options) {
	t.Helper()
	limit := opts.MaxTokens
	if limit <= 0 {
		limit = chunk.DefaultMaxTokens
	}
	limit = max(limit, 8)
	starts := []int{0}
	for i := range len(text) {
		if text[i] == '\n' {
			starts = append(starts, i+1)
		}
	}
	starts = append(starts, len(text))

	covered, begun, valid := 0, -1, utf8.ValidString(text)
	if note.Meta.Raw != nil {
		covered = len(note.FrontMatter)
	}
	for i, p := range note.Pieces {
		if n := chunk.Tokens(p.Text); n > limit {
			t.Fatalf("piece %d has %d tokens, limit %d: %q", i, n, limit, p.Text)
		}
		if strings.TrimSpace(p.Text) == "" || valid && !utf8.ValidString(p.Text) {
			t.Fatalf("piece %d is blank or splits a character: %q", i, p.Text)
		}
		if p.StartLine < 1 || p.EndLine < p.StartLine || p.EndLine >= len(starts) {
			t.Fatalf("piece %d: lines %d to %d of %d", i, p.StartLine, p.EndLine, len(starts)-1)
		}
		at := place(text, starts, p, covered)
		if at < 0 {
			t.Fatalf("piece %d is not where its lines %d to %d are, or something before it is lost: %q", i, p.StartLine, p.EndLine, p.Text)
		}
		if end := at + len(p.Text); at <= begun || end <= covered {
			t.Fatalf("piece %d says nothing new: %q", i, p.Text)
		} else {
			begun, covered = at, end
		}
	}
	if rest := text[covered:]; strings.TrimSpace(rest) != "" {
		t.Fatalf("lost at the end: %q", rest)
	}
}

// place returns the offset at which a piece's text stands in its lines, no
// later than covered save for white space; -1 when there is none.
func place(text string, starts []int, p chunk.Piece, covered int) int {
	first, last := starts[p.StartLine-1], starts[p.EndLine-1]
	covered += len(text[covered:]) - len(strings.TrimLeft(text[covered:], " \t\r\n\v\f\u0085\u00a0\u2028\u2029\u3000"))
	for at := min(covered, len(text)-len(p.Text)); at >= first; at-- {
		if text[at:at+len(p.Text)] == p.Text && at < starts[p.StartLine] && at+len(p.Text) > last {
			return at
		}
	}
	return -1
}

const note = `# Session store

## Decision
We move the session store from Redis to SQLite, because operating two databases cost us more than it gave.
The migration is written by Caroline; --dry-run prints what would change.

- rotate ` + "`DB_PASSWORD`" + ` afterwards
- tell the team
  - on Monday

## 决定
今天我们决定把会话存储从 Redis 迁移到 SQLite，因为同时维护两个数据库的成本太高。完成之后不要忘记更换密码。

| step | who |
|------|-----|
| migrate | Caroline |

`

func BenchmarkMarkdown(b *testing.B) {
	for _, size := range []struct {
		name  string
		notes int
	}{{"1 KB", 1}, {"100 KB", 130}} {
		text := strings.Repeat(note, size.notes)
		b.Run(size.name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				chunk.Markdown(text, chunk.Options{OverlapTokens: 80})
			}
		})
	}
}
