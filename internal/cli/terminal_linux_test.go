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
