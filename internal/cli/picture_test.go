package cli_test

import (
	"bytes"
	"cmp"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/cli"
)

// The picture in the READMEs is what a terminal shows of these commands, in a copy
// of the example notes, to which one fact was told. After a change that is meant,
//
//	go test ./internal/cli -run Picture -update
//
// draws it again. What is between two processors, the dots of a hit, is not compared.
func TestPicture(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long")
	}
	if app.About().Model == "" {
		t.Skip("needs the model inside")
	}
	file, err := filepath.Abs(filepath.Join(root, "docs", "pictures", "search.svg"))
	if err != nil {
		t.Fatal(err)
	}
	notes(t)
	folder := os.Getenv("MEMOIR_WORKSPACE")
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(folder, os.DirFS(filepath.Join(root, "examples", "notes"))); err != nil {
		t.Fatal(err)
	}
	t.Setenv("MEMOIR_CONFIG", "")
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(os.Getenv("HOME"), "config"))
	t.Setenv("TERM", "xterm")
	t.Setenv("VTE_VERSION", "1") // a picture has no links
	t.Setenv("NO_COLOR", "")
	good(t, "remember", "--at", "2026-04-10", "Ann prefers tea")
	good(t, "index")
	var screen strings.Builder
	for _, args := range [][]string{
		{"search", "-n", "1", "when are taxi expenses reimbursed?"},
		{"search", "-n", "1", "怎样省电费？"},
		{"remember", "Ann does not like tea any more"},
		{"search", "-n", "1", "how do I repair a violin?"},
	} {
		var out bytes.Buffer
		code := cli.Run(t.Context(), args, cli.Options{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out, IsTerminal: func(stream any) bool { return stream == any(&out) && args[0] == "search" }})
		if code != 0 {
			t.Fatalf("memoir %s: exit code %d\n%s", strings.Join(args, " "), code, out.String())
		}
		line := "memoir"
		for _, a := range args {
			if strings.ContainsAny(a, " ？") {
				a = `"` + a + `"`
			}
			line += " " + a
		}
		fmt.Fprintf(&screen, "\x1b[2m$\x1b[0m \x1b[1m%s\x1b[0m\n%s\n", line, strings.ReplaceAll(out.String(), folder, "~/.memoir/workspace"))
	}
	want := drawn(screen.String())
	if *update {
		writeFile(t, file, want)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.ReplaceAll(string(data), "\r\n", "\n"); dots.ReplaceAllString(got, "") != dots.ReplaceAllString(want, "") {
		t.Errorf("docs/pictures/search.svg is not what the commands print; go test ./internal/cli -run Picture -update draws it again. They print\n%s", screen.String())
	}
}

// drawn draws what a terminal shows as SVG, with colours for light and dark screens.
func drawn(screen string) string {
	const (
		width, high  = 1010, 19 // of the picture, and of a line, in pixels
		left, top, b = 20, 54, 16
	)
	lines := strings.Split(strings.TrimRight(screen, "\n"), "\n")
	height := top + len(lines)*high + b - 10
	var s strings.Builder
	fmt.Fprintf(&s, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" role="img" aria-label="Searches in a terminal">
<style>
rect { fill: #f6f8fa; stroke: #d0d7de }
circle { fill: #d0d7de }
text { font: 12px ui-monospace, SFMono-Regular, Menlo, Consolas, "Noto Sans Mono CJK SC", "PingFang SC", "Microsoft YaHei", monospace; fill: #1f2328; white-space: pre }
.b { font-weight: 700 } .d { fill: #59636e } .m { font-weight: 700; fill: #9a6700 } .r { fill: #1a7f37 }
@media (prefers-color-scheme: dark) {
rect { fill: #161b22; stroke: #30363d }
circle { fill: #484f58 }
text { fill: #e6edf3 }
.d { fill: #9198a1 } .m { fill: #e3b341 } .r { fill: #56d364 }
}
</style>
<rect x=".5" y=".5" width="%d" height="%d" rx="8"/>
<circle cx="20" cy="18" r="5"/><circle cx="38" cy="18" r="5"/><circle cx="56" cy="18" r="5"/>
`, width, height, width-1, height-1)
	for i, line := range lines {
		if line != "" {
			fmt.Fprintf(&s, "<text x=\"%d\" y=\"%d\" xml:space=\"preserve\">%s</text>\n", left, top+i*high, spans(line))
		}
	}
	s.WriteString("</svg>\n")
	return s.String()
}

var sequence = regexp.MustCompile("\x1b\\[([0-9;]*)m|[●○]+")

// spans turns the colours of a line into classes.
func spans(line string) string {
	classes := map[string]string{"1": "b", "2": "d", "1;33": "m"}
	var s strings.Builder
	class, at := "", 0
	write := func(text, class string) {
		text = html.EscapeString(text)
		if text != "" && class != "" {
			text = fmt.Sprintf(`<tspan class="%s">%s</tspan>`, class, text)
		}
		s.WriteString(text)
	}
	for _, m := range sequence.FindAllStringSubmatchIndex(line, -1) {
		write(line[at:m[0]], class)
		if at = m[1]; m[2] < 0 {
			write(line[m[0]:m[1]], cmp.Or(class, "r"))
			continue
		}
		class = classes[line[m[2]:m[3]]]
	}
	write(line[at:], class)
	return s.String()
}
