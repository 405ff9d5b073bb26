package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memoir-ai/memoir/internal/ptytest"
)

// TestBrowse: the command finds notes as one types, opens one in the editor at its
// passage, takes the passage out, and leaves the terminal as it was.
func TestBrowse(t *testing.T) {
	d := newDesk(t, map[string]string{
		"memory/2026-03-02.md": "# Log\n\n- We chose SQLite because it is one file\n\n## Ferry\n\nThe ferry leaves at nine.\n",
		"日记/三月.md":             "# 三月\n\n今天的潮水很高。\n",
	})
	editor, args := filepath.Join(d.dir, "an editor"), filepath.Join(d.dir, "args")
	if err := os.WriteFile(editor, []byte("#!/bin/sh\nprintf '%s\\n' \"$@\" >'"+args+"'\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	x := ptytest.Start(t, d.command([]string{"TERM=xterm", "VISUAL=", "EDITOR='" + editor + "' --at"}, "browse"), 90, 24)
	x.WaitFor("三月")
	x.Type("潮水")
	x.WaitFor("▌ 今天的潮水很高。")
	x.Type("\x15ferry")
	x.WaitFor("▌ The ferry leaves at nine.")
	x.Type("\r")
	x.Wait("the arguments of the editor", func(string) bool {
		b, err := os.ReadFile(args)
		return err == nil && string(b) == "--at\n"+filepath.Join(d.dir, "notes", "memory", "2026-03-02.md")+"\n"
	})
	x.WaitFor("> ferry")
	x.Type("\td")
	x.WaitFor("u brings it back")
	x.Type("q")
	if code := x.End(); code != 0 || len(x.Strange()) > 0 {
		t.Errorf("it ends with %d and wrote %q", code, x.Strange())
	}
	if out := d.output("history"); !strings.Contains(out, "browse") || !strings.Contains(out, "took lines") {
		t.Errorf("the history has %s", out)
	}
}

// TestBrowseNowhere: without a terminal, it says what to do instead.
func TestBrowseNowhere(t *testing.T) {
	d := newDesk(t, map[string]string{"a.md": "# A\n"})
	out, err := d.command(nil, "browse").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "for a person at a terminal") {
		t.Errorf("%v\n%s", err, out)
	}
}
