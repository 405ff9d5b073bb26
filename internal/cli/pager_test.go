package cli_test

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/memoir-ai/memoir/internal/cli"
)

// pagerFake writes its arguments, LESS and what it is shown to the file $PAGED. With the
// argument early it reads a byte of that and fails; with unread it ends at once, and with
// failed it fails at once.
func pagerFake() {
	args := strings.Join(os.Args[1:], "|")
	var shown []byte
	switch args {
	case "unread", "failed":
	case "early":
		_, _ = os.Stdin.Read(make([]byte, 1))
	default:
		shown, _ = io.ReadAll(os.Stdin)
	}
	if err := os.WriteFile(os.Getenv("PAGED"), []byte(args+"\nLESS="+os.Getenv("LESS")+"\n"+string(shown)), 0o600); err != nil || args == "early" || args == "failed" {
		os.Exit(3)
	}
}

// longNote writes a note of so many lines, more than a pipe holds: longnote FILE LINES
func longNote(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: longnote FILE LINES")
	}
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, "Line %d\n", i+1)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text.String()), 0o600))
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

func TestAddress(t *testing.T) {
	const vscode = "vscode://file{path}:{line}"
	for _, x := range []struct{ form, host, path, want string }{
		{vscode, "desk", "/notes/a b/三月#1?.md", "vscode://file/notes/a%20b/%E4%B8%89%E6%9C%88%231%3F.md:3"},
		{vscode, "desk", "C:/notes/a.md", "vscode://file/C:/notes/a.md:3"},
		{vscode, "desk", "/notes/{line}\x1b\\.md", "vscode://file/notes/%7Bline%7D%1B%5C.md:3"},
		{"txmt://open?url=file://{host}{path}&line={line}", "a\x1b\n", "/a.md", "txmt://open?url=file://a%1B%0A/a.md&line=3"},
		{"file", "desk", "/notes/a b/三月#1?.md", "file://desk/notes/a%20b/%E4%B8%89%E6%9C%88%231%3F.md"},
		{"file", "desk", "/notes/100%.md", "file://desk/notes/100%25.md"},
		{"file", "", "C:/notes/a.md", "file:///C:/notes/a.md"},
		{"file", "desk", "/notes/\x1b]8;;\x1b\\\n\u202e\x07.md", "file://desk/notes/%1B%5D8;;%1B%5C%0A%E2%80%AE%07.md"},
	} {
		if got := cli.Address(x.form, x.host, x.path, 3); got != x.want && !(strings.Contains(x.path, "\\") && os.PathSeparator == '\\') {
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
