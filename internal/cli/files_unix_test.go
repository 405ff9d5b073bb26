//go:build unix

package cli_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// hanging is how long a command may take before it is taken for one that hangs.
const hanging = time.Minute

// den is a person's folders: home with settings and models, notes, state, and
// what lies outside of them all.
type den struct {
	t    *testing.T
	root string
}

func newDen(t *testing.T) *den {
	t.Helper()
	// A short path, for the names of sockets are short.
	root, err := os.MkdirTemp("", "den")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(root) })
	if root, err = filepath.EvalSymlinks(root); err != nil {
		t.Fatal(err)
	}
	d := &den{t, root}
	for name, text := range map[string]string{
		"notes/MEMORY.md": "- We use SQLite.\n", "notes/deep/a.md": "- Tea is green.\n", "home/own.toml": "query.log = true\n",
		"outside/precious": "precious", "models/keep": "",
	} {
		d.write(name, text)
	}
	if text, ok := d.run("trust"); !ok {
		t.Fatal(text)
	}
	return d
}

func (d *den) path(name string) string { return filepath.Join(d.root, filepath.FromSlash(name)) }

func (d *den) write(name, text string) {
	d.t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(d.path(name)), 0o700), os.WriteFile(d.path(name), []byte(text), 0o600)); err != nil {
		d.t.Fatal(err)
	}
}

// index returns the path of the index, which one run has made.
func (d *den) index() string {
	d.t.Helper()
	found, err := filepath.Glob(d.path("state/cache/*/main.sqlite"))
	if err != nil || len(found) != 1 {
		d.t.Fatalf("%d indexes, %v; want one", len(found), err)
	}
	return found[0]
}

// notebook returns the path of a file of what is known of the notes.
func (d *den) notebook(name string) string {
	return filepath.Join(d.kept(), "notebook", name)
}

// kept returns the folder of what is kept of the notes.
func (d *den) kept() string {
	return filepath.Join(d.path("state"), filepath.Base(filepath.Dir(d.index())))
}

func (d *den) command(ctx context.Context, args ...string) (*exec.Cmd, *bytes.Buffer) {
	d.t.Helper()
	self, err := os.Executable()
	if err != nil {
		d.t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, self, args...)
	cmd.Args[0] = "memoir"
	if slices.Contains(args, "model") || slices.Contains(args, "--real") {
		cmd.Args[0] = "memoir-real"
	}
	cmd.Args = slices.DeleteFunc(cmd.Args, func(a string) bool { return a == "--real" })
	cmd.Dir = d.path("notes")
	cmd.Env = append(os.Environ(), "HOME="+d.path("home"), "MEMOIR_CONFIG="+d.path("home/own.toml"), "MEMOIR_STATE_DIR="+d.path("state"),
		"MEMOIR_MODELS_DIR="+d.path("models"), "MEMOIR_QUERY_EMBED_TIMEOUT="+patience)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	return cmd, &out
}

// run runs memoir and returns what it wrote and whether it ended well. One
// that hangs fails the test.
func (d *den) run(args ...string) (string, bool) {
	d.t.Helper()
	ctx, cancel := context.WithTimeout(d.t.Context(), hanging)
	defer cancel()
	cmd, out := d.command(ctx, args...)
	err := cmd.Run()
	if ctx.Err() != nil {
		d.t.Fatalf("memoir %s hangs", strings.Join(args, " "))
	}
	if text := out.String(); strings.Contains(text, "panic:") || strings.Contains(text, "goroutine ") {
		d.t.Errorf("memoir %s: %s", strings.Join(args, " "), text)
	}
	return out.String(), err == nil
}

// untouched checks that all that is outside is as it was.
func (d *den) untouched() {
	d.t.Helper()
	data, err := os.ReadFile(d.path("outside/precious"))
	if err != nil || string(data) != "precious" {
		d.t.Errorf("what is outside is %q now, %v", data, err)
	}
	if entries, err := os.ReadDir(d.path("outside")); err != nil || len(entries) != 1 {
		d.t.Errorf("outside are %v now, %v; want the one file", entries, err)
	}
}

// strange are the makers of what is no ordinary file, by what it is.
func (d *den) strange() map[string]func(path string) error {
	link := func(to string) func(string) error {
		return func(path string) error { return os.Symlink(to, path) }
	}
	makers := map[string]func(string) error{
		"link to a file":   link(d.path("outside/precious")),
		"dangling link":    link(d.path("outside/nowhere")),
		"link to a folder": link(d.path("outside")),
		"folder":           func(path string) error { return os.Mkdir(path, 0o700) },
		"pipe":             func(path string) error { return unix.Mkfifo(path, 0o600) },
		"socket": func(path string) error {
			// A long path has no room in the address of a socket.
			l, err := net.ListenUnix("unix", &net.UnixAddr{Name: d.path("s"), Net: "unix"})
			if err != nil {
				return err
			}
			l.SetUnlinkOnClose(false)
			return errors.Join(l.Close(), os.Rename(d.path("s"), path))
		},
	}
	// A device that gives zeros without an end, and the test's own: what goes
	// wrong must not befall the machine's. Only root may make one.
	zeros := func(path string) error { return unix.Mknod(path, unix.S_IFCHR|0o600, int(unix.Mkdev(1, 5))) }
	if device := d.path("zeros"); zeros(device) == nil || errors.Is(zeros(device), fs.ErrExist) {
		makers["device"], makers["link to a device"] = zeros, link(device)
	}
	return makers
}

// put makes something strange in the place of a file.
func (d *den) put(path string, make func(string) error) {
	d.t.Helper()
	if err := errors.Join(os.RemoveAll(path), os.MkdirAll(filepath.Dir(path), 0o700), make(path)); err != nil {
		d.t.Fatal(err)
	}
}

// Whatever stands in the place of a file that memoir reads or writes: every
// command ends, and nothing outside is read or changed.
func TestStrangeFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long")
	}
	t.Parallel()
	places := []struct {
		name     string
		path     func(*den) string
		commands [][]string
		says     string // what the last of the commands says; "" is that it does not matter
	}{
		{"index", func(d *den) string { return d.index() }, [][]string{{"status"}, {"search", "SQLite"}, {"index"}}, "not an ordinary file"},
		{"journal of the index", func(d *den) string { return d.index() + "-journal" }, [][]string{{"search", "SQLite"}, {"index"}}, "not an ordinary file"},
		{"rows", func(d *den) string { return d.index() + ".vectors-1" }, [][]string{{"search", "SQLite"}, {"index"}, {"doctor"}}, "not an ordinary file"},
		{"lock", func(d *den) string { return d.index() + ".lock" }, [][]string{{"search", "SQLite"}, {"index"}}, "not an ordinary file"},
		{"query log", func(d *den) string { return d.kept() + "/main.sqlite.queries.jsonl" }, [][]string{{"search", "SQLite"}, {"eval", "--replay"}}, "not an ordinary file"},
		{"older query log", func(d *den) string { return d.kept() + "/main.sqlite.queries.jsonl.old" }, [][]string{{"search", "SQLite"}, {"eval", "--replay"}}, "not an ordinary file"},
		{"another index", func(d *den) string { return d.path("state/cache/other-0123456789ab/main.sqlite") }, [][]string{{"index"}, {"search", "SQLite"}}, "MEMORY.md"},
		{"settings", func(d *den) string { return d.path("home/own.toml") }, [][]string{{"search", "SQLite"}}, ""},
		{"settings of the workspace", func(d *den) string { return d.path("notes/.memoir.toml") }, [][]string{{"search", "SQLite"}, {"model", "use", "--workspace-settings", "inside"}}, "not an ordinary file"},
		{"ignore file", func(d *den) string { return d.path("notes/.gitignore") }, [][]string{{"index"}, {"search", "SQLite"}}, "MEMORY.md"},
		{"own ignore file", func(d *den) string { return d.path("notes/deep/.memoirignore") }, [][]string{{"index"}, {"search", "SQLite"}}, "MEMORY.md"},
		{"lease", func(d *den) string { return d.index() + ".embed.lock" }, [][]string{{"search", "SQLite"}, {"index"}}, "not an ordinary file"},
		{"mark of damage", func(d *den) string { return d.index() + ".damaged" }, [][]string{{"index"}, {"rebuild"}, {"search", "SQLite"}}, "MEMORY.md"},
		{"note of a sync", func(d *den) string { return d.index() + ".synced" }, [][]string{{"index"}, {"search", "SQLite"}}, "MEMORY.md"},
		{"what tidy learned", func(d *den) string { return d.notebook("tidy.json") }, [][]string{{"tidy"}, {"forget", "deep/a.md#L1"}, {"search", "SQLite"}}, "MEMORY.md"},
		{"history", func(d *den) string { return d.notebook("history.jsonl") }, [][]string{{"history"}, {"remember", "We use tabs in all of our Go code."}}, "not an ordinary file"},
		{"what was forgotten", func(d *den) string { return d.notebook("forgotten") }, [][]string{{"remember", "--origin", "agent", "We use tabs in all of our Go code."}}, "not an ordinary file"},
		{"access counts", func(d *den) string { return d.notebook("accesses") }, [][]string{{"search", "SQLite"}, {"tidy"}}, "not an ordinary file"},
		{"tokens", func(d *den) string { return d.path("state/serve/tokens.json") }, [][]string{{"token", "create", "bot"}, {"token", "list"}}, "not an ordinary file"},
		{"work of hooks", func(d *den) string { return filepath.Join(d.kept(), "hooks", "queue") }, [][]string{{"hook", "codex", "stop"}, {"index"}, {"search", "SQLite"}}, "MEMORY.md"},
		{"note", func(d *den) string { return d.path("notes/b.md") }, [][]string{{"get", "b.md"}, {"index"}, {"search", "SQLite"}}, "MEMORY.md"},
		{"model", func(d *den) string { return d.path("models/m.memoir") }, [][]string{{"model", "list"}, {"model", "remove", "m"}, {"model", "use", "m"}}, "not an ordinary file"},
	}
	for _, place := range places {
		t.Run(place.name, func(t *testing.T) {
			t.Parallel()
			for kind := range newDen(t).strange() {
				t.Run(kind, func(t *testing.T) {
					d := newDen(t)
					if text, ok := d.run("index"); !ok {
						t.Fatal(text)
					}
					d.put(place.path(d), d.strange()[kind])
					before, err := os.Lstat(place.path(d))
					if err != nil {
						t.Fatal(err)
					}
					text := ""
					for _, args := range place.commands {
						text, _ = d.run(args...)
						d.untouched()
					}
					if after, err := os.Lstat(place.path(d)); err != nil || !os.SameFile(before, after) {
						t.Errorf("it was replaced or removed: %v", err)
					}
					if !strings.Contains(text, place.says) {
						t.Errorf("got %q, want it to hold %q", text, place.says)
					}
					for line := range strings.Lines(text) {
						if _, advice, _ := strings.Cut(line, "try: "); strings.Contains(advice, "remove") || strings.Contains(advice, "delete") {
							t.Errorf("%q advises to remove what is not memoir's", text)
						}
					}
					if strings.Contains(text, "precious") && !strings.Contains(text, d.path("outside/precious")) {
						t.Errorf("%q shows what is outside", text)
					}
				})
			}
		})
	}
}

// What a person names is opened through a link, and is refused when it is no
// ordinary file: nothing is waited for or read without an end.
func TestStrangeModels(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long")
	}
	t.Parallel()
	d := newDen(t)
	d.write("published/tokenizer.json", "{}")
	for kind, make := range d.strange() {
		if kind == "link to a file" || kind == "dangling link" {
			continue // which are followed
		}
		named := d.path("m.memoir")
		d.put(named, make)
		d.put(d.path("published/config.json"), make)
		d.write("home/own.toml", "model = '"+named+"'\n")
		for _, args := range [][]string{
			{"--real", "search", "--json", "SQLite"}, {"model", "verify", named}, {"model", "use", named}, {"model", "pull", named},
			{"model", "convert", named, d.path("made")}, {"model", "convert", d.path("published"), d.path("made")}, {"model", "pull", d.path("published")},
		} {
			text, _ := d.run(args...)
			d.untouched()
			folder := strings.Contains(kind, "folder") && (args[1] == "pull" || args[1] == "convert") // which it reads
			if !strings.Contains(text, "not an ordinary file") && !folder {
				t.Errorf("%s, %s: got %q", kind, args, text)
			}
			if strings.Contains(text, "remove") {
				t.Errorf("%s, %s: %q advises to remove what is not memoir's", kind, args, text)
			}
		}
	}
}

// The folder of an index and those in it are no links, and nothing is written where one
// leads: neither by what needs the index nor by what changes notes alone, nor by hooks.
func TestLinkedFolders(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long")
	}
	d := newDen(t)
	if text, ok := d.run("index"); !ok {
		t.Fatal(text)
	}
	dir, cached := d.kept(), filepath.Dir(d.index())
	for _, linked := range []string{dir, cached} {
		for _, kind := range []string{"link to a folder", "dangling link", "pipe"} {
			d.put(linked, d.strange()[kind])
			for _, args := range [][]string{{"search", "SQLite"}, {"status"}, {"doctor"}, {"eval", "--replay"}, {"index"}, {"forget", "MEMORY.md#L1"}, {"remember", "We use tabs in Go."}} {
				text, _ := d.run(args...)
				d.untouched()
				want := linked
				switch {
				case linked == cached && args[0] == "eval": // the questions are not in the cache
					want = ""
				case linked == cached && args[0] == "forget": // the notes and the history can forget
					want = "the files of the index may still hold it"
				}
				if !strings.Contains(text, want) {
					t.Errorf("%s, %s: got %q, want it to say %s", kind, args, text, want)
				}
				d.write("notes/MEMORY.md", "- We use SQLite.\n")
			}
		}
		if err := os.RemoveAll(linked); err != nil {
			t.Fatal(err)
		}
	}
	for _, place := range []string{"", "hooks", "hooks/queue", "hooks/sessions", "notebook"} {
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		if text, ok := d.run("index"); !ok {
			t.Fatal(text)
		}
		d.put(filepath.Join(dir, place), d.strange()["link to a folder"])
		for _, event := range []string{"session-start", "stop", "session-end"} {
			cmd, out := d.command(t.Context(), "hook", "codex", event)
			cmd.Stdin = strings.NewReader(`{"session_id": "s1"}`)
			if err := cmd.Run(); err != nil {
				t.Errorf("%q, %s: %v: %s", place, event, err, out)
			}
			d.untouched()
		}
		d.run("forget", "MEMORY.md#L1")
		d.untouched()
		if note, err := os.ReadFile(d.path("notes/MEMORY.md")); err != nil || (place == "" || place == "notebook") && !strings.Contains(string(note), "SQLite") {
			t.Errorf("%q: the note is %q, %v, and there is no history of what was in it", place, note, err)
		}
		d.write("notes/MEMORY.md", "- We use SQLite.\n")
	}
}

// A lock that another process holds is waited for, and the first request to
// terminate ends that.
func TestTerminateWhileWaiting(t *testing.T) {
	t.Parallel()
	d := newDen(t)
	if text, ok := d.run("index"); !ok {
		t.Fatal(text)
	}
	lock, err := os.OpenFile(d.index()+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), hanging)
	defer cancel()
	cmd, _ := d.command(ctx, "index")
	cmd.Stderr = nil
	errs, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	said := make([]byte, 1)
	if _, err := errs.Read(said); err != nil { // that it waits
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); ctx.Err() != nil || err == nil {
		t.Errorf("got %v, %v; want a command that ended for the signal", err, ctx.Err())
	}
}

// What a stranger called a file begins no line of what a command says, and steers no terminal:
// the name stands there in quotes.
func TestNamesOfStrangers(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine a process, and long under the race detector")
	}
	d := newDen(t)
	names := []string{"evil\nmemoir: all is well\x1b[2J.md", "turned\u202edm.md", "parted\u2028memoir: so it is.md"}
	for i, name := range names {
		d.write("notes/"+name, "- The port of the database is 543"+strconv.Itoa(i)+".\n- password: Tr0ub4dor&3x!"+strconv.Itoa(i)+"\n")
	}
	d.write("home/strange\nmemoir: a folder/MEMORY.md", "- Coffee is black.\n")
	for _, language := range []string{"C", "zh_CN.UTF-8"} {
		shown := map[string]bool{}
		for _, args := range [][]string{
			{"index"}, {"status"}, {"doctor"}, {"search", "port of the database"}, {"search", "--files", "port of the database"}, {"search", "--markdown", "port of the database"},
			{"scan"}, {"tidy"}, {"entries"}, {"similar", "The port of the database is 5430"}, {"why", "database port", names[1]}, {"get", names[0]}, {"get", "x" + names[1]}, {"open", names[0]}, {"export", d.path("x.tgz")},
			{"forget", "--dry-run", names[2]}, {"scan", "--fix", "--yes"}, {"history"}, {"history", "--lost"}, {"undo"},
			{"--workspace", d.path("home/strange\nmemoir: a folder"), "index"}, {"--workspace", d.path("home/strange\nmemoir: a folder"), "status"}, {"--workspace", d.path("home/strange\nmemoir: a folder"), "get", "b.md"},
			{"indexes"}, {"where"}, {"import", "vault", d.path("notes"), "--dry-run", "--workspace", d.path("home/strange\nmemoir: a folder")},
		} {
			cmd, said := d.command(t.Context(), args...)
			cmd.Env = append(cmd.Env, "LC_ALL="+language)
			_ = cmd.Run() // some fail
			out := said.String()
			for line := range strings.Lines(out) {
				line = strings.TrimSuffix(line, "\n")
				if strings.HasPrefix(line, "memoir: all") || strings.HasPrefix(line, "memoir: so") || strings.HasPrefix(line, "memoir: a folder") || strings.ContainsAny(line, "\x1b\u202e\u2028") {
					t.Errorf("%s %q: %q", language, args, line)
				}
			}
			for _, name := range names {
				shown[name] = shown[name] || strings.Contains(out, strings.Trim(strconv.Quote(name), `"`))
			}
		}
		if out, _ := d.run("doctor"); language == "C" && !strings.Contains(out, "1 file skipped: 1 × its name has a control character") {
			t.Errorf("doctor says %s", out)
		}
		for _, name := range names {
			if !shown[name] {
				t.Errorf("%s: no command shows %q", language, name)
			}
		}
	}
}
