package analyze_test

import (
	"strings"
	"testing"

	"github.com/memoir-ai/memoir/internal/analyze"
)

func TestIsCode(t *testing.T) {
	tests := []struct {
		name, text string
		want       bool
	}{
		{"nothing", "", false},
		{"blank lines", "\n \n\t\n", false},
		{"English", "We met at the harbour.\nIf it rains, come by tram (line 5).\nWith love: Mia.\n", false},
		{"wrapped prose", "and that is the reason\nfor the delay (two days),\nwith which everybody\nhad to live.\n", false},
		{"Chinese", "# 会议\n\n今天讨论了数据库；下周继续。\n", false},
		{"Chinese, with semicolons of ASCII", "SC 可能是银行的代称,CNY 是指人民币;\n丝绸币(SilkCoin,SC)采用新的算法;\n", false},
		{"a paragraph that ends so", strings.Repeat("We met at the harbour, ", 20) + "and went home;\n", false},
		{"list with links", "- [Mia](people/mia.md)\n- use `go test`\n- **return** the books\n", false},
		{"table", "| a | b |\n|---|---|\n| 1 | 2 |\n", false},
		{"prose with a command", "To start it, run the line below.\n\n```\nmake all\n```\nIt takes a minute.\n", false},
		{"Python", "def paste(xsel=False):\n    \"\"\"Returns the clipboard.\"\"\"\n    selection = 'primary' if xsel else 'clipboard'\n    return run(selection)\n", true},
		{"Python, mostly comment", "def same(a, b):\n    \"\"\" Whether two images are equal.\n\n    Parameters\n    a : image\n    \"\"\"\n    return a == b\n", true},
		{"Go", "// Sum adds.\nfunc Sum(x []int) (n int) {\n\tfor _, v := range x {\n\t\tn += v\n\t}\n\treturn n\n}\n", true},
		{"JavaScript, CRLF", "const a = 1;\r\nexport default a;\r\n", true},
		{"Japanese comments", "# 合計を返す\ndef total(xs):\n    # 空なら零\n    return sum(xs)\n", true},
		{"fence", "### Usage\n\n```ts\nconst store = await open({\n  path: 'x',\n})\nstore.close()\n```\n", true},
	}
	for _, test := range tests {
		if got := analyze.IsCode(test.text); got != test.want {
			t.Errorf("%s: got %v, want %v", test.name, got, test.want)
		}
	}
}

func BenchmarkIsCode(b *testing.B) {
	for name, text := range map[string]string{
		"prose": strings.Repeat("We met at the harbour, and if it rains we come by tram.\n", 20),
		"code":  strings.Repeat("    selection = run(clipboard, \"-o\")\n", 30),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				analyze.IsCode(text)
			}
		})
	}
}
