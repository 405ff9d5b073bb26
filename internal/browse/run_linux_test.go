package browse_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/engine"
	"github.com/memoir-ai/memoir/internal/browse"
	"github.com/memoir-ai/memoir/internal/ptytest"
	"github.com/memoir-ai/memoir/source/mdfile"
	"github.com/memoir-ai/memoir/store/memstore"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv("TEST_BROWSE"); dir != "" {
		if err := child(dir); err != nil {
			fmt.Fprintln(os.Stderr, "ended:", err)
			os.Exit(1)
		}
		fmt.Println("ended well")
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// failing is a memory that has a fault.
type failing struct{ *engine.Engine }

func (f failing) Search(ctx context.Context, q memoir.Query) (memoir.Results, error) {
	if strings.Contains(q.Text, "fault") {
		panic("a fault of the search")
	}
	return f.Engine.Search(ctx, q)
}

// child browses the notes of a folder.
func child(dir string) error {
	source, err := mdfile.Open(dir, mdfile.Options{})
	if err != nil {
		return err
	}
	e, err := engine.New(engine.Config{Store: memstore.New(), Sources: []memoir.Source{source}, Writing: engine.Writing{Dir: dir, State: dir + ".state"}})
	if err != nil {
		return err
	}
	defer e.Close()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	if _, err := e.Sync(ctx, nil); err != nil {
		return err
	}
	return browse.Run(ctx, failing{e}, browse.Options{
		In: os.Stdin, Out: os.Stdout, Printable: printable, Editor: os.Getenv("TEST_EDITOR"),
		File: func(name string) (string, error) { return filepath.Join(dir, filepath.FromSlash(name)), nil },
	})
}

const log = "# Log\n\n- We chose SQLite because it is one file\n\n## Ferry\n\nThe ferry leaves at nine.\n"

// start browses notes in English and Chinese.
func start(t *testing.T, width, height int, env ...string) (*ptytest.Terminal, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "notes")
	for path, text := range map[string]string{
		"memory/2026-03-02.md": log,
		"日记/三月.md":             "# 三月\n\n数据库用 SQLite，因为只有一个文件。\n\n今天的潮水很高。\n",
		"hostile.md":           "# Hostile\n\nherring \x1b[2J\x1b]0;owned\a\u202eevil\u009b5n end\n",
	} {
		file := filepath.Join(dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), append(env, "TEST_BROWSE="+dir)...)
	x := ptytest.Start(t, cmd, width, height)
	x.WaitFor("三月")
	return x, dir
}

// TestBrowse: a person searches, reads, takes something out, brings it back and leaves,
// by keys alone.
func TestBrowse(t *testing.T) {
	x, dir := start(t, 80, 24)
	x.Type("ferry")
	x.WaitFor("▌ The ferry leaves at nine.")
	x.Type("\x15潮水")
	screen := x.WaitFor("今天的潮水很高。")
	if !strings.Contains(screen, "> 潮水") || strings.Contains(screen, "ferry") {
		t.Errorf("the screen is\n%s", screen)
	}
	x.Type("\x15herring")
	x.WaitFor("end")
	x.Type("\x15ferry")
	x.WaitFor("▌ The ferry leaves at nine.")
	x.Type("\t")
	x.WaitFor("d take out")
	x.Type("d")
	x.WaitFor("u brings it back")
	if got := read(t, dir, "memory/2026-03-02.md"); strings.Contains(got, "leaves at nine") || !strings.Contains(got, "SQLite") {
		t.Errorf("the note is\n%s", got)
	}
	x.Type("u")
	x.WaitFor("it is back")
	if got := read(t, dir, "memory/2026-03-02.md"); got != log {
		t.Errorf("the note is\n%s", got)
	}
	x.Type("?")
	x.WaitFor("memoir forget takes it out of there, too.")
	x.Type("xq")
	if code := x.End(); code != 0 {
		t.Errorf("it ends with %d", code)
	}
	if strange := x.Strange(); len(strange) > 0 {
		t.Errorf("it writes %q", strange)
	}
	x.WaitFor("ended well")
}

// TestEditing: Enter opens the note at the line in the editor, whose own interrupt ends
// nothing else; what was changed there is found.
func TestEditing(t *testing.T) {
	out := filepath.Join(t.TempDir(), "args")
	editor := filepath.Join(t.TempDir(), "my editor", "nano")
	if err := os.Mkdir(filepath.Dir(editor), 0o700); err != nil {
		t.Fatal(err)
	}
	script := "#!/bin/sh\ntrap '' INT\nprintf '%s\\n' \"$@\" >" + out + "\nstty -a | grep -q -- ' icanon' && echo editing\nread line\necho \"The tide is high\" >>\"$3\"\n"
	if err := os.WriteFile(editor, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	x, dir := start(t, 60, 16, `TEST_EDITOR="`+editor+`" '; exit $(x)'`)
	x.Type("ferry")
	x.WaitFor("▌ The ferry leaves at nine.")
	x.Type("\r")
	x.WaitFor("editing")
	x.Type("\x03\r")
	x.WaitFor("> ferry")
	args := read(t, filepath.Dir(out), "args")
	if want := "; exit $(x)\n+5\n" + filepath.Join(dir, "memory", "2026-03-02.md") + "\n"; args != want {
		t.Errorf("the editor gets %q, want %q", args, want)
	}
	x.Type("\x15tide")
	x.WaitFor("The tide is high")
	x.Type("\x03")
	if code := x.End(); code != 0 {
		t.Errorf("it ends with %d", code)
	}
}

// TestEnds: however it ends, the terminal is what it was.
func TestEnds(t *testing.T) {
	for _, c := range []struct {
		name string
		end  func(x *ptytest.Terminal)
		says string
	}{
		{"terminated", func(x *ptytest.Terminal) { x.Signal(syscall.SIGTERM) }, "ended: "},
		{"a fault", func(x *ptytest.Terminal) { x.Type("fault") }, "a fault of the search"},
		{"no window", func(x *ptytest.Terminal) {
			for _, size := range [][2]int{{1, 1}, {0, 0}, {3, 2}, {0, 5}, {5, 0}, {2, 40}, {80, 24}} {
				x.Resize(size[0], size[1])
				x.Type("茶\x7f")
			}
			x.WaitFor("三月")
			x.Type("\x03")
		}, "ended well"},
	} {
		t.Run(c.name, func(t *testing.T) {
			x, _ := start(t, 80, 24)
			c.end(x)
			x.End()
			x.WaitFor(c.says)
		})
	}
}

func read(t *testing.T, dir, path string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(path)))
	if err != nil {
		t.Error(err)
	}
	return string(b)
}
