package cli_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/memoir-ai/memoir/internal/mounttest"
	"golang.org/x/sys/unix"
)

// mount mounts a disk, or another folder, on a folder, which it makes. What it returns
// takes that away, as the end of the test does.
func mount(t *testing.T, dir, what string) (unmount func()) {
	t.Helper()
	source, kind, flags, size := what, "", uintptr(unix.MS_BIND), ""
	if strings.HasPrefix(what, "size=") {
		source, kind, flags, size = "none", "tmpfs", 0, what+",mode=0700"
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount(source, dir, kind, flags, size); err != nil {
		t.Skipf("nothing can be mounted: %v", err)
	}
	mounted := true
	unmount = func() {
		if mounted {
			if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
				t.Error(err)
			}
		}
		mounted = false
	}
	t.Cleanup(unmount)
	return unmount
}

// soon waits until a query finds one note and nothing is missing, and logs how long
// that was.
func (s *server) soon(what, query, path string) {
	s.t.Helper()
	start := time.Now()
	for {
		paths, degraded := s.search(query)
		if len(paths) == 1 && paths[0] == path && len(degraded) == 0 {
			s.t.Logf("%s: right after %v", what, time.Since(start).Round(time.Millisecond))
			return
		}
		if time.Since(start) > time.Minute {
			s.t.Fatalf("%s: after a minute %q finds %v, degraded %+v", what, query, paths, degraded)
		}
	}
}

// TestServerDisks: a server lives through a disk that is full and has room again, and
// through disks of notes that are unmounted and come back.
func TestServerDisks(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long")
	}
	if !mounttest.Own(t) {
		return
	}
	for name, serve := range ways {
		for what, happens := range map[string]func(*testing.T, *bench, func() *server){
			"full": fullState, "all notes": notesUnmounted, "some notes": folderUnmounted,
		} {
			t.Run(name+" "+what, func(t *testing.T) {
				b, _ := newBench(t, 2)
				b.note("first.md", "# First\n\nxylophone\n")
				happens(t, b, func() *server {
					t.Helper()
					b.run("state", "", "index", "--text-only")
					s := serve(b, "state")
					s.finds("xylophone", "first.md")
					return s
				})
			})
		}
	}
}

// fullState fills the disk of the state to the last byte.
func fullState(t *testing.T, b *bench, serve func() *server) {
	state := filepath.Join(b.home, "state")
	mount(t, state, "size=8m")
	s := serve()
	defer s.stop()
	filler := filepath.Join(state, "filler")
	if err := os.WriteFile(filler, make([]byte, 9<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("the disk is not full: %v", err)
	}
	b.note("during.md", "# During\n\nquagga\n")
	paths, degraded := s.search("quagga")
	named := false
	for _, d := range degraded {
		named = named || d.Part == "sync" && strings.Contains(d.Reason, "full") && strings.Contains(d.Action, "make room")
	}
	if len(paths) > 0 || !named {
		t.Errorf("on a full disk: got %v, degraded %+v; want that it is full", paths, degraded)
	}
	if paths, _ := s.search("xylophone"); len(paths) != 1 || paths[0] != "first.md" {
		t.Errorf("on a full disk: got %v, want what is indexed", paths)
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	s.soon("with room again", "quagga", "during.md")
	s.finds("xylophone", "first.md")
}

// notesUnmounted takes the disk of all notes away, and brings it back.
func notesUnmounted(t *testing.T, b *bench, serve func() *server) {
	disk := b.notes + " disk"
	if err := os.Rename(b.notes, disk); err != nil {
		t.Fatal(err)
	}
	unmount := mount(t, b.notes, disk)
	s := serve()
	defer s.stop()
	unmount()
	b.note("below.md", "# Below\n\nquagga\n")
	s.soon("in the bare folder", "quagga", "below.md")
	if paths, _ := s.search("xylophone"); len(paths) != 0 {
		t.Errorf("of the disk that is gone: got %v", paths)
	}
	mount(t, b.notes, disk)
	s.soon("mounted again", "xylophone", "first.md")
	if paths, _ := s.search("quagga"); len(paths) != 0 {
		t.Errorf("of the bare folder: got %v", paths)
	}
}

// folderUnmounted does the same to a folder below the notes.
func folderUnmounted(t *testing.T, b *bench, serve func() *server) {
	disk, work := b.notes+" disk", filepath.Join(b.notes, "work")
	if err := errors.Join(os.MkdirAll(work, 0o700), os.MkdirAll(disk, 0o700), os.WriteFile(filepath.Join(disk, "a.md"), []byte("quagga\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	// Of old notes a server is sure: it looks at none as long as nothing happens.
	old := time.Now().Add(-time.Hour)
	err := filepath.WalkDir(b.notes, func(path string, _ os.DirEntry, err error) error {
		return errors.Join(err, os.Chtimes(path, old, old))
	})
	if err != nil {
		t.Fatal(err)
	}
	s := serve()
	defer s.stop()
	for range 2 {
		s.finds("xylophone", "first.md")
	}
	unmount := mount(t, work, disk)
	s.soon("mounted", "quagga", "work/a.md")
	s.finds("quagga", "work/a.md")
	unmount()
	if paths, _ := s.search("quagga"); len(paths) != 0 {
		t.Errorf("of the disk that is gone: got %v", paths)
	}
	mount(t, work, disk)
	s.soon("mounted again", "quagga", "work/a.md")
}

// TestFullDisk: what is told on a full disk is not kept, with the next step, and a server
// that starts on one answers from the index that is there.
func TestFullDisk(t *testing.T) {
	if !mounttest.Own(t) {
		return
	}
	d := newDesk(t, map[string]string{"first.md": "# First\n\nxylophone\n"})
	state := filepath.Join(d.dir, "state")
	mount(t, state, "size=8m")
	d.output("index", "--text-only")
	d.token()
	if err := os.WriteFile(filepath.Join(state, "filler"), make([]byte, 9<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("the disk is not full: %v", err)
	}
	for _, args := range [][]string{{"remember", "We chose Postgres, because its backups can be tested."}, {"token", "create", "bot"}} {
		out, err := d.command(nil, args...).CombinedOutput()
		if text := string(out); err == nil || !strings.Contains(text, "\n  try: make room on that disk") {
			t.Errorf("memoir %s says %v, %s", args[0], err, text)
		}
	}
	s := d.serveHTTP() // its folder may have no room for a socket
	if code, body := s.ask("POST", "/v1/search", `{"query":"xylophone","mode":"text"}`); code != 200 || !strings.Contains(body, "first.md") {
		t.Errorf("%d %s", code, body)
	}
	if code, _ := s.ask("GET", "/v1/status", "", "Authorization", "Bearer "); code == 500 {
		t.Errorf("an empty token: %d", code)
	}
}

// TestReadOnlyNotes: what is told where nothing can be written is not kept, with a step that
// helps.
func TestReadOnlyNotes(t *testing.T) {
	if !mounttest.Own(t) {
		return
	}
	d := newDesk(t, map[string]string{"first.md": "# First\n\nxylophone\n"})
	notes := filepath.Join(d.dir, "notes")
	mount(t, notes, notes)
	if err := unix.Mount("", notes, "", unix.MS_REMOUNT|unix.MS_BIND|unix.MS_RDONLY, ""); err != nil {
		t.Skipf("nothing can be made read-only: %v", err)
	}
	out, err := d.command(nil, "remember", "We chose Postgres, because its backups can be tested.").CombinedOutput()
	if text := string(out); err == nil || !strings.Contains(text, "\n  try: let this user write there") {
		t.Errorf("memoir remember says %v, %s", err, text)
	}
	s := d.serveHTTP()
	for _, asked := range [][3]string{{"PUT", "/v1/notes/second.md", `{"text":"marimba\n"}`}, {"POST", "/v1/remember", `{"text":"We chose Postgres, because its backups can be tested."}`}} {
		if code, body := s.ask(asked[0], asked[1], asked[2], "If-None-Match", "*"); code != 503 || !strings.Contains(body, `"code":"denied"`) || !strings.Contains(body, "let this user write there") {
			t.Errorf("%s %s: %d %s", asked[0], asked[1], code, body)
		}
	}
	out, err = d.command(nil, "doctor").CombinedOutput()
	if text := string(out); err != nil || !strings.Contains(text, "nothing can be remembered in "+notes) {
		t.Errorf("memoir doctor says %v, %s", err, text)
	}
}

// TestFullDiskServed: over HTTP and MCP a disk without room is told as what it is, of the notes
// and of the index alike. No note is changed, none is lost, and with room again all works.
func TestFullDiskServed(t *testing.T) {
	if !mounttest.Own(t) {
		return
	}
	for _, full := range []string{"notes", "state"} {
		t.Run(full, func(t *testing.T) {
			d := shortDesk(t, nil)
			disk := filepath.Join(d.dir, full)
			mount(t, disk, "size=8m")
			d.write("first.md", "# First\n\nxylophone\n")
			d.output("index", "--text-only")
			d.output("remember", "--type", "preference", "I prefer tea in the morning.")
			s := d.serveHTTP()
			d.token()
			x, joined := d.talk([]string{"MEMOIR_SERVE_JOIN=false"}, "--memory-tool"), d.talk(nil, "--memory-tool")
			before := d.text("notes")
			filler := filepath.Join(disk, "filler")
			if full == "notes" {
				filler = filepath.Join(disk, ".filler")
			}
			if err := os.WriteFile(filler, make([]byte, 9<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
				t.Fatalf("the disk is not full: %v", err)
			}
			large, told := strings.Repeat("marimba ", 4096), "We chose Postgres, because its backups can be tested."
			for _, asked := range [][3]string{
				{"PUT", "/v1/notes/first.md", fmt.Sprintf(`{"text":%q}`, large)},
				{"PUT", "/v1/notes/second.md", fmt.Sprintf(`{"text":%q}`, large)},
				{"PUT", "/v1/notes/small.md", `{"text":"# Small\n"}`},
				{"POST", "/v1/remember", fmt.Sprintf(`{"text":%q}`, told)},
				{"POST", "/v1/sync", ""},
			} {
				code, body := s.ask(asked[0], asked[1], asked[2], "If-Match", "*")
				if asked[1] != "/v1/notes/first.md" && asked[0] == "PUT" {
					code, body = s.ask(asked[0], asked[1], asked[2], "If-None-Match", "*")
				}
				if code >= 400 && (code != 507 || !strings.Contains(body, `"code":"full"`) || !strings.Contains(body, "make room")) || code < 400 && len(asked[2]) > len(large) {
					t.Errorf("%s %s: %d %s", asked[0], asked[1], code, body)
				}
			}
			if code, body := s.ask("POST", "/v1/search", `{"query":"xylophone","mode":"text"}`); code != 200 || !strings.Contains(body, "first.md") {
				t.Errorf("a search: %d %s", code, body)
			}
			for tool, arguments := range map[string]string{
				"memory_remember": fmt.Sprintf(`{"text":%q}`, told),
				"memory":          fmt.Sprintf(`{"command":"create","path":"/memories/third.md","file_text":%q}`, large),
			} {
				for _, x := range []*talk{x, joined} {
					if got := x.ask(toolCall(tool, arguments)); !strings.Contains(got, "make room") && (tool == "memory" || strings.Contains(got, `"isError":true`)) {
						t.Errorf("%s: %s", tool, got)
					}
				}
			}
			if out, err := d.command(nil, "remember", told).CombinedOutput(); err != nil && !strings.Contains(string(out), "make room") {
				t.Errorf("memoir remember: %v %s", err, out)
			}
			after := d.text("notes")
			for _, line := range strings.SplitAfter(before, "\n") {
				if !strings.Contains(after, line) {
					t.Errorf("%q is lost", line)
				}
			}
			if err := os.Remove(filler); err != nil {
				t.Fatal(err)
			}
			if code, body := s.ask("PUT", "/v1/notes/second.md", `{"text":"marimba\n"}`, "If-None-Match", "*"); code != 201 && code != 200 {
				t.Errorf("with room again: %d %s", code, body)
			}
			if got := x.ask(toolCall("memory_search", `{"query":"marimba","mode":"text"}`)); !strings.Contains(got, "second.md") {
				t.Errorf("with room again: %s", got)
			}
		})
	}
}
