package cli_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memoir-ai/memoir/internal/app"
	"github.com/memoir-ai/memoir/internal/statedir"
	"github.com/memoir-ai/memoir/internal/wire"
)

// served is a memoir mcp with a client of it.
type served struct {
	*testing.T
	cmd    *exec.Cmd
	client *mcp.ClientSession
}

// desk is a workspace that was never indexed.
type desk struct {
	*testing.T
	self, dir string
	name      string // of the program
	place     string // "": the folder notes
	secret    string // of the token for its servers, once there is one
}

func newDesk(t *testing.T, notes map[string]string) *desk {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{T: t, self: self, dir: t.TempDir(), name: "memoir"}
	for name, text := range notes {
		d.write(name, text)
	}
	return d
}

func (d *desk) write(name, text string) {
	d.Helper()
	path := filepath.Join(d.dir, "notes", filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		d.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		d.Fatal(err)
	}
}

func (d *desk) command(env []string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(d.Context(), d.self, append([]string{"--workspace", cmp.Or(d.place, filepath.Join(d.dir, "notes"))}, args...)...)
	cmd.Args[0], cmd.Dir = d.name, d.dir
	cmd.Env = append(append(os.Environ(), "HOME="+d.dir, "USERPROFILE="+d.dir, "MEMOIR_STATE_DIR="+filepath.Join(d.dir, "state"), "MEMOIR_QUERY_EMBED_TIMEOUT="+patience), env...)
	return cmd
}

// serve starts memoir mcp, which ends with the test.
func (d *desk) serve(env ...string) *served {
	d.Helper()
	return connect(d.T, d.command(env, "mcp"))
}

// connect starts a memoir mcp, which ends with the test.
func connect(t *testing.T, cmd *exec.Cmd) *served {
	t.Helper()
	s := &served{T: t, cmd: cmd}
	s.cmd.Stderr = os.Stderr
	var err error
	s.client, err = mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: s.cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.client.Close() })
	return s
}

func (s *served) search(query string) wire.Answer {
	s.Helper()
	var answer wire.Answer
	s.call("memory_search", map[string]any{"query": query}, &answer)
	return answer
}

func (s *served) call(tool string, arguments any, answer any) {
	s.Helper()
	res, err := s.client.CallTool(s.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil || res.IsError {
		s.Fatalf("%s %v: %v, %+v", tool, arguments, err, res)
	}
	data, err := json.Marshal(res.StructuredContent)
	if err == nil {
		err = json.Unmarshal(data, answer)
	}
	if err != nil {
		s.Fatal(err)
	}
}

func (d *desk) status() (x wire.Status) {
	d.Helper()
	out, err := d.command(nil, "status", "--json").Output()
	if err == nil {
		err = json.Unmarshal(out, &x)
	}
	if err != nil {
		d.Fatalf("status: %v: %s", err, out)
	}
	return x
}

// until asks for the status until it is as it should be.
func (d *desk) until(what string, as func(wire.Status) bool) wire.Status {
	d.Helper()
	deadline := time.Now().Add(time.Minute)
	for {
		x := d.status()
		if as(x) {
			return x
		}
		if time.Now().After(deadline) {
			d.Fatalf("%s: after a minute the status is %+v", what, x)
		}
	}
}

func filled(texts int) func(wire.Status) bool {
	return func(x wire.Status) bool { return x.Vectors == texts && x.PendingVectors == 0 }
}

// finds waits until a search finds a note first.
func (s *served) finds(query, path string) {
	s.Helper()
	for deadline := time.Now().Add(time.Minute); ; {
		a := s.search(query)
		if len(a.Results) > 0 && a.Results[0].Path == path {
			return
		}
		if time.Now().After(deadline) {
			s.Fatalf("%q: after a minute the answer is %+v", query, a)
		}
	}
}

// TestServedAlone: who only starts memoir mcp, on notes that were never indexed, has
// words at once and meaning without another command, also for what changes.
func TestServedAlone(t *testing.T) {
	t.Parallel()
	d := newDesk(t, map[string]string{"MEMORY.md": "- We use SQLite.\n", "memory/2026-03-02.md": "# Monday\n\nTook a cab home.\n"})
	s := d.serve()
	if a := s.search("SQLite"); len(a.Results) == 0 || a.Results[0].Path != "MEMORY.md" {
		t.Errorf("the first answer: %+v", a)
	}
	d.until("a first start", filled(2))
	if a := s.search("taxi"); len(a.Results) == 0 || a.Results[0].Path != "memory/2026-03-02.md" || len(a.Degraded) > 0 {
		t.Errorf("by meaning: %+v", a)
	}
	d.write("memory/new/2026-03-03.md", "The taxi was late.\n") // without a search
	d.until("a new note in a new folder", func(x wire.Status) bool { return filled(3)(x) && !x.Filling })
	d.write("memory/2026-03-02.md", "# Monday\n\nWalked home, which took an hour.\n")
	if a := s.search("hour"); len(a.Results) == 0 || a.Results[0].Path != "memory/2026-03-02.md" {
		t.Errorf("after an edit: %+v", a)
	}
	var remembered struct{ Path string }
	s.call("memory_remember", map[string]any{"text": "Lena Fischer leads the billing team.", "origin": "user"}, &remembered)
	s.finds("Lena", remembered.Path)
	d.until("what was told", func(x wire.Status) bool { return x.Vectors == 4 && x.PendingVectors == 0 })
	if err := s.client.Close(); err != nil {
		t.Error(err)
	}
	if !s.cmd.ProcessState.Success() {
		t.Errorf("it ended with %v", s.cmd.ProcessState)
	}
}

// TestServedWithoutWorkspace: a folder that is not there is made, and what is written
// to it is found.
func TestServedWithoutWorkspace(t *testing.T) {
	t.Parallel()
	d := newDesk(t, nil)
	s := d.serve()
	if a := s.search("anything"); len(a.Results) != 0 || a.Reason == "" {
		t.Errorf("an empty workspace: %+v", a)
	}
	d.write("MEMORY.md", "- We use SQLite.\n")
	d.until("the first note", filled(1))
	s.finds("database", "MEMORY.md")
}

// TestServedByTwo: two servers of one workspace embed each text once; when the one
// that does so is killed, the other goes on.
func TestServedByTwo(t *testing.T) {
	t.Parallel()
	const texts = 60
	notes := map[string]string{}
	for i := range texts {
		notes[fmt.Sprintf("memory/%02d.md", i)] = fmt.Sprintf("entry%d is about tea\n", i)
	}
	d := newDesk(t, notes)
	seen := filepath.Join(d.dir, "seen")
	stuck := d.serve("TEST_STUCK=until stopped")
	d.until("the first holds the lease", func(x wire.Status) bool { return x.Filling && x.PendingVectors == texts })
	one, two := d.serve("TEST_SEEN="+seen), d.serve("TEST_SEEN="+seen)
	if a := two.search("entry7"); len(a.Results) == 0 || len(a.Degraded) != 1 || a.Degraded[0].Reason != "the index is still filling: 60 of 60 texts have no vector yet" {
		t.Errorf("beside one that is stuck: %+v", a)
	}
	if data, err := os.ReadFile(seen); err == nil {
		t.Errorf("embedded beside the one that holds the lease: %s", data)
	}
	if err := stuck.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	d.until("another takes over", filled(texts))
	data, err := os.ReadFile(seen)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	slices.Sort(lines)
	if n := len(slices.Compact(slices.Clone(lines))); n != texts || len(lines) != texts {
		t.Errorf("%d texts were embedded, %d of them different, want %d", len(lines), n, texts)
	}
	if err := one.client.Close(); err != nil {
		t.Error(err)
	}
}

// TestServedBesideIndex: an index run waits for the batch that a server is at, and not
// for all vectors; what was not done is done once.
func TestServedBesideIndex(t *testing.T) {
	t.Parallel()
	const texts = 40
	notes := map[string]string{}
	for i := range texts {
		notes[fmt.Sprintf("memory/%02d.md", i)] = fmt.Sprintf("entry%d is about tea\n", i)
	}
	d := newDesk(t, notes)
	byServer, byRun, gate := filepath.Join(d.dir, "server"), filepath.Join(d.dir, "run"), filepath.Join(d.dir, "gate")
	d.serve("TEST_SEEN="+byServer, "TEST_GATE="+gate)
	x := d.until("the server computes", func(x wire.Status) bool { return x.Filling && x.PendingVectors == texts })
	run := d.command([]string{"TEST_SEEN=" + byRun}, "index")
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); !statedir.Held(x.Index + ".lock"); {
		if time.Now().After(deadline) {
			t.Fatal("the index run does not begin")
		}
	}
	if err := os.WriteFile(gate, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := run.Wait(); err != nil {
		t.Error(err)
	}
	if x := d.status(); x.Vectors != texts {
		t.Errorf("after the index run: %+v", x)
	}
	lines := func(file string) int {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Count(string(data), "\n")
	}
	if server, run := lines(byServer), lines(byRun); server != 16 || run != texts-16 {
		t.Errorf("%d texts by the server and %d by the run, want a batch of 16 and the others", server, run)
	}
}

// TestServedLooking: where the system is not asked, notes are looked at by the clock,
// and the status says so.
func TestServedLooking(t *testing.T) {
	t.Parallel()
	d := newDesk(t, map[string]string{"MEMORY.md": "- We use SQLite.\n", ".memoir.toml": "sync.watch = false\nsync.interval = \"1s\"\n"})
	d.serve()
	d.until("a first start", filled(1))
	d.write("memory/2026-03-03.md", "The taxi was late.\n")
	if x := d.until("a new note", filled(2)); x.Watched || x.UnwatchedReason != "sync.watch is off" {
		t.Errorf("it is told: %+v", x)
	}
}

// TestServedEnds: a server that computes a vector ends when the client closes.
func TestServedEnds(t *testing.T) {
	t.Parallel()
	d := newDesk(t, map[string]string{"MEMORY.md": "- We use SQLite.\n"})
	s := d.serve("TEST_STUCK=until stopped")
	d.until("it computes", func(x wire.Status) bool { return x.Filling })
	if err := s.client.Close(); err != nil || !s.cmd.ProcessState.Success() {
		t.Errorf("it ended with %v: %v", s.cmd.ProcessState, err)
	}
	if x := d.status(); x.Filling {
		t.Error("its lease has outlived it")
	}
}

// TestServedWithModel is TestServedAlone with the model inside.
func TestServedWithModel(t *testing.T) {
	if testing.Short() || app.About().Model == "" {
		t.Skip("needs the model inside")
	}
	t.Parallel()
	d := newDesk(t, map[string]string{"MEMORY.md": "- We keep bills in a metal cabinet.\n", "memory/2026-03-02.md": "The train to Lyon was late.\n"})
	d.name = "memoir-real"
	s := d.serve()
	if a := s.search("cabinet"); len(a.Results) == 0 || a.Results[0].Path != "MEMORY.md" {
		t.Errorf("the first answer: %+v", a)
	}
	d.until("a first start", filled(2))
	if a := s.search("railway delay"); len(a.Results) == 0 || a.Results[0].Path != "memory/2026-03-02.md" || len(a.Degraded) > 0 {
		t.Errorf("by meaning: %+v", a)
	}
}
