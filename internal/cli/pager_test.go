package cli_test

import (
	"io"
	"os"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir/internal/cli"
)

// pagerFake writes its arguments, LESS and what it is shown to the file $PAGED. With the
// argument early it ends before it has read that, and fails.
func pagerFake() {
	args := strings.Join(os.Args[1:], "|")
	var shown []byte
	if args != "early" {
		shown, _ = io.ReadAll(os.Stdin)
	}
	if err := os.WriteFile(os.Getenv("PAGED"), []byte(args+"\nLESS="+os.Getenv("LESS")+"\n"+string(shown)), 0o600); err != nil || args == "early" {
		os.Exit(3)
	}
}

func TestRowsOf(t *testing.T) {
	for _, x := range []struct {
		text string
		want int
	}{
		{"", 0},
		{"a\n\nb\n", 3},
		{"1234567890\n", 1},
		{"12345678901\n", 2},
		{"数据库数据库\n", 2},
		{"\x1b[1m1234567890\x1b[0m\r\n", 1},
		{"\x1b]8;;file://host/a.md\x1b\\\x1b[1m12345\x1b[0m\x1b]8;;\x1b\\ 6789\n", 1},
	} {
		if got := cli.RowsOf(x.text, 10); got != x.want {
			t.Errorf("%q takes %d rows, want %d", x.text, got, x.want)
		}
	}
}

func TestFileAddress(t *testing.T) {
	for _, x := range []struct{ host, path, want string }{
		{"desk", "/notes/a b/三月#1?.md", "file://desk/notes/a%20b/%E4%B8%89%E6%9C%88%231%3F.md"},
		{"desk", "/notes/100%.md", "file://desk/notes/100%25.md"},
		{"", "C:/notes/a.md", "file:///C:/notes/a.md"},
		{"desk", "/notes/\x1b]8;;\x1b\\\n\u202e\x07.md", "file://desk/notes/%1B%5D8;;%1B%5C%0A%E2%80%AE%07.md"},
	} {
		if got := cli.FileAddress(x.host, x.path); got != x.want && !(strings.Contains(x.path, "\\") && os.PathSeparator == '\\') {
			t.Errorf("%q is %s, want %s", x.path, got, x.want)
		}
	}
}

func TestTakesLinks(t *testing.T) {
	for _, x := range []struct {
		name, vte string
		want      bool
	}{
		{"xterm-256color", "", true}, {"xterm-256color", "7402", true}, {"xterm-256color", "4803", false},
		{"linux", "", false}, {"screen.xterm-256color", "", false}, {"tmux-256color", "", true}, {"", "", true},
	} {
		if got := cli.TakesLinks(x.name, x.vte); got != x.want {
			t.Errorf("TERM=%s VTE_VERSION=%s: %t", x.name, x.vte, got)
		}
	}
}
