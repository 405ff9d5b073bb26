package wording

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestOf(t *testing.T) {
	for _, c := range []struct {
		tags    []string
		chinese bool
	}{
		{},
		{tags: []string{"", "", "zh_CN.UTF-8"}, chinese: true},
		{tags: []string{"C", "", "zh_CN.UTF-8"}},
		{tags: []string{"", "zh_TW", "en_US.UTF-8"}, chinese: true},
		{tags: []string{"", "", "", "zh-Hans-CN"}, chinese: true},
		{tags: []string{"zh"}, chinese: true},
		{tags: []string{"zhuang"}},
	} {
		if Of(c.tags...).English() == c.chinese {
			t.Errorf("%q: English is %t", c.tags, !c.chinese)
		}
	}
}

func TestSay(t *testing.T) {
	zh := Of("zh_CN.UTF-8")
	for sentence, want := range map[string]string{
		"nothing is lost": "没有丢失的内容",
		`-n, --limit is "abc" and must be a number`:              `-n, --limit 的值是 "abc"，应当是数字`,
		"there is no note a in b.md in /home/me/in: not found":   "b.md in /home/me/in 里没有笔记 a：没有找到",
		"there is no note a.md in /notes: not found":             "/notes 里没有笔记 a.md：没有找到",
		"there is no note notes in index: not found":             "index 里没有笔记 notes：没有找到",    // names
		"open the index /x/y.sqlite: there is none: unavailable": "打开索引 /x/y.sqlite：没有索引：不可用", // one word, but an error
		"/x/y: nothing is lost":                                  "/x/y：没有丢失的内容",
		"what nobody has said in Chinese":                        "what nobody has said in Chinese",
		"1 note":                                                 "1 篇笔记",
		"12 notes":                                               "12 篇笔记",
		"/a, b: 12 notes, 1 file":                                "/a, b：12 篇笔记，1 个文件",
		"12 notes, a tree":                                       "12 notes, a tree",
		"12 notes; nothing is lost":                              "12 篇笔记；没有丢失的内容",
		"my tree; your tree":                                     "my tree; your tree",
		"/x/y.sqlite: 6 notes, 6 passages; 3 notes changed or removed since; 1 of 5 texts has no vector yet": "/x/y.sqlite：6 篇笔记，6 段；3 篇笔记之后改过或删了；5 段文字中还有 1 段没有向量",
		"15,160 notes":                           "15,160 篇笔记",
		"15,16 notes":                            "15,16 notes",
		"many notes":                             "many notes",
		"vectors: 2519 texts have no vector yet": "向量：2519 段文字还没有向量",
		"2026-11-24 05:54:36 at prompt of codex with /n: nothing is lost":                                                 "2026-11-24 05:54:36，codex 的 prompt，用 /n：没有丢失的内容",
		"2026-11-24 05:54:36: nothing is lost":                                                                            "2026-11-24 05:54:36：没有丢失的内容",
		"2 files skipped: 2 × not an ordinary file":                                                                       "跳过 2 个文件：不是普通文件（2 个）",
		"/n: 1 note, 5 files skipped: 3 × symbolic link; links are not followed, 1 × not an ordinary file, 1 × too large": "/n：1 篇笔记，跳过 5 个文件：是符号链接；不跟随链接（3 个），不是普通文件（1 个），太大（1 个）",
		"2 of 2.2, 1 of 2.1":                               "2.2（2 个），2.1（1 个）",
		"3 × not an ordinary file, a tree":                 "not an ordinary file, a tree（3 个）", // no list of such parts
		"there is no note a, b.md in /n, or so: not found": "/n, or so 里没有笔记 a, b.md：没有找到",
		`--scope is "x" and must be one of user, project`:  `--scope 的值是 "x"，应当是 user、project 之一`,
		"one of codex, gemini":                             "可选：codex、gemini",
		"FROM is missing":                                  "缺少参数：FROM",
		"the query could not be embedded: meaning needs a provider or an installed model, for this memoir has none inside": "没能计算问题的向量：按意思找要有提供方或装好的模型，这个 memoir 里没有内置的",
		"looked for every 1m0s: the system does not tell what is mounted: no such file or directory":                       "每 1m0s 查看一次：系统没有提供挂载信息：没有这个文件或文件夹",
		"/a/b.json: it can be changed by the agent's own command alone: openclaw is not among the programs":                "/a/b.json：只能用智能体自己的命令来改：程序里没有 openclaw",
		"2 notes with a secret in it: a.md, b.md":                                                                          "2 篇笔记里有秘密：a.md, b.md",
		"": "",
	} {
		if got := zh.Say(sentence); got != want {
			t.Errorf("%q: got %q, want %q", sentence, got, want)
		}
		if got := Of().Say(sentence); got != sentence {
			t.Errorf("%q in English is %q", sentence, got)
		}
	}
	if got := fmt.Sprintf(zh.Format("workspace %s\n"), "notes"); got != "工作区 notes\n" {
		t.Errorf("the format says %q", got)
	}
}

// Each entry of the catalogue is in Chinese and takes only what the English one has.
func TestCatalogue(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range chinese().entries {
		if seen[e.english] {
			t.Errorf("%q is there twice", e.english)
		}
		seen[e.english] = true
		to := scan(e.said)
		for i, v := range to.verbs {
			at := i
			if v.place > 0 {
				at = v.place - 1
			}
			if at >= len(e.from.verbs) {
				t.Errorf("%q: %q takes value %d of %d", e.english, e.said, at+1, len(e.from.verbs))
			}
		}
	}
	if len(seen) < 100 {
		t.Errorf("the catalogue has %d entries", len(seen))
	}
}

func FuzzSay(f *testing.F) {
	zh := Of("zh")
	for _, e := range chinese().entries {
		f.Add(e.english)
	}
	f.Add(`%q "\x00" in : in : : `)
	f.Fuzz(func(t *testing.T, sentence string) {
		zh.Say(sentence)
		zh.Format(sentence)
	})
}

// Chinese is set as it is in print: a blank between ideographs and letters or digits, marks of
// full width beside ideographs, and no blank beside those.
func TestTypography(t *testing.T) {
	for _, rule := range []struct{ is, form string }{
		{"ideograph and letter without a blank", `\p{Han}[A-Za-z0-9]|[A-Za-z0-9]\p{Han}`},
		{"mark of ASCII behind an ideograph", `\p{Han}[,;:!?()]`},
		{"mark of ASCII before an ideograph", `[,;:!] *\p{Han}|[()]\p{Han}`},
		{"blank beside a mark of full width", `[，。：；（）、！？] |[^ ] [，。：；（）、！？]`},
	} {
		form := regexp.MustCompile(rule.form)
		for _, e := range chinese().entries {
			for _, literal := range scan(e.said).literals {
				for line := range strings.Lines(filters.ReplaceAllString(literal, "")) {
					if found := form.FindString(line); found != "" {
						t.Errorf("%s: %q in %q", rule.is, found, line)
					}
				}
			}
		}
	}
}

// filters are those of the query language, which end with a colon of their own.
var filters = regexp.MustCompile(`\b(path|tag|type|heading|session|agent|since|until|on|before|after): ?`)

// What people read in Chinese has one word for one thing: that of the glossary.
func TestWords(t *testing.T) {
	const docs = "../../docs"
	glossary, err := os.ReadFile(filepath.Join(docs, "GLOSSARY.md"))
	if err != nil {
		t.Fatal(err)
	}
	read := map[string]string{}
	files, err := filepath.Glob("../../*.zh-CN.md")
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(docs, func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".zh-CN.md") {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(files, "zh.txt", "../page/static/zh.js") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		read[file] = string(text)
	}
	_, table, ok := strings.Cut(string(glossary), "\n## In Chinese\n")
	rows := 0
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.TrimSpace(line), " |")
		if len(cells) < 3 || strings.HasPrefix(line, "|---") || strings.HasPrefix(line, "| word") {
			continue
		}
		rows++
		if word := strings.TrimSpace(cells[1]); !strings.Contains(read["zh.txt"], word) {
			t.Errorf("no command says %s, the word of the glossary for %s", word, strings.TrimPrefix(cells[0], "| "))
		}
		for other := range strings.SplitSeq(strings.TrimSpace(cells[2]), ", ") {
			for file, text := range read {
				if other != "" && strings.Contains(text, other) {
					t.Errorf("%s says %s, and the glossary %s", file, other, strings.TrimSpace(cells[1]))
				}
			}
		}
	}
	if !ok || rows < 25 || len(files) < 30 {
		t.Errorf("%d rows, %d files", rows, len(files))
	}
}
