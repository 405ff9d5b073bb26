package markup_test

import (
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir/internal/markup"
)

// element is a tag as the package writes them: of these and no others, with these
// attributes and no others.
var element = regexp.MustCompile(`</?(?:p|h[2-6]|ul|li|blockquote|strong|em|del|table|thead|tbody|tr|th|td|code)(?: data-line="\d+")?>|<(?:br|hr)(?: data-line="\d+")?>|` +
	`</?ol(?: start="\d+")?(?: data-line="\d+")?>|<ol data-line="\d+"(?: start="\d+")?>|</?pre>|<pre(?: class="raw")?(?: data-line="\d+")?>|<code class="raw">|<span class="image">|</span>|` +
	`<a href="(?:https?://[^"<>]*|mailto:[^"<>]*|#/notes/[^"<>]*)"(?: rel="noopener noreferrer nofollow")?(?: target="_blank")?>|</a>`)

// checkSafe reports what in an HTML is neither text nor one of the known elements.
func checkSafe(t *testing.T, note, got string) {
	t.Helper()
	rest := element.ReplaceAllString(got, "")
	if i := strings.IndexAny(rest, "<>"); i >= 0 {
		t.Errorf("HTML(%.200q) has an element of its own: %.200q", note, rest[max(0, i-20):])
	}
}

var hostile = []string{
	`<img src=x onerror=alert(1)>`, "text <img src=x onerror=alert(1)> text", "</script><script>alert(1)</script>", "<svg onload=alert(1)><script>1</script></svg>",
	"[a](javascript:alert(1))", "[a](JaVaScRiPt:alert(1))", "[a](java\tscript:alert(1))", "[a](&#106;avascript:alert(1))", "[a](javascript&colon;alert(1))", "[a](\x01javascript:alert(1))",
	"[a](vbscript:x)", "[a](data:text/html,<script>alert(1)</script>)", "![a](data:image/svg+xml;base64,PHN2Zz4=)", "![a](https://evil.example/track.png)", "<javascript:alert(1)>", "<data:text/html,x>",
	"[a](//evil.example/x)", "[a](https:evil)", `[a](https://x/"onmouseover="alert(1))`, "[a](<https://x/> onclick=1>)", "![a\" onerror=\"x](x)", "[a]: javascript:alert(1)\n\n[a]", "[[javascript:alert(1)]]", "[[x|<b>]]",
	"```\"><script>\nalert(1)\n```", "~~~html <script>\n</pre><script>alert(1)</script>\n~~~", "    </code></pre><script>", "`<script>`", "<!-- <script>alert(1)</script> -->", "<!--\n> -->", "<style>*{display:none}</style>",
	"<iframe src=javascript:alert(1)>", "<a href=x style=position:fixed>", "<base href=//evil>", "<meta http-equiv=refresh content=0>", "# <b>x</b> {onclick=alert(1) #id .class}", "| <b> | b |\n|---|---|\n| <img onerror=1> | `|` |",
	"\u202egnp.exe\u202c", "a\x00b\x1b[31m", "\xff\xfe<script>", "&lt;script&gt;", "www.example.com/<script>", "ftp://evil.example", "mailto:a@b.example?subject=<b>", "- [x] <script>\n- [ ] b", "[a](x \"<script>\")",
}

func TestHostileNotesStayText(t *testing.T) {
	for _, note := range hostile {
		got := markup.HTML(note, markup.Options{Note: func(string) string { return `b"<>&'#?%.md` }})
		checkSafe(t, note, got)
		for _, bad := range []string{`href="javascript`, `href="data`, `href="vbscript`, `href="//`, "<img", "<script"} {
			if plain := strings.ToLower(got); strings.Contains(plain, bad) {
				t.Errorf("HTML(%q) = %q, has %q", note, got, bad)
			}
		}
	}
}

// What is written as HTML is seen, not lost.
func TestRawHTMLIsText(t *testing.T) {
	for _, note := range []string{"a <img src=x onerror=alert(1)> b", "<script>\nalert(1)\n</script>", "<!-- hidden orders -->", "x <!-- hidden --> y"} {
		got := markup.HTML(note, markup.Options{})
		text := html.UnescapeString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(got, ""))
		if strings.TrimSpace(text) != note {
			t.Errorf("HTML(%q) reads %q", note, text)
		}
	}
}

func TestHTML(t *testing.T) {
	note := func(target string) string {
		if target == "../people/mia.md" || target == "Mia" {
			return "people/mía 100%.md"
		}
		return ""
	}
	tests := []struct{ note, want string }{
		{"# Day\n\nOne.\n", "<h2 data-line=\"1\">Day</h2>\n<p data-line=\"3\">One.</p>\n"},
		{"- a\n- b\n", "<ul data-line=\"1\">\n<li data-line=\"1\">a</li>\n<li data-line=\"2\">b</li>\n</ul>\n"},
		{"```go\nx := 1\n```\n", "<pre data-line=\"1\"><code>x := 1\n</code></pre>\n"},
		{"[Mia](../people/mia.md#x) and [[Mia|her]], [gone](gone.md) and [[Nobody]]", `<p data-line="1"><a href="#/notes/people/m%C3%ADa%20100%25.md">Mia</a> and <a href="#/notes/people/m%C3%ADa%20100%25.md">her</a>, gone and Nobody</p>` + "\n"},
		{"https://a.example/?a=1&b=2 <me@a.example>", `<p data-line="1"><a href="https://a.example/?a=1&amp;b=2" rel="noopener noreferrer nofollow" target="_blank">https://a.example/?a=1&amp;b=2</a> <a href="mailto:me@a.example" rel="noopener noreferrer nofollow">me@a.example</a></p>` + "\n"},
		{"![cat](https://a.example/c.png)", `<p data-line="1"><span class="image"><a href="https://a.example/c.png" rel="noopener noreferrer nofollow" target="_blank">cat</a></span></p>` + "\n"},
		{"- [x] done\n", "<ul data-line=\"1\">\n<li data-line=\"1\">☑ done</li>\n</ul>\n"},
		{"", ""},
	}
	for _, tt := range tests {
		if got := markup.HTML(tt.note, markup.Options{Note: note}); got != tt.want {
			t.Errorf("HTML(%q)\n got %q\nwant %q", tt.note, got, tt.want)
		}
		checkSafe(t, tt.note, tt.want)
	}
}

// A long note is cut between blocks, and its lines go on.
func TestLongNote(t *testing.T) {
	var b strings.Builder
	for b.Len() < 200<<10 {
		b.WriteString("A paragraph of a long note.\n\n```\n\ncode\n\n```\n\n")
	}
	b.WriteString("last\n")
	note := b.String()
	got := markup.HTML(note, markup.Options{})
	checkSafe(t, note[:100], got)
	if want := strings.Count(note, "code\n"); strings.Count(got, "<code>\ncode\n\n</code>") != want {
		t.Errorf("%d blocks of code, want %d", strings.Count(got, "<code>\ncode\n\n</code>"), want)
	}
	if last := regexp.MustCompile(`data-line="(\d+)">last<`).FindStringSubmatch(got); len(last) != 2 || last[1] != regexp.MustCompile(`\d+`).FindString(itoa(strings.Count(note, "\n"))) {
		t.Errorf("the last line is %v, want %d", last, strings.Count(note, "\n"))
	}
}

func itoa(n int) string {
	var digits []byte
	for ; n > 0; n /= 10 {
		digits = append([]byte{byte('0' + n%10)}, digits...)
	}
	return string(digits)
}

// Notes that are made to take long end within the time of a test.
func TestMadeToTakeLong(t *testing.T) {
	const size = 16<<10 - 100 // that is read as Markdown at once
	for name, unit := range map[string]string{
		"quotations": ">", "lists": "- ", "brackets": "[", "images": "![", "emphasis": "*a **a ", "code": "`a``b", "links": "[a](b", "tags": "<a ", "entities": "&#", "underscores": "_a__", "wiki": "[[a", "comments": "<!--",
		"table": "|a", "breaks": "a\\\n", "lines": ">\n- ", "numbers": "1.\n", "indents": "\t", "mail": "a@b.", "tildes": "~~a~", "references": "[a]: b\n", "rows": "|a|b|\n|-|-|\n",
	} {
		t.Run(name, func(t *testing.T) {
			note := strings.Repeat(unit, size/len(unit))
			checkSafe(t, note, markup.HTML(note, markup.Options{Note: func(string) string { return "" }}))
		})
	}
}

func FuzzHTML(f *testing.F) {
	for _, note := range hostile {
		f.Add(note)
	}
	f.Fuzz(func(t *testing.T, note string) {
		got := markup.HTML(note, markup.Options{Note: func(target string) string { return target }})
		checkSafe(t, note, got)
	})
}
