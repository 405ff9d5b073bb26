package blocks_test

import (
	"strings"
	"testing"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"github.com/memoir-ai/memoir/internal/blocks"
)

func TestFront(t *testing.T) {
	for src, want := range map[string]string{ // the lines, then what follows; "-" is none
		"---\na: 1\n---\nx":        "a: 1\n|x",
		"\ufeff+++\na=1\n+++\n":    "a=1\n|",
		"--- \r\na: 1\r\n...\r\nx": "a: 1\r\n|x",
		"---\n---\nx":              "|x",
		"---\n+++\n---":            "+++\n|",
		"+++\na=1\n...\n":          "-", // three dots end YAML alone
		"---\na: 1\n":              "-",
		"---":                      "-",
		"":                         "-",
		"\n---\na: 1\n---\n":       "-",
		" ---\na: 1\n---\n":        "-",
		"----\na: 1\n----\n":       "-",
		"---\n" + strings.Repeat("a: 1\n", 14<<10) + "---\nx": "-",
	} {
		got := "-"
		if begin, end, body := blocks.Front(src); body > 0 {
			got = src[begin:end] + "|" + src[body:]
		}
		if got != want {
			t.Errorf("%.40q: got %.40q, want %q", src, got, want)
		}
	}
}

func TestCode(t *testing.T) {
	for src, want := range map[string]string{ // for each line: c code, e edge, . neither
		"a\n```go\nb\n```\nc":       ".ece.",
		"~~~\n```\n~~~\nx":          "ece.",
		"````\n```\n````\nx":        "ece.",
		"```\n````\nx":              "ee.",
		"``` a`b\nx":                "..",
		"~~~ a`b\nx":                "ec",
		"``\nx":                     "..",
		"\t```\r\nx\r\n  ``` \r\ny": "ece.",
		"```\n``` go\n```\n":        "ece",
		"```\n~~~\nx":               "ecc",
		"":                          "",
	} {
		var code blocks.Code
		got := ""
		for line := range strings.Lines(src) {
			switch inside, edge := code.Next(strings.TrimRight(line, "\r\n")); {
			case inside && edge:
				t.Errorf("%q: %q is code and an edge", src, line)
			case inside:
				got += "c"
			case edge:
				got += "e"
			default:
				got += "."
			}
		}
		if got != want {
			t.Errorf("%q: got %s, want %s", src, got, want)
		}
	}
}

// Blocks within blocks are followed as deep as was asked for.
func TestParserDepth(t *testing.T) {
	src := []byte(strings.Repeat("> ", 100) + "x\n")
	for _, depth := range []int{1, 16, 32} {
		deepest := 0
		var walk func(n ast.Node, depth int)
		walk = func(n ast.Node, depth int) {
			deepest = max(deepest, depth)
			for c := n.FirstChild(); c != nil; c = c.NextSibling() {
				walk(c, depth+1)
			}
		}
		walk(blocks.Parser(depth).Parse(text.NewReader(src)), 0)
		if deepest != depth+2 { // the last quotation, and its paragraph
			t.Errorf("depth %d: blocks are %d deep", depth, deepest)
		}
	}
}

// FuzzFront: the lines of front matter are whole lines of the text, in order.
func FuzzFront(f *testing.F) {
	for _, src := range []string{"---\na: 1\n---\nx", "\ufeff+++\na=1\n+++\n", "--- \r\na: 1\r\n...\r\nx", "---\n---", "+++", "\ufeff"} {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src string) {
		begin, end, body := blocks.Front(src)
		read := blocks.ReadFront(src)
		if (read.Values == nil) != (read.Body == 0) || read.Body != 0 && (read.Body != body || read.Broken != "") {
			t.Errorf("%q: %d, %+v", src, body, read)
		}
		if read.Broken != "" && (begin == 0 || !strings.HasPrefix(src[begin:], read.Broken)) {
			t.Errorf("%q: %q is not what stands at its start", src, read.Broken)
		}
		if body == 0 {
			if end != 0 || begin > len(src) {
				t.Errorf("%q: %d, %d, none", src, begin, end)
			}
			return
		}
		if begin > end || end >= body || body > len(src) || src[begin-1] != '\n' || src[end-1] != '\n' || body < len(src) && src[body-1] != '\n' {
			t.Errorf("%q: %d, %d, %d", src, begin, end, body)
		}
	})
}
