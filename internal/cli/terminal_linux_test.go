package cli_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir/internal/ptytest"
)

// TestTerminalWidth: passages are wrapped at the width of a real terminal, and nothing is
// written that steers it.
func TestTerminalWidth(t *testing.T) {
	d := newDesk(t, map[string]string{"ferry.md": "# Ferry\n\nThe ferry leaves at nine from the second pier, 潮水很高的时候不开，要等到下午。\n"})
	d.output("index")
	x := ptytest.Start(t, d.command([]string{"TERM=xterm", "VTE_VERSION=", "NO_COLOR=", "MEMOIR_PAGER="}, "search", "--mode", "text", "pier"), 40, 12)
	got := x.WaitFor("下午")
	if code := x.End(); code != 0 || len(x.Strange()) > 0 {
		t.Errorf("it ends with %d and wrote %q", code, x.Strange())
	}
	want := "" +
		"       The ferry leaves at nine from the\n" +
		"       second pier, 潮水很高的时候不开，\n" +
		"       要等到下午。\n"
	if !strings.Contains(got, want) {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestTerminalWidthElsewhere: what other commands print of notes is wrapped as well, code and
// tables stay as they are, and a pipe has everything on its line.
func TestTerminalWidthElsewhere(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine a process, and long under the race detector")
	}
	const code, row, item = "func main() { println(1234567890123456789) }", "| tide | high at noon, low at six in the evening |", "Decision: the ferry leaves at nine from the second pier, 潮水很高的时候不开。"
	note := "# Ferry\n\nThe ferry leaves at nine from the second pier, 潮水很高的时候不开。\n\n```go\n" + code + "\n```\n\n" + row + "\n\n- Low water is at six in the evening on the second pier\n\n12. High water is at noon on the first pier\n\ntide of the moon | when it is on the pier of the market\n--- | ---\nlow | at six in the evening on the second pier\n\nIt ends\n"
	d := newDesk(t, map[string]string{"ferry.md": note, "MEMORY.md": "# Memory\n\n- " + item + "\n- " + item + "\n", "USER.md": "# User\n\nAnna takes the ferry at nine from the second pier, 潮水很高的时候不去。\n"})
	d.output("remember", "--type", "decision", "We moor beside the fish market since the storm.")
	wrapped := []string{"The ferry leaves at nine from the second\n", "pier, 潮水很高的时候不开。\n"}
	below := []string{"       Decision: the ferry leaves at\n", "       nine from the second pier,", "潮水"}
	for _, x := range []struct {
		args []string
		want []string
	}{
		{[]string{"get", "ferry.md"}, append(wrapped, "func main()", "high at noon")},
		{[]string{"get", "ferry.md:1-3"}, wrapped},
		{[]string{"similar", item}, below},
		{[]string{"why", "--mode", "text", "zebra", "ferry.md"}, []string{"\n       it holds none of the query's\n", "not in it: zebra"}},
		{[]string{"history"}, []string{"\n       remember  memory/decisions.md\n", "kept in"}},
		{[]string{"tidy"}, []string{"\n       Decision: the ferry leaves at\n"}},
		{[]string{"entries"}, below},
		{[]string{"get", "ferry.md"}, []string{"- Low water is at six in the evening on\n  the second pier\n", "12. High water is at noon on the first\n    pier\n", "tide of the moon | when it is on the pi", "\nlow | at six in the evening on the seco", "ends"}},
		{[]string{"remember", "--dry-run", "--type", "decision", "Because of the storm the ferry leaves at nine from the second pier, 潮水很高的时候不开。"}, []string{"\n  it is new; what is similar may be\n", "\n       The ferry leaves at nine from the\n", "similar  MEMORY.md#L4"}},
		{[]string{"forget", "--dry-run", "MEMORY.md"}, append(below, "MEMORY.md\n")},
		{[]string{"prime"}, []string{"Anna takes the ferry at nine from the\n", "second pier"}},
	} {
		y := ptytest.Start(t, d.command([]string{"TERM=xterm", "VTE_VERSION=", "MEMOIR_PAGER=", "LC_ALL=C"}, x.args...), 40, 60)
		got := y.Wait("the answer of "+x.args[0], func(screen string) bool {
			return strings.Contains(screen, x.want[0]) && strings.Contains(screen, x.want[len(x.want)-1])
		})
		y.End()
		for _, want := range x.want {
			if !strings.Contains(got, want) {
				t.Errorf("%q: no %q in\n%s", x.args, want, got)
			}
		}
		if x.args[0] != "tidy" && x.args[0] != "forget" && !strings.Contains(strings.Join(x.args, " "), "ferry.md") && len(y.Strange()) > 0 { // code, diffs and the names of entries go beyond
			t.Errorf("%q wrote %q", x.args, y.Strange())
		}
		if piped := d.output(x.args...); x.args[0] != "history" && x.args[0] != "why" && !strings.Contains(piped, "pier, 潮水") {
			t.Errorf("%q in a pipe: %q", x.args, piped)
		}
	}
	// Of an excerpt from the middle of a block of code the lines stay as they are.
	x := ptytest.Start(t, d.command([]string{"TERM=xterm", "MEMOIR_PAGER="}, "get", "ferry.md:6"), 40, 6)
	x.Wait("the code", func(screen string) bool { return strings.HasPrefix(screen, "func main() { println(12345678901234") })
	x.End()
	if len(x.Strange()) == 0 {
		t.Errorf("code is wrapped: %s", x.Screen())
	}
}

// TestPager: what is longer than a real terminal goes through the pager, which may end
// before the answer; what is not is written.
func TestPager(t *testing.T) {
	d := newDesk(t, map[string]string{"long.md": "# Long\n\n" + strings.Repeat("A line of it.\n", 20000)})
	pager := filepath.Join(d.dir, "a pager")
	if err := os.WriteFile(pager, []byte("#!/bin/sh\necho paged\nhead -n 1\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for lines, want := range map[string]string{"": "paged\n# Long\n\n", ":1-3": "# Long\n\nA line of it.\n"} {
		x := ptytest.Start(t, d.command([]string{"TERM=xterm", "MEMOIR_PAGER=" + pager}, "get", "long.md"+lines), 40, 6)
		got := x.Wait("the note", func(screen string) bool { return strings.HasPrefix(screen, want) })
		if code := x.End(); code != 0 || len(x.Strange()) > 0 {
			t.Errorf("it ends with %d and wrote %q", code, x.Strange())
		}
		if paged := strings.Contains(got, "A line"); paged == (lines == "") {
			t.Errorf("lines %q: got\n%s", lines, got)
		}
	}
}

// TestLess: where no pager is chosen it is less, but not on a terminal that less cannot steer.
func TestLess(t *testing.T) {
	d := newDesk(t, map[string]string{"long.md": "# Long\n\n" + strings.Repeat("A line of it.\n", 50)})
	if err := os.WriteFile(filepath.Join(d.dir, "less"), []byte("#!/bin/sh\necho paged\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	path := "PATH=" + d.dir + string(filepath.ListSeparator) + os.Getenv("PATH")
	for kind, want := range map[string]string{"xterm": "paged", "dumb": "A line of it."} {
		c := d.command([]string{"TERM=" + kind, path}, "get", "long.md")
		c.Env = slices.DeleteFunc(c.Env, func(v string) bool { return strings.HasPrefix(v, "MEMOIR_PAGER=") || strings.HasPrefix(v, "PAGER=") })
		x := ptytest.Start(t, c, 40, 6)
		got := x.Wait("the note", func(screen string) bool {
			return strings.Contains(screen, "paged") || strings.Contains(screen, "A line")
		})
		if code := x.End(); code != 0 || !strings.Contains(got, want) {
			t.Errorf("TERM=%s: it ends with %d, got\n%s", kind, code, got)
		}
	}
}
