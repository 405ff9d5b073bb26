package chunk_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoir-ai/memoir/internal/chunk"
)

// What is stored with each piece has a limit, and the note says what is left out.
func TestBounds(t *testing.T) {
	log := strings.Repeat("10:32 it went on and on\n", 1000)
	word := strings.Repeat("word ", 200)
	var names strings.Builder
	for i := range 100 {
		fmt.Fprintf(&names, "- name %d\n", i)
	}
	tests := []struct {
		name, text string
		title      string
		heading    []string // of the last piece
		names      int      // aliases and tags
		cut        string   // a part of what is said of it
	}{
		{"a log above a rule", log + "---\nx\n", "", nil, 0, "too long for a heading"},
		{"title", "# " + word + "\n\nx\n", strings.TrimSpace(word[:253]) + "…", nil, 0, "a heading is too long"},
		{"title of the front matter", "---\ntitle: " + word + "\n---\nx\n", strings.TrimSpace(word[:253]) + "…", nil, 0, "the title is too long"},
		{"Chinese heading", "## " + strings.Repeat("字", 200) + "\nx\n", "", []string{strings.Repeat("字", 84) + "…"}, 0, "a heading is too long"},
		{"heading path", "## " + word[:200] + "\n### " + word[:200] + "\n#### " + word[:200] + "\nx\n", "", []string{strings.TrimSpace(word[:200]), strings.TrimSpace(word[:200])}, 0, "a heading path is too long"},
		{"aliases", "---\naliases:\n" + names.String() + "---\nx\n", "", nil, 64, "aliases"},
		{"tags", "---\ntags:\n" + names.String() + "---\nx\n", "", nil, 64, "tags"},
		{"a long tag", "---\ntags: [a, " + strings.Repeat("b", 300) + ", c]\n---\nx\n", "", nil, 2, "tags"},
		{"broken YAML", "---\ntitle: a\n\tb: c\n---\nx\n", "", []string{"title: a b: c"}, 0, "the front matter is not valid YAML and taken for text: line "},
		{"broken TOML", "+++\ntitle = a\n+++\nx\n", "", nil, 0, "the front matter is not valid TOML and taken for text: line 2: "},
		{"large front matter", "---\ntitle: a\nb: " + strings.Repeat(word, 100) + "\n---\nx\n", "", nil, 0, "larger than 64 KiB"},
		{"deep front matter", "---\na: " + strings.Repeat("[", 100) + strings.Repeat("]", 100) + "\n---\nx\n", "", []string{"a: " + strings.Repeat("[", 100) + strings.Repeat("]", 100)}, 0, "nested too deeply"},
		{"a text between rules", "---\nplain: \"text\n\nwith more\n---\nx\n", "", []string{"with more"}, 0, "not valid YAML"},
		{"rules round a sentence", "---\nSo it goes [on\n---\nx\n", "", []string{"So it goes [on"}, 0, ""},
		{"nothing", "---\ntitle: a\n---\n# A\n## B\nx\n", "a", []string{"A", "B"}, 0, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := chunk.Markdown(tt.text, chunk.Options{MaxTokens: 180, OverlapTokens: 40})
			if got.Title != tt.title {
				t.Errorf("the title is %q, want %q", got.Title, tt.title)
			}
			if diff := cmp.Diff(got.Pieces[len(got.Pieces)-1].Heading, tt.heading); diff != "" {
				t.Errorf("headings: got, want:\n%s", diff)
			}
			if n := len(got.Meta.Aliases) + len(got.Meta.Tags); n != tt.names {
				t.Errorf("%d aliases and tags, want %d", n, tt.names)
			}
			cut := strings.Join(got.Cut, "; ")
			if !strings.Contains(cut, tt.cut) || tt.cut == "" && cut != "" {
				t.Errorf("it says %q, want %q", cut, tt.cut)
			}
		})
	}
}

// A note of very many small parts has fewer pieces, and they hold everything.
func TestManySmallParts(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long")
	}
	for name, text := range map[string]string{
		"a.md":      strings.Repeat("# a\n## b\nc\n", 20_000),
		"MEMORY.md": strings.Repeat("- a\n", 50_000),
		"shelf.md":  strings.Repeat("- a b c d e f g h i j k l m n o\n", 50_000),
		"talk.md":   strings.Repeat("Ann: a\nBen: b\n", 20_000),
		"a.py":      strings.Repeat("def a():\n  b\n\n", 20_000),
	} {
		t.Run(name, func(t *testing.T) {
			opts := chunk.Options{MaxTokens: 180, OverlapTokens: 40, Entries: name == "MEMORY.md", Shelf: name == "shelf.md"}
			note := chunk.File(name, text, opts)
			if got, most := len(note.Pieces), 5000+len(text)/256+len(text)/360; got > most || got < 4096 {
				t.Errorf("%d pieces of %d bytes, want 4096 to %d", got, len(text), most)
			}
			if len(note.Cut) != 1 || !strings.Contains(note.Cut[0], "joined") {
				t.Errorf("it says %q", note.Cut)
			}
			checkFile(t, name, text, opts)
		})
	}
}

// How much is parsed at once changes nothing, as long as a block at the margin,
// or an entry of a list there, is smaller.
func TestParsingInWindows(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long")
	}
	blocks := []string{"# A\n", "## B\n\n", "Two\n---\n", "text\nof two lines\n\n", "- a\n- b\n\n  more\n  - c\n", "\n\n\n\n\n\n\n\n", "> quoted\n> - entry\nlazy\n",
		"```go\n# no heading\n\nfunc a() {}\n```\n", "|a|b|\n|-|-|\n|1|2|\n", "<!-- # no\n\nheading -->\n", "1. x\n2. y\n", "    code\n\n    more\n", "***\n",
		"Ann: a\n\nBen: b\n\nAnn: c\n\nBen: d\n\n", "## User\n\nhi\n\n## Assistant\n\n### 1\n\nyes\n", "\t\r\n", "para <div>\n", "<div>\n\n", "- \n\n  x\n"}
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var b strings.Builder
		for b.Len() < 4000 {
			b.WriteString(blocks[r.IntN(len(blocks))])
		}
		opts := chunk.Options{MaxTokens: 20 + r.IntN(200), OverlapTokens: r.IntN(30), Entries: r.IntN(4) == 0, Shelf: r.IntN(4) == 0}
		whole, parts := chunk.MarkdownIn(b.String(), opts, 1<<20), chunk.MarkdownIn(b.String(), opts, 1000)
		if diff := cmp.Diff(parts, whole); diff != "" {
			t.Fatalf("%q in windows, whole:\n%s", b.String(), diff)
		}
	}
}

// A block that fills many windows is cut, and what it is stays as far as it can.
func TestBlocksLargerThanAWindow(t *testing.T) {
	tests := []struct {
		name, text string
		headings   []string // of all pieces, each once
	}{
		{"list", strings.Repeat("- entry\n\n      code\n", 200), nil},
		{"list in an entry", "- root\n" + strings.Repeat("  - entry\n    - deeper\n", 200) + "- next\n\n## A\nx\n", []string{"A"}},
		{"tabs", "- root\n" + strings.Repeat("\t- entry\n\t\t- deeper\n", 200) + "## A\nx\n", []string{"A"}},
		{"fence", "```\n" + strings.Repeat("## no\n\n", 400) + "```\n## A\nx\n", []string{"A"}},
		{"fence in an entry", "- a\n\n  ~~~~\n" + strings.Repeat("  ## no\n  ~~~\n", 400) + "  ~~~~\n\n## A\nx\n", []string{"A"}},
		{"comment", "<!--\n" + strings.Repeat("## no\n\n", 400) + "-->\n## A\nx\n", []string{"A"}},
		{"script", "<script>\n" + strings.Repeat("## no\n\n", 400) + "</SCRIPT>\n## A\nx\n", []string{"A"}},
		{"quotation", strings.Repeat("> - entry\n> - other\n", 300) + "\n## A\nx\n", []string{"A"}},
		{"paragraph", strings.Repeat("word\n", 1000) + "\n## A\nx\n", []string{"A"}},
		{"code", strings.Repeat("    ## no\n\n", 300) + "## A\nx\n", []string{"A"}},
		{"blank lines", "a\n" + strings.Repeat(" \n", 3000) + "## A\nx\n", []string{"A"}},
		{"stairs", stairs(100) + "## A\nx\n", []string{"A"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			opts := chunk.Options{MaxTokens: 60}
			var got []string
			for _, p := range chunk.MarkdownIn(tt.text, opts, 1000).Pieces {
				if len(p.Heading) > 0 && !slices.Contains(got, p.Heading[0]) {
					got = append(got, p.Heading[0])
				}
			}
			if diff := cmp.Diff(got, tt.headings); diff != "" {
				t.Errorf("headings: got, want:\n%s", diff)
			}
			checkNote(t, chunk.MarkdownIn(tt.text, opts, 1000), tt.text, opts)
			checkPieces(t, strings.Repeat(tt.text, 1+80_000/len(tt.text)), opts)
		})
	}
}

// stairs are lists deeper and deeper, and back.
func stairs(n int) string {
	var b strings.Builder
	for i := range 2 * n {
		b.WriteString(strings.Repeat("  ", min(i, 2*n-i)) + "- x\n")
	}
	return b.String()
}
