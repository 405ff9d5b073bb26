package chunk_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir/internal/chunk"
)

// outlineOf tells the pieces of a file as "first-last heading".
func outlineOf(name, text string, opts chunk.Options) []string {
	var got []string
	for _, p := range chunk.File(name, text, opts).Pieces {
		line := fmt.Sprintf("%d-%d", p.StartLine, p.EndLine)
		if len(p.Heading) > 0 {
			line += " " + strings.Join(p.Heading, ".")
		}
		got = append(got, line)
	}
	return got
}

const goFile = `// Package a is a package.
package a

import "fmt"

// Limit is how much.
const Limit = 3

// A Tree is a tree.
type Tree[K any] struct {
	left, right *Tree[K]
}

func (t *Tree[K]) Walk() { fmt.Println(t) }

// Grow grows the tree, and is long.
func Grow(n int) {
	for i := range n {
		fmt.Println("growing", i)
	}

	if n > 100 {
		fmt.Println("a lot")
	}
}
`

const pythonFile = `"""A module."""
import os


@cache
def load(path):
    return open(path).read()


class Store:
    """Keeps things."""

    def put(self, key, value):
        # a comment
        self.items[key] = value

    def get(self, key):
        return self.items[key]

if __name__ == "__main__":
    Store().put(1, 2)
`

const cFile = "#include <stdio.h>\r\n\r\n/* Adds. */\r\nint add(int a,\r\n        int b)\r\n{\r\n\treturn a + b;\r\n}\r\nint main(void) {\r\n\tif (add(1, 2)) {\r\n\t\treturn 1;\r\n\t}\r\n\treturn 0;\r\n}\r\n"

const scriptFile = `export async function load(url) {
  const r = await fetch(url)
  return r.json()
}
const twice = (x) => {
  return 2 * x
}
export default class Box extends Base {
  constructor() { super() }

  open(key) {
    if (check(key)) {
      return this.inside
    }
  }
}
`

const logFile = `2026-03-02 10:32:05,123 INFO started
2026-03-02 10:32:06,001 ERROR broken
Traceback (most recent call last):
  File "a.py", line 3

# not a heading
2026-03-02 10:32:07,500 INFO stopped
2026-03-02 10:32:08,500 INFO started again
`

func TestFile(t *testing.T) {
	small := chunk.Options{MaxTokens: 30}
	tests := []struct {
		name, text string
		opts       chunk.Options
		want       []string
	}{
		{"a.go", goFile, chunk.Options{}, []string{"1-7", "9-12 Tree", "14-14 Tree.Walk", "16-25 Grow"}},
		{"a.go", goFile, small, []string{"1-7", "9-12 Tree", "14-14 Tree.Walk", "16-20 Grow", "22-25 Grow"}},
		{"broken.go", "package a\n\nfunc One() {\n\tx(\n}\n\nfunc Two() {\n}\n", chunk.Options{}, []string{"1-1", "3-5 One", "7-8 Two"}},
		{"a.py", pythonFile, chunk.Options{}, []string{"1-2", "5-7 load", "10-18 Store", "20-21"}},
		{"A.PY", pythonFile, small, []string{"1-2", "5-7 load", "10-11 Store", "13-15 Store.put", "17-18 Store.get", "20-21"}},
		{"a.c", cFile, chunk.Options{}, []string{"1-1", "3-8 add", "9-14 main"}},
		{"a.ts", scriptFile, chunk.Options{}, []string{"1-4 load", "5-7 twice", "8-16 Box"}},
		{"a.ts", scriptFile, small, []string{"1-4 load", "5-7 twice", "8-9 Box", "11-16 Box.open"}},
		{"x.yaml", "# what is here\na:\n  b: 1\nc:\n  - d\n  - e\n", chunk.Options{MaxTokens: 8}, []string{"1-3", "4-6"}},
		{"a.log", logFile, chunk.Options{}, []string{"1-8"}},
		{"a.log", logFile, small, []string{"1-1", "2-6", "7-8"}},
		{"plain.log", "one\n\n\ntwo\n\n# three\n", chunk.Options{MaxTokens: 8}, []string{"1-6"}},
		{"notes.txt", "# A\n\n## B\ntext\n", chunk.Options{}, []string{"1-4 B"}},
		{"empty.go", "\n\n", chunk.Options{}, nil},
		{"empty.log", "", chunk.Options{}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(outlineOf(tt.name, tt.text, tt.opts), tt.want); diff != "" {
				t.Errorf("got, want:\n%s", diff)
			}
			checkFile(t, tt.name, tt.text, tt.opts)
		})
	}
}

// A fence that is too long for a piece is cut at its functions, and never
// begins a heading.
func TestFence(t *testing.T) {
	text := "# Notes\n\n## Code\n\n```python\n" + pythonFile + "```\n\nafter\n"
	got := outlineOf("a.md", text, chunk.Options{MaxTokens: 40})
	for _, line := range got {
		if !strings.HasSuffix(line, " Code") {
			t.Errorf("piece %q is not below the heading", line)
		}
	}
	for _, first := range []string{"18-", "25-"} {
		if !slices.ContainsFunc(got, func(line string) bool { return strings.HasPrefix(line, first) }) {
			t.Errorf("no piece begins at %s: got %q", first, got)
		}
	}
}

func TestConversation(t *testing.T) {
	windows := []string{"1-3", "3-5", "5-6"}
	for _, tt := range []struct {
		name, text string
		want       []string
	}{
		{"plain", "Ann: a\nBen: b\nAnn: c\nBen: d\nAnn: e\nBen: f\n", windows},
		{"CRLF", "Ann: a\r\nBen: b\r\nAnn: c\r\nBen: d\r\nAnn: e\r\nBen: f\r\n", windows},
		{"bold", "**Ann:** a\n**Ben:** b\n**Ann:** c\n**Ben:** d\n**Ann**: e\n**Ben**: f\n", windows},
		{"full width", "张三：早上好\n李四：早\n张三：今天开会吗？\n李四：下午三点\n张三：好的\n李四：再见\n", windows},
		{"entries of a list", "- Ann: a\n- Ben: b\n- Ann: c\n- Ben: d\n- Ann: e\n- Ben: f\n", windows},
		{"times", "[10:32] Ann: a\n[10:33] Ben: b\n[10:33] Ann: c\n10:34 Ben: d\n[3/2/26, 10:35:01 AM] Ann: e\n3/2/26, 10:36 - Ben: f\n", windows},
		{"relay chat", "[10:32] <ann> a\n[10:33] <ben> b\n[10:33] <ann> c\n[10:34] <ben> d\n[10:35] <ann> e\n[10:36] <ben> f\n", windows},
		{"paragraphs", "Ann: a\n\nBen: b\n\nAnn: c\n\nBen: d\n\nAnn: e\n", []string{"1-5", "5-9"}},
		{"heading and words before", "# T\n\nThey met.\n\nAnn: a\nBen: b\nAnn: c\nBen: d\n", []string{"1-7", "7-8"}},
		{"long turns of an assistant", "User: a\n\nAssistant: b\n\n- c\n- d\n\nmore\n\nUser: e\n\nAssistant: f\n\n1. g\n2. h\n\nend\n\nUser: i\n\nAssistant: j\n", []string{"1-10", "10-21"}},
		{"too short", "Ann: a\nBen: b\nAnn: c\n", []string{"1-3"}},
		{"fields", "Name: a\nPhone: b\nStreet: c\nTown: d\nLand: e\nMail: f\n", []string{"1-6"}},
		{"addresses", "http://a\nhttp://b\nhttps://a\nhttp://c\nhttps://d\nhttp://e\n", []string{"1-6"}},
		{"few lines of many", "Ann: a\nx\ny\nBen: b\nx\ny\nAnn: c\nx\ny\nBen: d\nx\ny\n", []string{"1-12"}},
		{"runs of a word", "- fix: a\n- fix: b\n- fix: c\n- fix: d\n- add: e\n- add: f\n- add: g\n", []string{"1-7"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(outlineOf("a.md", tt.text, chunk.Options{OverlapTokens: 40}), tt.want); diff != "" {
				t.Errorf("got, want:\n%s", diff)
			}
			checkFile(t, "a.md", tt.text, chunk.Options{MaxTokens: 8, OverlapTokens: 40})
		})
	}
}

func TestLogEntriesStayWhole(t *testing.T) {
	for _, stamp := range []string{
		"2026-03-02 10:32:05.123", "2026-03-02T10:32:05Z", "[2026-03-02 10:32:05 +0100]", "10:32", "[10:32:05]", "Mar  2 10:32:05", "2/Mar/2026:10:32:05",
		"3/2/2026, 10:32 PM", "**10:32**", "- 10:32", "2026年3月2日 10:32", "3月2日", "10时32分", "2026-03-02",
	} {
		text := strings.Repeat(stamp+" one two\n  three\n", 4)
		got := outlineOf("a.md", text, chunk.Options{MaxTokens: chunk.Tokens(stamp+" one two\n  three\n") * 5 / 4})
		if want := []string{"1-2", "3-4", "5-6", "7-8"}; !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", stamp, got, want)
		}
	}
	for _, text := range []string{"1.2.3", "10", "2026", "2026-03-02abc", "10:32abc", "10/12 of it", "may be"} {
		entry := text + " one two\n  three\n"
		text = strings.Repeat(entry, 4)
		if got := outlineOf("a.md", text, chunk.Options{MaxTokens: chunk.Tokens(entry + entry[:strings.Index(entry, "\n")])}); got[0] != "1-3" {
			t.Errorf("%q is taken for a time: %q", text, got)
		}
	}
}

func TestHostileFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long")
	}
	for name, text := range map[string]string{
		"deep.go":    "package a\n\nvar x = " + strings.Repeat("(", 200_000),
		"deep.py":    deepCode(400),
		"fence.md":   "```\n" + deepCode(400) + "```\n",
		"long.js":    strings.Repeat("function(){", 100_000),
		"lines.c":    strings.Repeat("int f(int x) {\n", 30_000),
		"comment.rs": strings.Repeat("// x\n", 50_000),
		"nul.go":     "package a\x00\n\xff\xfe func {",
		"line.go":    "package a\n\n//line b.go:9000\nfunc A() {}\n\n/*line :1:2*/ func B() {}\n",
		"same.go":    "package a; func A() {}; func B() {}; type C int\n",
		"cr.go":      "package a\r\n\r\nfunc A() {\r\n}\r\rfunc B() {}\r\n",
		"marks.go":   "\ufeffpackage a\n\nfunc A() {}\n",
		"stamps.log": strings.Repeat("10:32 a\n", 50_000),
		"digits.log": strings.Repeat("1", 1_000_000),
		"blank.log":  "10:32" + strings.Repeat("\n", 100_000) + "10:33\n10:34",
		"turns.md":   strings.Repeat("Ann: "+strings.Repeat("a", 900)+"\nBen: b\n", 2_000),
		"colons.md":  strings.Repeat(":", 500_000) + "\n" + strings.Repeat("a:", 100_000),
		"roles.md":   strings.Repeat("User: a\n# b\nAssistant: c\n\n### User\n\n## d\n\n- Bot: e\n- Me: f\n\n", 5_000),
		"answers.md": strings.Repeat("User: a\n\nAI: b\n\n"+strings.Repeat("###### c\n\nNote: d\n", 50), 500),
		"names.md":   strings.Repeat("**a:** b\n", 20_000) + strings.Repeat("**c:** b\n**a**: b\n", 20_000),
	} {
		t.Run(name, func(t *testing.T) {
			checkFile(t, name, text, chunk.Options{MaxTokens: 180, OverlapTokens: 40})
			checkFile(t, name, text, chunk.Options{MaxTokens: 8})
		})
	}
}

func deepCode(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i) + "if x:\n\n" + strings.Repeat(" ", i) + "y = 1\n")
	}
	return b.String()
}

func TestWithoutAssistant(t *testing.T) {
	for text, want := range map[string]string{
		"User: where do I live?\nAssistant: You told me: Kyoto.\nUser: and before?": "where do I live?\nand before?",
		"Lisa: 昨天老师表扬我了！\nAssistant: 真棒！\nLisa: 是的！":                                "Lisa: 昨天老师表扬我了！\nLisa: 是的！",
		"用户：数据库在哪里？\r\n助手：在柏林。\r\n\r\n还有备份。\r\n用户：谢谢":                               "数据库在哪里？\r\n谢谢",
		"**User:** one\ntwo\n\n**Assistant:** three\nfour\n\n**Mia:** five":         "one\ntwo\n\n**Mia:** five",
		"[10:32] User: at last\n[10:33] Assistant: yes":                             "at last",
		"10:32 <me> at last\n10:33 <bot> yes":                                       "at last",
		"Assistant: hello\nAssistant: anybody?":                                     "",
		"Ann: one\nBen: two\nAnn: three":                                            "",
		"Please summarise this!\nUser: one\nAssistant: two":                         "",
		"what did the assistant: say":                                               "",
		"":                                                                          "",
	} {
		if got := chunk.WithoutAssistant(text); got != want {
			t.Errorf("%q gives %q, want %q", text, got, want)
		}
	}
}

func TestTurns(t *testing.T) {
	for text, want := range map[string][]chunk.Turn{
		"Ann: one\nBen: two\nAnn: three":              {{0, "Ann"}, {9, "Ben"}, {18, "Ann"}},
		"# Talk\n\n**Ann:** one\nand\n\n**Ann:** two": {{8, "Ann"}, {26, "Ann"}},
		"张三：一\r\n李四：二":                                {{0, "张三"}, {14, "李四"}},
		"Owner: Ann\nPort: 80\nHost: lion":            nil,
		"Ann: one":                                    nil,
		"said before\nAnn: one\nBen: two":             nil,
		"no talk\n\nof anybody":                       nil,
		"":                                            nil,
	} {
		if diff := cmp.Diff(chunk.Turns(text), want); diff != "" {
			t.Errorf("%q (-got +want):\n%s", text, diff)
		}
	}
}

func FuzzTalk(f *testing.F) {
	for _, seed := range []string{"User: a\nAssistant: b\nUser: c", "助手：b\r\n**我：** c\n<me> x\n", "[1:2] AI: \xff\n:\n>\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got := chunk.WithoutAssistant(text); len(got) > len(text) || utf8.ValidString(text) && !utf8.ValidString(got) {
			t.Errorf("%q gives %q", text, got)
		}
		last := -1
		for _, turn := range chunk.Turns(text) {
			start := turn.Start
			if start <= last || start >= len(text) || start > 0 && text[start-1] != '\n' {
				t.Errorf("a turn of %q begins at %d, after %d", text, start, last)
			}
			last = start
		}
	})
}

func FuzzFile(f *testing.F) {
	for _, text := range []string{goFile, pythonFile, cFile, scriptFile, logFile, "Ann: a\r\nBen：b\n**Ann:** e\u0301\nBen: 👨\u200d👩\n\nAnn: x\n- Ben: y\n",
		"Ann: a\nAI: b\n# c\nAnn: d\n## User\ne\n## Bot\n- f\n### User\n"} {
		for kind := range 5 {
			f.Add(text, kind, 8, 4)
			f.Add(text, kind, 60, 20)
		}
	}
	f.Fuzz(func(t *testing.T, text string, kind, limit, overlap int) {
		name := []string{"a.md", "a.go", "a.py", "a.c", "a.log"}[max(kind, 0)%5]
		checkFile(t, name, text, chunk.Options{MaxTokens: limit % 1000, OverlapTokens: overlap % 1000})
	})
}

func BenchmarkFile(b *testing.B) {
	for _, file := range []struct{ name, text string }{{"a.go", goFile[strings.Index(goFile, "\nfunc Grow"):]}, {"a.py", pythonFile}, {"a.log", logFile}} {
		text := strings.Repeat(file.text, 100<<10/len(file.text))
		if file.name == "a.go" {
			text = "package a\n" + text
		}
		b.Run(file.name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				chunk.File(file.name, text, chunk.Options{MaxTokens: 180, OverlapTokens: 40})
			}
		})
	}
}
